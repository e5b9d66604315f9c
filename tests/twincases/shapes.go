package twincases

import "github.com/warpwright/warpwright/tests/harness"

// shapesOf are shapes that break things: nothing, one, the widths of vectors, warps, tiles, blocks and
// grids, and their neighbours.
func shapesOf(form string, size harness.Size) [][]int {
	switch form {
	case "n":
		return lengths(size)
	case "m n k":
		return products(size)
	case "rows columns entries-a-row":
		return matrices(size)
	case "groups rows":
		return groups(size)
	default:
		return columns(size)
	}
}

func lengths(size harness.Size) [][]int {
	out := [][]int{{0}, {1}, {2}, {3}, {4}, {5}, {7}, {256}, {257}}
	if size == harness.TSan {
		return out
	}
	// The emulator's grid has 8192 threads, which take 32768 elements by fours.
	for _, n := range []int{31, 32, 33, 255, 511, 512, 1023, 1024, 1025, 8191, 8192, 8193, 8196, 16385, 32767, 32768, 32769, 32771, 32772} {
		out = append(out, []int{n})
	}
	if size != harness.GPU {
		return out
	}
	return append(out, []int{1<<20 - 1}, []int{1<<24 + 3})
}

func products(size harness.Size) [][]int {
	out := [][]int{{0, 0, 0}, {1, 1, 0}, {1, 1, 1}, {3, 0, 5}, {0, 3, 5}, {17, 15, 3}, {2, 3, 33}, {16, 16, 16}}
	if size == harness.TSan {
		return out
	}
	out = append(out, [][]int{
		{5, 3, 0}, {32, 16, 4}, {16, 16, 15}, {16, 15, 16}, {15, 16, 16}, {16, 32, 20}, {15, 17, 31}, {17, 17, 17}, {32, 32, 15}, {1, 33, 2}, {33, 1, 2}, {1, 1, 257}, {47, 49, 16}, {100, 100, 100},
	}...)
	if size != harness.GPU {
		return out
	}
	return append(out, []int{257, 255, 517}, []int{1000, 3, 1000}, []int{1, 40_000, 17}, []int{1_000_003, 1, 5})
}

func matrices(size harness.Size) [][]int {
	out := [][]int{{0, 0, 0}, {0, 5, 3}, {5, 0, 0}, {1, 1, 1}, {8, 4, 3}, {9, 4, 3}, {11, 90, 40}}
	if size == harness.TSan {
		return out
	}
	for _, perRow := range []int{0, 1, 2, 4, 31, 32, 33, 64, 257} {
		out = append(out, []int{29, 101, perRow})
	}
	for _, rows := range []int{7, 8, 9, 255, 256, 257, 1031} {
		out = append(out, []int{rows, rows, 5})
	}
	out = append(out, []int{9001, 3, 2}) // more rows than the emulator's grid has threads
	if size != harness.GPU {
		return out
	}
	return append(out, []int{200_003, 1009, 5}, []int{1_200_001, 4097, 3}, []int{2049, 100_003, 1000})
}

func groups(size harness.Size) [][]int {
	out := [][]int{{0, 0}, {1, 0}, {0, 9}, {1, 1}, {2, 33}}
	if size == harness.TSan {
		return out
	}
	for _, n := range []int{2, 31, 32, 33, 255, 256, 257, 511, 513, 1025} {
		out = append(out, []int{3, n})
	}
	out = append(out, []int{1031, 3}) // more groups than the emulator's grid has blocks
	if size != harness.GPU {
		return out
	}
	return append(out, []int{1, 1 << 20}, []int{2049, 257}, []int{200_001, 5})
}

func columns(size harness.Size) [][]int {
	out := [][]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {9, 33}}
	if size == harness.TSan {
		return out
	}
	for _, m := range []int{1, 7, 8, 9, 100} {
		for _, n := range []int{1, 31, 32, 33, 100} {
			out = append(out, []int{m, n})
		}
	}
	if size != harness.GPU {
		return out
	}
	return append(out, []int{524_288, 3}, []int{4097, 1025}, []int{3, 1_000_001})
}
