package talk

import (
	"errors"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/bench"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/tests/harness"
)

func open(t *testing.T) *device.Device {
	t.Helper()
	d, err := harness.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { harness.Close(t, d) })
	return d
}

// small is what takes an emulator a moment.
func small() Options { return Options{Side: 40, Warm: 1, Repeat: 2} }

func TestTalk(t *testing.T) {
	d := open(t)
	o := small()
	o.Code = []Code{{Entry: "twin_gemm_f32", Arch: d.Info().Arch, Instructions: 228, Branches: 12, Loop: Loop{Products: 16, Instructions: 72, Branches: 1}}}
	r, err := Run(t.Context(), d, o)
	if !d.Launches() {
		if err == nil || !strings.Contains(err.Error(), "launches no kernels") {
			t.Errorf("on %s: got %v", d.Info().Name, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Shapes) != 2 || r.Launches != 4 {
		t.Fatalf("%d shapes, %d launches each", len(r.Shapes), r.Launches)
	}
	want := []string{"checked_gemm_f32", "once_gemm_f32", "twin_gemm_f32", "raw_gemm_f32"}
	for _, s := range r.Shapes {
		for i, row := range s.Rungs {
			if row.Entry != want[i] || !row.Same || !(row.Largest <= row.Bound) || row.Bound == 0 || row.Seconds <= 0 {
				t.Errorf("%d x %d: rung %d is %+v", s.M, s.N, i, row)
			}
		}
		for i, entry := range []string{"gemm_cell_f32_fours", "gemm_tile_f32"} {
			if row := s.Beyond[i]; !strings.HasPrefix(row.Entry, entry) || !(row.Largest <= row.Bound) {
				t.Errorf("%d x %d: beyond the ladder, row %d is %+v", s.M, s.N, i, row)
			}
		}
	}
	if !strings.Contains(r.Rejected.Error, "requires len(a) >= M * K: left side is 1600, right side is 3200") {
		t.Errorf("the rejected launch: %s", r.Rejected.Error)
	}
	for _, timed := range []bool{false, true} {
		r.Timed = timed
		var out strings.Builder
		if err := r.Print(&out); err != nil {
			t.Fatal(err)
		}
		for _, words := range []string{"every access", "4.50", "left side is 1600", "Nothing was launched"} {
			if !strings.Contains(out.String(), words) {
				t.Errorf("the talk does not say %q:\n%s", words, &out)
			}
		}
		if timed != strings.Contains(out.String(), "2.43 times") || timed == strings.Contains(out.String(), "times mean nothing") {
			t.Errorf("timed: %t, and the talk says:\n%s", timed, &out)
		}
	}
}

func TestRatios(t *testing.T) {
	c := bench.GemmCase{Side: 512}
	for i, name := range []string{"checked_gemm_f32", "once_gemm_f32", "twin_gemm_f32", "raw_gemm_f32", "gemm_tile_f32_64", "cuBLAS"} {
		way := bench.GemmWay{Name: name, Figures: bench.Figures{Median: []float64{24, 11, 10, 9.5, 2, 1.5}[i]}, Rate: 3e12}
		switch {
		case i == 4:
			way.Kind = bench.GemmOurs
		case i == 5:
			way.Kind = bench.GemmPeer
		default:
			way.Kind = bench.GemmElse
		}
		c.Ways = append(c.Ways, way)
	}
	r := &bench.GemmReport{Device: bench.Device{Kind: "gpu"}, Cases: []bench.GemmCase{c}}
	var out strings.Builder
	if err := Ratios(&out, r); err != nil {
		t.Fatal(err)
	}
	want := "  512 a side: every access 2.400, once a thread 1.100, never 0.950 of once a launch; best gemm_tile_f32_64 3000 GFLOP/s, 75.0 % of cuBLAS\n"
	if !strings.HasSuffix(out.String(), want) || strings.Contains(out.String(), "mean nothing") {
		t.Errorf("got %q, want %q at the end", out.String(), want)
	}
	r.Cases[0].Ways = r.Cases[0].Ways[1:]
	if err := Ratios(&out, r); err == nil || !strings.Contains(err.Error(), "512 a side") {
		t.Errorf("without a rung: got %v", err)
	}
}

func TestArchOf(t *testing.T) {
	code := []Code{{Arch: 75}, {Arch: 90}, {Arch: 86}}
	for arch, want := range map[int]int{61: 0, 75: 75, 80: 75, 86: 86, 89: 86, 90: 90, 120: 90} {
		if got := archOf(code, arch); got != want {
			t.Errorf("a device of sm_%d runs the code of sm_%d, want %d", arch, got, want)
		}
	}
}

// TestFaults plants rungs that are wrong.
func TestFaults(t *testing.T) {
	d := open(t)
	if !d.Launches() {
		return
	}
	rungs, err := Rungs(d)
	if err != nil {
		t.Fatal(err)
	}
	clock, err := bench.NewClock(d, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer harness.Close(t, clock)
	for _, c := range []struct {
		fault string
		spoil func(p *Product, launch func() error) error
		words string
	}{
		{"beta is left out", func(p *Product, launch func() error) error { p.Beta = 0; return launch() }, "a wrong answer"},
		{"a term is left out", func(p *Product, launch func() error) error { p.K--; return launch() }, "a wrong answer"},
		{"it is launched twice", func(p *Product, launch func() error) error { return errors.Join(launch(), launch()) }, "a wrong answer"},
	} {
		spoiled := rungs[3]
		spoiled.Launch = func(s *device.Stream, p *Product) error {
			q := *p
			return c.spoil(&q, func() error { return rungs[3].Launch(s, &q) })
		}
		_, err := show(t.Context(), d, clock, []Rung{rungs[0], spoiled}, 20, func(string) {})
		if err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: got %v, want an error with %q", c.fault, err, c.words)
		}
	}
	// One that is right at first, and then launched more often than the others.
	launches, often := 0, rungs[3]
	often.Launch = func(s *device.Stream, p *Product) error {
		if launches++; launches == 2 {
			if err := rungs[3].Launch(s, p); err != nil {
				return err
			}
		}
		return rungs[3].Launch(s, p)
	}
	if _, err := show(t.Context(), d, clock, []Rung{rungs[0], often}, 20, func(string) {}); err == nil || !strings.Contains(err.Error(), "different bits") {
		t.Errorf("one launch more: got %v, want an error that says different bits", err)
	}
	// One that takes what it is given.
	careless := rungs[2]
	careless.Launch = func(*device.Stream, *Product) error { return nil }
	if _, err := reject(d, []Rung{careless}, 20); err == nil || !strings.Contains(err.Error(), "was not refused") {
		t.Errorf("a launch that is not refused: got %v", err)
	}
	writes := rungs[2]
	writes.Launch = func(s *device.Stream, p *Product) error {
		return errors.Join(p.C.Zero(s), errors.New("refused"))
	}
	if _, err := reject(d, []Rung{writes}, 20); err == nil || !strings.Contains(err.Error(), "has changed C") {
		t.Errorf("a refusal that writes: got %v", err)
	}
}

// TestTraps: the rungs that check on the device do so, each array. A trap takes a GPU down, so only the emulator is asked.
func TestTraps(t *testing.T) {
	d := open(t)
	if d.Info().Kind != device.Emu {
		return
	}
	rungs, err := Rungs(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, rung := range rungs[:2] {
		for i, name := range []string{"a", "b", "c"} {
			o, err := upload(d, 20)
			if err != nil {
				t.Fatal(err)
			}
			array := []*device.Slice[float32]{&o.A, &o.B, &o.C}[i]
			if *array, err = array.Slice(0, 399); err != nil {
				t.Fatal(err)
			}
			err = rung.Launch(nil, &o.Product)
			var report *emu.Report
			if !errors.As(err, &report) || !strings.Contains(err.Error(), "the kernel called __trap") {
				t.Errorf("checked %s, %s short by one: got %v, want a trap", rung.Name, name, err)
			}
			harness.Close(t, closer(o.close))
		}
	}
}

type closer func() error

func (c closer) Close() error { return c() }
