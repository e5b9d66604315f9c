package ref

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/dtype"
)

func TestGemmByHand(t *testing.T) {
	g := Gemm[float32]{
		M: 2, N: 2, K: 3, Alpha: 2, Beta: -1,
		A: []float32{1, 2, 3, 4, 5, -6}, B: []float32{1, 0, 0, 1, 10, 100}, C: []float32{1, 2, 3, 4},
	}
	p, err := g.Product()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "C", p.Y, []float64{61, 602, -115, -1194})
	equal(t, "sum of magnitudes", p.Abs, []float64{63, 606, 131, 1214})
	if fmt.Sprint(p.Terms, p.Depth) != "[8 8 8 8] [6 6 6 6]" {
		t.Errorf("terms and depth: %v %v", p.Terms, p.Depth)
	}
}

// Without beta, what C held does not count; without a K, C becomes beta C, and zero without both.
func TestGemmOfLittle(t *testing.T) {
	nan := float32(math.NaN())
	g := Gemm[float32]{M: 1, N: 1, K: 1, Alpha: 3, A: []float32{2}, B: []float32{5}, C: []float32{nan}}
	p, err := g.Product()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "beta is 0", p.Y, []float64{30})
	g = Gemm[float32]{M: 1, N: 2, Alpha: 3, Beta: 0.5, C: []float32{4, -8}}
	if p, err = g.Product(); err != nil {
		t.Fatal(err)
	}
	equal(t, "K is 0", p.Y, []float64{2, -4})
	g.Beta = 0
	if p, err = g.Product(); err != nil {
		t.Fatal(err)
	}
	equal(t, "K and beta are 0", p.Y, []float64{0, 0})
	equal(t, "its bound", p.Bound(dtype.F32), []float64{0, 0})
	for _, c := range []struct {
		g    Gemm[float32]
		want string
	}{
		{Gemm[float32]{M: -1}, "sizes >= 0"},
		{Gemm[float32]{K: 1 << 20}, "below 2^20"},
		{Gemm[float32]{M: 1, N: 1, K: 1, A: []float32{1}, C: []float32{1}}, "b 0"},
	} {
		if _, err := c.g.Product(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want an error with %q", c.g, err, c.want)
		}
	}
}

// The product is as exact as 200 bits, up to the last rounding, also where almost all of it cancels.
func TestGemmExact(t *testing.T) {
	const m, n, k = 3, 4, 50
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Ldexp(rng.NormFloat64(), rng.IntN(40)-20)
		}
		return v
	}
	g := Gemm[float64]{M: m, N: n, K: k, Alpha: -1.0 / 3, A: draw(m * k), B: draw(k * n), C: draw(m * n)}
	plain, err := g.Product()
	if err != nil {
		t.Fatal(err)
	}
	copy(g.C, plain.Y) // beta C takes away what alpha A B gave, but for its rounding
	g.Beta = -1
	p, err := g.Product()
	if err != nil {
		t.Fatal(err)
	}
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	mul := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(400).Mul(a, b) }
	for i, got := range p.Y {
		sum := num(0)
		for j := range k {
			sum.Add(sum, mul(num(g.A[i/n*k+j]), num(g.B[j*n+i%n])))
		}
		sum = mul(sum, num(g.Alpha))
		sum.Add(sum, mul(num(g.Beta), num(g.C[i])))
		want, _ := sum.Float64()
		// The sums hold some 106 bits of what they added up, which is far below what is left of it.
		if diff := math.Abs(got - want); diff > p.Abs[i]*0x1p-98 {
			t.Errorf("[%d] is %g, exactly %g: off by %g of %g", i, got, want, diff, p.Abs[i])
		}
		if want == 0 || math.Abs(want) > p.Abs[i]*0x1p-50 {
			t.Errorf("[%d]: nothing cancels: %g of %g is left", i, want, p.Abs[i])
		}
	}
}
