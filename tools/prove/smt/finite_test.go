package smt

import (
	"math/big"
	"testing"
)

func TestDomains(t *testing.T) {
	x, y, z := Var("x").AtLeast(0), Var("y").Within(-2, 3), Var("z").AtLeast(0)
	got := Domains([]Premise{{"x < 8", And(x.Less(Number(8)), y.Differs(x))}, {"2 <= x", Number(2).AtMost(x)}, {"z", z.Less(Number(100_000))}})
	if len(got) != 2 || got["x"] != (Domain{2, 7}) || got["y"] != (Domain{-2, 3}) {
		t.Errorf("%v", got)
	}
}

// What is compiled computes what Model does, and what could wrap is not compiled.
func TestCompile(t *testing.T) {
	few := map[string]Domain{"x": {-3, 4}, "y": {0, 5}}
	names := []string{"x", "y"}
	x, y, seven := Var("x"), Var("y"), Number(7)
	for _, term := range []Int{
		x.Plus(y).Times(seven).Minus(y), x.Divide(Number(3)), x.Modulo(Number(3)), If(And(x.Less(y), Not(y.Equal(seven))), x, y),
		If(Or(x.Greater(y), x.AtMost(Number(-2)), x.AtLeastTerm(y)), Number(1), x), If(Implies(x.Less(Number(0)), y.Less(Number(2))), x, seven),
	} {
		f, ok := term.Compile(names, few)
		if !ok {
			t.Fatalf("%s is not compiled", term)
		}
		for a := few["x"].Low; a <= few["x"].High; a++ {
			for b := few["y"].Low; b <= few["y"].High; b++ {
				want, err := Model{"x": big.NewInt(a), "y": big.NewInt(b)}.Value(term)
				if got := f([]int64{a, b}); err != nil || got != want.Int64() {
					t.Errorf("%s for x = %d, y = %d is %d, want %s (%v)", term, a, b, got, want, err)
				}
			}
		}
	}
	for _, term := range []Int{Var("w"), x.Divide(y), Power(62).Times(y), Power(70).Modulo(seven)} {
		if _, ok := term.Compile(names, few); ok {
			t.Errorf("%s is compiled", term)
		}
	}
}

func TestWithAndApart(t *testing.T) {
	few := map[string]Domain{"t": {0, 31}}
	row := Var("row").With(map[string]Int{"row": Var("from").Plus(Var("i")), "i": Var("t").Divide(Number(4))})
	if want := "(+ |from| (div |t| 4))"; row.String() != want {
		t.Errorf("%s, want %s", row, want)
	}
	rest, of := row.Apart(few)
	if rest.String() != "(+ 0 |from|)" || of.String() != "(+ 0 (div |t| 4))" {
		t.Errorf("%s and %s", rest, of)
	}
}
