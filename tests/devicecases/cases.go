// Package devicecases holds the tests of go/device that hold for every device: memory, streams, events,
// graphs, and launches by name of the one kernel that is simple enough to be checked by eye, csr_round.
package devicecases

import (
	"errors"

	"github.com/warpwright/warpwright/tests/harness"
)

// All returns every case.
func All() []harness.Case {
	return []harness.Case{
		{Name: "device memory", Run: Memory},
		{Name: "device pinned memory", Run: Pinned},
		{Name: "device out of memory", Run: OutOfMemory},
		{Name: "device foreign and closed", Run: ForeignAndClosed},
		{Name: "device streams", Run: Streams},
		{Name: "device events", Run: Events},
		{Name: "device capture", Run: Capture},
		{Name: "device capture refuses", Run: CaptureRefuses},
		{Name: "device launches", Run: Launches},
		{Name: "device shared memory", Run: SharedMemory},
		{Name: "device bad launches", Run: BadLaunches},
		{Name: "device goroutines", Run: Goroutines},
		{Name: "device graph of launches", Run: GraphOfLaunches},
		{Name: "device launch loop", Run: LaunchLoop},
		{Name: "device copy refuses", Run: CopyRefuses},
		{Name: "device proofs", Run: Proofs},
		{Name: "device proofs and graphs", Run: ProofsAndGraphs},
		{Name: "device proofs in graphs", Run: ProofsInGraphs},
		{Name: "device same address", Run: SameAddress},
		{Name: "device lost process", Run: LostProcess},
	}
}

// ok ends the case on an error.
func ok(t harness.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatalf("%v", err)
	}
}

// refused checks an error's identity (unless target is nil) and that it says each of parts.
func refused(t harness.T, err, target error, parts ...string) {
	t.Helper()
	harness.Refused(t, t.Name(), err, target, parts...)
}
