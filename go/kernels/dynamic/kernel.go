package dynamic

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/launch"
	"github.com/warpwright/warpwright/go/manifest"
)

// kernel is a kernel of a spec with its contract parsed.
type kernel struct {
	*manifest.Kernel
	relations []relation
	variants  []launch.Variant // the strongest first
	grid      [3]contract.Expr
	shared    contract.Expr            // nil for none
	terms     map[string]contract.Expr // what the names of the shape stand for
	aligns    map[string]contract.Expr // of those buffers whose view wants more than their element does
	archs     []int                    // nil for all
	ints      map[string]uint64        // the values of int instance parameters
}

// relation is one of a contract.
type relation struct {
	*contract.Relation
	param, value string // it counts only where an instance parameter has this value; empty for always
	length       bool   // it is a buffer's length, which a call can ask to be exact
}

// errSpec is a spec that kernelspec does not write.
var errSpec = errors.New("the spec is not one that kernelspec writes")

// compile understands a kernel of a spec.
func compile(m *manifest.Kernel) (*kernel, error) {
	k := &kernel{Kernel: m, ints: map[string]uint64{}, aligns: map[string]contract.Expr{}}
	steps := []func() error{k.instances, k.signature}
	if !m.Raw {
		steps = append(steps, k.shape, k.contract)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// instances reads what the kernel is compiled for.
func (k *kernel) instances() error {
	for _, t := range k.Types {
		if t.Kind != "int" {
			continue
		}
		for _, v := range t.Values {
			n, err := strconv.ParseUint(v, 10, 64)
			if err != nil {
				return fmt.Errorf("%w: int %s has the value %q", errSpec, t.Name, v)
			}
			k.ints[v] = n
		}
	}
	for _, a := range k.Archs {
		n, err := strconv.Atoi(strings.TrimPrefix(a, "sm_"))
		if err != nil {
			return fmt.Errorf("%w: arch %q", errSpec, a)
		}
		k.archs = append(k.archs, n)
	}
	return nil
}

// signature checks parameters and extents.
func (k *kernel) signature() error {
	for i := range k.Params {
		if err := k.param(&k.Params[i]); err != nil {
			return err
		}
	}
	for _, x := range k.Extents {
		if !slices.ContainsFunc(k.Params, func(p manifest.Param) bool { return p.Name == x.From }) {
			return fmt.Errorf("%w: extent %s is from %q, which is no parameter", errSpec, x.Name, x.From)
		}
	}
	return nil
}

// shape reads the expressions of the grid, of shared memory and of alignments.
func (k *kernel) shape() (err error) {
	names := k.names()
	parse := func(what, text string) (contract.Expr, error) {
		e, err := contract.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		return e, known(what, names, contract.Names(e))
	}
	k.terms = map[string]contract.Expr{"shared": contract.Number(0)}
	for i, text := range k.Grid {
		axis := "xyz"[i : i+1]
		if k.grid[i], err = parse("grid."+axis, text); err != nil {
			return err
		}
		k.terms["grid."+axis], k.terms["block."+axis] = k.grid[i], contract.Number(k.Block[i])
	}
	if k.Shared != "" {
		if k.shared, err = parse("shared", k.Shared); err != nil {
			return err
		}
		k.terms["shared"] = k.shared
	}
	for _, p := range k.Params {
		if p.Align == "" {
			continue
		}
		if k.aligns[p.Name], err = parse("align of "+p.Name, p.Align); err != nil {
			return err
		}
	}
	return nil
}

// contract reads the relations, and the facts of variants.
func (k *kernel) contract() error {
	names := shaped(k.names())
	generated := len(k.Relations) - len(k.Requires)
	for i, text := range k.Relations {
		r, err := k.relation(text, i < generated, names)
		if err != nil {
			return err
		}
		k.relations = append(k.relations, r)
	}
	for _, p := range k.Prefers {
		v, err := launch.ParseVariant(p)
		if err != nil {
			return err
		}
		for _, f := range v.Facts {
			for _, r := range f.Relations {
				if err := known(r.String(), names, r.Names()); err != nil {
					return err
				}
			}
		}
		k.variants = append(k.variants, v)
	}
	return nil
}

// param checks what the interpreter relies on.
func (k *kernel) param(p *manifest.Param) error {
	switch p.Kind {
	case "dim", "scalar", "shared":
	case "token":
		return nil
	case "buffer":
		carries := 0
		if p.Validated != "" {
			carries = 2
		}
		if p.Direction == "" || len(p.Carries) != carries {
			return fmt.Errorf("%w: buffer %s has direction %q and carries %d extents, validated as %q", errSpec, p.Name, p.Direction, len(p.Carries), p.Validated)
		}
	default:
		return fmt.Errorf("%w: parameter %s is of kind %q", errSpec, p.Name, p.Kind)
	}
	if p.Kind == "dim" {
		if !slices.ContainsFunc(k.Extents, func(x manifest.Extent) bool { return x.Name == p.Extent }) {
			return fmt.Errorf("%w: %s is the Dim of %q, which is no extent", errSpec, p.Name, p.Extent)
		}
		return nil
	}
	for _, t := range k.values(p.Elem) {
		if !t.Valid() {
			return fmt.Errorf("%w: parameter %s has elements %q", errSpec, p.Name, p.Elem)
		}
	}
	return nil
}

// relation reads one that the spec lists, with its condition.
func (k *kernel) relation(text string, generated bool, names []string) (relation, error) {
	var out relation
	text, where, conditional := strings.Cut(text, " where ")
	if conditional {
		out.param, out.value, _ = strings.Cut(where, ": ")
		if t := k.typeParam(out.param); t == nil || !slices.Contains(t.Values, out.value) {
			return out, fmt.Errorf("%w: relation %s where %s", errSpec, text, where)
		}
	}
	r, err := contract.ParseRelation(text)
	if err != nil {
		return out, err
	}
	out.Relation = r
	left, ok := r.Left.(contract.Name)
	out.length = generated && ok && strings.HasPrefix(string(left), "len(")
	return out, known(text, names, r.Names())
}

// shaped adds to names those of the launch's shape, which only relations may use.
func shaped(names []string) []string {
	return append(slices.Clone(names), "shared", "grid.x", "grid.y", "grid.z")
}

func known(what string, names, used []string) error {
	for _, name := range used {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%w: %s uses %s, which has no value", errSpec, what, name)
		}
	}
	return nil
}

// names are those that a contract may use.
func (k *kernel) names() []string {
	out := []string{"block", "block.x", "block.y", "block.z", "sms"}
	for _, x := range k.Extents {
		out = append(out, x.Name)
	}
	for _, t := range k.Types {
		if t.Kind == "int" {
			out = append(out, t.Name)
		}
	}
	for _, p := range k.Params {
		switch p.Kind {
		case "scalar":
			out = append(out, p.Name)
		case "buffer":
			out = append(out, "len("+p.Name+")", "sizeof("+p.Name+")", "addr("+p.Name+")")
			for _, x := range p.Carries {
				out = append(out, p.Name+"."+x)
			}
		case "shared":
			out = append(out, "sizeof("+p.Name+")")
		}
	}
	return out
}

func (k *kernel) typeParam(name string) *manifest.TypeParam {
	for i := range k.Types {
		if k.Types[i].Name == name {
			return &k.Types[i]
		}
	}
	return nil
}

// elem is an element type of the spec in an instance; it is invalid if the spec is.
func elem(text string, types map[string]string) dtype.Type {
	t, err := manifest.Elem(text, types)
	if err != nil {
		return 0
	}
	return t
}

// values are the types that an element has over all instances.
func (k *kernel) values(text string) []dtype.Type {
	for _, t := range k.Types {
		if t.Name != strings.TrimSuffix(strings.TrimPrefix(text, "Acc<"), ">") {
			continue
		}
		var out []dtype.Type
		for _, v := range t.Values {
			out = append(out, elem(text, map[string]string{t.Name: v}))
		}
		return out
	}
	return []dtype.Type{elem(text, nil)}
}

// archNames lists the architectures that the kernel is compiled for.
func (k *kernel) archNames() string { return strings.Join(k.Archs, " ") }

// threads is the number of threads a block.
func (k *kernel) threads() uint64 {
	return uint64(k.Block[0]) * uint64(k.Block[1]) * uint64(k.Block[2])
}
