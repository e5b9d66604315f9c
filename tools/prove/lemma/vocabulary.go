package lemma

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/internal/syntax"
	"github.com/warpwright/warpwright/tools/prove/cxx"
)

// Vocabulary is what the device headers declare.
type Vocabulary struct {
	unit      *cxx.Unit
	classes   map[string][]*cxx.Class
	functions map[string][]*cxx.Function
	aliases   map[string]*cxx.Alias
	consts    map[string][]*cxx.Const
	concepts  map[string]bool
	rows      map[string]*syntax.View // by the pattern of the class; of several that with the most arguments
	all       map[string][]*syntax.View
	ints      map[string]*intType
	laws      map[string]*law
	members   map[string]bool // the constants that classes have
	onUnknown map[string]bool // the members that functions call on objects of any class, with how many arguments
}

// Read reads the headers: their code, and the rows that declare views.
func Read(files []*source.File) (*Vocabulary, error) {
	u, err := cxx.Read(files)
	if err != nil {
		return nil, err
	}
	v := &Vocabulary{unit: u, classes: map[string][]*cxx.Class{}, functions: map[string][]*cxx.Function{}, aliases: map[string]*cxx.Alias{},
		consts: map[string][]*cxx.Const{}, concepts: map[string]bool{}, rows: map[string]*syntax.View{}, all: map[string][]*syntax.View{}, ints: ints(), laws: map[string]*law{}}
	for _, c := range u.Classes {
		if c.Defined {
			if slices.ContainsFunc(v.classes[c.Name], func(o *cxx.Class) bool { return o.String() == c.String() || !o.Special && !c.Special }) {
				return nil, c.Errorf("there are two classes %s", c)
			}
			v.classes[c.Name] = append(v.classes[c.Name], c)
		}
	}
	for _, f := range u.Functions {
		if class, name, ok := strings.Cut(f.Name, "::"); ok {
			if err := v.attach(f, class, name); err != nil {
				return nil, err
			}
			continue
		}
		v.functions[f.Name] = append(v.functions[f.Name], f)
	}
	for _, a := range u.Aliases {
		v.aliases[a.Name] = a
	}
	for _, c := range u.Consts {
		v.consts[c.Name] = append(v.consts[c.Name], c)
	}
	for _, c := range u.Concepts {
		v.concepts[c.Name] = true
	}
	for _, l := range laws() {
		v.laws[l.class] = &l
	}
	v.onUnknown, v.members = map[string]bool{}, map[string]bool{}
	var constants func(c *cxx.Class)
	constants = func(c *cxx.Class) {
		for _, k := range c.Consts {
			v.members[k.Name] = true
		}
		for _, n := range c.Classes {
			constants(n)
		}
	}
	for _, c := range u.Classes {
		constants(c)
	}
	for _, f := range u.Functions {
		if f.Body != nil {
			unknownCalls(f, v.onUnknown)
		}
	}
	var declared syntax.Vocabulary
	for _, f := range files {
		if err := declared.AddHeader(f); err != nil {
			return nil, err
		}
	}
	for _, row := range declared.Views {
		c := v.shaped(row.Pattern)
		if c == nil {
			return nil, row.File.Errorf(row.Offset, "no class is declared for view %s", row.Pattern)
		}
		name := c.String()
		if slices.ContainsFunc(v.all[name], func(o *syntax.View) bool { return len(o.Pattern.Args) == len(row.Pattern.Args) }) {
			return nil, row.File.Errorf(row.Offset, "view %s has two rows", row.Pattern)
		}
		v.all[name] = append(v.all[name], row)
		if v.rows[name] == nil || len(row.Pattern.Args) > len(v.rows[name].Pattern.Args) {
			v.rows[name] = row
		}
	}
	return v, nil
}

// member finds a function of a class by their names.
func (v *Vocabulary) member(class, name string) *cxx.Function {
	var found *cxx.Function
	var in func(c *cxx.Class)
	in = func(c *cxx.Class) {
		for _, f := range c.Methods {
			if c.Name == class && f.Name == name {
				found = f
			}
		}
		for _, n := range c.Classes {
			in(n)
		}
	}
	for _, c := range v.unit.Classes {
		in(c)
	}
	return found
}

// unknownCalls finds the members that a function calls on parameters of its template's own types.
func unknownCalls(f *cxx.Function, found map[string]bool) {
	open := map[string]bool{}
	for _, p := range f.Params {
		for _, h := range f.Head {
			if p.Type.String() == h.Name {
				open[p.Name] = true
			}
		}
	}
	cxx.Walk(f.Body, func(x cxx.Expr) bool {
		if c, ok := x.(*cxx.Call); ok {
			if m, ok := c.Fn.(*cxx.Member); ok && open[cxx.Print(m.X)] {
				found[fmt.Sprint(m.Name.Name, len(c.Args))] = true
			}
		}
		return true
	})
}

// attach gives a member that is defined outside its class its body.
func (v *Vocabulary) attach(f *cxx.Function, class, name string) error {
	for _, c := range v.classes[class] {
		for _, m := range c.Methods {
			if m.Name != name || m.Body != nil || m.Deleted || len(m.Params) != len(f.Params) || len(c.Head) != len(f.Head) {
				continue
			}
			for i, p := range c.Head {
				if f.Head[i].Name != p.Name {
					return f.Errorf("%s calls the parameter %s of %s %s", f.Name, p.Name, c, f.Head[i].Name)
				}
			}
			m.Body, m.Params = f.Body, f.Params
			return nil
		}
	}
	return f.Errorf("%s is a member of no class", f.Name)
}

// shaped is the class that a row's pattern declares: the one whose arguments are the pattern's, but for names.
func (v *Vocabulary) shaped(pattern *syntax.Type) *cxx.Class {
	for _, c := range v.classes[pattern.Name] {
		var args []string
		if c.Special {
			for _, a := range c.Args {
				args = append(args, a.String())
			}
		} else {
			for _, p := range c.Head {
				args = append(args, p.Name)
			}
		}
		if len(args) < len(pattern.Args) || !c.Special && len(c.Head) > 0 && c.Head[len(c.Head)-1].Pack {
			continue
		}
		match := true
		for i, p := range pattern.Args {
			match = match && strings.EqualFold(p.String(), args[i])
		}
		for _, p := range c.Head[min(len(c.Head), len(pattern.Args)):] {
			match = match && (c.Special || p.Default != nil)
		}
		if match && (len(args) == len(pattern.Args) || !c.Special) {
			return c
		}
	}
	return nil
}

// attribute finds an attribute of a row.
func attribute(row *syntax.View, name string) *syntax.Attr {
	if row == nil {
		return nil
	}
	for i := range row.Attrs {
		if row.Attrs[i].Text == name {
			return &row.Attrs[i]
		}
	}
	return nil
}

// attributes finds all of a name.
func attributes(row *syntax.View, name string) []*syntax.Attr {
	var out []*syntax.Attr
	if row != nil {
		for i := range row.Attrs {
			if row.Attrs[i].Text == name {
				out = append(out, &row.Attrs[i])
			}
		}
	}
	return out
}

// primitive says that a function is taken as it is: platform.h has what the compilers differ in, dtype.h what is done with values.
func primitive(f *cxx.Function) bool {
	return strings.HasSuffix(f.File.Name, "/platform.h") || strings.HasSuffix(f.File.Name, "/dtype.h")
}

// extentName says that a parameter of a class is an extent. The vocabulary names them so, throughout.
func extentName(name string) bool {
	switch name {
	case "D", "R", "C", "K", "M", "N", "A":
		return true
	}
	return false
}

// elementName says that a parameter is a type of elements.
func elementName(name string) bool {
	switch name {
	case "T", "W", "P":
		return true
	}
	return false
}

func where(p cxx.Place) string { return fmt.Sprintf("%s:%d", p.File.Name, p.Line()) }
