package judge

import (
	"math"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/audit/wrap"
)

// mostMultiprocessors is more than any device has.
const mostMultiprocessors = 1 << 12

// span is the values that an expression may have, from lo to hi. Contracts are unsigned, and so large a value as the last one stands for
// all above.
type span struct{ lo, hi uint64 }

const unbounded = math.MaxInt64

// facts are what every launch of an entry has passed, as spans of the names in its contract.
type facts map[string]span

// known collects what an entry's contract says of its names.
func known(k *manifest.Kernel, e *manifest.Entry) facts {
	threads := uint64(k.Block[0]) * uint64(k.Block[1]) * uint64(k.Block[2])
	f := facts{"block": {threads, threads}, "sms": {1, mostMultiprocessors}}
	for i, n := range k.Block {
		f["block."+"xyz"[i:i+1]] = span{uint64(n), uint64(n)}
	}
	for name, v := range e.Types {
		if n, err := contract.Parse(v); err == nil {
			if n, ok := n.(contract.Number); ok {
				f[name] = span{uint64(n), uint64(n)}
			}
		}
	}
	// A bound on one name may rest on that of another: twice is enough for what is written.
	for range 2 {
		for _, r := range holding(k, e) {
			f.relation(r)
		}
	}
	return f
}

// holding are the relations of a kernel that are an entry's.
func holding(k *manifest.Kernel, e *manifest.Entry) []*contract.Relation {
	var out []*contract.Relation
	for _, text := range k.Relations {
		text, where, conditional := strings.Cut(text, " where ")
		if name, value, _ := strings.Cut(where, ": "); conditional && e.Types[name] != value {
			continue
		}
		if r, err := contract.ParseRelation(text); err == nil {
			out = append(out, r)
		}
	}
	return out
}

// products are the relations that bound a product of names.
func (f facts) products(relations []*contract.Relation) []wrap.Product {
	var out []wrap.Product
	for _, r := range relations {
		left, most := r.Left, uint64(contract.Max32)
		switch r.Op {
		case contract.Fits32:
		case "<=":
			most = f.span(r.Right).hi
		case "<":
			most = f.span(r.Right).hi
			most -= min(most, 1)
		case ">=":
			left, most = r.Right, f.span(r.Left).hi
		case ">":
			left, most = r.Right, f.span(r.Left).hi
			most -= min(most, 1)
		default:
			continue
		}
		if names := factors(left); len(names) > 1 && most < unbounded {
			out = append(out, wrap.Product{Params: names, Most: int64(most)})
		}
	}
	return out
}

// factors are the names whose product is no more than an expression: of a sum, those of its first term.
func factors(e contract.Expr) []string {
	switch e := e.(type) {
	case contract.Name:
		return []string{string(e)}
	case *contract.Binary:
		if e.Op == '+' {
			return factors(e.X)
		}
		if x, y := factors(e.X), factors(e.Y); e.Op == '*' && x != nil && y != nil {
			return append(x, y...)
		}
	}
	return nil
}

// relation narrows names by a relation that holds.
func (f facts) relation(r *contract.Relation) {
	if r.Op == contract.Fits32 {
		f.atMost(r.Left, contract.Max32)
		return
	}
	left, right := f.span(r.Left), f.span(r.Right)
	switch r.Op {
	case "<=":
		f.atMost(r.Left, right.hi)
	case "<":
		f.atMost(r.Left, right.hi-min(right.hi, 1))
	case ">=":
		f.atMost(r.Right, left.hi)
	case ">":
		f.atMost(r.Right, left.hi-min(left.hi, 1))
	case "==":
		f.atMost(r.Left, right.hi)
		f.atMost(r.Right, left.hi)
	}
}

// atMost narrows the names in an expression that is at most hi.
func (f facts) atMost(e contract.Expr, hi uint64) {
	if hi >= unbounded {
		return
	}
	switch e := e.(type) {
	case contract.Name:
		s := f.span(e)
		f[string(e)] = span{s.lo, min(s.hi, hi)}
	case *contract.Binary:
		x, y := f.span(e.X), f.span(e.Y)
		switch e.Op {
		case '+':
			f.atMost(e.X, hi-min(hi, y.lo))
			f.atMost(e.Y, hi-min(hi, x.lo))
		case '*':
			if y.lo > 0 {
				f.atMost(e.X, hi/y.lo)
			}
			if x.lo > 0 {
				f.atMost(e.Y, hi/x.lo)
			}
		case '-':
			if y.hi < unbounded {
				f.atMost(e.X, hi+y.hi)
			}
		}
	case *contract.Call:
		switch e.Func {
		case "max":
			f.atMost(e.X, hi)
			f.atMost(e.Y, hi)
		case "align":
			f.atMost(e.X, hi)
		case "cdiv":
			if y := f.span(e.Y); y.hi < 1<<31 && hi < 1<<31 {
				f.atMost(e.X, hi*y.hi)
			}
		}
	}
}

// span is what an expression may be.
func (f facts) span(e contract.Expr) span {
	all := span{0, unbounded}
	switch e := e.(type) {
	case contract.Number:
		return span{min(uint64(e), unbounded), min(uint64(e), unbounded)}
	case contract.Name:
		if s, ok := f[string(e)]; ok {
			return s
		}
		return all
	case *contract.Binary:
		return combined(e.Op, f.span(e.X), f.span(e.Y))
	case *contract.Call:
		x, y := f.span(e.X), f.span(e.Y)
		switch e.Func {
		case "min":
			return span{min(x.lo, y.lo), min(x.hi, y.hi)}
		case "max":
			return span{max(x.lo, y.lo), max(x.hi, y.hi)}
		case "cdiv":
			return combined('/', combined('+', x, span{max(y.lo, 1) - 1, max(y.hi, 1) - 1}), y)
		case "align":
			return span{x.lo, combined('+', x, y).hi}
		}
	}
	return all
}

func combined(op byte, x, y span) span {
	switch op {
	case '+':
		return span{min(x.lo+y.lo, unbounded), min(x.hi+y.hi, unbounded)}
	case '-':
		return span{x.lo - min(x.lo, y.hi), x.hi - min(x.hi, y.lo)}
	case '*':
		return span{times(x.lo, y.lo), times(x.hi, y.hi)}
	case '/':
		return span{x.lo / max(y.hi, 1), x.hi / max(y.lo, 1)}
	case '%':
		return span{0, min(x.hi, max(y.hi, 1)-1)}
	}
	return span{0, unbounded}
}

func times(x, y uint64) uint64 {
	if x != 0 && y > unbounded/x {
		return unbounded
	}
	return x * y
}
