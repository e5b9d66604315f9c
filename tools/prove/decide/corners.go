package decide

import (
	"slices"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/internal/obligations"
)

// most is how many combinations are tried of an entry: every query of them costs z3 milliseconds, and an undecided entry may cost a build a
// minute.
const most = 256

// alone are sizes at which contracts and kernels break if they do: each corner of each extent by itself, with what the solver finds lawful for the others,
// since extents that depend on each other are in few combinations. The last has no corner at all, so that a contract that admits anything is
// tried.
func alone(e *obligations.Entry) []map[string]uint64 {
	var out []map[string]uint64
	for _, x := range e.Extents {
		for _, v := range corners(e, x.Name) {
			out = append(out, map[string]uint64{x.Name: v})
		}
	}
	return append(out, map[string]uint64{})
}

// combined are all combinations of the likeliest corners that are lawful alone.
func combined(e *obligations.Entry, lawful func(extent string, v uint64) bool) []map[string]uint64 {
	var out []map[string]uint64
	all := make([][]uint64, len(e.Extents))
	each := likely(len(all))
	count := 1
	for i, x := range e.Extents {
		all[i] = slices.DeleteFunc(corners(e, x.Name), func(v uint64) bool { return !lawful(x.Name, v) })
		all[i] = all[i][:min(each, len(all[i]))]
		count *= len(all[i])
	}
	for n := range count {
		at := map[string]uint64{}
		for i, x := range e.Extents {
			at[x.Name] = all[i][n%len(all[i])]
			n /= len(all[i])
		}
		out = append(out, at)
	}
	return out
}

// likely is how many corners of each extent are combined with those of all others.
func likely(extents int) int {
	n := 1
	for extents > 1 && n < 8 && power(n+1, extents) <= most {
		n++
	}
	return n
}

func power(n, times int) int {
	out := 1
	for range times {
		out *= n
	}
	return out
}

// corners are the sizes of an extent beside which something changes, the likeliest first: what a block takes of it, one, none, each number
// that the contract or the entry names, and the ends of types.
func corners(e *obligations.Entry, extent string) []uint64 {
	var out []uint64
	add := func(values ...uint64) {
		for _, v := range values {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	around := func(n uint64) {
		if n > 0 {
			add(n+1, n, n-1)
		}
	}
	width := uint64(e.Block[0]) * uint64(e.Block[1]) * uint64(e.Block[2])
	for _, p := range e.Params {
		for _, c := range p.Cells {
			if c.Extent == extent {
				width = c.Each
			}
		}
	}
	around(width)
	add(1, 0, 2)
	for _, l := range e.Loops {
		if l.Extent == extent {
			around(l.Takes)
		}
	}
	around(2 * width)
	for _, x := range e.Extents {
		if x.Name == extent && x.Multiple > 1 {
			add(x.Multiple, 2*x.Multiple, width+x.Multiple, 2*width+x.Multiple)
		}
	}
	for _, n := range numbers(e) {
		around(n)
	}
	for _, p := range e.Params {
		for _, c := range p.Cells {
			around(c.Each)
		}
	}
	add(1<<31-1-1024, 1<<31-1024, 1<<31, 1<<32+1, 1<<63-1-1024)
	return out
}

// numbers are those that relations, lengths and the grid of an entry are made with.
func numbers(e *obligations.Entry) []uint64 {
	var out []uint64
	var walk func(x contract.Expr)
	walk = func(x contract.Expr) {
		switch x := x.(type) {
		case contract.Number:
			out = append(out, uint64(x))
		case contract.Name:
			if n, ok := e.Numbers[string(x)]; ok {
				out = append(out, n)
			}
		case *contract.Binary:
			walk(x.X)
			walk(x.Y)
		case *contract.Call:
			walk(x.X)
			walk(x.Y)
		}
	}
	for _, r := range e.Checked {
		if rel, err := contract.ParseRelation(r.Text); err == nil { // owed has read it, so it is one
			walk(rel.Left)
			walk(rel.Right)
		}
	}
	texts := e.Grid[:]
	for _, p := range e.Params {
		texts = append(texts, p.Len)
	}
	for _, text := range texts {
		if x, err := contract.Parse(text); err == nil {
			walk(x)
		}
	}
	for _, x := range e.Extents {
		out = append(out, x.Multiple, x.Once, x.Exact)
	}
	slices.Sort(out)
	out = slices.DeleteFunc(slices.Compact(out), func(n uint64) bool { return n < 3 || n > 1<<20 })
	return out
}
