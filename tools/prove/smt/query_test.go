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
