package manifest

import (
	"strings"

	"github.com/warpwright/warpwright/go/dtype"
)

// Elem is the element type that a Param names, in an instance with such types: "f32", "W" or "Acc<W>".
func Elem(text string, types map[string]string) (dtype.Type, error) {
	of, acc := strings.CutPrefix(text, "Acc<")
	if acc {
		of = strings.TrimSuffix(of, ">")
	}
	if v, ok := types[of]; ok {
		of = v
	}
	t, err := dtype.Parse(of)
	if err == nil && acc {
		t = t.Accumulator()
	}
	return t, err
}
