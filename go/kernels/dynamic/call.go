package dynamic

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/launch"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/go/valid"
)

// Call is a launch by name.
type Call struct {
	Kernel string            // "csr_mv_thread"
	Types  map[string]string // a value for each instance parameter: {"W": "f32", "V": "Each", "S": "8"}

	// Args has a value for each parameter of the kernel that is no shared memory and no Dim of an extent that
	// a handle carries:
	//
	//	a buffer          device.Slice or *device.Buffer of its elements
	//	a validated one   *valid.Offsets, *valid.Columns or *valid.Permutation
	//	a Dim             uint64, or an int that is not negative
	//	a scalar          its Go type: float32, dtype.Float16, uint32
	Args map[string]any

	Exact bool // every buffer must be exactly as long as the contract names

	// Raw is the shape of a launch of a raw kernel, which has no contract; nil for every other kernel.
	Raw *device.Config
}

// bound is a call whose names and types are right.
type bound struct {
	k       *kernel
	dev     *device.Device
	entry   string
	types   map[string]string
	lengths contract.Lengths
	raw     *device.Config
	buffers map[string]*buffer
	words   map[string]uint64 // of dims and scalars
}

// buffer is an argument in device memory.
type buffer struct {
	param *manifest.Param
	size  uint64 // of an element
	align uint64 // what its first byte is a multiple of
	n     uint64 // elements
	r     device.Range

	missing bool      // a handle that is nil
	carried [2]uint64 // by a handle
	proved  func() error
}

func (b *buffer) written() bool { return b.param.Direction != "in" }

// refuse makes an error of a call's names and types.
func refuse(kernel, param, rule string, args ...any) error {
	return &contract.ArgError{Kernel: kernel, Param: param, Rule: fmt.Sprintf(rule, args...)}
}

// bind finds kernel, instance and arguments.
func (f *Family) bind(c *Call) (*bound, error) {
	k := f.kernels[c.Kernel]
	if k == nil {
		return nil, fmt.Errorf("dynamic: family %s: %w: %q (%s are)", f.name, device.ErrNoKernel, c.Kernel, strings.Join(f.Kernels(), ", "))
	}
	b := &bound{k: k, dev: f.dev, types: c.Types, raw: c.Raw, buffers: map[string]*buffer{}, words: map[string]uint64{}}
	if c.Exact {
		b.lengths = contract.Exact
	}
	if err := b.instance(); err != nil {
		return nil, err
	}
	switch {
	case k.Raw && c.Raw == nil:
		return nil, refuse(k.Name, "raw", "is missing: the kernel is raw, so the call says grid, block and shared bytes")
	case !k.Raw && c.Raw != nil:
		return nil, refuse(k.Name, "raw", "is given: grid, block and shared bytes follow from the kernel's contract")
	}
	wanted := map[string]bool{}
	for i := range k.Params {
		p := &k.Params[i]
		if !k.given(p) {
			continue
		}
		wanted[p.Name] = true
		v, ok := c.Args[p.Name]
		if !ok {
			return nil, launch.Missing(k.Name, p.Name)
		}
		if err := b.argument(p, v); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Args)) {
		if !wanted[name] {
			return nil, refuse(k.Name, name, "is none of the kernel's (%s are)", strings.Join(slices.Sorted(maps.Keys(wanted)), ", "))
		}
	}
	return b, nil
}

// given says that a call has a value for the parameter.
func (k *kernel) given(p *manifest.Param) bool {
	switch p.Kind {
	case "shared", "token":
		return false
	case "dim":
		return slices.ContainsFunc(k.Extents, func(x manifest.Extent) bool { return x.From == p.Name })
	}
	return true
}

// instance finds the entry.
func (b *bound) instance() error {
	values := make([]any, 0, len(b.k.Types))
	for _, t := range b.k.Types {
		v, ok := b.types[t.Name]
		if !ok {
			return launch.Missing(b.k.Name, t.Name)
		}
		if !slices.Contains(t.Values, v) {
			return launch.NoInstance(b.k.Name, t.Name, v, strings.Join(t.Values, " "))
		}
		values = append(values, v)
	}
	for _, name := range slices.Sorted(maps.Keys(b.types)) {
		if b.k.typeParam(name) == nil {
			return refuse(b.k.Name, name, "is no instance parameter of the kernel")
		}
	}
	b.entry = launch.EntryName(b.k.Name, values...)
	return nil
}

// argument takes one value.
func (b *bound) argument(p *manifest.Param, v any) error {
	if p.Kind == "dim" {
		switch v := v.(type) {
		case uint64:
			b.words[p.Name] = v
			return nil
		case int:
			if v >= 0 {
				b.words[p.Name] = uint64(v)
				return nil
			}
		}
		return refuse(b.k.Name, p.Name, "is %v of type %T; an extent is a uint64 or an int that is not negative", v, v)
	}
	t := elem(p.Elem, b.types)
	if p.Kind == "scalar" {
		w, ok := word(t, v)
		if !ok {
			return refuse(b.k.Name, p.Name, "is a %T; the kernel takes %s", v, t)
		}
		b.words[p.Name] = w
		return nil
	}
	out, ok := b.memory(p, t, v)
	if !ok {
		return refuse(b.k.Name, p.Name, "is a %T; the kernel takes %s", v, what(p, t))
	}
	out.param, out.size, out.align = p, uint64(t.Size()), uint64(t.Size())
	if e := b.k.aligns[p.Name]; e != nil {
		n, err := e.Eval(b.constants(p.Name, out.size))
		if err != nil {
			return fmt.Errorf("dynamic: %s: align of %s: %w", b.entry, p.Name, err)
		}
		out.align = n
	}
	b.buffers[p.Name] = out
	return nil
}

// what describes the argument that a buffer needs.
func what(p *manifest.Param, t dtype.Type) string {
	if p.Validated != "" {
		return fmt.Sprintf("validated %s of %s", p.Validated, t)
	}
	return fmt.Sprintf("a buffer of %s", t)
}

func (b *bound) memory(p *manifest.Param, t dtype.Type, v any) (*buffer, bool) {
	switch p.Validated {
	case "offsets":
		if t == dtype.I64 {
			return offsets[int64](v)
		}
		return offsets[int32](v)
	case "columns":
		c, ok := v.(*valid.Columns)
		if !ok || c == nil {
			return &buffer{missing: true}, ok
		}
		return &buffer{
			n: uint64(c.Slice().Len()), r: c.Slice().Range(),
			carried: [2]uint64{c.Columns(), c.Entries()}, proved: c.Proved,
		}, true
	case "permutation":
		o, ok := v.(*valid.Permutation)
		if !ok || o == nil {
			return &buffer{missing: true}, ok
		}
		return &buffer{n: o.Len(), r: o.Slice().Range(), carried: [2]uint64{o.Len(), o.Len()}, proved: o.Proved}, true
	}
	switch t {
	case dtype.F32:
		return slice[float32](v)
	case dtype.F64:
		return slice[float64](v)
	case dtype.F16:
		return slice[dtype.Float16](v)
	case dtype.BF16:
		return slice[dtype.BFloat16](v)
	case dtype.I32:
		return slice[int32](v)
	case dtype.I64:
		return slice[int64](v)
	case dtype.U32:
		return slice[uint32](v)
	case dtype.U64:
		return slice[uint64](v)
	default:
		return slice[uint8](v)
	}
}

func offsets[P dtype.Offset](v any) (*buffer, bool) {
	o, ok := v.(*valid.Offsets[P])
	if !ok || o == nil {
		return &buffer{missing: true}, ok
	}
	return &buffer{
		n: uint64(o.Slice().Len()), r: o.Slice().Range(),
		carried: [2]uint64{o.Rows(), o.Entries()}, proved: o.Proved,
	}, true
}

func slice[T dtype.Element](v any) (*buffer, bool) {
	switch v := v.(type) {
	case device.Slice[T]:
		return &buffer{n: uint64(v.Len()), r: v.Range()}, true
	case *device.Buffer[T]:
		if v != nil {
			return &buffer{n: uint64(v.Len()), r: v.All().Range()}, true
		}
	}
	return nil, false
}

// word is a scalar as a launch slot.
func word(t dtype.Type, v any) (uint64, bool) {
	switch v := v.(type) {
	case float32:
		return launch.Word(v), t == dtype.F32
	case float64:
		return launch.Word(v), t == dtype.F64
	case dtype.Float16:
		return launch.Word(v), t == dtype.F16
	case dtype.BFloat16:
		return launch.Word(v), t == dtype.BF16
	case int32:
		return launch.Word(v), t == dtype.I32
	case int64:
		return launch.Word(v), t == dtype.I64
	case uint32:
		return launch.Word(v), t == dtype.U32
	case uint64:
		return launch.Word(v), t == dtype.U64
	case uint8:
		return launch.Word(v), t == dtype.U8
	}
	return 0, false
}
