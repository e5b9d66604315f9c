package faults

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/kernels/dynamic"
	"github.com/warpwright/warpwright/go/manifest"
)

// launch plays one launch of the script.
func (p *player) launch(st step) error {
	if p.spec == nil {
		return errors.New("there are no kernels")
	}
	i := slices.IndexFunc(p.spec.Kernels, func(k manifest.Kernel) bool { return k.Name == st.name })
	if i < 0 {
		return fmt.Errorf("no kernel %s", st.name)
	}
	k := &p.spec.Kernels[i]
	call := &dynamic.Call{Kernel: k.Name, Types: map[string]string{}, Args: map[string]any{}}
	given := maps.Clone(st.given)
	spec := p.spec
	if variant := given["prefer"]; variant != "" {
		var err error
		if spec, err = credulous(spec, k.Name, variant); err != nil {
			return err
		}
		delete(given, "prefer")
	}
	if k.Raw {
		var err error
		if call.Raw, err = shape(given); err != nil {
			return err
		}
	}
	for name, value := range given {
		if slices.ContainsFunc(k.Types, func(t manifest.TypeParam) bool { return t.Name == name }) {
			call.Types[name] = value
			continue
		}
		i := slices.IndexFunc(k.Params, func(q manifest.Param) bool { return q.Name == name })
		if i < 0 {
			return fmt.Errorf("%s has no parameter %s", k.Name, name)
		}
		var err error
		if call.Args[name], err = p.argument(&k.Params[i], value, given); err != nil {
			return fmt.Errorf("%s of %s: %w", name, k.Name, err)
		}
	}
	f, err := dynamic.Load(p.dev, spec)
	if err != nil {
		return err
	}
	return f.Launch(nil, call)
}

// credulous is a spec by which a kernel takes a variant whatever the facts are.
func credulous(s *manifest.Spec, kernel, variant string) (*manifest.Spec, error) {
	out := *s
	out.Kernels = slices.Clone(s.Kernels)
	for i := range out.Kernels {
		if k := &out.Kernels[i]; k.Name == kernel && k.Variant(variant) != nil {
			k.Prefers = []manifest.Prefer{{Name: variant}}
			return &out, nil
		}
	}
	return nil, fmt.Errorf("%s has no variant %s", kernel, variant)
}

// argument is what a word of the script stands for.
func (p *player) argument(q *manifest.Param, word string, types map[string]string) (any, error) {
	switch q.Kind {
	case "dim":
		return element[uint64](word)
	case "scalar":
		t, err := manifest.Elem(q.Elem, types)
		if err != nil {
			return nil, err
		}
		k, err := kindOf(t.String())
		if err != nil {
			return nil, err
		}
		return k.scalar(word)
	default:
		if h := p.handles[word]; h != nil {
			return h, nil
		}
		a, err := p.array(word)
		if err != nil {
			return nil, err
		}
		return a.arg(), nil
	}
}

// shape takes the shape of a raw kernel's launch from what is given to it.
func shape(given map[string]string) (*device.Config, error) {
	grid, err := dim3(given["grid"])
	if err != nil {
		return nil, err
	}
	block, err := dim3(given["block"])
	if err != nil {
		return nil, err
	}
	shared, err := strconv.ParseUint("0"+given["shared"], 10, 32)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"grid", "block", "shared"} {
		delete(given, name)
	}
	return &device.Config{Grid: grid, Block: block, Shared: uint32(shared)}, nil
}

// dim3 reads 2 or 2,3 or 2,3,4; nothing is 1.
func dim3(text string) (device.Dim3, error) {
	d := device.Dim3{X: 1, Y: 1, Z: 1}
	if text == "" {
		return d, nil
	}
	axes := []*uint32{&d.X, &d.Y, &d.Z}
	for i, word := range strings.Split(text, ",") {
		n, err := strconv.ParseUint(word, 10, 32)
		if err != nil || i > 2 {
			return d, fmt.Errorf("%q is no shape", text)
		}
		*axes[i] = uint32(n)
	}
	return d, nil
}
