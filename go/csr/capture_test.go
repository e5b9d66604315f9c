package csr

import (
	"errors"
	"slices"
	"testing"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
)

// A captured product is computed at each replay, from what x holds then, and not while it is captured.
func TestCapturedProducts(t *testing.T) {
	t.Run("f32", testCapturedProducts[float32])
	t.Run("f16", testCapturedProducts[dtype.Float16])
}

func testCapturedProducts[W dtype.Float](t *testing.T) {
	d := open(t)
	m, err := New(d, uniform[W](7, 7, 3))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Repeat([]W{dtype.FromFloat64[W](-9)}, 7)
	for _, at := range []Direction{Gather, Scatter} {
		x, err := device.Upload(d, before)
		if err != nil {
			t.Fatal(err)
		}
		y, err := device.Upload(d, before)
		if err != nil {
			t.Fatal(err)
		}
		g, err := s.Capture(func() error { return p.multiply(at, s, y.All(), x.All()) })
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := y.Host(nil); !slices.Equal(got, before) {
			t.Fatalf("%v: the product was computed while it was captured: %v", at, got)
		}
		for replay := range 2 {
			in := slices.Repeat([]W{dtype.FromFloat64[W](float64(replay + 1))}, 7)
			if err := x.Write(nil, 0, in); err != nil {
				t.Fatal(err)
			}
			if err := g.Launch(nil); err != nil {
				t.Fatal(err)
			}
			multiply := m.MulVec
			if at == Scatter {
				multiply = m.MulVecT
			}
			want, err := multiply(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := y.Host(nil); !slices.Equal(got, want) {
				t.Errorf("%v: replay %d gave %v, want %v", at, replay, got, want)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if err := g.Launch(nil); !errors.Is(err, device.ErrClosed) {
			t.Errorf("%v: replay on a closed x: got %v, want ErrClosed", at, err)
		}
	}
}

// What is nil is refused, not followed.
func TestNothing(t *testing.T) {
	var (
		d *device.Device
		m *Matrix[float32]
		p *Plan[float32]
		v device.Slice[float32]
	)
	if _, err := New(d, uniform[float32](2, 2, 1)); !errors.Is(err, device.ErrNoDevice) {
		t.Errorf("New on no device: %v", err)
	}
	if _, err := NewPlan(m); !errors.Is(err, contract.ErrContract) {
		t.Errorf("a plan of no matrix: %v", err)
	}
	if _, err := m.MulVec(t.Context(), nil); !errors.Is(err, contract.ErrContract) {
		t.Errorf("a product of no matrix: %v", err)
	}
	if err := p.MulVec(nil, v, v); !errors.Is(err, contract.ErrContract) {
		t.Errorf("a product of no plan: %v", err)
	}
}

// A product that was captured is not replayed once the matrix is not as it was validated.
func TestReplayOfVoidProof(t *testing.T) {
	d := open(t)
	for _, at := range []Direction{Gather, Scatter} {
		m, err := New(d, uniform[float32](7, 7, 3))
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(m, Only(at))
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		x, err := device.Upload(d, make([]float32, 7))
		if err != nil {
			t.Fatal(err)
		}
		y, err := device.Upload(d, make([]float32, 7))
		if err != nil {
			t.Fatal(err)
		}
		g, err := s.Capture(func() error { return p.multiply(at, s, y.All(), x.All()) })
		if err == nil {
			err = g.Launch(s)
		}
		if err == nil {
			err = m.columns.Slice().Zero(s)
		}
		if err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{"a replay": g.Launch(s), "a product": p.multiply(at, s, y.All(), x.All())} {
			if !errors.Is(err, device.ErrStale) {
				t.Errorf("%v: %s: got %v, want ErrStale", at, name, err)
			}
		}
	}
}
