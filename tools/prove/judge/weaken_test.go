package judge

import (
	"fmt"
	"slices"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/internal/obligations"
)

// weaker is an entry with something taken from what its launch checks or fixes.
type weaker struct {
	what  string // "len(x) >= M * K: len(x) >= M"
	from  string // of a relation, where it comes from
	entry obligations.Entry
}

// weakened are all the ways in which an entry's launcher could check less. Of a variant it is what the variant has of its own: the rest is
// weakened where it has no facts.
func weakened(e *obligations.Entry) []weaker {
	var out []weaker
	from := ""
	add := func(what string, change func(*obligations.Entry)) {
		c := *e
		c.Checked = slices.Clone(e.Checked)
		c.Params = slices.Clone(e.Params)
		for i := range c.Params {
			if a := c.Params[i].Argument; a != nil {
				b := *a
				c.Params[i].Argument = &b
			}
		}
		change(&c)
		out = append(out, weaker{what, from, c})
	}
	for i, r := range e.Checked {
		if e.Prefer != "" && r.From != obligations.Fact {
			continue
		}
		from = r.From
		add(r.Text+": dropped", func(c *obligations.Entry) { c.Checked = slices.Delete(c.Checked, i, i+1) })
		for _, less := range lesser(r.Text) {
			add(r.Text+": "+less, func(c *obligations.Entry) { c.Checked[i].Text = less })
		}
	}
	from = ""
	for i := e.Axes; i < len(e.Grid); i++ {
		add(fmt.Sprintf("grid.%c = %s: two blocks", "xyz"[i], e.Grid[i]), func(c *obligations.Entry) { c.Grid[i] = "2" })
	}
	for i, g := range e.Grid {
		if g != "1" {
			add(fmt.Sprintf("grid.%c = %s: one block less", "xyz"[i], g), func(c *obligations.Entry) { c.Grid[i] = "max(" + g + ", 1) - 1" })
			add(fmt.Sprintf("grid.%c = %s: twice as many", "xyz"[i], g), func(c *obligations.Entry) { c.Grid[i] = "(" + g + ") * 2" })
		}
	}
	if e.Prefer != "" {
		return out
	}
	if e.Shared != "0" {
		add("layout: 16 bytes less", func(c *obligations.Entry) { c.Shared = "(" + e.Shared + ") - 16" })
	}
	for i, p := range e.Params {
		if p.Offset > 0 {
			add("layout: "+p.Name+" 16 bytes to the front", func(c *obligations.Entry) { c.Params[i].Offset -= 16 })
			add("layout: "+p.Name+" 8 bytes to the front", func(c *obligations.Entry) { c.Params[i].Offset -= 8 })
		}
		for j, cell := range p.Cells {
			add(fmt.Sprintf("layout: %s has one index less of %s a block", p.Name, cell.Extent), func(c *obligations.Entry) {
				c.Params[i].Cells = slices.Clone(p.Cells)
				c.Params[i].Cells[j].Each--
			})
		}
		if p.Argument == nil {
			continue
		}
		if p.Argument.Align > 1 {
			add(p.Name+": aligned to half as much", func(c *obligations.Entry) { c.Params[i].Argument.Align /= 2 })
		}
		if p.Argument.Proof != "" {
			add(p.Name+": not validated", func(c *obligations.Entry) { c.Params[i].Argument.Proof = "" })
		}
		for j, q := range p.Argument.Apart {
			add(p.Name+" may overlap "+q, func(c *obligations.Entry) {
				c.Params[i].Argument.Apart = slices.Delete(slices.Clone(p.Argument.Apart), j, j+1)
			})
		}
	}
	return out
}

// lesser are relations that say a little less than one: a term, a factor or a step is missing.
func lesser(text string) []string {
	r, err := contract.ParseRelation(text)
	if err != nil {
		return nil
	}
	one := func(e contract.Expr) contract.Expr { return &contract.Binary{Op: '+', X: e, Y: contract.Number(1)} }
	var out []string
	add := func(left contract.Expr, op string, right contract.Expr) {
		out = append(out, (&contract.Relation{Left: left, Op: op, Right: right}).String())
	}
	switch r.Op {
	case ">=", ">":
		add(one(r.Left), r.Op, r.Right)
	case "<=", "<":
		add(r.Left, r.Op, one(r.Right))
	case "==":
		add(r.Left, ">=", r.Right)
		add(r.Left, "<=", r.Right)
	}
	if r.Right != nil {
		for _, side := range []bool{true, false} {
			e := r.Left
			if side {
				e = r.Right
			}
			for _, part := range parts(e) {
				if side {
					add(r.Left, r.Op, part)
				} else {
					add(part, r.Op, r.Right)
				}
			}
		}
	}
	return out
}

// parts are an expression with one operand of a sum, a product or a call left out.
func parts(e contract.Expr) []contract.Expr {
	var out []contract.Expr
	switch e := e.(type) {
	case *contract.Binary:
		out = append(out, e.X, e.Y)
		for _, x := range parts(e.X) {
			out = append(out, &contract.Binary{Op: e.Op, X: x, Y: e.Y})
		}
		for _, y := range parts(e.Y) {
			out = append(out, &contract.Binary{Op: e.Op, X: e.X, Y: y})
		}
	case *contract.Call:
		out = append(out, e.X, e.Y)
	}
	return out
}
