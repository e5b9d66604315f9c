// Package twincases compares kernels that are written three times (package twins): with each other bit for
// bit, and with the truth.
package twincases

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/csrkernels"
	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/tests/harness"
	"github.com/warpwright/warpwright/tests/twins"
	"github.com/warpwright/warpwright/tests/twins/safely"
)

// All are the cases: one a twin.
func All() []harness.Case {
	var out []harness.Case
	for _, t := range twins.All() {
		out = append(out, harness.Case{Name: "twins/" + t.Name, Run: func(h harness.T, d *device.Device) { shapes(h, d, t) }})
	}
	return append(out, harness.Case{Name: "twins/replays", Run: replays})
}

// replays captures launches that take a variant, and wants each replay to run just that entry.
func replays(t harness.T, d *device.Device) {
	if !d.Launches() {
		return
	}
	for _, c := range []struct {
		twin, variant string
		shape         []int
	}{{"saxpy", "full", []int{256}}, {"saxpy", "once", []int{255}}, {"gemm", "whole", []int{16, 16, 4}}, {"gemm", "", []int{16, 16, 5}}} {
		i := slices.IndexFunc(twins.All(), func(t *twins.Twin) bool { return t.Name == c.twin })
		p, err := twins.All()[i].New(d, c.shape, 1, true)
		if err != nil {
			t.Fatalf("%v", err)
		}
		replay(t, d, p, c.variant)
		harness.Close(t, p)
	}
}

func replay(t harness.T, d *device.Device, p *twins.Problem, variant string) {
	t.Helper()
	choice := harness.Must(p.Chosen())(t)
	if choice.Variant != variant {
		t.Errorf("%s takes %v, want the variant %q", name(p), choice, variant)
	}
	stream := harness.Must(d.NewStream())(t)
	defer harness.Close(t, stream)
	graph := harness.Must(stream.Capture(func() error { return p.Launch(stream, twins.Safe) }))(t)
	defer harness.Close(t, graph)
	truth := p.Truth()
	for range 2 {
		before := d.LaunchCounts()[choice.Entry]
		got, err := run(p, twins.Safe, func(*twins.Problem, twins.Variant) error {
			return errors.Join(graph.Launch(stream), stream.Wait(t.Context()))
		})
		if err == nil {
			err = numtest.Check(got, truth.Y, truth.Bound(dtype.F32)).Err()
		}
		if err != nil {
			t.Errorf("%s: replay of %s: %v", name(p), choice.Entry, err)
		}
		if after := d.LaunchCounts(); after != nil && after[choice.Entry] != before+1 {
			t.Errorf("%s: a replay launches %s %d times", name(p), choice.Entry, after[choice.Entry]-before)
		}
	}
}

// shapes runs a twin on every shape: in the middle of larger arrays, whose ends are watched, and in arrays
// of just its length, beyond which the emulator and compute-sanitizer watch.
func shapes(t harness.T, d *device.Device, twin *twins.Twin) {
	size := harness.SizeFor(t, d)
	worst, launches := 0.0, 0
	taken := harness.Watch(t, d)
	for i, shape := range shapesOf(twin.Form, size) {
		for _, guards := range []bool{true, false} {
			if size == harness.TSan && guards == (i%2 == 0) {
				continue // one of the two, in turn: a launch takes long
			}
			p, err := twin.New(d, shape, uint64(i), guards)
			if err != nil {
				t.Fatalf("%v", err)
			}
			share, n := compare(t, d, p, taken)
			worst, launches = max(worst, share), launches+n
			harness.Close(t, p)
		}
	}
	if launches == 0 && d.Launches() {
		t.Errorf("nothing was launched")
	}
	// Under ThreadSanitizer there are too few shapes, and a device that launches nothing may have too many cores.
	if size != harness.TSan && d.Launches() {
		entries(taken)
	}
	t.Logf("%d launches, the worst error %.3g of its bound", launches, worst)
}

// entries fails unless every entry of a safe kernel was chosen for some shape, and launched, where a device counts launches.
func entries(taken *harness.Taken) {
	kernel := slices.MinFunc(taken.Entries(), func(a, b string) int { return len(a) - len(b) })
	taken.Want(slices.DeleteFunc(slices.Concat(safely.Entries(), csrkernels.Entries()), func(entry string) bool {
		return entry != kernel && !strings.HasPrefix(entry, kernel+"_")
	}))
}

// compare asks the contract, then computes in every way, and notes which entry the safe way took. It returns the worst error as a share
// of its bound, and how many ways there were.
func compare(t harness.T, d *device.Device, p *twins.Problem, taken *harness.Taken) (worst float64, launches int) {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Errorf("%s: the contract refuses a right launch: %v", name(p), err)
	}
	if !d.Launches() {
		return 0, 0 // contracts are all that there is
	}
	choice := harness.Must(p.Chosen())(t)
	taken.Chosen(choice.Entry)
	ways := p.Twin.Variants()
	if choice.Variant != "" {
		ways = append(ways, twins.Base)
	}
	return judge(t, p, ways, func(p *twins.Problem, v twins.Variant) error { return p.Launch(nil, v) })
}

// judge computes by launch, in all these ways, and compares.
func judge(t harness.T, p *twins.Problem, ways []twins.Variant, launch func(p *twins.Problem, v twins.Variant) error) (worst float64, launches int) {
	t.Helper()
	truth := p.Truth()
	bound := truth.Bound(dtype.F32)
	var first []float32
	for _, v := range ways {
		got, err := run(p, v, launch)
		if err != nil {
			t.Errorf("%s %s: %v", name(p), v, err)
			continue
		}
		r := numtest.Check(got, truth.Y, bound)
		if err := r.Err(); err != nil {
			t.Errorf("%s %s: %v", name(p), v, err)
		}
		worst = max(worst, r.Worst.Scaled())
		launches++
		if first == nil {
			first = got
			continue
		}
		if i := numtest.Different(first, got); i >= 0 {
			t.Errorf("%s: [%d] is %v by %s and %v by %s: requires equal bits", name(p), i, first[i], ways[0], got[i], v)
		}
	}
	return worst, launches
}

// run computes in one way and returns the result.
func run(p *twins.Problem, v twins.Variant, launch func(p *twins.Problem, v twins.Variant) error) ([]float32, error) {
	if err := p.Reset(); err != nil {
		return nil, err
	}
	if err := launch(p, v); err != nil {
		return nil, err
	}
	return p.Result()
}

func name(p *twins.Problem) string { return fmt.Sprintf("%s(%v)", p.Twin.Name, p.Shape) }
