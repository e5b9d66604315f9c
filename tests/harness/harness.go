// Package harness is what test cases of kernels are written against. A Case runs on any device and knows
// neither testing.T nor Bazel, so one list of cases serves `go test` on every backend and the GPU
// bundle's program.
package harness

import (
	"context"
	"fmt"
	"os"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/device/emu"
)

// T is what a case may ask of the test that runs it; *testing.T has it.
type T interface {
	Helper()
	Name() string
	// Context ends when the case does.
	Context() context.Context
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	// Fatalf ends the case; call it from the goroutine that runs the case.
	Fatalf(format string, args ...any)
	Failed() bool
	// Cleanup calls f when the case has ended, last in, first out.
	Cleanup(f func())
}

// Case is one test.
type Case struct {
	Name string
	Run  func(t T, d *device.Device)
}

// EnvSize chooses the Size.
const EnvSize = "WW_SIZE"

// Size is how much a case may ask of its device.
type Size string

// The sizes, from small to large.
const (
	TSan Size = "tsan" // an emulator under ThreadSanitizer: a few blocks an entry
	Emu  Size = "emu"  // an emulator: some thousand threads a launch
	CPU  Size = "cpu"  // Go: as large as a test that takes a second may be
	GPU  Size = "gpu"  // as large as it takes to fill a GPU
)

// SizeFor returns what WW_SIZE says, or else what suits the device.
func SizeFor(t T, d *device.Device) Size {
	t.Helper()
	switch s := Size(os.Getenv(EnvSize)); s {
	case TSan, Emu, CPU, GPU:
		return s
	case "":
		return Size(d.Info().Kind)
	default:
		t.Fatalf("harness: %s is %q: requires tsan, emu, cpu or gpu", EnvSize, s)
		return ""
	}
}

// Pick returns the value for a size.
func Pick[V any](s Size, tsan, emu, cpu, gpu V) V {
	switch s {
	case TSan:
		return tsan
	case Emu:
		return emu
	case CPU:
		return cpu
	default:
		return gpu
	}
}

// Open opens the device that the environment asks for, as tests want it: raw kernels may be launched; an
// emulator has one multiprocessor, so that small inputs already fill its grids, and under ThreadSanitizer
// runs blocks in no order.
func Open(ctx context.Context) (*device.Device, error) {
	return device.Open(ctx, device.WithRawKernels(), device.WithEmulatorOptions(emu.Options{
		Multiprocessors: 1,
		UnorderedBlocks: Size(os.Getenv(EnvSize)) == TSan,
	}))
}

// Another opens a second device like the one that the environment asks for, until the case ends.
func Another(t T) *device.Device {
	t.Helper()
	d, err := Open(t.Context())
	if err != nil {
		t.Fatalf("harness: another device: %v", err)
	}
	t.Cleanup(func() { Close(t, d) })
	return d
}

// Close closes what a case has opened; an error fails the case.
func Close(t T, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Errorf("harness: close: %v", err)
	}
}

// Must returns v; an error ends the case.
func Must[V any](v V, err error) func(t T) V {
	return func(t T) V {
		t.Helper()
		if err != nil {
			t.Fatalf("%v", err)
		}
		return v
	}
}

// Describe is one line about a device, for the head of a test's output.
func Describe(d *device.Device) string {
	i := d.Info()
	line := fmt.Sprintf("%s:%d: %s", i.Kind, i.Index, i.Name)
	if i.Arch != 0 {
		line += fmt.Sprintf(", sm_%d", i.Arch)
	}
	if i.Driver != "" {
		line += ", " + i.Driver
	}
	return line
}
