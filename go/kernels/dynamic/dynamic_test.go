package dynamic

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/go/valid"
)

// spec is a family of two kernels, one of them raw, as it may come from a file.
const spec = `{
  "schema": 1, "family": "t",
  "kernels": [
    {"name": "t_scale", "doc": "", "source": "t.cu", "line": 1, "hash": "1", "block": [64, 1, 1], "grid": ["cdiv(M, block)", "1", "1"],
     "shared": "align(block * sizeof(tile), 16)",
     "types": [{"name": "W", "kind": "dtype", "values": ["f32", "f16"]}, {"name": "S", "kind": "int", "values": ["4", "8"]}],
     "extents": [{"name": "M", "from": "rows", "index": "u64"}, {"name": "N", "from": "rows", "index": "u64"}, {"name": "L", "from": "l", "index": "u64"}],
     "params": [
       {"name": "m", "type": "Dim<M>", "kind": "dim", "extent": "M"},
       {"name": "l", "type": "Dim<L>", "kind": "dim", "extent": "L"},
       {"name": "rows", "type": "Rows<i32, M, N>", "kind": "buffer", "elem": "i32", "direction": "in", "validated": "offsets", "carries": ["M", "N"]},
       {"name": "seed", "type": "u32", "kind": "scalar", "elem": "u32"},
       {"name": "may", "type": "Unchecked", "kind": "token"},
       {"name": "x", "type": "In<Run<W, S>, N>", "kind": "buffer", "elem": "W", "direction": "in", "align": "S / 2 * sizeof(x)"},
       {"name": "y", "type": "Out<Acc<W>, M>", "kind": "buffer", "elem": "Acc<W>", "direction": "out"},
       {"name": "tile", "type": "Shared<Acc<W>, BLOCK>", "kind": "shared", "elem": "Acc<W>"}],
     "requires": ["seed % S == 0"],
     "relations": ["N + 1024 <= 2147483647", "len(x) >= N where W: f32", "len(y) >= M * L", "seed % S == 0"]},
    {"name": "t_raw", "doc": "", "source": "t.cu", "line": 9, "hash": "raw-2", "raw": true, "block": [0, 0, 0], "grid": ["", "", ""],
     "params": [
       {"name": "x", "type": "const float*", "kind": "buffer", "elem": "f32", "direction": "in"},
       {"name": "n", "type": "u64", "kind": "scalar", "elem": "u64"}],
     "relations": []}],
  "entries": [
    {"name": "t_scale_f32_4", "kernel": "t_scale", "types": {"W": "f32", "S": "4"}, "params": []},
    {"name": "t_scale_f32_8", "kernel": "t_scale", "types": {"W": "f32", "S": "8"}, "params": []},
    {"name": "t_scale_f16_4", "kernel": "t_scale", "types": {"W": "f16", "S": "4"}, "params": []},
    {"name": "t_scale_f16_8", "kernel": "t_scale", "types": {"W": "f16", "S": "8"}, "params": []},
    {"name": "t_raw", "kernel": "t_raw", "params": []}]
}`

func parse(t *testing.T) *manifest.Spec {
	t.Helper()
	s := &manifest.Spec{}
	if err := json.Unmarshal([]byte(spec), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t *testing.T) *device.Device {
	t.Helper()
	d, err := device.Open(context.Background(), device.WithKind("cpu"))
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

func memory[T dtype.Element](t *testing.T, d *device.Device, n int) device.Slice[T] {
	t.Helper()
	b, err := device.Alloc[T](d, n)
	if err != nil {
		t.Fatal(err)
	}
	return b.All()
}

func scale(t *testing.T, d *device.Device) *Call {
	t.Helper()
	rows, err := valid.NewOffsets(d, []int32{0, 2, 5}, 5)
	if err != nil {
		t.Fatal(err)
	}
	return &Call{
		Kernel: "t_scale", Types: map[string]string{"W": "f32", "S": "8"},
		Args: map[string]any{"l": uint64(3), "rows": rows, "seed": uint32(16), "x": memory[float32](t, d, 5), "y": memory[float32](t, d, 6)},
	}
}

func TestCheck(t *testing.T) {
	d, other := open(t), open(t)
	f, err := Load(d, parse(t))
	if err != nil {
		t.Fatal(err)
	}
	both := memory[float32](t, d, 20)
	part := func(lo, hi int) device.Slice[float32] {
		s, err := both.Slice(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name  string
		spoil func(*Call)
		want  string // empty: it is fine
	}{
		{"right", func(c *Call) {}, ""},
		{"a buffer", func(c *Call) { c.Args["x"], _ = device.Alloc[float32](d, 5) }, ""},
		{"an int", func(c *Call) { c.Args["l"] = 2 }, ""},
		{"longer", func(c *Call) { c.Args["x"] = memory[float32](t, d, 9) }, ""},
		{"longer, exact", func(c *Call) { c.Exact, c.Args["x"] = true, memory[float32](t, d, 9) }, "t_scale_f32_8: requires len(x) == N: left side is 9, right side is 5"},
		{"shorter", func(c *Call) { c.Args["x"] = device.Slice[float32]{} }, "t_scale_f32_8: requires len(x) >= N: left side is 0, right side is 5"},
		{"off by an element", func(c *Call) { c.Args["x"] = part(1, 6) }, "t_scale_f32_8: argument x must begin at a multiple of 16 bytes, but begins at 0x"},
		{"off by a run", func(c *Call) { c.Args["x"] = part(4, 9) }, ""},
		{"a condition", func(c *Call) {
			c.Types["W"], c.Args["x"] = "f16", memory[dtype.Float16](t, d, 0)
		}, ""},
		{"too much", func(c *Call) { c.Args["l"] = 4 }, "requires len(y) >= M * L: left side is 6, right side is 8"},
		{"overflow", func(c *Call) { c.Args["l"] = uint64(1) << 63 }, "requires len(y) >= M * L: M * L with 2 and 9223372036854775808: the result is above 2^64-1"},
		{"required", func(c *Call) { c.Args["seed"] = uint32(17) }, "requires seed % S == 0: left side is 1, right side is 0"},
		{"foreign", func(c *Call) { c.Args["x"] = memory[float32](t, other, 5) }, "argument x must be an open buffer of the launch's device: belongs to another device"},
		{"overlap", func(c *Call) { c.Args["x"], c.Args["y"] = part(0, 5), part(4, 10) }, "argument y must not overlap x, which the kernel reads"},
		{"stale", func(c *Call) { r := c.Args["rows"].(*valid.Offsets[int32]).Slice().Range(); r.Touch() }, "argument rows must be as it was validated"},
		{"nil", func(c *Call) { c.Args["rows"] = (*valid.Offsets[int32])(nil) }, "t_scale: argument rows must be given: is nil"},

		{"a kernel that is not there", func(c *Call) { c.Kernel = "t_scal" }, `dynamic: family t: no such kernel: "t_scal" (t_raw, t_scale are)`},
		{"a value too few", func(c *Call) { delete(c.Types, "S") }, "t_scale: argument S must be given"},
		{"a value too many", func(c *Call) { c.Types["P"] = "i32" }, "t_scale: argument P is no instance parameter of the kernel"},
		{"another value", func(c *Call) { c.Types["S"] = "5" }, "t_scale: argument S is 5; the kernel is compiled for 4 8"},
		{"an argument too few", func(c *Call) { delete(c.Args, "x") }, "t_scale: argument x must be given"},
		{"an argument too many", func(c *Call) { c.Args["m"] = 2 }, "t_scale: argument m is none of the kernel's (l, rows, seed, x, y are)"},
		{"another type", func(c *Call) { c.Types["W"] = "f16" }, "t_scale: argument x is a device.Slice[float32]; the kernel takes a buffer of f16"},
		{"no handle", func(c *Call) { c.Args["rows"] = memory[int32](t, d, 3) }, "t_scale: argument rows is a device.Slice[int32]; the kernel takes validated offsets of i32"},
		{"a negative extent", func(c *Call) { c.Args["l"] = -1 }, "t_scale: argument l is -1 of type int; an extent is"},
		{"another scalar", func(c *Call) { c.Args["seed"] = 16 }, "t_scale: argument seed is a int; the kernel takes u32"},
		{"a shape", func(c *Call) { c.Raw = &device.Config{} }, "t_scale: argument raw is given: grid, block and shared bytes follow from the kernel's contract"},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := scale(t, d)
			c.spoil(call)
			err := f.Check(call)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			if !errors.Is(err, contract.ErrContract) && !errors.Is(err, device.ErrNoKernel) {
				t.Errorf("%v is neither a broken contract nor a kernel that is not there", err)
			}
		})
	}
}

func TestConfig(t *testing.T) {
	d := open(t)
	f, err := Load(d, parse(t))
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.Config(scale(t, d))
	if err != nil || c.Grid != (device.Dim3{X: 1, Y: 1, Z: 1}) || c.Block != (device.Dim3{X: 64, Y: 1, Z: 1}) || c.Shared != 256 {
		t.Errorf("got %+v, %v", c, err)
	}
	if entry, err := f.Chosen(scale(t, d)); entry.Entry != "t_scale_f32_8" || err != nil {
		t.Errorf("got %s, %v", entry, err)
	}
	if err := f.Launch(nil, scale(t, d)); !errors.Is(err, device.ErrNoKernel) {
		t.Errorf("a launch on a device that launches nothing: got %v", err)
	}
}

func TestRaw(t *testing.T) {
	d := open(t)
	f, err := Load(d, parse(t))
	if err != nil {
		t.Fatal(err)
	}
	call := &Call{Kernel: "t_raw", Args: map[string]any{"x": device.Slice[float32]{}, "n": uint64(1 << 40)}}
	if err := f.Check(call); err == nil || !strings.Contains(err.Error(), "t_raw: argument raw is missing") {
		t.Errorf("no shape: got %v", err)
	}
	want := device.Config{Grid: device.Dim3{X: 7, Y: 1, Z: 1}, Block: device.Dim3{X: 33, Y: 1, Z: 1}, Shared: 5}
	call.Raw = &want
	if c, err := f.Config(call); err != nil || c != want {
		t.Errorf("got %+v, %v", c, err)
	}
	if err := f.Check(call); err != nil {
		t.Errorf("nothing of a raw kernel is checked: got %v", err)
	}
	call.Args["n"] = float32(1)
	if err := f.Check(call); err == nil || !strings.Contains(err.Error(), "t_raw: argument n is a float32; the kernel takes u64") {
		t.Errorf("but its types: got %v", err)
	}
}

// A spec that kernelspec does not write is refused when it is loaded, not when something is launched.
func TestBadSpec(t *testing.T) {
	d := open(t)
	for was, is := range map[string]string{
		`"len(y) >= M * L"`:           `"len(y) >= Q"`,
		`"seed % S == 0"]}`:           `"seed % S = 0"]}`,
		`where W: f32`:                `where W: f64`,
		`"cdiv(M, block)"`:            `"cdiv(M block)"`,
		`align(block * sizeof(tile)`:  `align(block * sizeof(tiles)`,
		`"kind": "scalar"`:            `"kind": "vector"`,
		`"elem": "u32"`:               `"elem": "u33"`,
		`"align": "S / 2`:             `"align": "Q / 2`,
		`"direction": "out"`:          `"direction": ""`,
		`"carries": ["M", "N"]`:       `"carries": ["M"]`,
		`"extent": "L"`:               `"extent": "Q"`,
		`"from": "l"`:                 `"from": "q"`,
		`"values": ["4", "8"]`:        `"values": ["4", "eight"]`,
		`"kernel": "t_raw", "params"`: `"kernel": "t_raw", "params"`,
	} {
		s := &manifest.Spec{}
		if err := json.Unmarshal([]byte(strings.ReplaceAll(spec, was, is)), s); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(d, s); (err == nil) != (was == is) {
			t.Errorf("%s: got %v", is, err)
		}
	}
	if _, err := Load(nil, parse(t)); err == nil {
		t.Error("no device")
	}
	if _, err := Load(d, nil); err == nil {
		t.Error("no spec")
	}
}
