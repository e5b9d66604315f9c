// Package twinbench measures safe kernels beside their raw twins (package twins): the price of safety on
// the device, which is to be nothing.
//
// Both run on the same arrays, in turns: a graph of many launches that rotate through sets of arrays, so
// that a launch costs the host nothing and large inputs come from memory. What counts is the best of many
// rounds: noise only ever adds.
package twinbench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/warpwright/warpwright/bench"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/tests/twins"
)

// Schema is the version of Report.
const Schema = 1

// Report is all that one run found. Times are seconds a launch.
type Report struct {
	Schema int          `json:"schema"`
	Device bench.Device `json:"device"`
	Rows   []Row        `json:"rows"`
}

// Row is one twin on operands of one shape.
type Row struct {
	Twin     string  `json:"twin"`
	Form     string  `json:"form"` // what the numbers of the shape are
	Shape    []int   `json:"shape"`
	Sets     int     `json:"sets"`
	Launches int     `json:"launches"` // in a graph
	Bytes    int64   `json:"bytes"`
	Safe     float64 `json:"safe_seconds"`
	Raw      float64 `json:"raw_seconds,omitempty"` // 0 where nobody wrote such a kernel by hand
	// Variant is which of its variants the safe kernel took, and Base the time of the entry that relies on the contract alone;
	// both empty where that is what it took. Raw relies on nothing either: with the same facts, as assumptions
	// that nobody checks, it would shrink alike.
	Variant string  `json:"variant,omitempty"`
	Base    float64 `json:"base_seconds,omitempty"`
}

// Ratio is what safety costs; of a kernel that nobody wrote by hand, what a variant costs beside the entry without facts.
func (r Row) Ratio() float64 { return r.Safe / r.beside() }

// beside is the time that counts for the bounds.
func (r Row) beside() float64 {
	if r.Raw == 0 {
		return r.Base
	}
	return r.Raw
}

// The bounds of a row: a share where launches take longer than Short, else a time.
const (
	Short    = 20e-6
	MaxRatio = 1.02
	MaxExtra = 0.3e-6
)

// A reason lets the variant of one shape cost more than the bounds, and says why.
type reason struct {
	ratio float64
	text  string
}

// Reason says why a row may be out of the bounds for its variant, "" if it may not be. It covers nothing of the entry without facts.
func (r Row) Reason() string { return r.reason().text }

func (r Row) reason() reason {
	if r.Variant == "whole" && r.Twin == "gemm" && slices.Equal(r.Shape, []int{512, 512, 512}) {
		return reason{1.09, "with K a multiple of 4 ptxas orders the loads of the loop in another way, which costs at 512, saves from 256 to 1024 otherwise, and is nothing beyond"}
	}
	// A lane has some four entries of such a row, so a few rows take a second round of four. On an H200 other tiers serve such rows,
	// but for 8 lanes, which serve 32.
	for twin, lengths := range map[string][]int{"csr_mv_group_4": {32, 64}, "csr_mv_group_8": {32}} {
		if r.Variant == "once" && r.Twin == twin && slices.Contains(lengths, r.Shape[2]) {
			return reason{1.04, "sums by four take a second round for a few entries: up to 3 % at this length"}
		}
	}
	return reason{}
}

// OK says whether safety is within its bounds, with facts and without.
func (r Row) OK() bool {
	return (r.within(r.Safe) || r.Ratio() <= r.reason().ratio) && (r.Variant == "" || r.within(r.Base))
}

func (r Row) within(safe float64) bool {
	beside := r.beside()
	if beside > Short {
		return safe/beside <= MaxRatio
	}
	return safe-beside <= MaxExtra
}

// String is one line.
func (r Row) String() string {
	word := "ok"
	if !r.OK() {
		word = "SLOW"
	}
	line := fmt.Sprintf("%-4s %-15s %-20s ", word, r.Twin, fmt.Sprint(r.Shape))
	if r.Raw == 0 {
		line += fmt.Sprintf("base %9.3f us  safe %10.3f us  safe/base %.3f by %s", r.Base*1e6, r.Safe*1e6, r.Ratio(), r.Variant)
	} else {
		line += fmt.Sprintf("raw %10.3f us  safe %10.3f us  safe/raw %.3f", r.Raw*1e6, r.Safe*1e6, r.Ratio())
	}
	if r.Raw > 0 && r.Variant != "" {
		line += fmt.Sprintf("  by %s; without facts %.3f us, %.3f", r.Variant, r.Base*1e6, r.Base/r.Raw)
	}
	if r.OK() && !r.within(r.Safe) {
		line += "; " + r.Reason()
	}
	return line
}

// Options is what to measure. Defaults fills what is zero.
type Options struct {
	Shapes map[string][][]int     // by twin
	Only   func(twin string) bool // which twins; nil for all
	Rounds int                    // of each variant
	Cache  int64                  // bytes that all sets together are to pass
	// Progress is told each row once it is there.
	Progress func(Row)
}

// Defaults returns the options with what the project reports by on a GPU, and little elsewhere, where times
// mean nothing.
func (o Options) Defaults(d *device.Device) Options {
	gpu := d.Info().Kind == device.GPU
	if o.Shapes == nil {
		o.Shapes = small()
		if gpu {
			o.Shapes = large()
		}
	}
	if o.Rounds == 0 {
		o.Rounds = 9
	}
	if o.Cache == 0 {
		o.Cache = 128 << 20
	}
	if o.Only == nil {
		o.Only = func(string) bool { return true }
	}
	if o.Progress == nil {
		o.Progress = func(Row) {}
	}
	return o
}

func large() map[string][][]int {
	out := map[string][][]int{
		"colsum":       {{64, 64}, {1024, 512}, {128, 65536}},
		"colsum_tiled": {{524_288, 3}, {1024, 1024}, {8192, 8192}},
	}
	for n := 20; n <= 26; n++ {
		out["saxpy"] = append(out["saxpy"], []int{1 << n})
		out["saxpy4"] = append(out["saxpy4"], []int{1 << n})
	}
	for n := 128; n <= 2048; n *= 2 {
		out["gemm"] = append(out["gemm"], []int{n, n, n})
		out["gemm_tiled"] = append(out["gemm_tiled"], []int{n, n, n})
	}
	for n := 4; n <= 1024; n *= 4 {
		out["csr_thread"] = append(out["csr_thread"], []int{65536, 65536, n})
		// The grid of a warp a row takes all rows at once below some 33,000 of an H200's.
		out["csr_warp"] = append(out["csr_warp"], []int{65536, 65536, n}, []int{32768, 65536, n}, []int{32763, 65536, n})
	}
	for n := 2; n <= 256; n *= 2 {
		if n <= 32 {
			out["csr_mv_thread"] = append(out["csr_mv_thread"], []int{65536, 65536, n})
		}
		if n >= 4 && n <= 64 {
			out["csr_mv_group_4"] = append(out["csr_mv_group_4"], []int{65536, 65536, n})
			out["csr_mv_group_8"] = append(out["csr_mv_group_8"], []int{65536, 65536, n})
		}
		if n >= 16 {
			out["csr_mv_group_32"] = append(out["csr_mv_group_32"], []int{65536, 65536, n}, []int{32768, 65536, n})
		}
	}
	return out
}

func small() map[string][][]int {
	return map[string][][]int{
		"saxpy": {{1000}}, "saxpy4": {{1000}}, "gemm": {{32, 16, 8}}, "gemm_tiled": {{32, 16, 48}},
		"csr_thread": {{40, 30, 4}}, "csr_warp": {{40, 30, 40}}, "colsum": {{3, 300}}, "colsum_tiled": {{20, 40}},
		"csr_mv_thread": {{40, 30, 4}}, "csr_mv_group_4": {{40, 30, 4}}, "csr_mv_group_8": {{40, 30, 8}}, "csr_mv_group_32": {{40, 30, 40}},
	}
}

// Run measures the twins that it has shapes for. A safe kernel with another result than its twin's is an error; one that is too
// slow is not: see Report.Slow.
func Run(ctx context.Context, d *device.Device, o Options) (report *Report, err error) {
	o = o.Defaults(d)
	report = &Report{Schema: Schema, Device: bench.DeviceOf(d)}
	clock, err := bench.NewClock(d, 1, 3)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, clock.Close()) }()
	for _, t := range twins.All() {
		if !o.Only(t.Name) {
			continue
		}
		for _, shape := range o.Shapes[t.Name] {
			row, err := measure(ctx, d, clock, o, t, shape)
			if err != nil {
				return nil, fmt.Errorf("twinbench: %s %v: %w", t.Name, shape, err)
			}
			report.Rows = append(report.Rows, row)
			o.Progress(row)
		}
	}
	return report, nil
}

func measure(ctx context.Context, d *device.Device, clock *bench.Clock, o Options, t *twins.Twin, shape []int) (row Row, err error) {
	row = Row{Twin: t.Name, Form: t.Form, Shape: shape}
	var sets []*twins.Problem
	defer func() {
		for _, p := range sets {
			err = errors.Join(err, p.Close())
		}
	}()
	for total := int64(0); len(sets) == 0 || total < o.Cache && len(sets) < 16; {
		p, err := t.New(d, shape, uint64(len(sets)), false)
		if err != nil {
			return row, err
		}
		sets = append(sets, p)
		row.Bytes = p.Bytes()
		total += row.Bytes
	}
	row.Sets = len(sets)
	// Many launches of what is short, so that a graph's own time is shared by them; at least one a set.
	row.Launches = len(sets) * max(1, int(min(64, o.Cache/max(1, row.Bytes)))/len(sets))
	choice, err := sets[0].Chosen()
	if err != nil {
		return row, err
	}
	ways := slices.DeleteFunc(t.Variants(), func(v twins.Variant) bool { return v == twins.Checked })
	if row.Variant = choice.Variant; row.Variant != "" {
		ways = append(ways, twins.Base)
	}
	if len(ways) == 1 {
		return row, fmt.Errorf("there is nothing to compare it with: nobody wrote it by hand, and of its variants it takes none: %v", choice)
	}
	if err := equal(sets[0], ways); err != nil {
		return row, err
	}
	best := map[twins.Variant]float64{}
	graphs := map[twins.Variant]*device.Graph{}
	for _, v := range ways {
		g, failed := clock.Stream().Capture(func() error {
			for i := range row.Launches {
				if err := sets[i%len(sets)].Launch(clock.Stream(), v); err != nil {
					return err
				}
			}
			return nil
		})
		if failed != nil {
			return row, failed
		}
		defer func() { err = errors.Join(err, g.Close()) }()
		graphs[v], best[v] = g, math.Inf(1)
	}
	for range o.Rounds {
		for _, v := range ways {
			g := graphs[v]
			seconds, err := clock.Time(ctx, func(int) error { return g.Launch(clock.Stream()) })
			if err != nil {
				return row, err
			}
			for _, s := range seconds {
				best[v] = min(best[v], s/float64(row.Launches))
			}
		}
	}
	row.Safe, row.Raw, row.Base = best[twins.Safe], best[twins.Raw], best[twins.Base]
	return row, nil
}

// equal launches each once and compares what they leave.
func equal(p *twins.Problem, ways []twins.Variant) error {
	var first []float32
	for _, v := range ways {
		if err := p.Reset(); err != nil {
			return err
		}
		if err := p.Launch(nil, v); err != nil {
			return err
		}
		got, err := p.Result()
		if err != nil {
			return err
		}
		if first == nil {
			first = got
		}
		if i := numtest.Different(got, first); i >= 0 {
			return fmt.Errorf("[%d] is %v by the %s kernel and %v by the %s one: requires equal bits", i, first[i], ways[0], got[i], v)
		}
	}
	return nil
}

// Slow are the rows that are not within their bounds.
func (r *Report) Slow() []Row {
	var out []Row
	for _, row := range r.Rows {
		if !row.OK() {
			out = append(out, row)
		}
	}
	return out
}

// Summary is one line: how many rows are within their bounds, and the worst of them.
func (r *Report) Summary() string {
	if len(r.Rows) == 0 {
		return "safe/raw: nothing was measured"
	}
	worst, product := r.Rows[0], 0.0
	for _, row := range r.Rows {
		if row.Ratio() > worst.Ratio() {
			worst = row
		}
		product += math.Log(row.Ratio())
	}
	return fmt.Sprintf("safe/raw: %d of %d within bounds, %.3f on the average (geometric), worst %.3f: %s %v, raw %.3f us",
		len(r.Rows)-len(r.Slow()), len(r.Rows), math.Exp(product/float64(len(r.Rows))), worst.Ratio(), worst.Twin, worst.Shape, worst.beside()*1e6)
}
