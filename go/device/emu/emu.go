// Package emu runs kernels on the CPU, thread by thread, in a process of its own
// under the sanitizers: the emulator program that the emu folder builds.
//
// A fault in a kernel (an access outside a buffer, a data race, a barrier that
// not every thread reaches) ends that process. The launch then returns a *Report
// with the kernel, the block, the thread and the source line, and whatever memory
// the process held is lost; the next allocation starts a new process, so a device
// stays usable.
//
// Streams are trivially ordered: every call returns when its work is done.
package emu

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/warpwright/warpwright/go/device/backend"
)

// Options say how to run. The zero value finds the program by itself and runs every block, forward.
type Options struct {
	// Path is the emulator program. Empty: WW_EMU, or cuda/emulator in the runfiles.
	// A relative path is looked for in the working directory, then in the runfiles.
	Path string
	// Schedule is the order in which threads run: "fwd" (or empty), "rev" or "rand:SEED".
	// A right kernel gives the same bits under each.
	Schedule string
	// CornerBlocks runs only the first, middle and last block of each axis, to try index arithmetic of
	// huge grids. Results are then incomplete.
	CornerBlocks bool
	// AllowExited accepts a collective whose mask names lanes that have returned.
	AllowExited bool
	// UnorderedBlocks lets a race detector (the emulator_tsan program) see races between blocks. It is slow.
	UnorderedBlocks bool
	// Deadline ends a launch that takes longer. Zero: ten minutes.
	Deadline time.Duration
	// Multiprocessors is what Info says; grids are scaled by it. Zero: 2.
	Multiprocessors int
}

// Device is the emulator as a device. Its methods may be called from any goroutine.
type Device struct {
	path     string
	args     []string
	deadline time.Duration
	info     backend.Info

	mu     sync.Mutex
	proc   *process // nil until started, and after it died
	closed bool
	greet  greeting         // of the first process; the program does not change
	counts map[string]int64 // launches that finished, by entry
	lost   map[*memory]bool // memory of dead processes, not freed yet
}

var _ backend.Device = (*Device)(nil)

// Open starts the emulator.
func Open(ctx context.Context, o Options) (*Device, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Deadline < 0 || o.Multiprocessors < 0 {
		return nil, fmt.Errorf("emu: options: deadline %v and %d multiprocessors must not be negative", o.Deadline, o.Multiprocessors)
	}
	if o.Deadline == 0 {
		o.Deadline = 10 * time.Minute
	}
	if o.Multiprocessors == 0 {
		o.Multiprocessors = 2
	}
	path, err := find(o.Path)
	if err != nil {
		return nil, err
	}
	d := &Device{path: path, args: o.args(), deadline: o.Deadline, counts: map[string]int64{}, lost: map[*memory]bool{}}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.start(); err != nil {
		return nil, err
	}
	d.greet = d.proc.greet
	for _, f := range d.greet.families {
		for _, e := range f.entries {
			d.counts[e.name] = 0
		}
	}
	// The limits are those of an sm_90.
	d.info = backend.Info{
		Kind:               backend.Emu,
		Name:               "emulator (" + d.greet.sanitizers + " sanitizer)",
		Arch:               90,
		Multiprocessors:    o.Multiprocessors,
		MaxThreadsPerBlock: 1024,
		MaxGrid:            backend.Dim3{X: 1<<31 - 1, Y: 65535, Z: 65535},
		SharedPerBlock:     48 << 10,
		SharedPerBlockMax:  227 << 10,
		MemoryBytes:        memoryBytes,
		Driver:             fmt.Sprintf("emulator protocol %d", protocolVersion),
	}
	return d, nil
}

// memoryBytes is how much a device can allocate: mostly address space.
const memoryBytes = 64 << 30

// args is the command line; protocol.md lists the flags.
func (o *Options) args() []string {
	seconds := (o.Deadline + time.Second - 1) / time.Second
	args := []string{fmt.Sprintf("--memory=%d", int64(memoryBytes)), fmt.Sprintf("--deadline=%d", seconds)}
	if o.Schedule != "" {
		args = append(args, "--schedule="+o.Schedule)
	}
	if o.CornerBlocks {
		args = append(args, "--blocks=corner")
	}
	if o.AllowExited {
		args = append(args, "--exited=allow")
	}
	if o.UnorderedBlocks {
		args = append(args, "--tsan-blocks=unordered")
	}
	return args
}

// Info says what the device is.
func (d *Device) Info() backend.Info { return d.info }

// Launches is true: the emulator runs the kernels themselves.
func (d *Device) Launches() bool { return true }

// Sanitizers names what the program was built with: "address" (and undefined behaviour), "thread" or "none".
func (d *Device) Sanitizers() string { return d.greet.sanitizers }

// Families are the names of the kernel families that the program holds.
func (d *Device) Families() []string {
	var names []string
	for _, f := range d.greet.families {
		names = append(names, f.name)
	}
	return names
}

// LaunchCounts is how often each entry of the program ran to its end, zero included.
func (d *Device) LaunchCounts() map[string]int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.counts)
}

// Close ends the process. What is done with the device or its memory later answers with backend.ErrClosed.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	if d.proc == nil {
		return nil
	}
	p := d.proc
	d.proc = nil
	return p.close()
}

// start makes sure that a process runs. The caller holds mu.
func (d *Device) start() error {
	if d.closed {
		return fmt.Errorf("emu: device: %w", backend.ErrClosed)
	}
	if d.proc != nil {
		return nil
	}
	p, err := startProcess(d.path, d.args)
	if err != nil {
		return err
	}
	d.proc = p
	return nil
}

// call sends one request to p and returns the answer's payload. When the process dies of it, call takes its
// memory for lost and returns the report. The caller holds mu.
func (d *Device) call(p *process, op byte, request ...[]byte) (*reader, error) {
	payload, err := p.exchange(op, request...)
	if err != nil && p.cause != nil {
		if d.proc == p {
			d.proc = nil
		}
		for m := range p.memory {
			d.lost[m] = true
			m.died.Store(true)
		}
		p.memory = nil
	}
	return payload, err
}
