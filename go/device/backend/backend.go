// Package backend is the joint between package device and the machinery that
// runs kernels: the interfaces that cpu, gpu and emu implement, the facts they
// report, and the errors they share.
//
// It imports only the standard library. Backends import it, device imports
// them, and nobody else imports a backend.
package backend

import (
	"context"
	"fmt"
)

// Kind names a family of devices.
type Kind string

// The kinds of device.
const (
	CPU Kind = "cpu" // ordinary parallel Go; launches nothing
	Emu Kind = "emu" // the kernels themselves, thread by thread, in a sanitized process
	GPU Kind = "gpu" // an NVIDIA GPU through the driver
)

// Dim3 is a shape in threads or blocks: x, y, z.
type Dim3 struct{ X, Y, Z uint32 }

// Count is the product of the three extents.
func (d Dim3) Count() uint64 { return uint64(d.X) * uint64(d.Y) * uint64(d.Z) }

// String prints (x, y, z).
func (d Dim3) String() string { return fmt.Sprintf("(%d, %d, %d)", d.X, d.Y, d.Z) }

// Info is what a device says of itself. It never changes while the device is open.
type Info struct {
	Kind               Kind
	Index              int    // ordinal among its kind
	Name               string // "NVIDIA H200", "emulator", "Go on 2 cores"
	Arch               int    // 90 for sm_90; 0 where it means nothing
	Multiprocessors    int    // `sms` in grid expressions
	MaxThreadsPerBlock int
	MaxGrid            Dim3
	SharedPerBlock     int   // dynamic shared bytes a block gets without asking
	SharedPerBlockMax  int   // the most that a block may opt in to
	MemoryBytes        int64 // total, 0 where it means nothing
	Driver             string
}

// Config is the geometry of one launch.
type Config struct {
	Grid, Block Dim3
	Shared      uint32 // dynamic shared bytes a block
}

// Device is one opened device. Its methods may be called from any goroutine.
type Device interface {
	Info() Info
	// Launches says whether the device runs kernels at all; the cpu one does not.
	Launches() bool
	// Alloc takes bytes (> 0) of device memory, uninitialised.
	Alloc(bytes int64) (Memory, error)
	NewStream() (Stream, error)
	NewEvent() (Event, error)
	// Load makes a kernel family's images ready: on a GPU fatbin holds
	// FAMILY.fatbin, the emulator has its kernels built in and ignores it.
	Load(family string, fatbin []byte) (Module, error)
	Close() error
}

// Module is a kernel family, loaded.
type Module interface {
	// Kernel finds one entry, for example csr_mv_thread_f32_i32_each.
	Kernel(entry string) (Kernel, error)
	// Hash is the contract hash that the image itself carries for a kernel;
	// ok is false where the image carries none (a fatbin's stand in its manifest).
	Hash(kernel string) (hash string, ok bool)
	Close() error
}

// Kernel is one entry on one device.
type Kernel interface {
	// Launch enqueues the entry on a stream (nil: the default one). slots holds one
	// argument in each 8-byte word, low bytes first; it is read before Launch returns.
	Launch(s Stream, c Config, slots []uint64) error
	Facts() KernelFacts
}

// KernelFacts is what the driver says of a loaded entry; zero where unknown.
type KernelFacts struct {
	Registers, SharedStatic, LocalBytes, MaxThreadsPerBlock int
	// BinaryVersion is the architecture of the machine code in use (90), PTXVersion that of
	// the PTX it came from.
	BinaryVersion, PTXVersion int
}

// Memory is one allocation. Offsets and lengths are bytes and have been checked by the caller.
// Write and Read return when the host slice may be reused; both are ordered after what the
// stream (nil: the default one) already holds.
type Memory interface {
	Addr() uint64
	Size() int64
	Write(s Stream, off int64, p []byte) error
	Read(s Stream, off int64, p []byte) error
	Zero(s Stream, off, n int64) error
	CopyFrom(s Stream, off int64, src Memory, srcOff, n int64) error
	Free() error
}

// HostMemory is implemented by memory that the host can address: the cpu device's.
type HostMemory interface{ Bytes() []byte }

// MortalMemory is implemented by memory that can be lost while its device lives on. Its address may then be
// another memory's.
type MortalMemory interface {
	Memory
	Lost() bool
}

// Stream is an order of work. The default one, nil, is ordered with every other: its work starts when
// theirs is done, and theirs after it.
type Stream interface {
	// Wait returns when all work enqueued so far is done, or when ctx ends first (the
	// work goes on). A fault of a kernel on the stream is returned here at the latest.
	Wait(ctx context.Context) error
	// WaitFor makes later work wait for an event.
	WaitFor(e Event) error
	Close() error
}

// Event is a point in a stream.
type Event interface {
	Record(s Stream) error
	Wait(ctx context.Context) error
	// Since is the device time in seconds between two recorded and finished events.
	Since(start Event) (float64, error)
	Close() error
}

// PinnedAllocator is implemented by devices with page-locked host memory.
type PinnedAllocator interface {
	AllocPinned(bytes int64) (p []byte, free func() error, err error)
}

// GraphCapturer is implemented by devices that can record a stream's launches and replay them.
type GraphCapturer interface {
	Capture(s Stream, record func() error) (Graph, error)
}

// Graph is a recorded sequence of launches.
type Graph interface {
	Launch(s Stream) error
	Close() error
}

// ParamChecker is implemented by kernels whose parameters the driver knows. CheckParams returns an error
// unless they have these sizes in bytes, each of which must fit a slot; from then on Launch insists on as
// many slots.
type ParamChecker interface{ CheckParams(sizes []int) error }

// Use is what an entry may do with the memory that a parameter points to.
type Use uint8

// The uses, from none to any.
const (
	Word   Use = iota // the parameter is no pointer
	Reads             // a pointer to const
	Writes            // any other pointer
)

// UseTeller is implemented by kernels that know how they use their parameters, one by one. Of the others
// the manifest knows.
type UseTeller interface{ Uses() []Use }

// LoopLauncher is implemented by kernels that can launch themselves n times from C, with nothing between.
// It returns the nanoseconds of one launch: what Launch is compared with.
type LoopLauncher interface {
	LaunchLoop(s Stream, c Config, slots []uint64, n int64) (nanoseconds float64, err error)
}
