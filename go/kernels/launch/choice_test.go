package launch

import (
	"errors"
	"testing"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/manifest"
)

func TestChosen(t *testing.T) {
	variants := []manifest.Prefer{
		{Name: "exact", Facts: []manifest.Fact{{Text: "exact(M, 4)", Relations: []string{"grid.x * 4 == M"}}}},
		{Name: "once", Facts: []manifest.Fact{
			{Text: "K % 4 == 0", Relations: []string{"K % 4 == 0"}},
			{Text: "once(M, 4)", Relations: []string{"grid.x * 4 >= M", "fits32(grid.x * 4)"}},
		}},
	}
	env := contract.Env{"M": 6, "K": 8}
	terms := Terms{"grid.x": "cdiv(M, 4)"}
	const notExact = "not exact: exact(M, 4) does not hold: grid.x * 4 == M: left side is 8, right side is 6"
	for _, c := range []struct {
		name  string
		which int
		env   contract.Env
		terms Terms
		want  string
	}{
		{"the first", 1, env, terms, "k_exact"},
		{"the second", 2, env, terms, "k_once (" + notExact + ")"},
		{"a later fact", 0, contract.Env{"M": 1 << 33, "K": 8}, Terms{"grid.x": "1"},
			"k (not exact: exact(M, 4) does not hold: grid.x * 4 == M: left side is 4, right side is 8589934592; " +
				"not once: once(M, 4) does not hold: grid.x * 4 >= M: left side is 4, right side is 8589934592)"},
		{"another opinion", 0, env, terms,
			"k (" + notExact + "; not once: what it relies on does not hold: once: generated code says no, the evaluator yes)"},
		{"a shape that is none", 0, env, Terms{"grid.x": "cdiv("},
			"k (not exact: what it relies on does not hold: " + parseError("cdiv(") + "; not once: what it relies on does not hold: " + parseError("cdiv(") + ")"},
	} {
		got := Chosen("k", c.which, variants, c.env, c.terms)
		if got.String() != c.want {
			t.Errorf("%s: got  %v\nwant %s", c.name, got, c.want)
		}
	}
	choice := Chosen("k", 2, variants, env, terms)
	if got := choice.Because("so"); got != "so; "+notExact || choice.Variant != "once" {
		t.Errorf("%s because %s", choice.Variant, got)
	}
	if _, err := ParseVariant(manifest.Prefer{Name: "odd", Facts: []manifest.Fact{{Text: "M % 2", Relations: []string{"M % 2"}}}}); err == nil {
		t.Error("M % 2 is a relation")
	}
	v, err := ParseVariant(variants[1])
	if err != nil {
		t.Fatal(err)
	}
	lacks := v.Lacks("k", contract.Env{"K": 7}, nil)
	var violation *contract.Violation
	if lacks == nil || lacks.Fact != "K % 4 == 0" || !errors.As(lacks.Why, &violation) || violation.Kernel != "k" {
		t.Errorf("lacks %v", lacks)
	}
}

func parseError(text string) string {
	_, err := contract.Parse(text)
	return err.Error()
}
