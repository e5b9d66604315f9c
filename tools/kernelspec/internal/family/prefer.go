package family

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/tools/internal/syntax"
)

// maxPrefers is how many variants a kernel can have: each is one more entry an instance.
const maxPrefers = 2

// Prefer is a variant of a kernel: an entry of each instance that may rely on facts of a launch, of which the launcher
// has made sure.
type Prefer struct {
	Name  string
	Facts []Fact
}

// FactKind is what a fact is about.
type FactKind string

// The kinds of fact.
const (
	Multiple FactKind = "multiple" // X % n == 0
	Fits32   FactKind = "fits32"   // fits32(X): X has 32-bit indices
	Aligned  FactKind = "aligned"  // aligned(n): every buffer begins at a multiple of n bytes
	OneRound FactKind = "once"     // once(X, n): grid.x times n are all indices of X
	Exact    FactKind = "exact"    // exact(X, n): and no more
)

// Fact is one fact of a variant.
type Fact struct {
	Kind      FactKind
	Extent    string        // X; empty for Aligned
	N         contract.Expr // a number in each instance; nil for Fits32
	Relations []*contract.Relation
}

// String prints the fact as prefer(...) has it.
func (f Fact) String() string {
	switch f.Kind {
	case Multiple:
		return f.Relations[0].String()
	case Fits32:
		return "fits32(" + f.Extent + ")"
	case Aligned:
		return "aligned(" + f.N.String() + ")"
	default:
		return string(f.Kind) + "(" + f.Extent + ", " + f.N.String() + ")"
	}
}

// Known is what the facts of a variant say of an extent in an instance, as ww::Facts has it.
type Known struct {
	Multiple    uint64 // a divisor of the extent; 1 for nothing
	Once, Exact uint64 // indices a block; 0 for nothing
}

// Known sums up what an instance knows of an extent. A loop whose places all have an index ends with its first
// round, and its extent is a multiple of a block's share.
func (k *Kernel) Known(in Instance, extent string) Known {
	out := Known{Multiple: 1}
	for _, f := range in.facts() {
		if f.Extent != extent || f.N == nil {
			continue
		}
		n := k.Number(f.N, in)
		switch f.Kind {
		case Multiple:
			out.Multiple = lcm(out.Multiple, n)
		case OneRound:
			out.Once = least(out.Once, n)
		case Exact:
			out.Multiple, out.Once, out.Exact = lcm(out.Multiple, n), least(out.Once, n), n
		}
	}
	return out
}

// IndexIn is the type of an extent's indices in an instance.
func (x *Extent) IndexIn(in Instance) dtype.Type {
	for _, f := range in.facts() {
		if f.Kind == Fits32 && f.Extent == x.Name {
			return dtype.I32
		}
	}
	return x.Index.In(in.Values)
}

// Aligned is the number of bytes at a multiple of which every buffer of an instance begins, as far as facts say so.
func (k *Kernel) Aligned(in Instance) uint64 {
	out := uint64(1)
	for _, f := range in.facts() {
		if f.Kind == Aligned {
			out = max(out, k.Number(f.N, in))
		}
	}
	return out
}

func (in Instance) facts() []Fact {
	if in.Prefer == nil {
		return nil
	}
	return in.Prefer.Facts
}

// Number is the value of an expression that has one in each instance.
func (k *Kernel) Number(e contract.Expr, in Instance) uint64 {
	n, err := e.Eval(k.Env(in))
	if err != nil {
		panic(err) // the resolver has evaluated it for every instance
	}
	return n
}

// lcm is the least common multiple of two numbers, or far more than is allowed where 64 bits do not hold it.
func lcm(a, b uint64) uint64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	if hi, lo := bits.Mul64(a/x, b); hi == 0 {
		return lo
	}
	return math.MaxUint64
}

// least is the lesser of two numbers, of which 0 is none.
func least(a, b uint64) uint64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// prefers reads the prefer clauses and adds an entry of each to every instance.
func (r *resolver) prefers() error {
	base := slices.Clone(r.out.Instances)
	for i, src := range r.src.Annotation.Prefers {
		p := &Prefer{Name: src.Name.Text}
		switch {
		case i >= maxPrefers:
			return r.fail(src.Offset, "%s has %d variants already; each is one more entry an instance, and two are the most", r.out.Name, maxPrefers)
		case !plain(p.Name):
			return r.fail(src.Name.Offset, "variant %s: a name is of small letters and digits in parts joined by one _, since entries end in it", p.Name)
		}
		for _, f := range src.Facts {
			fact, err := r.fact(f)
			if err != nil {
				return err
			}
			for n, before := range p.Facts {
				if before.String() == fact.String() {
					return r.fail(f.Offset, "%s stands in %s twice", f.Text.Text, p.Name)
				}
				if before.Kind == Exact && fact.Kind == Exact && before.Extent == fact.Extent {
					return r.fail(f.Offset, "no launch has both %s and %s", src.Facts[n].Text.Text, f.Text.Text)
				}
			}
			p.Facts = append(p.Facts, fact)
		}
		r.bounded(p)
		for n, before := range r.out.Prefers {
			if before.Name == p.Name {
				return r.fail(src.Name.Offset, "%s has the name of a variant before it", p.Name)
			}
			if r.implied(before.Facts, p.Facts, base) {
				return r.fail(src.Name.Offset, "no launch takes %s: whatever keeps its facts keeps those of %s, which stands before it", p.Name, r.src.Annotation.Prefers[n].Name.Text)
			}
		}
		r.out.Prefers = append(r.out.Prefers, p)
		for _, in := range base {
			v := Instance{Entry: in.Entry + "_" + p.Name, Values: in.Values, Prefer: p}
			if other := slices.IndexFunc(r.out.Instances, func(o Instance) bool { return o.Entry == v.Entry }); other >= 0 {
				return r.fail(src.Name.Offset, "entry %s would be both %s and its variant", v.Entry, r.out.Name)
			}
			if err := r.variant(src, v); err != nil {
				return err
			}
			r.out.Instances = append(r.out.Instances, v)
		}
		if err := r.tells(src, p, base); err != nil {
			return err
		}
	}
	return nil
}

// implied says that whatever keeps the facts of one list keeps those of another one, in every instance.
func (r *resolver) implied(facts, by []Fact, base []Instance) bool {
	for _, f := range facts {
		if !slices.ContainsFunc(by, func(o Fact) bool {
			return !slices.ContainsFunc(base, func(in Instance) bool { return !r.follows(f, o, in) })
		}) {
			return false
		}
	}
	return true
}

// follows says that in an instance one fact follows from another.
func (r *resolver) follows(f, from Fact, in Instance) bool {
	if f.Extent != from.Extent || f.N == nil || from.N == nil {
		return f.String() == from.String()
	}
	env := r.out.Env(in)
	n, err := f.N.Eval(env)
	if err != nil {
		return false // variant says so
	}
	m, err := from.N.Eval(env)
	if err != nil || n == 0 {
		return false
	}
	switch f.Kind {
	case Multiple: // exact(X, m) says that X is as many times m as there are blocks
		return m%n == 0 && (from.Kind == Multiple || from.Kind == Exact)
	case Aligned:
		return m%n == 0 && from.Kind == Aligned
	case OneRound:
		return m == n && (from.Kind == OneRound || from.Kind == Exact)
	default:
		return m == n && f.Kind == from.Kind
	}
}

const factForms = "X %% n == 0, fits32(X), aligned(n), once(X, n) and exact(X, n) are, X an extent, n a number in each instance"

// fact understands one fact.
func (r *resolver) fact(src syntax.Fact) (Fact, error) {
	out := Fact{Kind: FactKind(src.Func.Text)}
	want := func(n int) error {
		if len(src.Args) != n {
			return r.fail(src.Offset, "%s takes %d arguments, not %d ("+factForms+")", src.Func.Text, n, len(src.Args))
		}
		return nil
	}
	switch out.Kind {
	case "":
		return r.multiple(src)
	case Fits32:
		if err := want(1); err != nil {
			return out, err
		}
		x, err := r.factExtent(src.Args[0])
		if err != nil {
			return out, err
		}
		if x.Index.Param != "" || x.Index.Type != dtype.U64 {
			return out, r.fail(src.Args[0].Offset, "the indices of %s are %s already, as they are stored or as the contract bounds them", x.Name, x.Index)
		}
		out.Extent = x.Name
		left, most := r.indexBound(x, dtype.I32)
		out.Relations = []*contract.Relation{{Left: left, Op: "<=", Right: most}}
		return out, nil
	case Aligned:
		if err := want(1); err != nil {
			return out, err
		}
		return r.aligned(out, src.Args[0])
	case OneRound, Exact:
		if err := want(2); err != nil {
			return out, err
		}
		x, err := r.factExtent(src.Args[0])
		if err == nil {
			out.N, err = r.factNumber(src.Args[1])
		}
		if err != nil {
			return out, err
		}
		out.Extent = x.Name
		all := &contract.Binary{Op: '*', X: contract.Name("grid.x"), Y: out.N}
		op := ">="
		if out.Kind == Exact {
			op = "=="
		}
		out.Relations = []*contract.Relation{{Left: all, Op: op, Right: contract.Name(x.Name)}}
		return out, r.shortens(src, out)
	}
	return out, r.fail(src.Func.Offset, "%s is no fact ("+factForms+")", src.Func.Text)
}

// multiple understands X % n == 0.
func (r *resolver) multiple(src syntax.Fact) (Fact, error) {
	rel, err := syntax.Relation(r.src.File, src.Text)
	if err != nil {
		return Fact{}, err
	}
	of, ok := rel.Left.(*contract.Binary)
	if !ok || of.Op != '%' || rel.Op != "==" || rel.Right != contract.Number(0) {
		return Fact{}, r.fail(src.Offset, "%s is no fact ("+factForms+")", src.Text.Text)
	}
	name, ok := of.X.(contract.Name)
	if !ok || r.extents[string(name)] == nil {
		return Fact{}, r.fail(src.Offset, "%s is no extent of %s (extents: %s)", of.X, r.out.Name, list(r.extentNames()))
	}
	if err := r.checkNames(src.Text, of.Y, r.constantNames()); err != nil {
		return Fact{}, err
	}
	return Fact{Kind: Multiple, Extent: string(name), N: of.Y, Relations: []*contract.Relation{rel}}, nil
}

// aligned finishes aligned(n).
func (r *resolver) aligned(out Fact, arg syntax.Text) (Fact, error) {
	var err error
	if out.N, err = r.factNumber(arg); err != nil {
		return out, err
	}
	for _, p := range r.out.Params {
		if p.Kind == Buffer {
			out.Relations = append(out.Relations, &contract.Relation{Left: contract.Buffer(p.Name), Op: contract.Aligned, Right: out.N})
		}
	}
	if out.Relations == nil {
		return out, r.fail(arg.Offset, "%s has no buffer that could be aligned", r.out.Name)
	}
	return out, nil
}

// bounded adds to once(X, n) that the places of the loop's only round have 32-bit indices, where X has. Those of
// exact(X, n) are indices of X.
func (r *resolver) bounded(p *Prefer) {
	for i := range p.Facts {
		f := &p.Facts[i]
		if f.Kind != OneRound {
			continue
		}
		narrow := slices.Contains(r.values(r.extents[f.Extent].Index), dtype.I32) ||
			slices.ContainsFunc(p.Facts, func(o Fact) bool { return o.Kind == Fits32 && o.Extent == f.Extent })
		if narrow {
			f.Relations = append(f.Relations, &contract.Relation{Left: f.Relations[0].Left, Op: contract.Fits32})
		}
	}
}

func (r *resolver) extentNames() []string {
	var out []string
	for _, x := range r.out.Extents {
		out = append(out, x.Name)
	}
	return out
}

func (r *resolver) factExtent(t syntax.Text) (*Extent, error) {
	e, err := syntax.Expr(r.src.File, t)
	if err != nil {
		return nil, err
	}
	name, _ := e.(contract.Name)
	if x := r.extents[string(name)]; x != nil {
		return x, nil
	}
	return nil, r.fail(t.Offset, "%s is no extent of %s (extents: %s)", t.Text, r.out.Name, list(r.extentNames()))
}

// constantNames are the names that are numbers in each instance.
func (r *resolver) constantNames() []string {
	usable := []string{"block", "block.x", "block.y", "block.z"}
	for _, t := range r.out.Types {
		if t.Kind == Int {
			usable = append(usable, t.Name)
		}
	}
	for _, p := range r.out.Params {
		if p.Kind == Buffer || p.Kind == Shared {
			usable = append(usable, "sizeof("+p.Name+")")
		}
	}
	return usable
}

func (r *resolver) factNumber(t syntax.Text) (contract.Expr, error) {
	e, err := syntax.Expr(r.src.File, t)
	if err == nil {
		err = r.checkNames(t, e, r.constantNames())
	}
	return e, err
}

// tells checks that each fact of a variant tells some instance something: that not every launch of every instance keeps it. In one
// instance a number may be 1, as that of N % S == 0 is where S is: there the fact always holds.
func (r *resolver) tells(src syntax.Prefer, p *Prefer, base []Instance) error {
	for i, f := range p.Facts {
		if f.Kind != Multiple && f.Kind != Aligned {
			continue
		}
		if !slices.ContainsFunc(base, func(in Instance) bool { return r.out.Number(f.N, in) != 1 }) {
			at := src.Facts[i]
			return r.fail(at.Offset, "%s: every launch keeps it, so it tells the kernel nothing", at.Text.Text)
		}
	}
	return nil
}

// variant checks the numbers of a variant's facts in an instance: each must be one that a launch can keep.
func (r *resolver) variant(src syntax.Prefer, in Instance) error {
	env := r.out.Env(in)
	for i, f := range in.Prefer.Facts {
		if f.N == nil {
			continue
		}
		at := src.Facts[i]
		n, err := f.N.Eval(env)
		switch {
		case err != nil:
			return r.fail(at.Offset, "in %s: %v", in.Entry, err)
		case f.Kind == Aligned && (n == 0 || n&(n-1) != 0 || n > 256):
			return r.fail(at.Offset, "in %s: %s: %d; a power of two up to 256 is what a device's memory can promise", in.Entry, at.Text.Text, n)
		case n == 0:
			return r.fail(at.Offset, "in %s: %s: %s is 0, so no launch can keep it", in.Entry, at.Text.Text, f.N)
		case n > math.MaxInt32-Step:
			return r.fail(at.Offset, "in %s: %s: %s is %d; the most is %d", in.Entry, at.Text.Text, f.N, n, math.MaxInt32-Step)
		}
		if f.Kind == OneRound || f.Kind == Exact {
			if err := r.taken(at, f, in, n); err != nil {
				return err
			}
		}
	}
	for _, x := range r.out.Extents {
		if m := r.out.Known(in, x.Name).Multiple; m > math.MaxInt32-Step {
			return r.fail(src.Offset, "in %s: %s would be a multiple of %d or more; the most is %d", in.Entry, x.Name, m, math.MaxInt32-Step)
		}
	}
	return nil
}

// shortens checks that the body has a loop which once(X, n) or exact(X, n) could shorten.
func (r *resolver) shortens(src syntax.Fact, f Fact) error {
	if !slices.ContainsFunc(r.out.Loops, func(l Loop) bool { return l.Extent == f.Extent }) {
		return r.fail(src.Offset, "%s has no loop over %s of which a block takes so many indices: threads(d), groups<S>(d), blocks(d) and runs<V>(d, ...) over a Dim<%s> d are such (cells and tiles ask for multiples: %s %% n == 0)",
			r.out.Name, f.Extent, f.Extent, f.Extent)
	}
	return nil
}

// taken checks that in an instance some loop takes as many indices a block as a fact says.
func (r *resolver) taken(src syntax.Fact, f Fact, in Instance, n uint64) error {
	var have []string
	for _, l := range r.out.Loops {
		if l.Extent != f.Extent {
			continue
		}
		takes := r.out.Number(l.Takes, in)
		if takes == n || takes > n && f.Kind == OneRound {
			return nil
		}
		have = append(have, fmt.Sprintf("%s takes %d", l.Text, takes))
	}
	return r.fail(src.Offset, "in %s: %s tells no loop anything: of %s a block's share is %d there, but %s", in.Entry, src.Text.Text, f.Extent, n, strings.Join(have, ", "))
}
