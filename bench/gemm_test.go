package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/gemm"
)

// TestGemm runs the whole benchmark, small, where there is no peer, with one more way that computes as ours does.
func TestGemm(t *testing.T) {
	d := cpu(t)
	var steps []string
	o := GemmOptions{Sides: []int{5, 33}, Repeat: 3, Progress: func(s string) { steps = append(steps, s) }}
	o.More = []GemmMore{{Name: "by hand", Launch: byHand(func(*Product) {})}}
	r, err := Gemm(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Cases) != 2 || len(steps) < 4 || !strings.HasPrefix(r.Peer, "none: ") {
		t.Fatalf("%d cases in %d steps, the peer is %q", len(r.Cases), len(steps), r.Peer)
	}
	for _, c := range r.Cases {
		if _, ok := c.Way(c.Chosen); !ok || len(c.Ways) != 2 {
			t.Errorf("%d a side: chosen %q among %+v", c.Side, c.Chosen, c.Ways)
		}
		for _, w := range c.Ways {
			if w.Median <= 0 || w.Min > w.Median || w.Max < w.Median || w.Rate <= 0 || w.Calls != 3 || !(w.Largest <= w.Bound) || w.Bound == 0 {
				t.Errorf("%d a side: %+v is not plausible", c.Side, w)
			}
		}
		if w, ok := c.Best(GemmElse); !ok || w.Name != "by hand" {
			t.Errorf("the best of what was more is %+v", w)
		}
		if _, ok := c.Best(GemmPeer); ok {
			t.Error("there is a peer on a CPU")
		}
	}
	var table bytes.Buffer
	if err := r.Table(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"GFLOP/s", "Go *", "by hand", "none: peers run on a GPU"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, &table)
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back GemmReport
	if err := json.Unmarshal(text, &back); err != nil || len(back.Cases) != 2 {
		t.Errorf("the JSON reads back as %d cases, error %v", len(back.Cases), err)
	}
}

// byHand multiplies where memory is the host's, and then spoils the result.
func byHand(spoil func(p *Product)) func(*device.Stream, *Product) error {
	return func(_ *device.Stream, p *Product) error {
		a, b, c := p.A.Host(), p.B.Host(), p.C.Host()
		for i := range c {
			c[i] = 0
			for j := range p.K {
				c[i] += a[i/p.N*p.K+j] * b[j*p.N+i%p.N]
			}
		}
		spoil(p)
		return nil
	}
}

// TestWrongProduct: no time comes out of a wrong answer.
func TestWrongProduct(t *testing.T) {
	for fault, spoil := range map[string]func(p *Product){
		"a cell in a thousand": func(p *Product) { p.C.Host()[7] *= 1.001 },
		"the last cell":        func(p *Product) { c := p.C.Host(); c[len(c)-1] = 1e30 },
	} {
		o := GemmOptions{Sides: []int{33}, Repeat: 1, More: []GemmMore{{Name: "mine", Launch: byHand(spoil)}}}
		if _, err := Gemm(t.Context(), cpu(t), o); err == nil || !strings.Contains(err.Error(), "mine: numtest: 1 of ") {
			t.Errorf("%s: got %v, want an error that names the way", fault, err)
		}
	}
}

func TestGemmRefuses(t *testing.T) {
	for want, o := range map[string]GemmOptions{
		"of 0 a side":     {Sides: []int{100, 0}},
		"of 40000 a side": {Sides: []int{40000}},
		"-1 measured":     {Sides: []int{1}, Repeat: -1},
	} {
		if _, err := Gemm(t.Context(), cpu(t), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want an error with %q", o, err, want)
		}
	}
	o := GemmOptions{Repeat: 30}
	if got := [...]int{o.repeat(100), o.repeat(2048), o.repeat(4096), o.repeat(8192)}; got != [...]int{30, 30, 10, 5} {
		t.Errorf("calls %v", got)
	}
}

func TestRows(t *testing.T) {
	for want, got := range map[string][]int{
		"[0]": Rows(1, 16), "[0 1]": Rows(2, 16), "[0 9]": Rows(10, 0), "[0 1 2 3 4]": Rows(5, 5), "[0 33 66 99]": Rows(100, 4),
	} {
		if fmt.Sprint(got) != want {
			t.Errorf("rows %v, want %s", got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	for want, of := range map[float64][]float64{7: {7}, 2.5: {4, 1, 2, 3}, 3: {9, 1, 3}} {
		if got := Median(of); got != want {
			t.Errorf("the median of %v is %v, want %v", of, got, want)
		}
	}
}

// TestSideOne: the smallest product there is has one row to compare.
func TestSideOne(t *testing.T) {
	if _, err := Gemm(t.Context(), cpu(t), GemmOptions{Sides: []int{1}, Repeat: 1}); err != nil {
		t.Error(err)
	}
}

// TestGemmTiers: small matrices are served by one tier, large ones by the other, and a difference within noise changes nothing.
func TestGemmTiers(t *testing.T) {
	tiers := gemm.Tiers[float32]()
	small, large := tiers[0], tiers[len(tiers)-2]
	r := &GemmReport{Device: Device{Arch: 90}}
	for side, times := range map[int][2]float64{32: {1, 3}, 64: {2, 1.99}, 128: {8, 3}, 4096: {900, 100}} {
		r.Cases = append(r.Cases, GemmCase{Side: side, Ways: []GemmWay{
			{Kind: GemmOurs, Tier: small, Figures: Figures{Median: times[0]}},
			{Kind: GemmOurs, Tier: large, Figures: Figures{Median: times[1]}},
			{Kind: GemmPeer, Name: "cuBLAS", Figures: Figures{Median: 0.1}},
			{Kind: GemmElse, Name: "by hand", Figures: Figures{Median: 0.1}},
		}})
	}
	tables, err := r.Tiers("a test")
	if err != nil || len(tables) != 1 || tables[0].Operator != "gemm" || tables[0].Arch != 90 || tables[0].Source != "a test" {
		t.Fatalf("tables %+v, error %v", tables, err)
	}
	got := tables[0].Tiers
	if len(got) != 2 || got[0].From != 0 || got[0].Kernel != small.Kernel || got[1].Kernel != large.Kernel || got[1].From <= 64 || got[1].From > 128 {
		t.Errorf("tiers %+v", got)
	}
	if !maps.Equal(got[1].Types, large.Row().Types) || len(got[1].Types) == 0 {
		t.Errorf("the large tier's row is %+v", got[1])
	}
	if _, err := (&GemmReport{Device: Device{Arch: 90}}).Tiers(""); err == nil {
		t.Error("a report without cases gave a table")
	}
	if _, err := (&GemmReport{Cases: r.Cases}).Tiers(""); err == nil {
		t.Error("a CPU gave a table")
	}
	if _, err := (&GemmReport{Device: Device{Arch: 90}, Cases: []GemmCase{{Side: 7}}}).Tiers(""); err == nil || !strings.Contains(err.Error(), "7 a side") {
		t.Errorf("a case without measurements: %v", err)
	}
}
