package main

import (
	"strings"
	"testing"
)

func says(t *testing.T, want int, args []string, words ...string) {
	t.Helper()
	var out strings.Builder
	if code := run(args, &out, &out); code != want {
		t.Errorf("%q: exit code %d, want %d", args, code, want)
	}
	for _, w := range words {
		if !strings.Contains(out.String(), w) {
			t.Errorf("%q does not say %q:\n%s", args, w, &out)
		}
	}
}

func TestRefuses(t *testing.T) {
	t.Setenv("WW_DEVICE", "cpu")
	says(t, 2, []string{"-sides", "3"}, "not defined: -sides")
	says(t, 0, []string{"-help"}, "-side N")
	says(t, 1, nil, "launches no kernels: requires a GPU or an emulator")
	says(t, 1, []string{"-code", "nowhere.json"}, "nowhere.json")
}
