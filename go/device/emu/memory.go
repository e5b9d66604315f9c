package emu

import (
	"fmt"
	"sync/atomic"

	"github.com/warpwright/warpwright/go/device/backend"
)

// memory is one allocation in a process.
type memory struct {
	dev   *Device
	proc  *process
	addr  uint64
	size  int64
	freed bool // guarded by dev.mu
	died  atomic.Bool
}

var _ backend.MortalMemory = (*memory)(nil)

// Alloc takes memory of exactly that size, with redzones around it. It starts as 0xFF in every byte: NaN, -1.
func (d *Device) Alloc(bytes int64) (backend.Memory, error) {
	if bytes <= 0 {
		return nil, fmt.Errorf("emu: alloc: %d bytes, at least 1 is needed", bytes)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.start(); err != nil {
		return nil, err
	}
	r, err := d.call(d.proc, opAlloc, u64(uint64(bytes)))
	if err != nil {
		return nil, err
	}
	m := &memory{dev: d, proc: d.proc, addr: r.u64(), size: bytes}
	if r.err != nil {
		return nil, fmt.Errorf("emu: alloc: answer: %w", r.err)
	}
	d.proc.memory[m] = true
	return m, nil
}

func (m *memory) Addr() uint64 { return m.addr }
func (m *memory) Size() int64  { return m.size }

// Lost says whether the process that held the memory has died.
func (m *memory) Lost() bool { return m.died.Load() }

// use locks the device for one operation on m, which the returned function ends.
func (m *memory) use(s backend.Stream) (done func(), err error) {
	if err := m.dev.owns(s); err != nil {
		return nil, err
	}
	m.dev.mu.Lock()
	switch {
	case m.freed:
		err = fmt.Errorf("emu: memory of %d bytes: freed: %w", m.size, backend.ErrClosed)
	case m.proc.cause != nil:
		err = fmt.Errorf("memory of %d bytes: %w", m.size, lost(m.proc.cause))
	}
	if err != nil {
		m.dev.mu.Unlock()
		return nil, err
	}
	return m.dev.mu.Unlock, nil
}

func (m *memory) Write(s backend.Stream, off int64, p []byte) error {
	done, err := m.use(s)
	if err != nil {
		return err
	}
	defer done()
	for at := m.addr + uint64(off); len(p) > 0; {
		n := min(len(p), maxChunk)
		if _, err := m.dev.call(m.proc, opWrite, u64(at), p[:n]); err != nil {
			return err
		}
		at, p = at+uint64(n), p[n:]
	}
	return nil
}

func (m *memory) Read(s backend.Stream, off int64, p []byte) error {
	done, err := m.use(s)
	if err != nil {
		return err
	}
	defer done()
	for at := m.addr + uint64(off); len(p) > 0; {
		n := min(len(p), maxChunk)
		r, err := m.dev.call(m.proc, opRead, u64(at), u32(uint32(n)))
		if err != nil {
			return err
		}
		if len(r.rest) != n {
			return fmt.Errorf("emu: read: asked for %d bytes, got %d", n, len(r.rest))
		}
		copy(p, r.rest)
		at, p = at+uint64(n), p[n:]
	}
	return nil
}

func (m *memory) Zero(s backend.Stream, off, n int64) error {
	done, err := m.use(s)
	if err != nil {
		return err
	}
	defer done()
	_, err = m.dev.call(m.proc, opZero, u64(m.addr+uint64(off), uint64(n)))
	return err
}

func (m *memory) CopyFrom(s backend.Stream, off int64, src backend.Memory, srcOff, n int64) error {
	from, ok := src.(*memory)
	if !ok || from.dev != m.dev {
		return fmt.Errorf("emu: copy: source memory: %w", backend.ErrForeign)
	}
	done, err := m.use(s)
	if err != nil {
		return err
	}
	defer done()
	if from.freed {
		return fmt.Errorf("emu: copy: source memory of %d bytes: freed: %w", from.size, backend.ErrClosed)
	}
	if from.proc.cause != nil {
		return fmt.Errorf("copy: source memory of %d bytes: %w", from.size, lost(from.proc.cause))
	}
	_, err = m.dev.call(m.proc, opCopy, u64(m.addr+uint64(off), from.addr+uint64(srcOff), uint64(n)))
	return err
}

// Free gives the memory back. Of a process that has died or was closed nothing is left to free, which is no error.
func (m *memory) Free() error {
	d := m.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	if m.freed {
		return fmt.Errorf("emu: memory of %d bytes: freed twice: %w", m.size, backend.ErrClosed)
	}
	m.freed = true
	delete(d.lost, m)
	delete(m.proc.memory, m)
	if m.proc.cause != nil {
		return nil
	}
	_, err := d.call(m.proc, opFree, u64(m.addr))
	return err
}
