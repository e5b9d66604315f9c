package harness

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/warpwright/warpwright/go/device"
)

// Summary counts the cases of a Run.
type Summary struct {
	Passed int
	Failed []string // by name
}

// String is the last line of a Run. Nothing is ever skipped.
func (s Summary) String() string {
	return fmt.Sprintf("%d passed, %d failed, 0 skipped", s.Passed, len(s.Failed))
}

// OK says whether cases ran and none failed.
func (s Summary) OK() bool { return s.Passed > 0 && len(s.Failed) == 0 }

// Run runs cases one after the other and writes what they log to w: all of it where verbose is set, else
// that of failed ones. It is `go test` for a program that is not a test.
func Run(ctx context.Context, w io.Writer, d *device.Device, verbose bool, cases []Case) Summary {
	var s Summary
	for _, c := range cases {
		start := time.Now()
		t := runCase(ctx, c, d)
		word := "ok  "
		if t.failed {
			word = "FAIL"
			s.Failed = append(s.Failed, c.Name)
		} else {
			s.Passed++
		}
		fmt.Fprintf(w, "%s %s (%.2fs)\n", word, c.Name, time.Since(start).Seconds())
		if verbose || t.failed {
			io.WriteString(w, t.log.String())
		}
	}
	return s
}

// runCase gives the case a goroutine, which Fatalf can end.
func runCase(ctx context.Context, c Case, d *device.Device) *runner {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &runner{name: c.Name, ctx: ctx}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer t.cleanUp()
		defer cancel()
		defer t.recover()
		c.Run(t, d)
	}()
	<-done
	return t
}

// runner is the T of a Run.
type runner struct {
	name string
	ctx  context.Context

	mu       sync.Mutex
	failed   bool
	log      strings.Builder
	cleanups []func()
}

func (t *runner) Helper()                  {}
func (t *runner) Name() string             { return t.name }
func (t *runner) Context() context.Context { return t.ctx }

func (t *runner) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

func (t *runner) Logf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n    ")
	fmt.Fprintf(&t.log, "    %s\n", text)
}

func (t *runner) Errorf(format string, args ...any) {
	t.Logf(format, args...)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = true
}

func (t *runner) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}

func (t *runner) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

// recover makes a panic a failure of its case alone.
func (t *runner) recover() {
	if r := recover(); r != nil {
		t.Errorf("panic: %v\n%s", r, debug.Stack())
	}
}

// cleanUp runs the clean-ups in a goroutine each, so that one which calls Fatalf does not end the others.
func (t *runner) cleanUp() {
	for _, f := range slices.Backward(t.cleanups) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer t.recover()
			f()
		}()
		<-done
	}
}
