// Package dynamictest compares generated launchers with the interpreter: the same arguments, good and bad,
// must give the same error, or the same launch.
package dynamictest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/kernels/dynamic"
	"github.com/warpwright/warpwright/go/kernels/launch"
	"github.com/warpwright/warpwright/go/manifest"
)

// Launcher is what the struct of a generated launcher has.
type Launcher interface {
	Chosen(*device.Device) (launch.Choice, error)
	Check(*device.Device) error
	CheckExact(*device.Device) error
	CheckSizes(*device.Device) error
	Config(*device.Device) (device.Config, error)
}

// Agree gives a launcher (a pointer to its struct) random arguments, runs times, and compares it with the
// interpreter of the same spec, on a device that is closed for the last tenth of them. types are the element types of its type parameters: {"W": "f32"}. It fails
// unless some calls keep the contract and others break it, and unless those that keep it take each variant of the kernel
// at some time and none at another.
func Agree(t *testing.T, s *manifest.Spec, kernel string, types map[string]string, launcher Launcher, runs int) {
	t.Helper()
	d, other := open(t), open(t)
	f, err := dynamic.Load(d, s)
	if err != nil {
		t.Fatal(err)
	}
	k := s.Kernel(kernel)
	if k == nil {
		t.Fatalf("the spec has no kernel %s", kernel)
	}
	p := newPool(t, d, other)
	r := rand.New(rand.NewPCG(1, uint64(len(kernel))))
	seen, variants := map[string]int{}, map[string]int{}
	for i := range runs {
		if i == runs-runs/10 {
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
		v := reflect.ValueOf(launcher).Elem()
		p.fill(r, k, v)
		if r.IntN(4) == 0 {
			alias(r, v)
		}
		call := Call(k, types, launcher)
		seen[kind(compare(t, f, d, launcher, call, variants))]++
		if t.Failed() {
			return
		}
	}
	if seen["none"] == 0 || len(seen) < 2 {
		t.Errorf("the arguments are no test: %v", seen)
	}
	for _, p := range k.Prefers {
		if variants[p.Name] == 0 {
			t.Errorf("no arguments choose the variant %s: %v", p.Name, variants)
		}
	}
	if variants[""] == 0 {
		t.Errorf("all arguments choose a variant: %v", variants)
	}
}

func open(t *testing.T) *device.Device {
	t.Helper()
	d, err := device.Open(t.Context(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// compare returns the error that both give, and counts the variants that launches choose.
func compare(t *testing.T, f *dynamic.Family, d *device.Device, launcher Launcher, call *dynamic.Call, variants map[string]int) error {
	t.Helper()
	same := func(what string, generated, interpreted error) {
		t.Helper()
		if text(generated) != text(interpreted) || errors.Is(generated, contract.ErrContract) != errors.Is(interpreted, contract.ErrContract) {
			t.Errorf("%s of %+v\ngenerated:   %v\ninterpreted: %v", what, launcher, generated, interpreted)
		}
	}
	err := launcher.Check(d)
	same("Check", err, f.Check(call))
	call.Exact = true
	same("CheckExact", launcher.CheckExact(d), f.Check(call))
	call.Exact = false
	sizes := launcher.CheckSizes(d)
	same("CheckSizes", sizes, f.CheckSizes(call))
	if err == nil && sizes != nil {
		t.Errorf("%+v keeps its contract, but not that of its sizes: %v", launcher, sizes)
	}
	choice, noInstance := launcher.Chosen(d)
	other, otherErr := f.Chosen(call)
	same("Chosen", noInstance, otherErr)
	if choice.String() != other.String() || choice.Variant != other.Variant {
		t.Errorf("Chosen of %+v\ngenerated:   %v\ninterpreted: %v", launcher, choice, other)
	}
	if noInstance != nil { // Config relies on a check that comes first
		return err
	}
	if err == nil {
		variants[choice.Variant]++
	}
	config, configErr := launcher.Config(d)
	shape, shapeErr := f.Config(call)
	same("Config", configErr, shapeErr)
	if config != shape {
		t.Errorf("Config of %+v\ngenerated:   %v\ninterpreted: %v", launcher, config, shape)
	}
	return err
}

func text(err error) string { return fmt.Sprint(err) }

// kind sorts errors roughly: by relation, or by the rule of an argument.
func kind(err error) string {
	var v *contract.Violation
	var a *contract.ArgError
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &v):
		return v.Relation
	case errors.As(err, &a):
		return a.Param + strings.SplitN(a.Rule, ",", 2)[0]
	}
	return "other"
}

// Call is the call that does what a launcher does.
func Call(k *manifest.Kernel, types map[string]string, launcher Launcher) *dynamic.Call {
	v := reflect.ValueOf(launcher).Elem()
	out := &dynamic.Call{Kernel: k.Name, Types: map[string]string{}, Args: map[string]any{}}
	for _, t := range k.Types {
		switch t.Kind {
		case "dtype":
			out.Types[t.Name] = types[t.Name]
		case "int":
			out.Types[t.Name] = strconv.FormatInt(v.FieldByName(t.Name).Int(), 10)
		default:
			out.Types[t.Name] = fmt.Sprint(v.FieldByName(t.Name).Interface())
		}
	}
	for _, p := range k.Params {
		f := v.FieldByName(field(p.Name))
		if p.Kind == "dim" && !f.IsValid() { // one of several extents of a view; the field has the extent's name
			f = v.FieldByName(field(p.Extent))
		}
		if f.IsValid() && p.Kind != "shared" && p.Kind != "token" {
			out.Args[p.Name] = f.Interface()
		}
	}
	return out
}

// field is the name that kernelspec gives the field of a parameter.
func field(param string) string {
	var b strings.Builder
	for _, part := range strings.Split(param, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}
