//go:build gpu

package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
)

// openGPU opens the GPU that Bazel gave the test: a stand-in for the driver that runs the kernels on the
// emulator, with a stand-in for cuSPARSE beside it. So all of the benchmark runs in CI; its times mean nothing.
func openGPU(t *testing.T) *device.Device {
	t.Helper()
	d, err := device.Open(t.Context(), device.WithKind("gpu"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func options() Options {
	return Options{Rows: 70, PerRow: []int{2, 40}, Repeat: 3, Warm: 1}
}

func TestGPU(t *testing.T) {
	r, err := CSR(t.Context(), openGPU(t), options())
	if err != nil {
		t.Fatal(err)
	}
	if r.Peer != "cuSPARSE 12.6.3" {
		t.Errorf("the peer is %q", r.Peer)
	}
	if r.CopyRate <= 0 || r.Launch == nil || r.Launch.Ours <= 0 || r.Launch.Check <= 0 || r.Launch.Bare <= 0 {
		t.Errorf("copy %v, launch %+v: something was not measured", r.CopyRate, r.Launch)
	}
	for _, c := range r.Cases {
		if _, ok := c.ChosenWay(); !ok {
			t.Errorf("%s, %d a row: the choice %q was not measured", c.Direction, c.PerRow, c.Chosen)
		}
		for _, m := range c.Ours {
			// So few rows that every loop over them ends with its first round.
			facts := m.Tier.Kernel == "csr_mv_thread" || m.Tier.Kernel == "csr_mv_group"
			if !strings.HasPrefix(m.Entry, m.Tier.Kernel+"_f32_i32_") || facts != strings.HasSuffix(m.Entry, "_once") {
				t.Errorf("%s, %d a row: %v was measured by the entry %q", c.Direction, c.PerRow, m.Tier, m.Entry)
			}
		}
		if want := 3; c.OneWeight == (len(c.Peers) == want) {
			t.Errorf("%s, %d a row, one weight %v: %d peers", c.Direction, c.PerRow, c.OneWeight, len(c.Peers))
		}
		if p, ok := r.PeerOf(&c); !ok || p.Workspace == 0 {
			t.Errorf("%s, %d a row: no peer, or one without a workspace: %+v", c.Direction, c.PerRow, p)
		}
	}
	var table bytes.Buffer
	if err := r.Table(&table); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", &table)
	tables, err := r.Tiers("a test")
	if err != nil || len(tables) != 2 || tables[0].Arch != 90 {
		t.Errorf("tier tables %+v, error %v", tables, err)
	}
}

// TestWrongPeer: a peer's wrong answer gets no time, and the run fails; ours is measured all the same.
func TestWrongPeer(t *testing.T) {
	t.Setenv("FAKE_CUSPARSE_FAULT", "wrong")
	o := options()
	o.NoLaunch = true
	r, err := CSR(t.Context(), openGPU(t), o)
	if err == nil || !strings.Contains(err.Error(), "cuSPARSE default") || !strings.Contains(err.Error(), "[3]") {
		t.Fatalf("got %v, want an error that names cuSPARSE and element 3", err)
	}
	for _, c := range r.Cases {
		if len(c.Peers) != 0 || len(c.Ours) == 0 {
			t.Errorf("%s, %d a row: %d times of the wrong peer, %d of ours", c.Direction, c.PerRow, len(c.Peers), len(c.Ours))
		}
	}
}

// TestUnsupported: what the peer cannot do is noted and no failure.
func TestUnsupported(t *testing.T) {
	t.Setenv("FAKE_CUSPARSE_FAULT", "no ALG2 transposed")
	o := options()
	o.NoLaunch = true
	o.PerRow = []int{2}
	r, err := CSR(t.Context(), openGPU(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "cuSPARSE ALG2") || !strings.Contains(r.Notes[0], "operation not supported") {
		t.Errorf("notes %q, want one about ALG2", r.Notes)
	}
	var table bytes.Buffer
	if err := r.Table(&table); err != nil || !strings.Contains(table.String(), "note: scatter") {
		t.Errorf("the table has no note (error %v):\n%s", err, &table)
	}
}

// TestNoCuSPARSE: without the library the report says so, and all else is measured.
func TestNoCuSPARSE(t *testing.T) {
	t.Setenv("WW_LIBCUSPARSE", "/nowhere/libcusparse.so.12")
	o := options()
	o.PerRow = []int{2}
	r, err := CSR(t.Context(), openGPU(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(r.Peer, "none: ") || !strings.Contains(r.Peer, "/nowhere/libcusparse.so.12") || r.CopyRate <= 0 || r.Launch.Bare <= 0 {
		t.Errorf("peer %q, copy %v, launch %+v", r.Peer, r.CopyRate, r.Launch)
	}
}

// TestGemmGPU runs products beside a stand-in for cuBLAS, which is strict about what it is given.
func TestGemmGPU(t *testing.T) {
	r, err := Gemm(t.Context(), openGPU(t), GemmOptions{Sides: []int{5, 36}, Repeat: 2, Warm: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Peer != "cuBLAS 13.0.2" || len(r.Cases) != 2 {
		t.Errorf("the peer is %q, and there are %d cases", r.Peer, len(r.Cases))
	}
	for _, c := range r.Cases {
		kinds := map[GemmKind]int{}
		for _, w := range c.Ways {
			kinds[w.Kind]++
		}
		if _, ok := c.Way(c.Chosen); !ok || kinds[GemmPeer] != 2 || kinds[GemmOurs] < 2 {
			t.Errorf("%d a side: chosen %q among %+v", c.Side, c.Chosen, c.Ways)
		}
		// Rows of 36 begin at multiples of 16 bytes where the matrix does, and tiles rely on that.
		if odd := kinds[GemmOdd]; odd == 0 == (c.Side == 36) {
			t.Errorf("%d a side: %d ways of unaligned matrices among %+v", c.Side, odd, c.Ways)
		}
	}
	var table bytes.Buffer
	if err := r.Table(&table); err != nil || !strings.Contains(table.String(), "cuBLAS pedantic") || strings.Contains(table.String(), " - ") {
		t.Errorf("error %v:\n%s", err, &table)
	}
	tables, err := r.Tiers("a test")
	if err != nil || len(tables) != 1 || tables[0].Arch != 90 || len(tables[0].Tiers) == 0 {
		t.Errorf("tier tables %+v, error %v", tables, err)
	}
}

// TestWrongCuBLAS: a wrong answer of the peer gets no time, and the run fails; ours is measured all the same. What it
// cannot do is noted and no failure.
func TestWrongCuBLAS(t *testing.T) {
	o := GemmOptions{Sides: []int{17}, Repeat: 1}
	t.Setenv("FAKE_CUBLAS_FAULT", "wrong")
	r, err := Gemm(t.Context(), openGPU(t), o)
	if err == nil || !strings.Contains(err.Error(), "17 a side: cuBLAS: ") || !strings.Contains(err.Error(), "[3]") {
		t.Fatalf("got %v, want an error that names cuBLAS and cell 3", err)
	}
	if _, ok := r.Cases[0].Best(GemmPeer); ok || len(r.Cases[0].Ways) < 2 {
		t.Errorf("the ways are %+v", r.Cases[0].Ways)
	}
	t.Setenv("FAKE_CUBLAS_FAULT", "no pedantic")
	r, err = Gemm(t.Context(), openGPU(t), o)
	if err != nil || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "cuBLAS pedantic") || !strings.Contains(r.Notes[0], "not supported") {
		t.Errorf("notes %q, error %v", r.Notes, err)
	}
}

// TestNoCuBLAS: without the library the report says so, and ours is measured.
func TestNoCuBLAS(t *testing.T) {
	t.Setenv("WW_LIBCUBLAS", "/nowhere/libcublas.so.13")
	r, err := Gemm(t.Context(), openGPU(t), GemmOptions{Sides: []int{5}, Repeat: 1})
	if err != nil || !strings.HasPrefix(r.Peer, "none: ") || !strings.Contains(r.Peer, "/nowhere/libcublas.so.13") || len(r.Cases[0].Ways) < 2 {
		t.Errorf("peer %q, error %v", r.Peer, err)
	}
}
