package owed

import (
	"math/big"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// copyEntry is y = x over N elements, by a loop of which a block takes so many.
func copyEntry(takes uint64) *obligations.Entry {
	buffer := func(name, direction string, apart ...string) obligations.Param {
		return obligations.Param{
			Name: name, Type: "In<f32, N>", View: "In<T, D>", Elem: "f32", Size: 4, Direction: direction, Len: "N", Align: 4,
			Argument: &obligations.Argument{Align: 4, Apart: apart},
		}
	}
	return &obligations.Entry{
		Name: "demo_copy", Kernel: "demo_copy", Numbers: map[string]uint64{"block": 256}, Block: [3]uint32{256, 1, 1}, Axes: 1,
		Grid: [3]string{"min(cdiv(N, block), 32 * sms)", "1", "1"}, Shared: "0",
		Extents: []obligations.Extent{{Name: "N", Index: "u64"}},
		Checked: []obligations.Relation{{Text: "len(x) >= N", From: obligations.Length}, {Text: "len(y) >= N", From: obligations.Length}},
		Params:  []obligations.Param{{Name: "n", Type: "Dim<N>", View: "Dim<D>"}, buffer("x", "in"), buffer("y", "out", "x")},
		Loops:   []obligations.Loop{{Extent: "N", Text: "loop(n)", Takes: takes}},
	}
}

// owner simulates the loops of ww/range.h and ww/run.h: which thread of which block has an index.
func owner(index, grid, takes uint64) (block, thread uint64) {
	const threads = 256
	for block = range grid {
		for thread = range uint64(threads) {
			switch {
			case takes == 1: // blocks: all threads have it, the first writes
				if index%grid == block {
					return block, 0
				}
			case takes < threads: // groups of threads / takes lanes
				lanes := threads / takes
				perWarp, warps := 32/lanes, uint64(threads/32)
				for at := (block*warps + thread/32) * perWarp; at <= index; at += grid * warps * perWarp {
					if at+thread%32/lanes == index {
						return block, thread
					}
				}
			default: // threads, and runs of takes / threads elements
				run := takes / threads
				for at := block*threads + thread; at <= index/run; at += grid * threads {
					if at == index/run {
						return block, thread
					}
				}
			}
		}
	}
	return 1 << 60, 1 << 60
}

func TestPlaceIsTheThreadOfTheLoop(t *testing.T) {
	for _, takes := range []uint64{1, 8, 32, 64, 256, 1024} {
		e := copyEntry(takes)
		for _, grid := range []uint64{1, 3} {
			for index := uint64(0); index < 5000; index += 37 {
				m := smt.Model{"gridDim.x": new(big.Int).SetUint64(grid), "i": new(big.Int).SetUint64(index)}
				block, thread, sure := place(e, m, map[string]smt.Int{"N": smt.Var("i")})
				wantBlock, wantThread := owner(index, grid, takes)
				if !sure || block[0].Uint64() != wantBlock || thread[0].Uint64() != wantThread {
					t.Fatalf("a block takes %d, grid %d: index %d is of block %s, thread %s, want %d and %d", takes, grid, index, block[0], thread[0], wantBlock, wantThread)
				}
			}
		}
	}
}

func TestPlaceInCells(t *testing.T) {
	e := copyEntry(256)
	e.Block, e.Loops = [3]uint32{16, 8, 1}, nil
	e.Params[0].Cells = []obligations.Laid{{Extent: "R", Each: 8, Axis: "y"}, {Extent: "C", Each: 64, Axis: "x"}}
	block, thread, sure := place(e, smt.Model{}, map[string]smt.Int{"R": smt.Number(19), "C": smt.Number(130)})
	if !sure || triple(block) != "(2, 2, 0)" || triple(thread) != "(2, 3, 0)" {
		t.Errorf("block %s, thread %s", triple(block), triple(thread))
	}
}

func TestPlaceThatNobodyKnows(t *testing.T) {
	e := copyEntry(256)
	e.Loops = nil
	if _, _, sure := place(e, smt.Model{}, map[string]smt.Int{"N": smt.Number(19)}); sure {
		t.Error("nothing says who has an index, and it is sure")
	}
}

func TestObligations(t *testing.T) {
	owes, err := Of(copyEntry(256))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, o := range owes {
		names = append(names, o.Name)
	}
	want := []string{
		"indices of N fit u64, with room for a step past the last", "a loop of the whole grid over N stays within 64 bits", "a block has at most 1024 threads",
		"the grid has one block along each axis that it has not",
		"len(x) >= N", "x begins at a multiple of 4 bytes", "len(y) >= N", "y begins at a multiple of 4 bytes", "y, which is written, and x share no byte",
	}
	if strings.Join(names, "\n") != strings.Join(want, "\n") {
		t.Errorf("owes\n%s", strings.Join(names, "\n"))
	}
	line := owes[4].Line(copyEntry(256), smt.Model{"N": big.NewInt(300), "len(x)": big.NewInt(299), "gridDim.x": big.NewInt(2)})
	if line != "len(x) >= N: the contract admits N = 300, gridDim.x = 2, len(x) = 299: block (1, 0, 0), thread (43, 0, 0) reads x[299]" {
		t.Errorf("says %s", line)
	}
}

func TestWhatIsNoEntry(t *testing.T) {
	for want, break_ := range map[string]func(*obligations.Entry){
		`relation "len(x) >="`: func(e *obligations.Entry) { e.Checked[0].Text = "len(x) >=" },
		"indices of N":         func(e *obligations.Entry) { e.Extents[0].Index = "u65" },
		"len of x":             func(e *obligations.Entry) { e.Params[1].Len = "N +" },
		"no parameter z":       func(e *obligations.Entry) { e.Params[2].Argument.Apart = []string{"z"} },
		`no proof "of nothing"`: func(e *obligations.Entry) {
			e.Params[1].Argument.Proof, e.Params[1].Carries = "of nothing", []obligations.Carried{{Own: "x.M"}, {Own: "x.N"}}
		},
		"x.N is the name of both numbers that a proof of columns is of": func(e *obligations.Entry) {
			e.Params[1].Argument.Proof, e.Params[1].Carries = "columns", []obligations.Carried{{Extent: "N", Own: "x.N"}, {Extent: "N", Own: "x.N"}}
		},
		`"cdiv(N"`: func(e *obligations.Entry) { e.Grid[0] = "cdiv(N" },
	} {
		e := copyEntry(256)
		break_(e)
		if _, err := Of(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
