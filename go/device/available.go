package device

import (
	"context"
	"fmt"

	"github.com/warpwright/warpwright/go/device/cpu"
	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/go/device/gpu"
)

// Candidate is a device that Open could take, or a kind of which there is none.
type Candidate struct {
	Kind Kind
	Info *Info // nil where Err says why there is no such device
	Err  error
}

// String is one line for people.
func (c Candidate) String() string {
	if c.Err != nil {
		return fmt.Sprintf("%s: %v", c.Kind, c.Err)
	}
	return fmt.Sprintf("%s:%d: %s", c.Kind, c.Info.Index, c.Info.Name)
}

// Available lists the devices of this machine in the order of Open's preference, with the reason
// where a kind is absent: every GPU, then the CPU, then the emulator, which Open never takes by itself.
// It looks at the options and the environment as Open does, and leaves no device open.
func Available(ctx context.Context, opts ...Option) []Candidate {
	var out []Candidate
	gpus, err := gpu.List()
	for i := range gpus {
		out = append(out, Candidate{Kind: GPU, Info: &gpus[i]})
	}
	if err != nil {
		out = append(out, Candidate{Kind: GPU, Err: err})
	}
	info := cpu.Open().Info()
	out = append(out, Candidate{Kind: CPU, Info: &info})
	s, err := apply(opts)
	if err != nil {
		return append(out, Candidate{Kind: Emu, Err: err})
	}
	return append(out, s.emulatorCandidate(ctx))
}

func (s *settings) emulatorCandidate(ctx context.Context) Candidate {
	b, err := emu.Open(ctx, s.emulator)
	if err != nil {
		return Candidate{Kind: Emu, Err: err}
	}
	info := b.Info()
	if err := b.Close(); err != nil {
		return Candidate{Kind: Emu, Err: err}
	}
	return Candidate{Kind: Emu, Info: &info}
}
