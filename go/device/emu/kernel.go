package emu

import (
	"fmt"

	"github.com/warpwright/warpwright/go/device/backend"
)

// module is a family that the program holds.
type module struct {
	dev    *Device
	family family
}

// Load finds a family in the program; the fatbin is of no use here.
func (d *Device) Load(name string, _ []byte) (backend.Module, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, fmt.Errorf("emu: load %s: device: %w", name, backend.ErrClosed)
	}
	for _, f := range d.greet.families {
		if f.name == name {
			return &module{d, f}, nil
		}
	}
	return nil, fmt.Errorf("emu: load: family %q: %w: %s holds no such family", name, backend.ErrNoImage, d.path)
}

func (m *module) Kernel(name string) (backend.Kernel, error) {
	for _, e := range m.family.entries {
		if e.name == name {
			return &kernel{m.dev, e}, nil
		}
	}
	return nil, fmt.Errorf("emu: family %s: entry %q: %w", m.family.name, name, backend.ErrNoKernel)
}

func (m *module) Hash(kernel string) (string, bool) {
	for _, e := range m.family.entries {
		if e.kernel == kernel {
			return e.contract, true
		}
	}
	return "", false
}

func (m *module) Close() error { return nil }

// kernel is one entry.
type kernel struct {
	dev *Device
	entry
}

// Launch runs the whole grid. A fault comes back as a *Report.
func (k *kernel) Launch(s backend.Stream, c backend.Config, slots []uint64) error {
	d := k.dev
	if err := d.owns(s); err != nil {
		return err
	}
	if err := c.Validate(k.name, &d.info); err != nil {
		return err
	}
	if len(slots) != len(k.uses) {
		return fmt.Errorf("emu: %s: %d argument slots, the entry has %d parameters", k.name, len(slots), len(k.uses))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, slot := range slots {
		if m := d.lostAt(slot); m != nil {
			return fmt.Errorf("%s: argument %d: memory of %d bytes: %w", k.name, i, m.size, lost(m.proc.cause))
		}
	}
	if err := d.start(); err != nil {
		return err
	}
	if c.Grid.Count() == 0 {
		return nil
	}
	defer d.proc.killAfter(d.deadline + deathWait)()
	_, err := d.call(d.proc, opLaunch, str(k.name), u32(c.Grid.X, c.Grid.Y, c.Grid.Z, c.Block.X, c.Block.Y, c.Block.Z),
		u64(uint64(c.Shared)), u32(uint32(len(slots))), u64(slots...))
	if err == nil {
		d.counts[k.name]++
	}
	return err
}

// lostAt finds memory of a dead process by an address inside it. Addresses that the living process
// uses are its own.
func (d *Device) lostAt(addr uint64) *memory {
	if len(d.lost) == 0 {
		return nil
	}
	inside := func(m *memory) bool { return addr >= m.addr && addr-m.addr < uint64(m.size) }
	if d.proc != nil {
		for m := range d.proc.memory {
			if inside(m) {
				return nil
			}
		}
	}
	for m := range d.lost {
		if inside(m) {
			return m
		}
	}
	return nil
}

// Uses is read off the entry's C++ type.
func (k *kernel) Uses() []backend.Use { return k.entry.uses }

func (k *kernel) Facts() backend.KernelFacts {
	return backend.KernelFacts{MaxThreadsPerBlock: k.dev.info.MaxThreadsPerBlock}
}
