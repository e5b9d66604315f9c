// Package cpu is the backend without a GPU. Its memory is Go memory, which operators reach through
// backend.HostMemory; it launches nothing, since operators run their own Go body there.
//
// Work is done before the call that asks for it returns, so every stream is in order at all times,
// and events hold the wall time at which they were recorded.
package cpu

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/warpwright/warpwright/go/device/backend"
)

// Device is this machine.
type Device struct {
	info  backend.Info
	limit int64        // bytes that may be taken in all
	taken atomic.Int64 // bytes taken now
}

var (
	_ backend.Device     = (*Device)(nil)
	_ backend.HostMemory = (*memory)(nil)
)

// Open returns the machine that the program runs on, with as many cores as GOMAXPROCS says.
func Open() *Device {
	cores := runtime.GOMAXPROCS(0)
	name := fmt.Sprintf("Go on %d cores", cores)
	if cores == 1 {
		name = "Go on 1 core"
	}
	d := &Device{
		info: backend.Info{
			Kind:            backend.CPU,
			Name:            name,
			Multiprocessors: cores,
			MemoryBytes:     machineMemory(),
			Driver:          runtime.Version(),
		},
		limit: unknownMemory,
	}
	if d.info.MemoryBytes > 0 {
		d.limit = d.info.MemoryBytes
	}
	return d
}

// unknownMemory is the limit where the machine does not say how much it has; it stays below what
// makes the Go runtime panic.
const unknownMemory = 1 << 40

// Info returns the machine's facts.
func (d *Device) Info() backend.Info { return d.info }

// Launches is false: operators run their Go body.
func (d *Device) Launches() bool { return false }

// alignment is that of memory from the GPU's driver, so that a rule on alignment answers alike on both.
const alignment = 256

// Alloc takes Go memory. All its bytes are 0xFF, in floating point a NaN: what is read without having
// been written shows.
func (d *Device) Alloc(bytes int64) (backend.Memory, error) {
	if bytes <= 0 {
		return nil, fmt.Errorf("cpu: alloc of %d bytes: requires bytes > 0", bytes)
	}
	if bytes > math.MaxInt64-alignment || !d.take(bytes) {
		return nil, fmt.Errorf("cpu: alloc of %d bytes: %w: %d of %d bytes are taken", bytes, backend.ErrOutOfMemory, d.taken.Load(), d.limit)
	}
	room := make([]byte, bytes+alignment-1)
	skip := int64(-uintptr(unsafe.Pointer(&room[0])) % alignment)
	p := room[skip : skip+bytes : skip+bytes]
	for i := range p {
		p[i] = 0xFF
	}
	return &memory{dev: d, p: p}, nil
}

// take books bytes, unless that would pass the limit.
func (d *Device) take(bytes int64) bool {
	for {
		now := d.taken.Load()
		if bytes > d.limit-now {
			return false
		}
		if d.taken.CompareAndSwap(now, now+bytes) {
			return true
		}
	}
}

// NewStream returns a stream; all streams are alike.
func (d *Device) NewStream() (backend.Stream, error) { return stream{}, nil }

// NewEvent returns an event that has not been recorded.
func (d *Device) NewEvent() (backend.Event, error) { return &event{}, nil }

// Load refuses: there is nothing to launch.
func (d *Device) Load(family string, _ []byte) (backend.Module, error) {
	return nil, fmt.Errorf("cpu: family %s: %w: the cpu device launches nothing", family, backend.ErrNoKernel)
}

// Close does nothing; the garbage collector takes memory back.
func (d *Device) Close() error { return nil }

// memory is one allocation. Its bytes stay reachable after Free as long as someone computes with them.
type memory struct {
	dev   *Device
	p     []byte
	freed atomic.Bool
}

func (m *memory) Addr() uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.p)))) }
func (m *memory) Size() int64  { return int64(len(m.p)) }

// Bytes is the memory itself.
func (m *memory) Bytes() []byte { return m.p }

func (m *memory) Write(_ backend.Stream, off int64, p []byte) error {
	copy(m.p[off:off+int64(len(p))], p)
	return nil
}

func (m *memory) Read(_ backend.Stream, off int64, p []byte) error {
	copy(p, m.p[off:off+int64(len(p))])
	return nil
}

func (m *memory) Zero(_ backend.Stream, off, n int64) error {
	clear(m.p[off : off+n])
	return nil
}

func (m *memory) CopyFrom(_ backend.Stream, off int64, src backend.Memory, srcOff, n int64) error {
	from, ok := src.(*memory)
	if !ok || from.dev != m.dev {
		return fmt.Errorf("cpu: copy from %T: %w", src, backend.ErrForeign)
	}
	copy(m.p[off:off+n], from.p[srcOff:srcOff+n])
	return nil
}

func (m *memory) Free() error {
	if !m.freed.Swap(true) {
		m.dev.taken.Add(-int64(len(m.p)))
	}
	return nil
}

// stream has nothing to hold: its work is done.
type stream struct{}

func (stream) Wait(context.Context) error  { return nil }
func (stream) WaitFor(backend.Event) error { return nil }
func (stream) Close() error                { return nil }

// event is a moment.
type event struct{ at atomic.Pointer[time.Time] }

func (e *event) Record(backend.Stream) error {
	now := time.Now()
	e.at.Store(&now)
	return nil
}

func (e *event) Wait(context.Context) error { return nil }

func (e *event) Since(start backend.Event) (float64, error) {
	from, ok := start.(*event)
	if !ok {
		return 0, fmt.Errorf("cpu: time since %T: %w", start, backend.ErrForeign)
	}
	a, b := from.at.Load(), e.at.Load()
	if a == nil || b == nil {
		return 0, fmt.Errorf("cpu: time between events: requires both to be recorded: start %t, end %t", a != nil, b != nil)
	}
	return b.Sub(*a).Seconds(), nil
}

func (e *event) Close() error { return nil }
