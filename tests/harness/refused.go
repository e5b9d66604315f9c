package harness

import (
	"errors"
	"strings"
)

// Refused fails the case unless err is of the kind (any, if kind is nil) and has all of the words. what is what should have been refused.
func Refused(t T, what string, err, kind error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: was not refused, want %v with %q", what, kind, words)
		return
	}
	if kind != nil && !errors.Is(err, kind) {
		t.Errorf("%s: the error is not a %q: %v", what, kind, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: the error does not say %q: %v", what, w, err)
		}
	}
}
