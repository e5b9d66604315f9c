// Package plain is shared by what computes in plain Go: operators on a device that launches no kernels, and validation.
package plain

import (
	"sync"

	"github.com/warpwright/warpwright/go/dtype"
)

// Accumulator is the type that sums are formed in.
type Accumulator interface{ float32 | float64 }

// Parallel runs f(0) to f(n-1) side by side and waits for them.
func Parallel(n int, f func(i int)) {
	var others sync.WaitGroup
	for i := 1; i < n; i++ {
		others.Add(1)
		go func() {
			defer others.Done()
			f(i)
		}()
	}
	if n > 0 {
		f(0)
	}
	others.Wait()
}

// Widen copies src to the front of dst in dst's type, which is that of src's sums, and returns that part of dst. It is exact.
func Widen[A Accumulator, W dtype.Float](dst []A, src []W) []A {
	dst = dst[:len(src)]
	switch src := any(src).(type) {
	case []A:
		copy(dst, src)
	case []dtype.Float16:
		for i, v := range src {
			dst[i] = A(v.Float32())
		}
	case []dtype.BFloat16:
		for i, v := range src {
			dst[i] = A(v.Float32())
		}
	}
	return dst
}

// Narrow rounds sums to dst, whose sums are of their type.
func Narrow[W dtype.Float, A Accumulator](dst []W, sums []A) {
	switch dst := any(dst).(type) {
	case []A:
		copy(dst, sums)
	case []dtype.Float16:
		for i, s := range sums {
			dst[i] = dtype.FromFloat64[dtype.Float16](float64(s))
		}
	case []dtype.BFloat16:
		for i, s := range sums {
			dst[i] = dtype.FromFloat64[dtype.BFloat16](float64(s))
		}
	}
}
