package faults

import (
	"strings"
	"testing"
)

// sound is a piece that judges well; the tests below break it.
const sound = `A block is too large for any GPU.

verdict: kernelspec
says: from 1 to 1024 threads
says: not 2048
-- kernel.cu --
#include "ww/ww.h"
using namespace ww;

#ifdef FAULT
WW_KERNEL(block(2048), grid(1))
#else
WW_KERNEL(block(64), grid(1))
#endif
template <class N>
WW_DEV void museum_fill(Dim<N> n, Out<f32, N> y) {
  for (auto i : threads(n)) y[i] = 1;
}
-- launch --
buffer y f32 3
launch museum_fill n=3 y=y
want y = 1 1 1
`

// TestJudge shows that no piece can hang in the museum without its fault.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to string
		words    string // of the error; empty for none
	}{
		{"a sound piece", "", "", ""},
		{"the fault is removed", "block(2048)", "block(128)", `piece broken does not trip: no tool says a word; kernelspec must`},
		{"the words are others", "says: not 2048", "says: not 4096", `piece broken: kernelspec does not say "not 4096" but:`},
		{"another tool finds it", "verdict: kernelspec", "verdict: race", `piece broken trips kernelspec, not race:`},
		{"a second tool does not find it", "-- kernel.cu --", "verdict: race\nsays: data race\n-- kernel.cu --", `piece broken does not trip race`},
		{"the repair is refused", "block(64)", "block(4096)", "piece broken: its repaired variant trips\nkernelspec: "},
		{"the repair is wrong", "= 1 1 1", "= 1 2 1", "piece broken: its repaired variant trips\nvalues: wrong result: y[1] is 1, not 2"},
		{"nothing is compared", "want y = 1 1 1\n", "", "piece broken, repaired variant: launch: launches, and wants no result"},
		{"a step that is none", "want y =", "wnat y =", `piece broken, repaired variant: launch:3: wnat y = 1 1 1: no step "wnat"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := Parse("broken", strings.Replace(sound, c.from, c.to, 1))
			if err != nil {
				t.Fatal(err)
			}
			err = bench.Judge(p)
			switch {
			case c.words == "" && err != nil:
				t.Errorf("a sound piece is refused: %v", err)
			case c.words != "" && (err == nil || !strings.Contains(err.Error(), c.words)):
				t.Errorf("got %v, want %q", err, c.words)
			}
		})
	}
}

// TestParse breaks the form of a piece.
func TestParse(t *testing.T) {
	for _, c := range []struct{ name, from, to, words string }{
		{"no repaired variant", "#ifdef FAULT\nWW_KERNEL(block(2048), grid(1))\n#else\nWW_KERNEL(block(64), grid(1))\n#endif\n",
			"WW_KERNEL(block(2048), grid(1))\n", "broken: has no repaired variant: nothing stands between #ifdef FAULT and #endif"},
		{"two variants that are one", "block(64)", "block(2048)", "broken: has no repaired variant"},
		{"no story", "A block is too large for any GPU.", "", "broken: says nothing of the fault"},
		{"no verdict", "verdict: kernelspec\n", "", `broken: says "from 1 to 1024 threads" stands before any verdict`},
		{"no such tool", "verdict: kernelspec", "verdict: luck", `broken: verdict: no tool "luck": kernelspec, `},
		{"no words", "says: from 1 to 1024 threads\nsays: not 2048\n", "", "broken: verdict kernelspec says nothing"},
		{"bad words", "says: not 2048", "says: not (2048", "broken: says: error parsing regexp"},
		{"a line that is neither", "says: not 2048", "found: not 2048", `broken: "found: not 2048" is neither verdict nor says`},
		{"#endif is missing", "#endif\n", "", "broken: kernel.cu: #ifdef FAULT without #endif"},
		{"#else alone", "using namespace ww;", "#else", "broken: kernel.cu: #else without #ifdef FAULT"},
		{"#endif alone", "using namespace ww;", "#endif", "broken: kernel.cu: #endif without #ifdef FAULT"},
		{"a fault in a fault", "WW_KERNEL(block(2048), grid(1))", "#ifdef FAULT", "broken: kernel.cu: #ifdef FAULT inside another one"},
		{"a file twice", "-- launch --", "-- kernel.cu --", "broken: file kernel.cu stands twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(sound, c.from, c.to, 1)
			if text == sound {
				t.Fatal("nothing is broken")
			}
			if _, err := Parse("broken", text); err == nil || !strings.Contains(err.Error(), c.words) {
				t.Errorf("got %v, want %q", err, c.words)
			}
		})
	}
}
