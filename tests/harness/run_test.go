package harness

import (
	"context"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
)

func TestRun(t *testing.T) {
	d, err := device.Open(t.Context(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var order []string
	note := func(s string) func() { return func() { order = append(order, s) } }
	cases := []Case{
		{"right", func(t T, _ *device.Device) { t.Logf("quiet") }},
		{"wrong", func(t T, _ *device.Device) {
			t.Errorf("first\nline")
			t.Errorf("second")
		}},
		{"fatal", func(t T, _ *device.Device) {
			t.Cleanup(note("last"))
			t.Cleanup(func() {
				if t.Context().Err() == nil {
					t.Errorf("the context outlived the case")
				}
				note("first")()
				t.Fatalf("in a clean-up")
			})
			t.Fatalf("stop")
			note("after the end")()
		}},
		{"panic", func(T, *device.Device) { panic("ouch") }},
		{"must", func(t T, _ *device.Device) { Must(device.Alloc[float32](d, -1))(t) }},
	}
	var out strings.Builder
	s := Run(context.Background(), &out, d, false, cases)
	if s.String() != "1 passed, 4 failed, 0 skipped" || strings.Join(s.Failed, " ") != "wrong fatal panic must" || s.OK() {
		t.Errorf("summary: %v, failed: %v, ok: %t", s, s.Failed, s.OK())
	}
	if got := strings.Join(order, ", "); got != "first, last" {
		t.Errorf("clean-ups ran in the order %s", got)
	}
	for _, want := range []string{"ok   right", "FAIL wrong", "    first\n    line\n", "    second", "stop", "in a clean-up", "panic: ouch", "requires 0 <= n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output has no %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "quiet") || strings.Contains(out.String(), "outlived") {
		t.Errorf("the output has too much:\n%s", out.String())
	}
	out.Reset()
	if s := Run(context.Background(), &out, d, true, cases[:1]); !s.OK() || !strings.Contains(out.String(), "quiet") {
		t.Errorf("verbose: %v\n%s", s, out.String())
	}
	if s := Run(context.Background(), &out, d, true, nil); s.OK() {
		t.Errorf("no cases at all are a success")
	}
}

func TestSizeFor(t *testing.T) {
	d, err := device.Open(t.Context(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for value, want := range map[string]Size{"": CPU, "tsan": TSan, "gpu": GPU} {
		t.Setenv(EnvSize, value)
		if got := SizeFor(t, d); got != want {
			t.Errorf("%s=%q gives %q, want %q", EnvSize, value, got, want)
		}
	}
	t.Setenv(EnvSize, "huge")
	s := Run(context.Background(), new(strings.Builder), d, false, []Case{{"size", func(t T, d *device.Device) { SizeFor(t, d) }}})
	if s.OK() {
		t.Errorf("an unknown size is accepted")
	}
}
