package contract

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"
)

// random makes an expression of at most the given depth over the names of randomEnv.
func random(r *rand.Rand, depth int) Expr {
	if depth == 0 || r.IntN(4) == 0 {
		if r.IntN(2) == 0 {
			return Number(randomValue(r))
		}
		return Name(names6[r.IntN(6)])
	}
	x, y := random(r, depth-1), random(r, depth-1)
	switch r.IntN(9) {
	case 0:
		return &Call{"min", x, y}
	case 1:
		return &Call{"max", x, y}
	case 2:
		return &Call{"cdiv", x, y}
	case 3:
		return &Call{"align", x, Number(1 + r.Uint64N(64))}
	}
	return &Binary{"+-*/%"[r.IntN(5)], x, y}
}

// randomRelation compares two random expressions, or is a predicate of some.
func randomRelation(r *rand.Rand) *Relation {
	buffer := func() Expr { return Buffer([]string{"x", "y"}[r.IntN(2)]) }
	switch r.IntN(8) {
	case 0:
		return &Relation{random(r, 2), Divides, random(r, 2)}
	case 1:
		return &Relation{random(r, 2), Fits32, nil}
	case 2:
		e := random(r, 1)
		if e == Number(0) {
			e = Number(16)
		}
		return &Relation{buffer(), Aligned, e}
	case 3:
		return &Relation{buffer(), Disjoint, buffer()}
	}
	return &Relation{random(r, 3), []string{">=", ">", "<=", "<", "==", "!="}[r.IntN(6)], random(r, 3)}
}

// randomValue favours the edges, where carries and products go wrong.
func randomValue(r *rand.Rand) uint64 {
	switch r.IntN(7) {
	case 0:
		return r.Uint64N(4)
	case 1:
		return math.MaxUint64 - r.Uint64N(4)
	case 2:
		return 1<<32 - 2 + r.Uint64N(4)
	case 3:
		return 1<<63 - 2 + r.Uint64N(4)
	case 4:
		return 1<<31 - 2 + r.Uint64N(4)
	case 5:
		return r.Uint64()
	default:
		return r.Uint64N(1 << 20)
	}
}

var names6 = []string{"M", "K", "len(x)", "rows.N", "sizeof(x)", "sms"}

func randomEnv(r *rand.Rand) Env {
	env := Env{}
	for _, name := range append([]string{"addr(x)", "addr(y)", "len(y)", "sizeof(y)"}, names6...) {
		env[name] = randomValue(r)
	}
	return env
}

// truth evaluates without a limit on size and applies the limit to every result, as the language
// has it.
func truth(e Expr, env Env) (*big.Int, error) {
	var x, y *big.Int
	var err error
	operands := func(l, r Expr) bool {
		if x, err = truth(l, env); err == nil {
			y, err = truth(r, env)
		}
		return err == nil
	}
	out := new(big.Int)
	switch e := e.(type) {
	case Number:
		return out.SetUint64(uint64(e)), nil
	case Name:
		return out.SetUint64(env[string(e)]), nil
	case Buffer:
		return out.SetUint64(env["addr("+string(e)+")"]), nil
	case *Call:
		if !operands(e.X, e.Y) {
			return nil, err
		}
		switch e.Func {
		case "min", "max":
			if (x.Cmp(y) < 0) == (e.Func == "min") {
				return x, nil
			}
			return y, nil
		}
		if y.Sign() == 0 {
			return nil, ErrZero
		}
		out.Add(x, y).Sub(out, big.NewInt(1)).Div(out, y)
		if e.Func == "align" {
			out.Mul(out, y)
		}
	case *Binary:
		if !operands(e.X, e.Y) {
			return nil, err
		}
		switch e.Op {
		case '+':
			out.Add(x, y)
		case '-':
			out.Sub(x, y)
		case '*':
			out.Mul(x, y)
		default:
			if y.Sign() == 0 {
				return nil, ErrZero
			}
			if e.Op == '/' {
				out.Div(x, y)
			} else {
				out.Mod(x, y)
			}
		}
	}
	switch {
	case out.Sign() < 0:
		return nil, ErrNegative
	case !out.IsUint64():
		return nil, ErrOverflow
	}
	return out, nil
}

// truthOf says whether a relation holds.
func truthOf(rel *Relation, env Env) (bool, error) {
	left, err := truth(rel.Left, env)
	if err != nil {
		return false, err
	}
	if rel.Op == Fits32 {
		return left.Cmp(big.NewInt(math.MaxInt32)) <= 0, nil
	}
	right, err := truth(rel.Right, env)
	if err != nil {
		return false, err
	}
	switch rel.Op {
	case Divides:
		return left.Sign() != 0 && new(big.Int).Mod(right, left).Sign() == 0, nil
	case Aligned:
		return right.Sign() != 0 && new(big.Int).Mod(left, right).Sign() == 0, nil
	case Disjoint:
		end := func(e Expr) (*big.Int, error) {
			x := e.String()
			return truth(&Binary{'+', e, &Binary{'*', Name("len(" + x + ")"), Name("sizeof(" + x + ")")}}, env)
		}
		leftEnd, err := end(rel.Left)
		if err != nil {
			return false, err
		}
		rightEnd, err := end(rel.Right)
		if err != nil {
			return false, err
		}
		return leftEnd.Cmp(right) <= 0 || rightEnd.Cmp(left) <= 0 || left.Cmp(leftEnd) == 0 || right.Cmp(rightEnd) == 0, nil
	}
	c := left.Cmp(right)
	return map[string]bool{">=": c >= 0, ">": c > 0, "<=": c <= 0, "<": c < 0, "==": c == 0, "!=": c != 0}[rel.Op], nil
}

// checkedHolds says whether a relation holds the way generated code does; Disjoint, which it asks package
// device about, is not for it.
func checkedHolds(rel *Relation, env Env) bool {
	var c Checked
	left := checkedValue(&c, rel.Left, env)
	if rel.Op == Fits32 {
		return left <= Max32 && c.OK()
	}
	right := checkedValue(&c, rel.Right, env)
	switch rel.Op {
	case Divides:
		return c.Mod(right, left) == 0 && c.OK()
	case Aligned:
		return c.Mod(left, right) == 0 && c.OK()
	}
	return compare(left, rel.Op, right) && c.OK()
}

// checkedValue computes e the way generated code does.
func checkedValue(c *Checked, e Expr, env Env) uint64 {
	switch e := e.(type) {
	case Buffer:
		return env["addr("+string(e)+")"]
	case Name:
		return env[string(e)]
	case *Binary:
		x, y := checkedValue(c, e.X, env), checkedValue(c, e.Y, env)
		switch e.Op {
		case '+':
			return c.Add(x, y)
		case '-':
			return c.Sub(x, y)
		case '*':
			return c.Mul(x, y)
		case '/':
			return c.Div(x, y)
		default:
			return c.Mod(x, y)
		}
	case *Call:
		x, y := checkedValue(c, e.X, env), checkedValue(c, e.Y, env)
		switch e.Func {
		case "min":
			return min(x, y)
		case "max":
			return max(x, y)
		case "cdiv":
			return c.CeilDiv(x, y)
		default:
			return c.Align(x, y)
		}
	}
	return uint64(e.(Number))
}

func TestAgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	outcomes := map[error]int{}
	for range 100_000 {
		e, env := random(r, 4), randomEnv(r)
		want, wantErr := truth(e, env)
		got, err := e.Eval(env)
		outcomes[wantErr]++
		switch {
		case wantErr == nil && (err != nil || got != want.Uint64()):
			t.Fatalf("%s with %v: got %d, %v; want %v", e, env, got, err, want)
		case wantErr != nil:
			var ae *ArithmeticError
			if !errors.Is(err, wantErr) || !errors.As(err, &ae) {
				t.Fatalf("%s with %v: got %d, %v; want %v", e, env, got, err, wantErr)
			}
		}
		var c Checked
		if got := checkedValue(&c, e, env); c.OK() != (wantErr == nil) || c.OK() && got != want.Uint64() {
			t.Fatalf("%s with %v: Checked gives %d, %v; want %v, %v", e, env, got, c.OK(), want, wantErr)
		}
	}
	for _, err := range []error{nil, ErrOverflow, ErrNegative, ErrZero} {
		if outcomes[err] < 1000 {
			t.Errorf("only %d of the expressions end in %v: the test is blind there", outcomes[err], err)
		}
	}
}

// agree compares the evaluator and generated code with the truth.
func agree(t *testing.T, rel *Relation, env Env) (holds bool, cause error) {
	t.Helper()
	want, cause := truthOf(rel, env)
	v := rel.Check(env)
	if (v == nil) != want {
		t.Fatalf("%s with %v: got %v; want %v, %v", rel, env, v, want, cause)
	}
	if v != nil {
		var ae *ArithmeticError
		if (v.Err != nil) != (cause != nil) || cause != nil && (!errors.Is(v, cause) || !errors.As(v, &ae)) {
			t.Fatalf("%s with %v: got %v, want %v", rel, env, v, cause)
		}
		if !errors.Is(v, ErrContract) || v.Relation != rel.String() {
			t.Fatalf("%s with %v: got %#v", rel, env, v)
		}
	}
	if rel.Op != Disjoint && checkedHolds(rel, env) != want {
		t.Fatalf("%s with %v: generated code says %v", rel, env, !want)
	}
	return want, cause
}

func TestRelationsAgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	type outcome struct {
		op    string
		holds bool
		cause error
	}
	seen := map[outcome]int{}
	for range 100_000 {
		rel := randomRelation(r)
		env := randomEnv(r)
		if r.IntN(2) == 0 { // buffers as they are, side by side
			env["addr(x)"], env["addr(y)"] = 1024+r.Uint64N(64), 1024+r.Uint64N(64)
			for _, n := range []string{"len(x)", "sizeof(x)", "len(y)", "sizeof(y)"} {
				env[n] = r.Uint64N(9)
			}
		}
		holds, cause := agree(t, rel, env)
		seen[outcome{rel.Op, holds, cause}]++
	}
	for _, op := range []string{">=", ">", "<=", "<", "!=", Divides, Fits32, Aligned, Disjoint} {
		for _, holds := range []bool{true, false} {
			if n := seen[outcome{op, holds, nil}]; n < 60 {
				t.Errorf("only %d relations with %s end in %v: the test is blind there", n, op, holds)
			}
		}
	}
}

func TestPrintParseRelation(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 20_000 {
		rel := randomRelation(r)
		back, err := ParseRelation(rel.String())
		if err != nil {
			t.Fatalf("%s: %v", rel, err)
		}
		if !reflect.DeepEqual(back, rel) {
			t.Fatalf("%s is read back as %s", rel, back)
		}
	}
}

func TestPrintParse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		e := random(r, 5)
		back, err := Parse(e.String())
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		if !reflect.DeepEqual(back, e) {
			t.Fatalf("%s is read back as %s", e, back)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"M", "M"},
		{" ( M ) ", "M"},
		{"(M+1)*2", "(M + 1) * 2"},
		{"M+(1*2)", "M + 1 * 2"},
		{"(a-b)-c", "a - b - c"},
		{"a-(b-c)", "a - (b - c)"},
		{"a/(b*c)", "a / (b * c)"},
		{"a%b/c", "a % b / c"},
		{"min(cdiv(M,256/S),32*sms)", "min(cdiv(M, 256 / S), 32 * sms)"},
		{"align( N , 16 )", "align(N, 16)"},
		{"len( x )+sizeof(x)", "len(x) + sizeof(x)"},
		{"rows . N", "rows.N"},
		{"18446744073709551615", "18446744073709551615"},
		{"\n\tM", "M"},
	} {
		e, err := Parse(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
		} else if e.String() != c.out {
			t.Errorf("%q prints as %q, want %q", c.in, e, c.out)
		}
	}
}

func TestUnknownName(t *testing.T) {
	e, err := Parse("M + 1")
	if err != nil {
		t.Fatal(err)
	}
	var unknown *UnknownNameError
	if _, err := e.Eval(Env{"N": 1}); !errors.As(err, &unknown) || unknown.Name != "M" {
		t.Errorf("got %v", err)
	}
}

func TestNames(t *testing.T) {
	e, err := Parse("min(M, len(x)) + M * rows.N - sizeof(x)")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Names(e), []string{"M", "len(x)", "rows.N", "sizeof(x)"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got := Replace(e, map[string]Expr{"M": &Binary{'+', Name("A"), Number(1)}}).String()
	if want := "min(A + 1, len(x)) + (A + 1) * rows.N - sizeof(x)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
