package bench

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/manifest"
)

func cpu(t *testing.T) *device.Device {
	d, err := device.Open(t.Context(), device.WithKind("cpu"))
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

// TestCSR runs the whole benchmark, small, where there is no peer.
func TestCSR(t *testing.T) {
	var steps []string
	r, err := CSR(t.Context(), cpu(t), Options{
		Rows: 300, PerRow: []int{1, 7}, Repeat: 3, Seed: 7, Progress: func(s string) { steps = append(steps, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Cases) != 8 || len(steps) < len(r.Cases) {
		t.Fatalf("%d cases in %d steps, want 8 in at least as many", len(r.Cases), len(steps))
	}
	for _, c := range r.Cases {
		m, ok := c.ChosenWay()
		if !ok || m.Median <= 0 || m.Min > m.Median || m.Max < m.Median || !(m.Largest <= m.Bound) {
			t.Errorf("case %+v: its chosen way %+v is not plausible", c, m)
		}
	}
	if !strings.HasPrefix(r.Peer, "none: ") {
		t.Errorf("the peer is %q on a CPU", r.Peer)
	}
	var table bytes.Buffer
	if err := r.Table(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gather (y = A x), a weight an entry", "scatter (y = Aᵀ x), one weight for all", "entries/row", "none"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, &table)
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(text, &back); err != nil || len(back.Cases) != 8 {
		t.Errorf("the JSON reads back as %d cases, error %v", len(back.Cases), err)
	}
	if _, err := r.Tiers("nobody"); err == nil {
		t.Error("a CPU gave tier tables")
	}
}

func TestRefuses(t *testing.T) {
	d := cpu(t)
	for want, o := range map[string]Options{
		"-1 rows":          {Rows: -1, PerRow: []int{1}},
		"0 entries a row":  {Rows: 10, PerRow: []int{0}},
		"at most":          {Rows: 1 << 20, PerRow: []int{1 << 20}},
		"-1 measured call": {Rows: 10, PerRow: []int{1}, Repeat: -1},
	} {
		if _, err := CSR(t.Context(), d, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want an error with %q", o, err, want)
		}
	}
}

// TestWrongAnswer plants a wrong digit in the truth: no time may come out.
func TestWrongAnswer(t *testing.T) {
	s := shape{rows: 40, cols: 40, perRow: 3, at: csr.Gather}
	h := s.draw(1, 0)
	want, err := s.truth(h)
	if err != nil {
		t.Fatal(err)
	}
	d := cpu(t)
	o, err := s.upload(d, h, false)
	if err != nil {
		t.Fatal(err)
	}
	defer o.close()
	c, err := NewClock(d, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := &runner{dev: d, clock: c, report: &Report{}}
	if _, err := r.tier(t.Context(), s, []*operands{o}, &want, csr.Tiers(csr.Gather)[0]); err != nil {
		t.Fatalf("the right truth: %v", err)
	}
	want.y[17] = math.Nextafter(want.y[17]+2*want.bound[17], math.Inf(1))
	if _, err := r.tier(t.Context(), s, []*operands{o}, &want, csr.Tiers(csr.Gather)[0]); err == nil || !strings.Contains(err.Error(), "[17]") {
		t.Errorf("got %v, want an error that names element 17", err)
	}
}

func TestDrawRepeats(t *testing.T) {
	s := shape{rows: 70000, cols: 11, perRow: 2, at: csr.Scatter}
	a, b, other := s.draw(5, 1), s.draw(5, 1), s.draw(5, 2)
	same := 0
	for i := range a.Columns {
		if a.Columns[i] != b.Columns[i] || a.Weights[i] != b.Weights[i] {
			t.Fatalf("entry %d differs between two draws of the same set", i)
		}
		if a.Columns[i] < 0 || a.Columns[i] >= 11 {
			t.Fatalf("column %d is %d", i, a.Columns[i])
		}
		if a.Weights[i] == other.Weights[i] {
			same++
		}
	}
	if same > len(a.Columns)/100 {
		t.Errorf("%d of %d weights are the same in another set", same, len(a.Columns))
	}
	if len(a.x) != s.rows {
		t.Errorf("x of a scatter has %d elements, want one a row, %d", len(a.x), s.rows)
	}
}

func TestSets(t *testing.T) {
	for _, perRow := range []int{2, 16, 1024} {
		s := shape{rows: 65536, cols: 65536, perRow: perRow}
		if n := s.sets(30); n < 4 || n < 30 && int64(n)*s.bytes() < cache {
			t.Errorf("%d sets of %d bytes for 30 calls do not pass a cache of %d", n, s.bytes(), cache)
		}
	}
}

// measured makes a report out of times: by length, of thread, group of 8 and block.
func measured(times map[int][3]float64) *Report {
	tiers := []csr.Tier{{Kernel: "csr_mv_thread"}, {Kernel: "csr_mv_group", Lanes: 8}, {Kernel: "csr_mv_block"}}
	r := &Report{Device: Device{Arch: 90}}
	for n, three := range times {
		for _, at := range []csr.Direction{csr.Gather, csr.Scatter} {
			c := Case{Direction: at, PerRow: n}
			for i, s := range three {
				c.Ours = append(c.Ours, Measured{Name: tiers[i].String(), Tier: tiers[i], Figures: Figures{Median: s}})
			}
			r.Cases = append(r.Cases, c)
		}
	}
	return r
}

func TestTiers(t *testing.T) {
	r := measured(map[int][3]float64{
		2:   {1, 2, 9},
		4:   {1.2, 2.2, 9},
		8:   {4, 2, 9},       // between 4 and 8 the group takes over
		16:  {9, 3.0, 2.99},  // block is within the noise: the group stays
		64:  {20, 8, 8.5},    //
		128: {50, 20, 10},    // between 64 and 128 the block takes over
		256: {100, 10.1, 10}, // back within noise: the block stays
	})
	tables, err := r.Tiers("a test")
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != 2 || tables[0].Operator != "csr_mv" || tables[1].Operator != "csr_mvt" || tables[0].Arch != 90 {
		t.Fatalf("tables %+v", tables)
	}
	got := tables[0].Tiers
	if len(got) != 3 || got[0].Kernel != "csr_mv_thread" || got[0].From != 0 || got[1].Types["S"] != "8" || got[2].Kernel != "csr_mv_block" {
		t.Fatalf("tiers %+v, want thread, group of 8, block", got)
	}
	if f := got[1].From; f <= 4 || f > 8 {
		t.Errorf("the group begins at %g, want in (4, 8]", f)
	}
	if f := got[2].From; f <= 64 || f > 128 {
		t.Errorf("the block begins at %g, want in (64, 128]", f)
	}
	var text bytes.Buffer
	if err := WriteTiers(&text, tables); err != nil {
		t.Fatal(err)
	}
	var back []manifest.TierTable
	if err := json.Unmarshal(text.Bytes(), &back); err != nil {
		t.Fatalf("%v in\n%s", err, &text)
	}
	if len(back) != 2 || len(back[0].Tiers) != 3 || back[0].Tiers[1].Types["S"] != "8" {
		t.Errorf("the written tables read back as %+v", back)
	}
}

func TestTiersOfNothing(t *testing.T) {
	if _, err := (&Report{Device: Device{Arch: 90}}).Tiers(""); err == nil {
		t.Error("a report without cases gave tables")
	}
}
