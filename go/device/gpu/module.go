//go:build gpu && cgo

package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/warpwright/warpwright/go/device/backend"
	"gorgonia.org/cu"
)

// module is a loaded family.
type module struct {
	d      *Device
	m      cu.Module
	family string
	closed bool // guarded by d.open
}

// Load gives a fatbin to the driver, which takes the machine code for this GPU or compiles the PTX.
func (d *Device) Load(family string, fatbin []byte) (backend.Module, error) {
	if len(fatbin) == 0 {
		return nil, fmt.Errorf("gpu: family %s for sm_%d: %w: the fatbin is empty", family, d.info.Arch, backend.ErrNoImage)
	}
	m := &module{d: d, family: family}
	log := &cu.JITErrorLogBuffer{Buffer: make([]byte, 16<<10)}
	err := d.do(func() (err error) {
		m.m, err = cu.LoadDataEx(unsafe.String(&fatbin[0], len(fatbin)), log)
		runtime.KeepAlive(log) // cu hands its address to the driver as a number
		if err != nil {
			return wrap("cuModuleLoadDataEx", err)
		}
		d.hold(m)
		return nil
	})
	if err == nil {
		return m, nil
	}
	text, _, _ := bytes.Cut(log.Buffer, []byte{0})
	if text = bytes.TrimSpace(text); len(text) > 0 {
		err = fmt.Errorf("%w; the driver's log: %s", err, text)
	}
	if errors.Is(err, backend.ErrNoImage) {
		return nil, fmt.Errorf("gpu: family %s has neither machine code for sm_%d nor PTX that the driver can compile for it: %w",
			family, d.info.Arch, err)
	}
	return nil, fmt.Errorf("gpu: family %s for sm_%d: %w", family, d.info.Arch, err)
}

// Hash knows nothing: the hashes of a fatbin stand in its manifest.
func (m *module) Hash(string) (string, bool) { return "", false }

// Close unloads the family. It waits for calls that are under way: a launch may be among them.
func (m *module) Close() error {
	m.d.open.Lock()
	m.closed = true
	m.d.open.Unlock()
	return m.d.drop(m)
}

func (m *module) release() error {
	// Its kernels may still run.
	if err := wrap("cuCtxSynchronize", cu.Synchronize()); err != nil {
		return err
	}
	return wrap("cuModuleUnload", m.m.Unload())
}

// alive says whether the module is loaded. Needs open.
func (m *module) alive() error {
	if m.closed {
		return fmt.Errorf("gpu: family %s: %w", m.family, backend.ErrClosed)
	}
	return nil
}

// kernel is an entry of a loaded family.
type kernel struct {
	m      *module
	f      cu.Function
	name   string
	facts  backend.KernelFacts
	params int // their number, or -1 while CheckParams has not run

	optIn    sync.Once // raises the limit of dynamic shared memory
	optInErr error
}

// Kernel finds an entry and reads its facts.
func (m *module) Kernel(entry string) (backend.Kernel, error) {
	k := &kernel{m: m, name: entry, params: -1}
	err := m.d.do(func() (err error) {
		if err := m.alive(); err != nil {
			return err
		}
		if k.f, err = m.m.Function(entry); err != nil {
			return wrap("cuModuleGetFunction", err)
		}
		for _, a := range []struct {
			to   *int
			what cu.FunctionAttribute
		}{
			{&k.facts.Registers, cu.NumRegs}, {&k.facts.SharedStatic, cu.SharedSizeBytes},
			{&k.facts.LocalBytes, cu.LocalSizeBytes}, {&k.facts.MaxThreadsPerBlock, cu.FnMaxThreadsPerBlock},
			{&k.facts.BinaryVersion, cu.BinaryVersion}, {&k.facts.PTXVersion, cu.PtxVersion},
		} {
			if *a.to, err = k.f.Attribute(a.what); err != nil {
				return wrap(fmt.Sprintf("cuFuncGetAttribute(%d)", a.what), err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("gpu: entry %s of family %s: %w", entry, m.family, err)
	}
	return k, nil
}

// slotBytes is the size of a launch argument.
const slotBytes = 8

// CheckParams compares the sizes with what the driver knows. It asks for no parameter behind the last: the
// answer would be an error, which compute-sanitizer reports.
func (k *kernel) CheckParams(sizes []int) error {
	if len(sizes) > maxParams {
		return fmt.Errorf("gpu: %s: %d parameters: requires at most %d", k.name, len(sizes), maxParams)
	}
	known := true // drivers before 12.4 know nothing
	return k.m.d.do(func() error {
		if err := k.m.alive(); err != nil {
			return err
		}
		for i, want := range sizes {
			if want > slotBytes {
				return fmt.Errorf("gpu: %s: parameter %d has %d bytes: requires at most %d, one slot", k.name, i, want, slotBytes)
			}
			if !known {
				continue
			}
			got, code := paramSize(k.f, i)
			switch {
			case code == notFound:
				known = false
			case code == invalidValue:
				return fmt.Errorf("gpu: %s: the image has %d parameters: requires %d", k.name, i, len(sizes))
			case code != success:
				return failed("cuFuncGetParamInfo", code)
			case got != want:
				return fmt.Errorf("gpu: %s: parameter %d has %d bytes in the image: requires %d", k.name, i, got, want)
			}
		}
		k.params = len(sizes)
		return nil
	})
}

// Facts says what the driver knows.
func (k *kernel) Facts() backend.KernelFacts { return k.facts }

// Launch gives the entry to a stream.
func (k *kernel) Launch(s backend.Stream, c backend.Config, slots []uint64) error {
	return k.launch(s, &c, slots, func(st cu.Stream) (string, int) {
		return "cuLaunchKernel", launch(k.m.d.ctx, k.f, st, &c, slots)
	})
}

// LaunchLoop launches n times from C with nothing between and returns the nanoseconds of one: what there
// is to compare Launch with.
func (k *kernel) LaunchLoop(s backend.Stream, c backend.Config, slots []uint64, n int64) (nanoseconds float64, err error) {
	if n <= 0 {
		return 0, fmt.Errorf("gpu: %d launches of %s: requires n > 0", n, k.name)
	}
	err = k.launch(s, &c, slots, func(st cu.Stream) (string, int) {
		ns, code := launchLoop(k.m.d.ctx, k.f, st, &c, slots, n)
		nanoseconds = float64(ns) / float64(n)
		return "cuLaunchKernel", code
	})
	return nanoseconds, err
}

// launch checks what the driver would answer with a bare "invalid value", then runs give, which binds
// the context itself.
func (k *kernel) launch(s backend.Stream, c *backend.Config, slots []uint64, give func(cu.Stream) (op string, code int)) error {
	d := k.m.d
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	if err := k.check(c, slots); err != nil {
		return err
	}
	st, owner, err := d.acquire(s)
	if err != nil {
		return err
	}
	defer owner.done()
	if op, code := give(st); code != success {
		return d.note(failed(op, code))
	}
	return nil
}

func (k *kernel) check(c *backend.Config, slots []uint64) error {
	if len(slots) > maxParams {
		return fmt.Errorf("gpu: %s: %d arguments: requires at most %d", k.name, len(slots), maxParams)
	}
	if k.params >= 0 && len(slots) != k.params {
		return fmt.Errorf("gpu: %s: %d arguments: requires one for each of %d parameters", k.name, len(slots), k.params)
	}
	if n := c.Block.Count(); n > uint64(k.facts.MaxThreadsPerBlock) {
		return &backend.GeometryError{Kernel: k.name, Rule: "threads a block <= the entry's limit", Got: n, Limit: uint64(k.facts.MaxThreadsPerBlock)}
	}
	if err := k.m.alive(); err != nil {
		return err
	}
	d := k.m.d
	shared := uint64(c.Shared) + uint64(k.facts.SharedStatic)
	if shared <= uint64(d.info.SharedPerBlock) {
		return nil
	}
	if shared > uint64(d.info.SharedPerBlockMax) {
		return &backend.GeometryError{Kernel: k.name, Rule: "static and dynamic shared bytes a block <= the device's limit", Got: shared, Limit: uint64(d.info.SharedPerBlockMax)}
	}
	// Once, and for the most that there is: the limit costs nothing, what a launch takes does.
	k.optIn.Do(func() {
		k.optInErr = d.bound(func() error {
			return failed("cuFuncSetAttribute", setMaxDynamicShared(k.f, d.info.SharedPerBlockMax-k.facts.SharedStatic))
		})
	})
	return k.optInErr
}
