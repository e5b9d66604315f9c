package judge

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/proof"
	"github.com/warpwright/warpwright/tools/internal/obligations"
)

// uncovered are the shapes of an entry's views of which the lemmas do not say who takes what.
func uncovered(e *obligations.Entry, v *proof.Vocabulary) []proof.Failure {
	var out []proof.Failure
	want := func(view, what string, numbers map[string]uint64) {
		for i, axis := range []string{"x", "y", "z"} {
			numbers["block."+axis] = uint64(e.Block[i])
		}
		if v.Covers(view, numbers) {
			return
		}
		var said []string
		for _, name := range slices.Sorted(maps.Keys(numbers)) {
			said = append(said, fmt.Sprintf("%s = %d", name, numbers[name]))
		}
		out = append(out, proof.Failure{Name: proof.Lemmas, Verdict: proof.Undecided, Says: fmt.Sprintf(
			"%s: no lemma says who takes what of %s with %s: give tools/prove/lemma/instances.go a line for it", what, view, strings.Join(said, ", "))})
	}
	var tiles []map[string]uint64
	for _, p := range e.Params {
		if viewOf(&p) == "Tiles" {
			tiles = append(tiles, numbers(&p))
		}
	}
	for i := range e.Params {
		p := &e.Params[i]
		view, n := viewOf(p), numbers(p)
		what := p.Name + ", a " + p.Type
		if view != "Panels" {
			want(view, what, n)
			continue
		}
		n["size"] = p.Size
		want(view, what, maps.Clone(n))
		want("pipeline", what, maps.Clone(n))
		for _, t := range tiles {
			both := maps.Clone(n)
			for name, of := range t {
				both["at."+name] = of
			}
			want("Panels beside Tiles", what, both)
		}
	}
	return out
}

// numbers are those of a view's type, by the names that the view's template has for them: H of Tiles<R, C, h, w>.
func numbers(p *obligations.Param) map[string]uint64 {
	out := map[string]uint64{}
	for name, n := range map[string]map[string]uint64{"Tiles": {"G": 1, "V": 1}, "SharedTile": {"Pad": 0}}[viewOf(p)] { // where the type leaves them out
		out[name] = n
	}
	names, values := arguments(p.View), arguments(p.Type)
	for i, name := range names {
		if i >= len(values) {
			break
		}
		if n, err := strconv.ParseUint(values[i], 10, 64); err == nil && name != "" {
			out[strings.ToUpper(name[:1])+name[1:]] = n
		}
	}
	return out
}

// viewOf is the template that a parameter is of.
func viewOf(p *obligations.Param) string {
	name, _, _ := strings.Cut(p.View, "<")
	return name
}

// arguments are the template arguments of a type that has none within them that have any.
func arguments(of string) []string {
	_, list, ok := strings.Cut(of, "<")
	if !ok {
		return nil
	}
	return strings.Split(strings.TrimSuffix(list, ">"), ", ")
}
