package gemm

import (
	"runtime"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/internal/plain"
)

// product is C = alpha A B + beta C in plain Go.
//
// C is cut into bands of rows, one a goroutine, or of columns where there are too few rows. Within a band a panel
// of B, deep by wide, is brought to the accumulator's type once and serves all its rows. Each cell sums over k in
// ascending order, so results depend on nothing but the operands, to the last bit.
type product[W dtype.Float, A plain.Accumulator] struct {
	m, n, k     int
	alpha, beta A
}

// The panel of B: 64 KiB of float32, which a core's second cache holds beside the sums.
const (
	deep = 64
	wide = 256
)

// grain is the least number of terms that a goroutine is worth.
const grain = 1 << 15

// band is a part of C.
type band struct{ top, bottom, left, right int }

func (p product[W, A]) multiply(a, b, c []W) {
	if p.m == 0 || p.n == 0 {
		return
	}
	cores := runtime.GOMAXPROCS(0)
	if work := float64(p.m) * float64(p.n) * float64(p.k+1); work < float64(cores)*grain {
		cores = 1 + int(work/grain)
	}
	along := p.n
	if p.m >= p.n {
		along = p.m
	}
	cores = min(cores, along)
	plain.Parallel(cores, func(i int) {
		lo, hi := i*along/cores, (i+1)*along/cores
		if p.m >= p.n {
			p.band(band{lo, hi, 0, p.n}, a, b, c)
		} else {
			p.band(band{0, p.m, lo, hi}, a, b, c)
		}
	})
}

// rowsAtATime is how many rows of C are summed before they are finished: it bounds the sums' memory.
const rowsAtATime = 64

func (p product[W, A]) band(of band, a, b, c []W) {
	rows, cols, depth := min(rowsAtATime, of.bottom-of.top), min(wide, of.right-of.left), min(deep, p.k)
	sums := make([]A, rows*cols)
	panel, row := make([]A, depth*cols), make([]A, depth)
	for top := of.top; top < of.bottom; top += rowsAtATime {
		bottom := min(top+rowsAtATime, of.bottom)
		for left := of.left; left < of.right; left += wide {
			right := min(left+wide, of.right)
			width := right - left
			clear(sums)
			for from := 0; from < p.k; from += deep {
				to := min(from+deep, p.k)
				for i := from; i < to; i++ {
					plain.Widen(panel[(i-from)*width:][:width], b[i*p.n+left:i*p.n+right])
				}
				for r := top; r < bottom; r++ {
					plain.Widen(row, a[r*p.k+from:r*p.k+to])
					addRows(sums[(r-top)*width:][:width], row[:to-from], panel)
				}
			}
			for r := top; r < bottom; r++ {
				p.finish(c[r*p.n+left:r*p.n+right], sums[(r-top)*width:][:width])
			}
		}
	}
}

// addRows adds to the sums each of the panel's rows times its factor. Four rows at a time, since a sum takes longer
// to load and store than to add to.
func addRows[A plain.Accumulator](sums, factors, panel []A) {
	width := len(sums)
	for ; len(factors) >= 4; factors, panel = factors[4:], panel[4*width:] {
		f0, f1, f2, f3 := factors[0], factors[1], factors[2], factors[3]
		b0, b1, b2, b3 := panel[:width], panel[width:][:width], panel[2*width:][:width], panel[3*width:][:width]
		for j, s := range sums {
			s += f0 * b0[j]
			s += f1 * b1[j]
			s += f2 * b2[j]
			s += f3 * b3[j]
			sums[j] = s
		}
	}
	for i, f := range factors {
		for j, v := range panel[i*width:][:width] {
			sums[j] += f * v
		}
	}
}

// finish sets a part of a row of C from its sums.
func (p product[W, A]) finish(c []W, sums []A) {
	if p.beta == 0 {
		for j, s := range sums {
			sums[j] = p.alpha * s
		}
	} else {
		var old [wide]A
		plain.Widen(old[:], c)
		for j, s := range sums {
			sums[j] = p.alpha*s + p.beta*old[j]
		}
	}
	plain.Narrow(c, sums)
}
