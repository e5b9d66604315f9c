package family

import (
	"math"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tools/internal/syntax"
)

func (r *resolver) extentsUsed() error {
	for _, t := range r.src.Template {
		if r.extents[t.Text] != nil && !r.used[t.Text] {
			return r.fail(t.Offset, "class %s is neither an instance parameter (name it in types) nor the extent of a parameter", t.Text)
		}
	}
	return nil
}

// extentValues finds what gives each extent its value: a validated handle, else a Dim, else the
// first buffer that is as long as the extent.
func (r *resolver) extentValues() error {
	for _, x := range r.out.Extents {
		for i, p := range r.out.Params {
			if !p.dim(x.Name) {
				continue
			}
			for _, q := range r.out.Params[:i] {
				if q.dim(x.Name) {
					return r.fail(p.Src.Name.Offset, "%s and %s are both Dim<%s>; one extent has one Dim", q.Name, p.Name, x.Name)
				}
			}
		}
		for _, gives := range []func(*Param) bool{
			func(p *Param) bool { return slices.Contains(p.Carries, x.Name) },
			func(p *Param) bool { return p.dim(x.Name) },
			func(p *Param) bool { return slices.Contains(p.Extents, x.Name) },
			func(p *Param) bool { return len(p.Lens) == 1 && p.Lens[0].Expr == contract.Name(x.Name) },
		} {
			if i := slices.IndexFunc(r.out.Params, gives); i >= 0 && x.From == nil {
				x.From = r.out.Params[i]
				x.Place = slices.Index(x.From.Carries, x.Name)
			}
		}
		if x.From == nil {
			i := slices.IndexFunc(r.src.Template, func(t syntax.TemplateParam) bool { return t.Text == x.Name })
			return r.fail(r.src.Template[i].Offset, "nothing gives extent %s its value: no validated array carries it, no parameter is Dim<%s> or has it as its cells, no buffer has the length %s", x.Name, x.Name, x.Name)
		}
	}
	for i, p := range r.out.Params {
		if p.Validated != "permutation" && len(p.Carries) == 2 && p.Carries[0] == p.Carries[1] { // a permutation has as many places as elements
			return r.fail(p.Src.Type.Offset, "%s carries %s twice: its %s may differ, and nobody would compare them; give one an extent of its own, and have requires(...) compare the two",
				p.Name, p.Carries[0], counted[p.Validated])
		}
		for _, q := range r.out.Params[:i] {
			if p.Validated == "permutation" && q.Validated == p.Validated && slices.Equal(p.Carries, q.Carries) {
				return r.fail(p.Src.Name.Offset, "%s and %s both lead from %s to %s: one element would belong to two threads; give one of them extents of its own",
					q.Name, p.Name, p.Carries[1], p.Carries[0])
			}
		}
	}
	for _, p := range r.out.Params {
		for _, s := range p.Strides {
			x, ok := s.(contract.Name)
			if !ok || r.extents[string(x)] == nil || slices.ContainsFunc(r.out.Params, func(q *Param) bool { return slices.Contains(q.Extents, string(x)) }) {
				continue
			}
			return r.fail(p.Src.Type.Offset, "the rows of %s are %s apart, which the device must know: add a parameter Dim<%s>", p.Name, x, x)
		}
	}
	return nil
}

// counted is what the two extents of a handle count.
var counted = map[string]string{"offsets": "rows and entries", "columns": "columns and entries"}

// dim says that the parameter is the Dim of an extent.
func (p *Param) dim(extent string) bool { return p.Kind == Dim && p.Extents[0] == extent }

// relations forms what the signature implies.
func (r *resolver) relations() error {
	add := func(kind RelationKind, where Where, left contract.Expr, op string, right contract.Expr) {
		r.out.Relations = append(r.out.Relations, Relation{where, &contract.Relation{Left: left, Op: op, Right: right}, kind})
	}
	for _, p := range r.out.Params {
		for _, name := range p.Carries {
			if x := r.extents[name]; x.From != p {
				add(SameExtent, Where{}, contract.Name(p.Name+"."+name), "==", contract.Name(x.From.Name+"."+name))
			}
		}
	}
	for _, x := range r.out.Extents {
		for _, t := range r.values(x.Index) {
			where := Where{}
			if x.Index.Param != "" {
				where = Where{x.Index.Param, t.String()}
			}
			if left, most := r.indexBound(x, t); left != nil {
				add(IndexRange, where, left, "<=", most)
			}
		}
	}
	for _, p := range r.out.Params {
		if p.Validated != "" { // its length follows from the proof
			continue
		}
		for _, l := range p.Lens {
			if name, ok := l.Expr.(contract.Name); ok && r.extents[string(name)] != nil && r.extents[string(name)].From == p {
				continue // the extent is this length
			}
			add(BufferLen, l.Where, contract.Name("len("+p.Name+")"), ">=", l.Expr)
		}
	}
	return nil
}

// indexBound is what the contract asks of an extent, so that no loop over it can wrap in the type of its indices:
// that it, or where a step could pass it, is at most a number. It is nil if a buffer is as long as the extent: then it is
// far from the end of 64 bits.
func (r *resolver) indexBound(x *Extent, t dtype.Type) (left contract.Expr, most contract.Number) {
	left = contract.Name(x.Name)
	last := &contract.Binary{Op: '+', X: left, Y: contract.Number(Step)}
	switch {
	case t == dtype.I32:
		return last, math.MaxInt32
	case t == dtype.I64 && !r.held(x, 2):
		return last, math.MaxInt64
	case t == dtype.U64 && !r.held(x, 1):
		return left, math.MaxInt64
	}
	return nil, 0
}

// held says that whatever the instance, some buffer holds an element of so many bytes or more for each index of an
// extent. The bytes of a buffer are counted by an int.
func (r *resolver) held(x *Extent, bytes int) bool {
	return slices.ContainsFunc(r.out.Params, func(p *Param) bool {
		return p.Kind == Buffer &&
			!slices.ContainsFunc(p.Lens, func(l Length) bool { return !r.reaches(l.Expr, x.Name) }) &&
			!slices.ContainsFunc(r.values(p.Elem), func(t dtype.Type) bool { return t.Size() < bytes })
	})
}

// reaches says that a length cannot be below an extent: it is the extent, more of it, or as many times it as a
// number says.
func (r *resolver) reaches(length contract.Expr, extent string) bool {
	switch e := length.(type) {
	case contract.Name:
		return string(e) == extent
	case *contract.Binary:
		x, y := r.reaches(e.X, extent), r.reaches(e.Y, extent)
		return e.Op == '+' && (x || y) || e.Op == '*' && (x && r.positive(e.Y) || y && r.positive(e.X))
	}
	return false
}

// positive says that an expression is a number, and not 0: a literal or an integer of the instance.
func (r *resolver) positive(e contract.Expr) bool {
	switch e := e.(type) {
	case contract.Number:
		return e > 0
	case contract.Name:
		return r.types[string(e)] != nil
	}
	return false
}

func (r *resolver) grid() error {
	r.out.Grid = [3]contract.Expr{contract.Number(1), contract.Number(1), contract.Number(1)}
	if i := slices.IndexFunc(r.out.Params, func(p *Param) bool { return p.Kind == Cells }); i >= 0 {
		return r.cells(r.out.Params[i], r.out.Params[i+1:])
	}
	if r.src.Annotation.Grid == nil {
		return r.fail(r.src.Offset, "WW_KERNEL has no grid(...)")
	}
	r.out.Axes = len(r.src.Annotation.Grid)
	usable := append(r.names(), launchNames()...)
	for i, t := range r.src.Annotation.Grid {
		e, err := syntax.Expr(r.src.File, t)
		if err == nil {
			err = r.checkNames(t, e, usable)
		}
		if err != nil {
			return err
		}
		r.out.Grid[i] = e
	}
	return nil
}

// maxGridYZ is how many blocks a grid can have along y and along z, on every device.
const maxGridYZ = 65535

// cells lays the grid over the extents of p, so that a block is there for every index.
func (r *resolver) cells(p *Param, rest []*Param) error {
	if r.src.Annotation.Grid != nil {
		return r.fail(r.src.Annotation.Grid[0].Offset, "grid(...) beside %s %s, from which the grid follows", p.Src.Type, p.Name)
	}
	for _, q := range rest {
		if q.Kind == Cells {
			return r.fail(q.Src.Type.Offset, "%s and %s both lay the grid; a launch has one", p.Name, q.Name)
		}
	}
	r.out.Axes = len(p.Extents)
	if len(p.Extents) == 2 && p.Extents[0] == p.Extents[1] {
		return r.fail(p.Src.Type.Offset, "%s lays both axes of the grid over %s; give one an extent of its own, and have requires(...) compare the two", p.Name, p.Extents[0])
	}
	for _, q := range r.out.Params {
		if x := strings.TrimPrefix(q.Name, p.Name+"_"); x != q.Name && slices.Contains(p.Extents, x) {
			return r.fail(q.Src.Name.Offset, "%s is the word of the entry that has extent %s of %s; rename one", q.Name, x, p.Name)
		}
	}
	for i, x := range p.Extents {
		axis := len(p.Extents) - 1 - i
		r.out.Grid[axis] = &contract.Call{Func: "cdiv", X: contract.Name(x), Y: p.Each[i]}
		if axis > 0 {
			r.out.Relations = append(r.out.Relations, Relation{Where{}, &contract.Relation{Left: r.out.Grid[axis], Op: "<=", Right: contract.Number(maxGridYZ)}, GridRange})
		}
	}
	return nil
}

// launchNames are what expressions may name of the launch.
func launchNames() []string { return []string{"block", "block.x", "block.y", "block.z", "sms"} }

func (r *resolver) requires() error {
	usable := append(append(r.names(), launchNames()...), "grid.x", "grid.y", "grid.z", "shared")
	for _, p := range r.out.Params {
		switch p.Kind {
		case Buffer:
			usable = append(usable, "len("+p.Name+")", "sizeof("+p.Name+")")
		case Shared:
			usable = append(usable, "sizeof("+p.Name+")")
		}
	}
	for _, t := range r.src.Annotation.Requires {
		rel, err := syntax.Relation(r.src.File, t)
		if err == nil {
			err = r.checkRelation(t, rel, usable)
		}
		if err != nil {
			return err
		}
		r.out.Relations = append(r.out.Relations, Relation{Where{}, rel, Required})
	}
	return nil
}

// checkRelation checks the names of a relation; a predicate's buffers are parameters.
func (r *resolver) checkRelation(t syntax.Text, rel *contract.Relation, usable []string) error {
	for _, e := range []contract.Expr{rel.Left, rel.Right} {
		if e == nil {
			continue
		}
		b, ok := e.(contract.Buffer)
		if !ok {
			if err := r.checkNames(t, e, usable); err != nil {
				return err
			}
			continue
		}
		var buffers []string
		for _, p := range r.out.Params {
			if p.Kind == Buffer {
				buffers = append(buffers, p.Name)
			}
		}
		if !slices.Contains(buffers, string(b)) {
			return r.fail(r.find(t, "addr("+string(b)+")"), "%s is no buffer (%s are)", b, list(buffers))
		}
	}
	return nil
}

// reserved are the names of a launch itself.
func reserved(name string) bool {
	return slices.Contains([]string{"block", "grid", "shared", "sms"}, name)
}

// names are the names that every expression may use: extents, integers and unsigned scalars.
func (r *resolver) names() []string {
	var out []string
	for _, x := range r.out.Extents {
		out = append(out, x.Name)
	}
	for _, t := range r.out.Types {
		if t.Kind == Int {
			out = append(out, t.Name)
		}
	}
	for _, p := range r.out.Scalars() {
		out = append(out, p.Name)
	}
	return out
}

func (r *resolver) checkNames(t syntax.Text, e contract.Expr, usable []string) error {
	for _, name := range contract.Names(e) {
		if !slices.Contains(usable, name) {
			return r.fail(r.find(t, name), "%s is no name here (usable: %s)", name, list(usable))
		}
	}
	return nil
}

// find is where a name stands in an expression's text.
func (r *resolver) find(t syntax.Text, name string) int {
	return t.Offset + max(0, contract.FindName(t.Text, name))
}
