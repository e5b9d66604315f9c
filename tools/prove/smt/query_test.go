package smt

import (
	"math/big"
	"strings"
	"testing"
)

func TestRefutationsAreComputedAgain(t *testing.T) {
	x := Var("x").AtLeast(0)
	q := Query{Name: "q", Premises: []Premise{{"x < 3", x.Less(Number(3))}}, Goal: x.Equal(Number(2))}
	vars, err := q.variables()
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[int64]string{1: "", -1: "break", 5: "the premise", 2: "keep the goal"} {
		err := q.check(Model{"x": big.NewInt(value)}, vars)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("x = %d: %v, want %q", value, err, want)
		}
	}
}

// Two products are two variables, also where their factors' names make one text.
func TestProductsAreToldApart(t *testing.T) {
	ab, c, a, bc := Var("a b"), Var("c"), Var("a"), Var("b c")
	l := Linear(Query{Goal: ab.Times(c).Equal(a.Times(bc))})
	vars, err := l.variables()
	if err != nil {
		t.Fatal(err)
	}
	var products []string
	for _, v := range vars {
		if strings.HasPrefix(v.name, "product of ") {
			products = append(products, v.name)
		}
	}
	if len(products) != 2 || products[0] == products[1] {
		t.Errorf("the products are %q", products)
	}
}
