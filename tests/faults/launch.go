package faults

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/kernels/launch"
	"github.com/warpwright/warpwright/go/manifest"
)

// launch plays one launch of the script.
func (p *player) launch(st step) error {
	given := maps.Clone(st.given)
	take := func(name string) string {
		v := given[name]
		delete(given, name)
		return v
	}
	i := slices.IndexFunc(p.kernels.spec.Entries, func(e manifest.Entry) bool { return e.Name == st.name })
	if i < 0 {
		return fmt.Errorf("no entry %s", st.name)
	}
	entry := p.kernels.spec.Entries[i]
	grid, err := dim3(take("grid"))
	if err != nil {
		return err
	}
	block, err := dim3(take("block"))
	if err != nil {
		return err
	}
	shared, err := strconv.ParseUint("0"+take("shared"), 10, 32)
	if err != nil {
		return err
	}
	var slots []uint64
	for _, param := range entry.Params {
		text := take(param.Name)
		if strings.HasSuffix(param.Type, "*") {
			a, err := p.array(text)
			if err != nil {
				return err
			}
			slots = append(slots, a.addr())
			continue
		}
		word, err := rawWord(param.Type, text)
		if err != nil {
			return fmt.Errorf("%s: %w", param.Name, err)
		}
		slots = append(slots, word)
	}
	for name := range given {
		return fmt.Errorf("%s has no parameter %s", st.name, name)
	}
	k, err := p.dev.Kernel(st.name)
	if err != nil {
		return err
	}
	return k.Launch(nil, device.Config{Grid: grid, Block: block, Shared: uint32(shared)}, slots)
}

func rawWord(typ, text string) (uint64, error) {
	switch typ {
	case "int":
		v, err := element[int32](text)
		return launch.Word(v), err
	case "unsigned":
		v, err := element[uint32](text)
		return launch.Word(v), err
	case "unsigned long long":
		return element[uint64](text)
	case "float":
		v, err := element[float32](text)
		return launch.Word(v), err
	case "double":
		v, err := element[float64](text)
		return launch.Word(v), err
	}
	return 0, fmt.Errorf("scalar of type %q", typ)
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
