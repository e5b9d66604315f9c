package arith

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// names are those of the random expressions; "block" is a number.
func names() []string { return []string{"M", "K", "len(x)", "sizeof(x)", "rows.N", "block"} }

func numbers() map[string]uint64 { return map[string]uint64{"block": 256, "sizeof(x)": 4} }

// value is a number that is often at an end of its type.
func value(r *rand.Rand) uint64 {
	near := []uint64{0, 1, 2, 1023, 1 << 16, math.MaxInt32, 1 << 32, math.MaxInt64, math.MaxUint64}
	switch r.IntN(3) {
	case 0:
		return near[r.IntN(len(near))]
	case 1:
		return near[r.IntN(len(near))] + uint64(r.IntN(5)) - 2
	default:
		return r.Uint64() >> r.IntN(64)
	}
}

func expression(r *rand.Rand, depth int) contract.Expr {
	if depth == 0 || r.IntN(4) == 0 {
		if r.IntN(3) == 0 {
			return contract.Number(value(r))
		}
		return contract.Name(names()[r.IntN(len(names()))])
	}
	x, y := expression(r, depth-1), expression(r, depth-1)
	if r.IntN(3) == 0 {
		if f := []string{"cdiv", "min", "max", "align"}[r.IntN(4)]; f != "align" {
			return &contract.Call{Func: f, X: x, Y: y}
		}
		return &contract.Call{Func: "align", X: x, Y: contract.Number(max(1, value(r)))}
	}
	return &contract.Binary{Op: "+-*/%"[r.IntN(5)], X: x, Y: y}
}

// environment is one in the words of both.
func environment(r *rand.Rand) (contract.Env, smt.Model) {
	env, m := contract.Env{}, smt.Model{}
	for _, name := range names() {
		env[name] = value(r)
		if n, ok := numbers()[name]; ok {
			env[name] = n
		}
		m[name] = new(big.Int).SetUint64(env[name])
	}
	return env, m
}

// What a launcher computes is what the solver is told, and where the one refuses the other knows.
func TestExpressionsMeanWhatTheContractSays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	scope := NewScope(numbers())
	refused := 0
	for range 20_000 {
		e := expression(r, 3)
		env, m := environment(r)
		want, err := e.Eval(env)
		v, computable := scope.Expr(e)
		holds, failed := m.Holds(computable)
		// Where a divisor is 0 the terms have no value, and what says so comes first.
		if failed != nil {
			holds = false
		}
		if holds != (err == nil) {
			t.Fatalf("%s with %v: computable is %v, but the contract says %v", e, env, holds, err)
		}
		if err != nil {
			refused++
			continue
		}
		got, err := m.Value(v)
		if err != nil || !got.IsUint64() || got.Uint64() != want {
			t.Fatalf("%s with %v: %v (%v), want %d", e, env, got, err, want)
		}
	}
	if refused < 1000 || refused > 19_000 {
		t.Errorf("%d of 20000 were refused: both must be tried", refused)
	}
}

func TestRelationsMeanWhatTheContractSays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	scope := NewScope(numbers())
	kept := 0
	for range 20_000 {
		rel := &contract.Relation{Left: expression(r, 2), Op: []string{">=", ">", "<=", "<", "==", "!=", contract.Divides, contract.Fits32}[r.IntN(8)], Right: expression(r, 2)}
		if rel.Op == contract.Fits32 {
			rel.Right = nil
		}
		env, m := environment(r)
		want := rel.Check(env) == nil
		is, err := scope.Relation(rel.String())
		if err != nil {
			t.Fatal(err)
		}
		got, failed := m.Holds(is)
		if failed != nil {
			got = false
		}
		if got != want {
			t.Fatalf("%s with %v: %v, want %v", rel, env, got, want)
		}
		if got {
			kept++
		}
	}
	if kept < 1000 {
		t.Errorf("%d of 20000 were kept: both must be tried", kept)
	}
}

// Aligned and disjoint look at buffers.
func TestPredicatesOfBuffers(t *testing.T) {
	scope := NewScope(map[string]uint64{"sizeof(x)": 4, "sizeof(y)": 8})
	for _, c := range []struct {
		text     string
		x, xs, y uint64 // where they begin, elements of x
		want     bool
		ys       uint64
	}{
		{"aligned(x, 16)", 32, 1, 0, true, 0},
		{"aligned(x, 16)", 36, 1, 0, false, 0},
		{"disjoint(x, y)", 0, 4, 16, true, 1},
		{"disjoint(x, y)", 0, 5, 16, false, 1},
		{"disjoint(x, y)", 24, 1, 16, true, 1},
		{"disjoint(x, y)", 16, 1, 16, false, 1},
		{"disjoint(x, y)", 20, 0, 16, true, 1},
		{"disjoint(x, y)", math.MaxUint64 - 2, 1, 16, false, 1}, // it has no end
	} {
		is, err := scope.Relation(c.text)
		if err != nil {
			t.Fatal(err)
		}
		m := smt.Model{}
		env := contract.Env{"addr(x)": c.x, "len(x)": c.xs, "sizeof(x)": 4, "addr(y)": c.y, "len(y)": c.ys, "sizeof(y)": 8}
		for name, n := range env {
			m[name] = new(big.Int).SetUint64(n)
		}
		rel, err := contract.ParseRelation(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.Holds(is); err != nil || got != c.want || (rel.Check(env) == nil) != c.want {
			t.Errorf("%s with %v: %v (%v), want %v", c.text, env, got, err, c.want)
		}
	}
	if _, err := scope.Relation("1 <"); err == nil {
		t.Error("half a relation was taken")
	}
}
