package trial

import (
	"fmt"
	"slices"

	"github.com/warpwright/warpwright/go/dtype"
)

// reachTrials are of kernels that exist for mutants alone.
func reachTrials() []*Trial {
	reach := func(kernel, few string, cases func(in Instance) []Case, in ...Instance) *Trial {
		return &Trial{Family: "reach", Source: "tests/mutants/reach/reach.cu", Kernel: kernel, Few: few, Instances: in, Cases: cases}
	}
	with := func(t *Trial, variants ...string) *Trial {
		t.Variants = variants
		return t
	}
	return []*Trial{
		with(reach("reach_held", "1", held, Instance{"W=f32"}), "once"),
		reach("reach_added", "1", added, Instance{"W=f32"}),
		reach("reach_kept", "1", backwards, Instance{"W=f32"}),
		reach("reach_order", "min(cdiv(N, block), 3)", reordered, Instance{"W=f32"}),
		reach("reach_lanes", "min(cdiv(N, block / S), 2)", lanes, Instance{"W=f32", "S=1"}, Instance{"W=f32", "S=8"}),
		with(reach("reach_blocks", "min(N, 2)", times(1024, "N"), Instance{"W=f32"}), "full", "first"),
		with(reach("reach_both", "min(N, 1)", both, Instance{"W=f32"}), "pairs"),
		reach("reach_staged", "", rowSums, Instance{"W=f32"}),
		with(reach("reach_twice", "", twice, Instance{"W=f32"}), "fours"),
	}
}

func held(Instance) []Case {
	var out []Case
	for _, n := range []int{0, 1, 65, 300} {
		x, y, z := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[n-1-i], z[n-1-i] = float64(i+1), float64(i+1), float64(2*i+2)
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 65,
			Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: n}, "z": &Array{Elem: dtype.F32, N: n}},
			Want: map[string]Truth{"y": {Y: y}, "z": {Y: z}},
		})
	}
	const n = 1<<32 + 70
	c := Case{
		Name: "2^32 elements", Huge: true, Grid: "cdiv(N, block)",
		Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.F32, N: n}, "y": &Array{Elem: dtype.F32, N: n}, "z": &Array{Elem: dtype.F32, N: n}},
	}
	for _, at := range []uint64{0, 3, n - 1, n - 5} {
		c.put("x", n-1-at, float64(at%7+1))
		c.get("y", at, float64(at%7+1))
		c.get("z", at, 2*float64(at%7+1))
	}
	return append(out, c)
}

func added(Instance) []Case {
	var out []Case
	for _, n := range []int{0, 1, 65, 300} {
		r := numbers(n)
		x, y, sums := small(r, n), small(r, n), small(r, n)
		more, want := slices.Clone(y), slices.Clone(sums)
		for i, v := range x {
			more[n-1-i] += v
			want[n-1-i] += v
			want[n/2] += v
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 65,
			Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, Values: y}, "sums": &Array{Elem: dtype.F32, Values: sums}},
			Want: map[string]Truth{"y": {Y: more}, "sums": {Y: want}},
		})
	}
	const n = 1<<32 + 70
	c := Case{
		Name: "2^32 elements", Huge: true, Grid: "cdiv(N, block)",
		Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.F32, N: n}, "y": &Array{Elem: dtype.F32, N: n}, "sums": &Array{Elem: dtype.F32, N: n}},
	}
	for _, at := range []uint64{0, 3, n - 1, n - 5} {
		c.put("x", n-1-at, float64(at%7+1))
		for _, name := range []string{"y", "sums"} {
			c.put(name, at, 2)
			c.get(name, at, float64(at%7+3))
		}
	}
	return append(out, c)
}

func backwards(Instance) []Case {
	var out []Case
	for _, n := range []int{0, 1, 65, 300} {
		y := small(numbers(n), n)
		back := slices.Clone(y)
		slices.Reverse(back)
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 65,
			Args: map[string]any{
				"n": uint64(n), "y": &Array{Elem: dtype.F32, Values: y}, "z": &Array{Elem: dtype.F32, Values: make([]float64, n)}, "w": &Array{Elem: dtype.F32, N: n},
			},
			Want: map[string]Truth{"y": {Y: y}, "z": {Y: back}, "w": {Y: back}},
		})
	}
	const n = 1<<32 + 70
	c := Case{
		Name: "2^32 elements", Huge: true, Grid: "cdiv(N, block)",
		Args: map[string]any{"n": uint64(n), "y": &Array{Elem: dtype.F32, N: n}, "z": &Array{Elem: dtype.F32, N: n}, "w": &Array{Elem: dtype.F32, N: n}},
	}
	for _, at := range []uint64{0, 3, n - 1, n - 5} {
		c.put("y", n-1-at, float64(at%7+1))
		for _, name := range []string{"z", "w"} {
			c.get(name, at, float64(at%7+1))
		}
	}
	return append(out, c)
}

func reordered(Instance) []Case {
	var out []Case
	for _, n := range []int{0, 1, 63, 64, 65, 200, 500} {
		r := numbers(n)
		x, z := small(r, n), small(r, n)
		y, sum, places := make([]float64, n), make([]float64, n), make([]int32, n)
		for place, i := range r.Perm(n) {
			places[place] = int32(i)
			y[place], sum[i] = x[i], z[i]+x[i]
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 65,
			Args: map[string]any{"order": &Permutation{places}, "n": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: n}, "z": &Array{Elem: dtype.F32, Values: z}},
			Want: map[string]Truth{"y": {Y: y}, "z": {Y: sum}},
		})
	}
	return out
}

func lanes(in Instance) []Case {
	s := whole(in.Value("S"))
	var out []Case
	for _, n := range []int{0, 1, 65, 128, 129, 300, 1024, 2500} {
		x, y := make([]float64, max(3*n-2, 0)), make([]float64, n)
		for i := range x {
			x[i] = float64(i)
		}
		for i := range y {
			y[i] = float64(s * s * 3 * i)
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 65,
			Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: n}},
			Want: map[string]Truth{"y": {Y: y}},
		})
	}
	const n = 1<<30 + 1<<29 + 9 // three times that is beyond 2^32
	c := Case{
		Name: "3 * 2^29 elements", Huge: true, Grid: "cdiv(N, block / S)",
		Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.F32, N: 3*n - 2}, "y": &Array{Elem: dtype.F32, N: n}},
	}
	for _, at := range []uint64{0, n - 1} {
		c.put("x", 3*at, float64(at%7+1))
		c.get("y", at, float64(s*s)*float64(at%7+1))
	}
	return append(out, c)
}

func both(Instance) []Case {
	var out []Case
	for _, n := range []int{0, 1, 2, 3, 4, 5, 9} { // of which three and four are one round of warps by a grid of two
		x, y, z := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i], z[i] = float64(i+1), float64(32*i+32), float64(64*i+64)
		}
		out = append(out, Case{
			Name: fmt.Sprint(n, " elements"), Race: n == 5,
			Args: map[string]any{"n": uint64(n), "x": &Array{Elem: dtype.F32, Values: x}, "y": &Array{Elem: dtype.F32, N: n}, "z": &Array{Elem: dtype.F32, N: n}},
			Want: map[string]Truth{"y": {Y: y}, "z": {Y: z}},
		})
	}
	return out
}

func rowSums(Instance) []Case {
	var out []Case
	for _, s := range [][3]int{{0, 5, 3}, {3, 0, 5}, {2, 3, 0}, {1, 1, 1}, {16, 16, 12}, {33, 17, 40}, {7, 30, 100}} {
		m, n, k := s[0], s[1], s[2]
		a := normal(numbers(m, n, k), dtype.F32, m*k)
		truth := newSums(m * n)
		for at := range m * n {
			for p := range k {
				truth.add(at, a[at/n*k+p])
			}
		}
		out = append(out, Case{
			Name: fmt.Sprintf("%d by %d by %d", m, k, n), Race: m == 33,
			Args: map[string]any{"tiles_M": uint64(m), "tiles_N": uint64(n), "k": uint64(k), "a": &Array{Elem: dtype.F32, Values: a}, "c": &Array{Elem: dtype.F32, N: m * n}},
			Want: map[string]Truth{"c": truth.truth(dtype.F32)},
		})
	}
	return out
}

func twice(Instance) []Case {
	var out []Case
	for _, s := range [][3]int{{2, 3, 0}, {1, 1, 1}, {32, 32, 8}, {33, 31, 20}, {5, 64, 40}} {
		m, n, k := s[0], s[1], s[2]
		r := numbers(m, n, k)
		a, b := normal(r, dtype.F32, m*k), normal(r, dtype.F32, k*n)
		truth := newSums(m * n)
		for range 2 {
			truth.multiply(1, a, b, m, n, k)
		}
		out = append(out, Case{
			Name: fmt.Sprintf("%d by %d by %d", m, k, n), Race: m == 33,
			Args: map[string]any{"tiles_M": uint64(m), "tiles_N": uint64(n), "k": uint64(k), "a": &Array{Elem: dtype.F32, Values: a}, "b": &Array{Elem: dtype.F32, Values: b}, "c": &Array{Elem: dtype.F32, N: m * n}},
			Want: map[string]Truth{"c": truth.truth(dtype.F32)},
		})
	}
	return out
}
