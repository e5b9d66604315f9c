package lemma

import (
	"fmt"
	"strings"

	"github.com/warpwright/warpwright/tools/prove/cxx"
)

// Lemmas speak of what the members of a class do. That a kernel cannot do it without them is C++'s own: what a class holds
// is private, and nobody makes what makes an index.

// unsealed lists what would let a kernel make or change an object that keeps a law, past the functions that have lemmas, and
// the concepts that ask for something else than the reader knows.
func (v *Vocabulary) unsealed() []opening {
	var out []opening
	open := func(name string, at cxx.Place, format string, args ...any) {
		out = append(out, opening{name, where(at), fmt.Sprintf(format, args...)})
	}
	var class func(c *cxx.Class)
	class = func(c *cxx.Class) {
		name := c.String()
		if v.laws[name] != nil || v.rows[name] != nil {
			for _, f := range c.Fields {
				if f.Public {
					open(name, f.Place, "%s is public: whoever has an object could break its law", f.Name)
				}
			}
		}
		switch name {
		case "Mint", "Unchecked", "Uniform<T, Index>", "WholeBlock<S>":
			made := false
			for _, f := range c.Methods {
				made = made || f.Ctor && !f.Deleted
				minted := len(f.Params) > 0 && f.Params[0].Type.String() == "Mint"
				if f.Ctor && f.Public && !f.Deleted && !minted {
					open(name, f.Place, "it is public: whoever calls it has the right that %s is", name)
				}
			}
			if !made {
				open(name, c.Place, "it has no constructor, so everybody can make one")
			}
		}
		for _, n := range c.Classes {
			class(n)
		}
	}
	for _, c := range v.unit.Classes {
		class(c)
	}
	for _, c := range v.unit.Concepts {
		if want := concepts()[c.Name]; c.Text != want {
			open(c.Name, c.Place, "the concept asks for %s, and the reader takes it for %q", strings.ReplaceAll(c.Text, " ", ""), strings.ReplaceAll(want, " ", ""))
		}
	}
	return out
}
