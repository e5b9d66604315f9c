// Package judge audits a family: it brings the rules' findings together with what the manifest knows and the annotations except.
package judge

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/audit"
	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/audit/occupancy"
	"github.com/warpwright/warpwright/tools/audit/ptx"
	"github.com/warpwright/warpwright/tools/audit/rules"
	"github.com/warpwright/warpwright/tools/audit/sass"
	"github.com/warpwright/warpwright/tools/audit/wrap"
)

// Input is a family's compiled kernels, by architecture: 90.
type Input struct {
	Manifest *manifest.Manifest
	PTX      map[int]string // what ptxas assembled
	Lines    string         // one of them compiled with -lineinfo, if there is such a file: it says which lines code is of
	SASS     map[int]string // what nvdisasm makes of the cubin
	Narrow   bool           // there are architectures beside these, so no exception is stale
}

// image is one architecture's code, by entry.
type image struct {
	ptx  map[string]*ptx.Func
	sass map[string][]*sass.Function
}

// Family audits every entry on every architecture.
func Family(in Input) (*audit.Table, error) {
	spec := &in.Manifest.Spec
	t := &audit.Table{Schema: audit.Schema, Family: spec.Family}
	kernels := map[string]*manifest.Kernel{}
	reasons := map[string]map[string]string{}
	for i := range spec.Kernels {
		k := &spec.Kernels[i]
		kernels[k.Name], reasons[k.Name] = k, map[string]string{}
		one := audit.Kernel{Name: k.Name, Raw: k.Raw, Unchecked: k.Unchecked}
		for _, x := range k.Exceptions {
			if !slices.Contains(rules.Names, x.Rule) {
				return nil, fmt.Errorf("kernel %s: except(%s, ...): there is no such rule; there are %s", k.Name, x.Rule, strings.Join(rules.Names, ", "))
			}
			reasons[k.Name][x.Rule] = x.Reason
			one.Exceptions = append(one.Exceptions, audit.Exception{Rule: x.Rule, Reason: x.Reason})
		}
		t.Kernels = append(t.Kernels, one)
	}
	images, err := in.images()
	if err != nil {
		return nil, err
	}
	entries := map[string]*manifest.Entry{}
	for i := range spec.Entries {
		entries[spec.Entries[i].Name] = &spec.Entries[i]
	}
	for _, f := range in.Manifest.Facts {
		e := entries[f.Entry]
		row, err := images[f.Arch].row(f, e, kernels[e.Kernel])
		if err != nil {
			return nil, fmt.Errorf("entry %s: image sm_%d: %w", f.Entry, f.Arch, err)
		}
		for i := range row.Findings {
			row.Findings[i].Reason = reasons[e.Kernel][row.Findings[i].Rule]
		}
		t.Rows = append(t.Rows, *row)
	}
	if !in.Narrow {
		markStale(t)
	}
	return t, nil
}

// images reads the texts of every architecture that the manifest has facts of.
func (in *Input) images() (map[int]*image, error) {
	out := map[int]*image{}
	lines, err := ptx.Parse(in.Lines)
	if err != nil {
		return nil, fmt.Errorf("lines: %w", err)
	}
	for _, f := range in.Manifest.Facts {
		if out[f.Arch] != nil {
			continue
		}
		text, ok := in.PTX[f.Arch]
		if !ok {
			return nil, fmt.Errorf("image sm_%d: its PTX is not given", f.Arch)
		}
		listing, ok := in.SASS[f.Arch]
		if !ok {
			return nil, fmt.Errorf("image sm_%d: its machine code is not given", f.Arch)
		}
		one, err := read(text, listing, lines)
		if err != nil {
			return nil, fmt.Errorf("image sm_%d: %w", f.Arch, err)
		}
		out[f.Arch] = one
	}
	for _, given := range []struct {
		what  string
		archs []int
	}{{"PTX", slices.Sorted(maps.Keys(in.PTX))}, {"machine code", slices.Sorted(maps.Keys(in.SASS))}} {
		for _, arch := range given.archs {
			if out[arch] == nil {
				return nil, fmt.Errorf("image sm_%d: %s is given, but the manifest has no facts of it", arch, given.what)
			}
		}
	}
	return out, nil
}

func read(text, listing string, lines *ptx.Module) (*image, error) {
	m, err := ptx.Parse(text)
	if err != nil {
		return nil, err
	}
	m.TakePlaces(lines)
	one := &image{ptx: map[string]*ptx.Func{}, sass: map[string][]*sass.Function{}}
	for _, f := range m.Funcs {
		if f.Entry {
			one.ptx[f.Name] = f
		}
	}
	functions, err := sass.Parse(bytes.NewReader([]byte(listing)))
	if err != nil {
		return nil, err
	}
	for _, f := range functions {
		one.sass[f.Kernel] = append(one.sass[f.Kernel], f)
	}
	return one, nil
}

// row audits one entry on one architecture.
func (m *image) row(f manifest.Facts, e *manifest.Entry, k *manifest.Kernel) (*audit.Row, error) {
	text, code := m.ptx[e.Name], m.sass[e.Name]
	if text == nil {
		return nil, fmt.Errorf("the PTX does not have it")
	}
	if len(code) == 0 {
		return nil, fmt.Errorf("the machine code does not have it")
	}
	names := known(k, e)
	launch := launch(k, e, names)
	var findings []audit.Finding
	if !k.Raw {
		// What depends on the launch cannot be said of a raw kernel.
		var err error
		if findings, err = rules.PTX(text, launch); err != nil {
			return nil, err
		}
	}
	findings = append(findings, rules.Code(rules.Usage{Stack: f.Stack, SpillStores: f.SpillStores, SpillLoads: f.SpillLoads}, code)...)
	shared, err := dynamicShared(k, e, names)
	if err != nil {
		return nil, err
	}
	row := &audit.Row{
		Entry: e.Name, Kernel: k.Name, Arch: f.Arch, Threads: launch.Threads(),
		Registers: f.Registers, SpillStores: f.SpillStores, SpillLoads: f.SpillLoads, Local: f.Stack,
		Shared: f.Shared + shared, Instructions: rules.Count(code), Findings: findings,
	}
	row.Blocks, _ = occupancy.Blocks(f.Arch, row.Threads, row.Registers, row.Shared)
	return row, nil
}

// launch is what the contract says of every launch of an entry.
func launch(k *manifest.Kernel, e *manifest.Entry, names facts) *rules.Launch {
	l := &rules.Launch{Sources: []string{k.Source}, Params: map[string]wrap.Interval{}}
	for i, n := range k.Block {
		l.Block[i] = int(n)
	}
	if k.Raw {
		return l
	}
	for i, most := range []uint64{1<<31 - 1, 65535, 65535} {
		l.Blocks[i] = int64(most)
		if grid, err := contract.Parse(k.Grid[i]); err == nil {
			l.Blocks[i] = int64(min(most, names.span(grid).hi))
		}
	}
	values := map[string]string{} // the name in the contract of a parameter that is a number
	buffers := map[string]bool{}
	for _, p := range k.Params {
		switch p.Kind {
		case "buffer":
			buffers[p.Name] = true
		case "shared":
			l.Shared = true
		case "dim":
			values[p.Name] = p.Extent
		case "scalar":
			values[p.Name] = p.Name
		}
	}
	inPTX := map[string]string{}
	for i, p := range e.Params {
		if buffers[p.Name] {
			l.Buffers = append(l.Buffers, rules.Buffer{PTX: fmt.Sprintf("%s_param_%d", e.Name, i), Name: p.Name})
		}
		name, ok := values[p.Name]
		if !ok || !strings.HasPrefix(p.Type, "u") {
			continue
		}
		inPTX[name] = fmt.Sprintf("%s_param_%d", e.Name, i)
		if s, ok := names[name]; ok {
			l.Params[inPTX[name]] = wrap.Interval{Lo: int64(s.lo), Hi: int64(s.hi)}
		} else if p.Size == 8 {
			l.Params[inPTX[name]] = wrap.Interval{Lo: 0, Hi: unbounded}
		}
	}
	for _, p := range names.products(holding(k, e)) {
		for i, name := range p.Params {
			p.Params[i] = inPTX[name]
		}
		if !slices.Contains(p.Params, "") {
			slices.Sort(p.Params)
			l.Products = append(l.Products, p)
		}
	}
	return l
}

// dynamicShared is the shared memory that the launcher asks for.
func dynamicShared(k *manifest.Kernel, e *manifest.Entry, names facts) (int, error) {
	if k.Shared == "" {
		return 0, nil
	}
	expr, err := contract.Parse(k.Shared)
	if err != nil {
		return 0, fmt.Errorf("shared memory: %w", err)
	}
	env := contract.Env{}
	for name, s := range names {
		if s.lo == s.hi {
			env[name] = s.lo
		}
	}
	for _, p := range k.Params {
		if t, err := manifest.Elem(p.Elem, e.Types); err == nil {
			env["sizeof("+p.Name+")"] = uint64(t.Size())
		}
	}
	n, err := expr.Eval(env)
	if err != nil {
		return 0, fmt.Errorf("shared memory %s: %w", k.Shared, err)
	}
	return int(n), nil
}

// markStale finds the exceptions for what no entry does.
func markStale(t *audit.Table) {
	type broken struct{ kernel, rule string }
	found := map[broken]bool{}
	for _, r := range t.Rows {
		for _, f := range r.Findings {
			found[broken{r.Kernel, f.Rule}] = true
		}
	}
	for i := range t.Kernels {
		k := &t.Kernels[i]
		for j := range k.Exceptions {
			k.Exceptions[j].Stale = !found[broken{k.Name, k.Exceptions[j].Rule}]
		}
	}
}
