package lemma

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/proof"
	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// anchor is where a function or a constant begins: the same in two readings of one text.
type anchor struct {
	file   string
	offset int
}

func anchored(p cxx.Place) anchor { return anchor{p.File.Name, p.Offset} }

// Base is the lemmas of some headers: what was found of each, and what it rests on.
type Base struct {
	files  []*source.File
	v      *Vocabulary
	single []found // one a unit, in the order of the headers
	owners []found // one a class whose functions have owners
	open   []opening
}

// found is what became of a lemma.
type found struct {
	units  []unit
	lemma  Lemma
	unread error // it could not be read
	owners bool  // it has owners, of which another lemma speaks
	rests
}

// rests are what a lemma rests on: functions and constants of the headers, and premises.
type rests struct {
	touched  map[anchor]bool
	premises map[string]bool // by their names
}

func resting() rests { return rests{map[anchor]bool{}, map[string]bool{}} }

// opening is something that has no lemma: what could not be read, or is not covered.
type opening struct{ name, source, reason string }

// Prove proves the lemmas of headers: of each function alone, then of those whose objects have owners in two threads.
func Prove(ctx context.Context, s *smt.Solver, files []*source.File, said ...func(Lemma)) (*Base, error) {
	v, err := Read(files)
	if err != nil {
		return nil, err
	}
	b := &Base{files: files, v: v}
	p := newProver(v, s)
	for _, u := range v.units() {
		f, err := p.one(ctx, u)
		if err != nil {
			return nil, err
		}
		for _, say := range said {
			say(f.lemma)
		}
		b.single = append(b.single, f)
	}
	for _, units := range families(b.single) {
		f, err := p.together(ctx, units)
		if err != nil {
			return nil, err
		}
		for _, say := range said {
			say(f.lemma)
		}
		b.owners = append(b.owners, f)
	}
	b.open, err = p.openings(ctx, b.single, nil)
	return b, err
}

// one proves the lemma of a unit. An error is that of the context.
func (p *prover) one(ctx context.Context, u unit) (found, error) {
	f := found{units: []unit{u}, rests: p.rest()}
	if to := passes(u.fn); to != "" {
		_, f.unread = p.explore(u, "", nil)
		f.lemma = Lemma{Name: u.name(), File: u.fn.File.Name, Line: u.fn.Line(), Verdict: smt.Proved, Cases: 1, Statement: []string{"it does what " + to + " does, which has a lemma of its own"}}
	} else {
		f.lemma, f.owners, f.unread = p.lemma(ctx, u)
	}
	return f, ctx.Err()
}

// together proves the lemma of the owners of a class.
func (p *prover) together(ctx context.Context, units []unit) (found, error) {
	f := found{units: units, rests: p.rest()}
	f.lemma, f.unread = p.owners(ctx, family(units[0]), units)
	return f, ctx.Err()
}

// rest begins to note what the next lemma rests on.
func (p *prover) rest() rests {
	p.rests = resting()
	return p.rests
}

// family is the name under which units have owners together: that of their class.
func family(u unit) string {
	if u.class != nil {
		return u.class.String()
	}
	return u.name()
}

// families are the units that have owners, by class.
func families(single []found) [][]unit {
	by := map[string][]unit{}
	var order []string
	for _, f := range single {
		if !f.owners || f.unread != nil {
			continue
		}
		name := family(f.units[0])
		if by[name] == nil {
			order = append(order, name)
		}
		by[name] = append(by[name], f.units[0])
	}
	var out [][]unit
	for _, name := range order {
		out = append(out, by[name])
	}
	return out
}

// Table is the lemmas as tables of proofs have them.
func (b *Base) Table() *proof.Vocabulary {
	out := &proof.Vocabulary{Headers: source.Digest(b.files), Lemmas: []proof.Lemma{}, Views: b.v.views(), Shapes: numbered()}
	for _, f := range slices.Concat(b.single, b.owners) {
		row := f.lemma.row()
		if f.unread != nil {
			row.Verdict, row.Reason = proof.Undecided, "it is not read: "+f.unread.Error()
		}
		out.Lemmas = append(out.Lemmas, row)
	}
	for _, o := range b.open {
		out.Lemmas = append(out.Lemmas, proof.Lemma{Name: o.name, Source: o.source, Verdict: proof.Undecided, Reason: o.reason})
	}
	return out
}

// Changed is Table of the same headers but for one place, a mutant: it proves only the lemmas that rest on the function or the constant in
// which that lies, the quickest first, and none after one that is not proved. Where the place is in neither, it proves all.
func (b *Base) Changed(ctx context.Context, s *smt.Solver, files []*source.File) (*proof.Vocabulary, error) {
	v, err := Read(files)
	if err != nil {
		return nil, err
	}
	at, ok := b.changed(files)
	units := v.units()
	if !ok || !slices.EqualFunc(units, b.single, func(u unit, f found) bool {
		return u.name() == f.units[0].name() && passes(u.fn) == passes(f.units[0].fn)
	}) {
		return Table(ctx, s, files)
	}
	after := &Base{files: files, v: v, single: slices.Clone(b.single), owners: slices.Clone(b.owners)}
	p := newProver(v, s)
	same := map[string]unit{}
	for i, u := range units {
		after.single[i].units = []unit{u}
		after.single[i].lemma.Line = u.fn.Line()
		same[u.name()] = u
	}
	again := func(list []found, prove func(f *found) (found, error)) (bool, error) {
		var rest []int
		for i := range list {
			if list[i].touched[at] {
				rest = append(rest, i)
			}
		}
		slices.SortFunc(rest, func(i, j int) int { return cmp.Compare(list[i].lemma.Took, list[j].lemma.Took) })
		for _, i := range rest {
			f, err := prove(&list[i])
			if err != nil {
				return false, err
			}
			if list[i] = f; f.unread != nil || f.lemma.Verdict != smt.Proved {
				return false, nil
			}
		}
		return true, nil
	}
	ok, err = again(after.single, func(f *found) (found, error) { return p.one(ctx, f.units[0]) })
	if ok && err == nil {
		// Who has owners may have changed too.
		before := after.owners
		after.owners = nil
		for _, us := range families(after.single) {
			i := slices.IndexFunc(before, func(f found) bool { return family(f.units[0]) == family(us[0]) && len(f.units) == len(us) })
			f := found{units: us, rests: rests{touched: map[anchor]bool{at: true}}}
			if i >= 0 {
				f = before[i]
				f.units, f.lemma.Line = us, us[0].fn.Line()
			}
			after.owners = append(after.owners, f)
		}
		ok, err = again(after.owners, func(f *found) (found, error) { return p.together(ctx, f.units) })
	}
	if err != nil {
		return nil, err
	}
	if ok {
		if after.open, err = p.openings(ctx, after.single, &at); err != nil {
			return nil, err
		}
	}
	return after.Table(), nil
}

// changed finds the function or the constant that other texts of the headers have changed; not ok if it is neither.
func (b *Base) changed(files []*source.File) (anchor, bool) {
	var at anchor
	if len(files) != len(b.files) {
		return at, false
	}
	count := 0
	for i, old := range b.files {
		if files[i].Name != old.Name {
			return at, false
		}
		if files[i].Text == old.Text {
			continue
		}
		count++
		from, to := difference(old.Text, files[i].Text)
		if at = b.v.around(old.Name, from, to); at.file == "" {
			return at, false
		}
	}
	return at, count == 1
}

// difference is what of a text another one replaces.
func difference(old, changed string) (from, to int) {
	for from < len(old) && from < len(changed) && old[from] == changed[from] {
		from++
	}
	to = len(old)
	for end := len(changed); to > from && end > from && old[to-1] == changed[end-1]; end-- {
		to--
	}
	return from, to
}

// around is the function in whose body, or the constant in whose value, a part of a header lies.
func (v *Vocabulary) around(file string, from, to int) anchor {
	var out anchor
	within := func(p cxx.Place, begin, end int) {
		if p.File.Name == file && begin < from && to <= end {
			out = anchored(p)
		}
	}
	function := func(f *cxx.Function) {
		if f.Body == nil || strings.Contains(f.Name, "::") { // a member's body outside of its class is known by another place
			return
		}
		begin := f.Body.Offset
		if len(f.Inits) > 0 {
			begin = f.Inits[0].Offset
		}
		within(f.Place, begin, f.Body.End)
	}
	var class func(c *cxx.Class)
	class = func(c *cxx.Class) {
		for _, f := range c.Methods {
			function(f)
		}
		for _, k := range c.Consts {
			within(k.Place, k.Value.At().Offset-1, k.End)
		}
		for _, n := range c.Classes {
			class(n)
		}
	}
	for _, c := range v.unit.Classes {
		class(c)
	}
	for _, f := range v.unit.Functions {
		function(f)
	}
	for _, k := range v.unit.Consts {
		within(k.Place, k.Value.At().Offset-1, k.End)
	}
	return out
}
