package harness

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
)

// failures are what one case says that is no success.
func failures(t *testing.T, d *device.Device, run func(t T, d *device.Device)) string {
	t.Helper()
	var out strings.Builder
	Run(t.Context(), &out, d, false, []Case{{"case", run}})
	return out.String()
}

func TestTaken(t *testing.T) {
	d, err := device.Open(t.Context(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got := failures(t, d, func(t T, d *device.Device) {
		w := Watch(t, d)
		w.Chosen("b")
		w.Chosen("a")
		w.Want([]string{"a", "b"})
		if t.Failed() || !slices.Equal(w.Entries(), []string{"a", "b"}) {
			t.Errorf("chosen: %q", w.Entries())
		}
		w.before = map[string]int64{"a": 1}
		w.Want([]string{"a", "c"})
	})
	if !strings.Contains(got, "nothing has chosen entry c") || strings.Contains(got, "entry a") || strings.Contains(got, "chosen: ") {
		t.Errorf("got\n%s", got)
	}
}

func TestRefused(t *testing.T) {
	d, err := device.Open(t.Context(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	kind := errors.New("wrong")
	bad := fmt.Errorf("5 is %w", kind)
	for _, c := range []struct {
		err, kind error
		words     []string
		want      string // empty for none
	}{
		{bad, kind, []string{"5"}, ""},
		{bad, nil, nil, ""},
		{nil, kind, nil, "it: was not refused"},
		{bad, errors.New("right"), nil, `it: the error is not a "right"`},
		{bad, kind, []string{"5", "6"}, `it: the error does not say "6"`},
	} {
		got := failures(t, d, func(t T, _ *device.Device) { Refused(t, "it", c.err, c.kind, c.words...) })
		if strings.Contains(got, "FAIL") != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%v, %v, %q: got\n%s", c.err, c.kind, c.words, got)
		}
	}
}
