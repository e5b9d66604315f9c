package lemma

import (
	"fmt"
	"slices"
	"strings"
)

// instances are the numbers of tiles for which the dealing of their cells among threads is shown one by one: for symbols z3 does
// not decide it. A kernel with others wants a line here: prove says so.
func instances() map[string][]assignment {
	tile := func(h, w, g, x, y int) assignment {
		n := func(v int) string { return fmt.Sprint(v) }
		return assignment{"H": n(h), "W": n(w), "G": n(g), "block.x": n(x), "block.y": n(y), "block.z": "1", "axes": "2"}
	}
	fill := func(h, w, pad, x, y int) assignment {
		a := tile(h, w, 1, x, y).with("Pad", fmt.Sprint(pad))
		delete(a, "G")
		delete(a, "axes")
		a["shape"] = "plane"
		return a
	}
	return map[string][]assignment{"Fill": {
		fill(8, 8, 0, 8, 4), fill(16, 16, 0, 16, 16), fill(16, 16, 1, 16, 16), fill(8, 8, 0, 16, 16), fill(16, 8, 0, 16, 16), fill(32, 32, 1, 32, 8), fill(64, 16, 0, 16, 16),
		fill(16, 64, 0, 16, 16), fill(128, 8, 4, 16, 16), fill(8, 128, 0, 16, 16), fill(5, 7, 0, 16, 2),
	}, "BlockTile": {
		tile(8, 8, 1, 8, 4), tile(8, 8, 1, 8, 8), tile(16, 16, 1, 16, 4), tile(16, 16, 1, 16, 8), tile(16, 16, 1, 16, 16), tile(32, 32, 1, 16, 16), tile(32, 32, 1, 32, 8),
		tile(32, 32, 2, 16, 16), tile(64, 64, 1, 16, 16), tile(64, 64, 2, 16, 16), tile(64, 64, 4, 16, 16), tile(64, 64, 4, 16, 4), tile(64, 64, 4, 8, 16), tile(128, 64, 4, 16, 16),
		tile(64, 128, 4, 16, 16), tile(128, 128, 1, 16, 16), tile(128, 128, 4, 16, 16), tile(128, 128, 8, 16, 16), tile(128, 128, 4, 32, 8), tile(128, 128, 4, 32, 4),
	}}
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

// Covers says whether the cells of tiles with these numbers are shown to be dealt out: rows and columns of a tile, neighbours of a thread,
// threads along x and y.
func Covers(h, w, g, x, y int) bool {
	want := assignment{"H": fmt.Sprint(h), "W": fmt.Sprint(w), "G": fmt.Sprint(g), "block.x": fmt.Sprint(x), "block.y": fmt.Sprint(y)}
	return slices.ContainsFunc(instances()["BlockTile"], func(a assignment) bool {
		_, ok := joined(a, want)
		return ok
	})
}

// settings prints the instances of a class.
func settings(class string) string {
	var out []string
	for _, a := range instances()[class] {
		out = append(out, a.String())
	}
	return strings.Join(out, "; ")
}
