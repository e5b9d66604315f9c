package rules

import (
	"fmt"

	"github.com/warpwright/warpwright/tools/audit/wrap"
)

// index32 wants subscripts that are products to be computed in 64 bits, or to be known to fit.
func (e *entry) index32() {
	b := &wrap.Bounds{Block: e.launch.Block, Blocks: e.launch.Blocks, Params: e.launch.Params, Products: e.launch.Products}
	for _, w := range wrap.Find(e.graph, b) {
		bound := w.Exact.Hi
		if bound <= w.Range.Hi {
			bound = w.Exact.Lo
		}
		what := "a product"
		if w.At.Kind() == "add" {
			what = "a sum of steps"
		}
		e.add(Index32, w.At, "%s in 32 bits may be %s and is widened too late, at PTX line %d, for the address of `%s` at line %d: only %d to %d fit",
			what, large(bound), w.Widened.Line, w.Memory[0].Op, w.Memory[0].Line, w.Range.Lo, w.Range.Hi)
	}
}

// large prints a bound; beyond what was counted it is only that.
func large(n int64) string {
	if n > 1<<61 || n < -1<<61 {
		return "beyond all bounds"
	}
	return fmt.Sprint(n)
}
