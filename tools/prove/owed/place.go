package owed

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// Line says what a refutation is, on one line: what does not hold, the sizes, the thread, what it does.
func (o *Obligation) Line(e *obligations.Entry, m smt.Model) string {
	return o.Name + ": " + o.Says(e, m)
}

// Says is Line without the obligation's name.
func (o *Obligation) Says(e *obligations.Entry, m smt.Model) string {
	says, at := "breaks it", map[string]smt.Int(nil)
	if o.Fault != nil {
		says, at = o.Fault(m)
	}
	block, thread, sure := place(e, m, at)
	who := fmt.Sprintf("block %s, thread %s", triple(block), triple(thread))
	if !sure {
		who = "some thread, say " + who + ","
	}
	return fmt.Sprintf("the contract admits %s: %s %s", Sizes(e, o, m), who, says)
}

// Sizes prints the values that matter: the extents, then what else the obligation (or if there is none, the contract) names.
func Sizes(e *obligations.Entry, o *Obligation, m smt.Model) string {
	var names []string
	for _, x := range e.Extents {
		if m[x.Name] != nil {
			names = append(names, x.Name)
		}
	}
	goal := ""
	if o != nil {
		goal = o.Goal.String()
	}
	var more []string
	for name := range m {
		named := strings.HasPrefix(name, "len(")
		if o != nil {
			named = strings.Contains(goal, "|"+name+"|")
		}
		if !slices.Contains(names, name) && (named || strings.HasPrefix(name, "gridDim.") && m[name].Cmp(big.NewInt(1)) > 0) {
			more = append(more, name)
		}
	}
	slices.Sort(more)
	var out []string
	for _, name := range append(names, more...) {
		out = append(out, name+" = "+m[name].String())
	}
	if out == nil {
		return "any sizes"
	}
	return strings.Join(out, ", ")
}

// threads is how many a block has.
func threads(e *obligations.Entry) uint64 {
	return uint64(e.Block[0]) * uint64(e.Block[1]) * uint64(e.Block[2])
}

func triple(v [3]*big.Int) string { return fmt.Sprintf("(%s, %s, %s)", v[0], v[1], v[2]) }

func plus(n *big.Int, m int64) *big.Int { return new(big.Int).Add(n, big.NewInt(m)) }

// place is the thread that has such indices by the cells or by a loop of the whole grid; the first one, and not sure, where neither says who
// has them.
func place(e *obligations.Entry, m smt.Model, at map[string]smt.Int) (block, thread [3]*big.Int, sure bool) {
	for i := range block {
		block[i], thread[i] = new(big.Int), new(big.Int)
	}
	index := func(extent string) *big.Int {
		t, ok := at[extent]
		if !ok {
			return nil
		}
		v, err := m.Value(t)
		if err != nil || v.Sign() < 0 {
			return nil
		}
		return v
	}
	for _, p := range e.Params {
		for _, c := range p.Cells {
			i := int(c.Axis[0] - 'x')
			if v := index(c.Extent); v != nil {
				sure = true
				rest := new(big.Int)
				block[i].DivMod(v, new(big.Int).SetUint64(c.Each), rest)
				thread[i].Mod(rest, big.NewInt(int64(e.Block[i])))
			}
		}
	}
	if sure {
		return block, thread, true
	}
	threads := threads(e)
	for _, l := range e.Loops {
		v := index(l.Extent)
		if v == nil || l.Takes == 0 || l.Takes > threads && l.Takes%threads != 0 || l.Takes <= threads && threads%l.Takes != 0 {
			continue
		}
		// Of a round a block takes so many indices, one after the other.
		rest := new(big.Int)
		block[0].DivMod(v, new(big.Int).SetUint64(l.Takes), rest)
		if grid := m["gridDim.x"]; grid != nil && grid.Sign() > 0 {
			block[0].Mod(block[0], grid)
		}
		rest.Mul(rest, new(big.Int).SetUint64(threads)).Div(rest, new(big.Int).SetUint64(l.Takes))
		thread[0] = rest
		return block, thread, true
	}
	return block, thread, false
}
