package lemma

import (
	"fmt"
	"slices"
	"strings"
)

// instances are the numbers of tiles for which the dealing of their cells among threads is shown one by one: for symbols z3 does
// not decide it. A kernel with others wants a line here: prove says so.
func instances() map[string][]assignment {
	block := func(x, y int) assignment {
		return assignment{"block.x": fmt.Sprint(x), "block.y": fmt.Sprint(y), "block.z": "1", "shape": "plane"}
	}
	numbers := func(a assignment, names string, values ...int) assignment {
		for i, name := range strings.Fields(names) {
			a = a.with(name, fmt.Sprint(values[i]))
		}
		return a
	}
	tile := func(x, y int, hwgv ...int) assignment {
		return numbers(block(x, y).with("axes", "2"), "H W G V", hwgv...)
	}
	fill := func(x, y int, hwp ...int) assignment { return numbers(block(x, y), "H W Pad", hwp...) }
	strip := func(x, y, size int, hw ...int) assignment {
		return numbers(block(x, y).with("axes", "2").with("sizeof(T)", fmt.Sprint(size)), "H W at.H at.W at.G at.V", hw...)
	}
	steps := func(n int) assignment { return numbers(assignment{}, "X::step Y::step", n, n) }
	tiles := []assignment{
		tile(8, 16, 64, 64, 4, 4), tile(8, 16, 128, 64, 4, 4), tile(16, 16, 16, 16, 1, 1), tile(16, 16, 64, 64, 1, 1), tile(16, 4, 16, 16, 1, 1), tile(8, 8, 16, 8, 1, 1),
		tile(8, 8, 32, 16, 2, 4), tile(8, 8, 32, 32, 4, 1), tile(8, 8, 32, 32, 4, 4), tile(8, 8, 32, 32, 4, 4).with("sizeof(T)", "8"), tile(16, 16, 64, 64, 4, 1), tile(16, 16, 32, 32, 1, 1), tile(32, 8, 32, 32, 1, 1),
	}
	return map[string][]assignment{
		"pipeline":  {steps(4), steps(5), steps(8), steps(16), steps(32)},
		"Tiles":     tiles,
		"BlockTile": tiles,
		"Fill": {
			fill(16, 16, 16, 16, 0), fill(16, 16, 16, 16, 1), fill(16, 16, 64, 16, 0), fill(16, 16, 16, 64, 0), fill(8, 8, 32, 8, 0), fill(8, 8, 8, 32, 0), fill(8, 8, 16, 8, 0),
			fill(8, 8, 8, 8, 0), fill(16, 16, 8, 8, 0), fill(16, 2, 5, 7, 0), fill(16, 4, 16, 16, 1),
		},
		"Strip": {
			strip(8, 16, 4, 16, 128, 128, 64, 4, 4), strip(8, 16, 4, 16, 64, 64, 64, 4, 4), strip(8, 8, 8, 5, 32, 32, 32, 4, 4), strip(8, 8, 2, 5, 32, 32, 32, 4, 4), strip(8, 8, 8, 16, 32, 32, 32, 4, 4),
			strip(8, 8, 2, 16, 32, 32, 32, 4, 4), strip(8, 8, 4, 4, 32, 32, 16, 2, 4), strip(8, 8, 4, 4, 16, 32, 16, 2, 4), strip(8, 8, 4, 8, 16, 32, 16, 2, 4),
		},
	}
}

// with joins two assignments; not ok if they differ.
func joined(a, b assignment) (assignment, bool) {
	out := a
	for k, v := range b {
		if old, ok := a[k]; ok && old != v {
			return nil, false
		}
		out = out.with(k, v)
	}
	return out, true
}

// Covers says whether the cells of tiles with these numbers are shown to be dealt out: "H", "W", "G", "V", "block.x" and "block.y".
func Covers(numbers map[string]string) bool {
	return slices.ContainsFunc(instances()["BlockTile"], func(a assignment) bool {
		_, ok := joined(a, numbers)
		return ok
	})
}
