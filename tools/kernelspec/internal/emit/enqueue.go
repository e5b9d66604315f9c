package emit

import (
	"fmt"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

func (l *launcher) config() {
	l.f("\n// Config is the shape of the launch on d.\n")
	l.f("func (a *%s) Config(d *device.Device) (device.Config, error) {\n", l.typ)
	outer := l.writer
	l.writer = &writer{}
	arith := false
	var dims []string
	for i, e := range l.k.Grid {
		dims = append(dims, l.shape("grid."+"xyz"[i:i+1], "grid"+"XYZ"[i:i+1], e, &arith))
	}
	shared := ""
	if l.k.Shared != nil {
		shared = ", Shared: " + l.shape("shared", "shared", l.k.Shared, &arith)
	}
	text := l.String()
	l.writer = outer
	if mentions(text, "d") || strings.Contains(text, "d.Info") {
		l.f("if d == nil {\nreturn device.Config{}, launch.Missing(%q, \"device\")\n}\n", l.k.Name)
	}
	l.readExtents("device.Config{}, ", text, true)
	if arith {
		l.f("var c contract.Checked\n")
	}
	b := l.k.Block
	l.f("%sreturn device.Config{Grid: device.Dim3{X: %s, Y: %s, Z: %s}, Block: device.Dim3{X: %d, Y: %d, Z: %d}%s}, nil\n}\n",
		text, dims[0], dims[1], dims[2], b[0], b[1], b[2], shared)
}

// shape writes the evaluation of one 32-bit fact of a launch and returns its value.
func (l *launcher) shape(what, local string, e contract.Expr, arith *bool) string {
	if n, ok := e.(contract.Number); ok && n < 1<<32 {
		return n.String()
	}
	value := l.operand(e, arith)
	test := fmt.Sprintf("%s > math.MaxUint32", local)
	if *arith {
		test = "!c.OK() || " + test
	}
	l.f("%s := %s\nif %s {\n", local, value, test)
	l.f("return device.Config{}, launch.TooLarge(a.entry(), %q, %q, a.values(d))\n}\n", what, e.String())
	return "uint32(" + local + ")"
}

func (l *launcher) launch() {
	l.f("\n// Launch checks the contract and enqueues the kernel on s (nil: the default stream).\n//\n//ww:launch %s\n", l.k.Name)
	l.f("func (a *%s) Launch(on *Kernels, s *device.Stream) error { return a.launch(on, s, contract.AtLeast) }\n", l.typ)
	l.f("\n// LaunchExact is Launch with the contract of CheckExact.\n//\n//ww:launch %s\n", l.k.Name)
	l.f("func (a *%s) LaunchExact(on *Kernels, s *device.Stream) error { return a.launch(on, s, contract.Exact) }\n", l.typ)
	l.f("\nfunc (a *%s) launch(on *Kernels, s *device.Stream, lengths contract.Lengths) error {\n", l.typ)
	l.f("i, config, err := a.prepare(on, lengths)\nif err != nil {\nreturn err\n}\nreturn a.enqueue(on, s, i, config)\n}\n")

	l.f("\n// prepare does what comes before a launch: the check, the shape.\n")
	l.f("func (a *%s) prepare(on *Kernels, lengths contract.Lengths) (int, device.Config, error) {\n", l.typ)
	l.f("if err := on.ready(%q); err != nil {\nreturn 0, device.Config{}, err\n}\n", l.k.Name)
	l.f("i, err := a.check(on.dev, lengths)\nif err != nil {\nreturn 0, device.Config{}, err\n}\n")
	place := "i"
	if l.k.Prefers != nil {
		place = "i + " + l.times("a.variant(&config)")
	}
	l.f("config, err := a.Config(on.dev)\n")
	if narrowed(l.k) {
		l.f("if err == nil && on.entries[i] == nil {\nerr = launch.NoArch(a.entry(), on.dev, %q)\n}\n", strings.Join(l.k.Archs, " "))
	}
	if l.k.Prefers != nil {
		l.f("if err != nil {\nreturn 0, config, err\n}\nreturn %s, config, nil\n}\n", place)
	} else {
		l.f("return %s, config, err\n}\n", place)
	}

	outer := l.writer
	l.writer = &writer{}
	var slots []string
	for _, p := range l.k.Params {
		switch p.Kind {
		case family.Dim, family.Cells:
			for _, x := range p.Extents {
				slots = append(slots, l.vars[x])
			}
		case family.Scalar:
			slots = append(slots, "launch.Word(a."+goName(p.Name)+")")
		case family.Buffer:
			if !p.Written() {
				slots = append(slots, l.bufferRange(p)+".Lo")
				continue
			}
			r := l.vars["range "+p.Name]
			l.f("%s := %s\n%s.Touch()\n", r, l.bufferRange(p), r)
			slots = append(slots, r+".Lo")
		}
	}
	l.f("slots := [...]uint64{%s}\n", strings.Join(slots, ", "))
	text := l.String()
	l.writer = outer
	l.f("\n// enqueue packs the arguments and launches.\n")
	l.f("func (a *%s) enqueue(on *Kernels, s *device.Stream, i int, config device.Config) error {\n", l.typ)
	l.readExtents(ignore, text, false)
	l.f("%sreturn on.entries[i].Launch(s, config, slots[:])\n}\n", text)
}

// ready writes the launch that has been checked and can be enqueued later.
func (l *launcher) ready() {
	name := l.name + "Ready"
	var params []string
	for _, t := range l.typeParams() {
		params = append(params, t.name)
	}
	typ := name + brackets(params)
	l.f("\n// %s is a launch of %s whose contract holds: a copy of the arguments, so that nothing but time can\n", name, l.k.Name)
	l.f("// change what was checked.\ntype %s%s struct {\non *Kernels\na %s\ni int\nconfig device.Config\n}\n", name, brackets(l.typeParams()), l.typ)
	l.f("\n// Ready checks the contract and returns the launch: for work of several steps that must all be possible\n// before the first.\n")
	l.f("func (a *%s) Ready(on *Kernels) (%s, error) { return a.hold(on, contract.AtLeast) }\n", l.typ, typ)
	l.f("\n// ReadyExact is Ready with the contract of CheckExact.\n")
	l.f("func (a *%s) ReadyExact(on *Kernels) (%s, error) { return a.hold(on, contract.Exact) }\n", l.typ, typ)
	l.f("\nfunc (a *%s) hold(on *Kernels, lengths contract.Lengths) (%s, error) {\n", l.typ, typ)
	l.f("i, config, err := a.prepare(on, lengths)\nif err != nil {\nreturn %s{}, err\n}\nreturn %s{on, *a, i, config}, nil\n}\n", typ, typ)
	l.f("\n// Launch enqueues the kernel on s (nil: the default stream).")
	tests := l.alive()
	if l.buffers() != nil {
		l.f(" What time can change is looked at again:\n// whether the buffers are open and the proofs hold.")
	}
	l.f("\n//\n//ww:launch %s\nfunc (r *%s) Launch(s *device.Stream) error {\n", l.k.Name, typ)
	l.f("if err := r.on.ready(%q); err != nil {\nreturn err\n}\n", l.k.Name)
	if l.buffers() != nil {
		l.f("a, d := &r.a, r.on.dev\n")
		l.f("if !(%s) {\nif err := a.arguments(d); err != nil {\nreturn err\n}\n}\n", strings.Join(tests, " &&\n"))
	}
	l.f("return r.a.enqueue(r.on, s, r.i, r.config)\n}\n")
}
