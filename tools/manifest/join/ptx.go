package join

import (
	"fmt"
	"strconv"
	"strings"
)

// ptxEntry is a kernel of a PTX text and the sizes of its parameters.
type ptxEntry struct {
	name  string
	sizes []int
}

// parsePTX finds the kernels of a PTX text:
//
//	.visible .entry scale(
//		.param .u64 .ptr .align 1 scale_param_0,
//		.param .align 8 .b8 scale_param_1[20000]
//	)
func parsePTX(text string) ([]ptxEntry, error) {
	var out []ptxEntry
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, ".entry ")
		if !ok {
			return out, nil
		}
		name, after, ok := strings.Cut(after, "(")
		if !ok || strings.ContainsAny(name, " \t\n{") {
			return nil, fmt.Errorf("ptx: %.40q is no name of an entry", name)
		}
		list, after, ok := strings.Cut(after, ")")
		if !ok {
			return nil, fmt.Errorf("ptx: the parameters of entry %s have no end", name)
		}
		rest = after
		e := ptxEntry{name: name}
		for _, p := range strings.Split(list, ",") {
			if p = strings.TrimSpace(p); p == "" {
				continue
			}
			size, err := ptxSize(p)
			if err != nil {
				return nil, fmt.Errorf("ptx: entry %s: %w", name, err)
			}
			e.sizes = append(e.sizes, size)
		}
		out = append(out, e)
	}
}

// ptxSize returns the bytes of a parameter: of its type, times its length if it
// is an array.
func ptxSize(param string) (int, error) {
	fields := strings.Fields(param)
	if fields[0] != ".param" {
		return 0, fmt.Errorf("%q does not begin with .param", param)
	}
	size := 0
	for i, f := range fields[1:] {
		if i > 0 && fields[i] == ".align" {
			continue // its number
		}
		switch f {
		case ".b8", ".u8", ".s8":
			size = 1
		case ".b16", ".u16", ".s16", ".f16":
			size = 2
		case ".b32", ".u32", ".s32", ".f32":
			size = 4
		case ".b64", ".u64", ".s64", ".f64":
			size = 8
		}
		if size > 0 {
			break
		}
	}
	if size == 0 {
		return 0, fmt.Errorf("%q has no type of a known size", param)
	}
	if _, length, ok := strings.Cut(fields[len(fields)-1], "["); ok {
		n, err := strconv.Atoi(strings.TrimSuffix(length, "]"))
		if err != nil || n <= 0 {
			return 0, fmt.Errorf("%q is an array of %q elements", param, length)
		}
		size *= n
	}
	return size, nil
}
