package manifest

import (
	"testing"

	"github.com/warpwright/warpwright/go/dtype"
)

func TestElem(t *testing.T) {
	types := map[string]string{"W": "f16", "V": "Each", "D": "f64"}
	for text, want := range map[string]dtype.Type{"i32": dtype.I32, "W": dtype.F16, "Acc<W>": dtype.F32, "Acc<D>": dtype.F64, "Acc<bf16>": dtype.F32} {
		if got, err := Elem(text, types); err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "V", "X", "Acc<V>", "Acc<Acc<W>>"} {
		if got, err := Elem(text, types); err == nil {
			t.Errorf("%s: got %v, want an error", text, got)
		}
	}
}
