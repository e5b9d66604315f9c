package launch

import (
	"fmt"
	"math"

	"github.com/warpwright/warpwright/go/contract"
)

// Terms are the expressions that some names of a contract stand for: "grid.x", "block.y", "shared".
type Terms map[string]string

// Violated is the error of a relation that generated code has found not to hold: with both values, or with
// the operation that has none. It works the relation out once more, from its text.
func Violated(kernel, relation string, env contract.Env, terms Terms) error {
	r, err := contract.ParseRelation(relation)
	if err != nil {
		return fmt.Errorf("%s: %w", kernel, err)
	}
	with, err := parse(terms)
	if err != nil {
		return fmt.Errorf("%s: %w", kernel, err)
	}
	v := Check(r, env, with)
	if v == nil { // generated code and the evaluator differ; the one that is in doubt counts
		v = &contract.Violation{Relation: relation, Values: "generated code says no, the evaluator yes"}
	}
	v.Kernel = kernel
	return v
}

// Check is a relation's check where names stand for expressions.
func Check(r *contract.Relation, env contract.Env, terms map[string]contract.Expr) *contract.Violation {
	v := r.Replace(terms).Check(env)
	if v != nil {
		v.Relation = r.String()
	}
	return v
}

func parse(terms Terms) (map[string]contract.Expr, error) {
	out := make(map[string]contract.Expr, len(terms))
	for name, text := range terms {
		e, err := contract.Parse(text)
		if err != nil {
			return nil, err
		}
		out[name] = e
	}
	return out, nil
}

// TooLarge is the error of a launch's shape or shared memory that has no 32-bit value.
func TooLarge(kernel, what, expr string, env contract.Env) error {
	err := Violated(kernel, fmt.Sprintf("%s <= %d", what, uint32(math.MaxUint32)), env, Terms{what: expr})
	if v, ok := err.(*contract.Violation); ok {
		v.Relation = fmt.Sprintf("%s = %s <= %d", what, expr, uint32(math.MaxUint32))
	}
	return err
}
