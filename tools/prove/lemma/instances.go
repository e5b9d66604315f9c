package lemma

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/proof"
)

// instances are the numbers for which it is shown who takes what of a tile: those that kernels use. For symbols z3 does not decide it. A kernel
// with others wants a line here: its table of proofs says so (numbered).
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
	copies := func(x, y, size int, hw ...int) assignment {
		return numbers(block(x, y).with("axes", "2").with("sizeof(T)", fmt.Sprint(size)), "H W", hw...)
	}
	beside := func(x, y, size int, hw ...int) assignment {
		return numbers(block(x, y).with("axes", "2").with("sizeof(T)", fmt.Sprint(size)), "H W at.H at.W at.G at.V", hw...)
	}
	steps := func(n int) assignment { return numbers(assignment{}, "X::step Y::step", n, n) }
	tiles := []assignment{
		tile(8, 16, 32, 64, 4, 2), tile(8, 16, 64, 64, 4, 4), tile(8, 16, 128, 64, 4, 4), tile(16, 16, 128, 128, 4, 4), tile(16, 16, 16, 16, 1, 1), tile(16, 16, 64, 64, 1, 1), tile(16, 4, 16, 16, 1, 1),
		tile(8, 8, 32, 32, 4, 1), tile(8, 8, 32, 32, 4, 4),
	}
	return map[string][]assignment{
		"pipeline":  {steps(5), steps(16)},
		"Tiles":     tiles,
		"BlockTile": tiles,
		"Fill": {
			fill(16, 16, 16, 16, 0), fill(16, 16, 64, 16, 0), fill(16, 16, 16, 64, 0), fill(16, 4, 16, 16, 1), fill(8, 8, 32, 7, 1), fill(8, 8, 7, 32, 0),
		},
		"Strip::copy": {
			copies(8, 16, 4, 16, 128), copies(8, 16, 4, 16, 64), copies(8, 16, 4, 16, 32), copies(16, 16, 4, 16, 128), copies(8, 8, 8, 5, 32), copies(8, 8, 2, 5, 32), copies(8, 8, 8, 16, 32), copies(8, 8, 2, 16, 32),
		},
		"Strip::mine": {
			beside(8, 16, 4, 16, 32, 32, 64, 4, 2), beside(8, 16, 4, 16, 64, 32, 64, 4, 2), beside(16, 16, 4, 16, 128, 128, 128, 4, 4),
			beside(8, 16, 4, 16, 128, 128, 64, 4, 4), beside(8, 16, 4, 16, 64, 128, 64, 4, 4), beside(8, 16, 4, 16, 64, 64, 64, 4, 4), beside(8, 8, 8, 5, 32, 32, 32, 4, 4),
			beside(8, 8, 2, 5, 32, 32, 32, 4, 4), beside(8, 8, 8, 16, 32, 32, 32, 4, 4), beside(8, 8, 2, 16, 32, 32, 32, 4, 4),
		},
	}
}

// numbered are the instances as the table has them, by the view that a kernel names.
func numbered() []proof.Shape {
	out := []proof.Shape{}
	for _, of := range []struct{ view, lemmas string }{
		{"Tiles", "BlockTile"}, {"SharedTile", "Fill"}, {"Panels", "Strip::copy"}, {"Panels beside Tiles", "Strip::mine"}, {"pipeline", "pipeline"},
	} {
		for _, a := range instances()[of.lemmas] {
			s := proof.Shape{View: of.view, Numbers: map[string]uint64{}}
			for name, text := range a {
				n, err := strconv.ParseUint(text, 10, 64)
				switch {
				case err != nil || name == "axes" || name == "Y::step": // the kind of launch; the row of Tiles says the axes
				case name == "X::step":
					s.Numbers["H"] = n
				case name == "sizeof(T)":
					s.Numbers["size"] = n
				default:
					s.Numbers[name] = n
				}
			}
			out = append(out, s)
		}
	}
	return out
}
