package device

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/manifest"
)

// Config is the geometry of a launch.
type Config = backend.Config

// Kernel is one entry on one device.
type Kernel struct {
	dev  *Device
	name string
	k    backend.Kernel
	uses []backend.Use // of its parameters; nil where nobody knows
	// The caller marks what it writes (Range.Touch) before it launches, as generated launchers do. Of other
	// launches the words say it.
	marked bool
}

// moduleState is a family that has been loaded, or the error that loading it gave.
type moduleState struct {
	m        backend.Module
	manifest *manifest.Manifest // nil on the emulator
	entries  map[string]*manifest.Entry
	err      error

	mu      sync.Mutex
	kernels map[string]*Kernel // found so far, by entry; none of them marked
}

// Kernel finds an entry by name. Operators use generated launchers instead; this is for launches
// written by hand, which name their entry with a constant so that the build can check it.
func (d *Device) Kernel(entry string) (*Kernel, error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("device: entry %s: %w", entry, err)
	}
	family, _, _ := strings.Cut(entry, "_")
	ks, err := d.Entries(family, []string{entry}, nil)
	if err != nil {
		return nil, err
	}
	return ks[0], nil
}

// Entries loads a family and returns its entries by name, in order. hashes maps kernels to the
// contract hashes that the caller was generated from; an image with another hash is refused. Whoever gives
// hashes knows the contract, and calls Range.Touch for all that a launch writes before it launches; for
// others, and for Kernel, the launch itself finds the buffers that its words point to.
func (d *Device) Entries(family string, names []string, hashes map[string]string) ([]*Kernel, error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("device: family %s: %w", family, err)
	}
	if !d.Launches() {
		return nil, fmt.Errorf("device: family %s on %s: %w: the device launches nothing", family, d.info.Name, ErrNoKernel)
	}
	st := d.module(family)
	if st.err != nil {
		return nil, st.err
	}
	for kernel, want := range hashes {
		got, ok := st.m.Hash(kernel)
		if !ok && st.manifest != nil {
			got, ok = st.manifest.Hash(kernel)
		}
		if !ok || got != want {
			return nil, &HashError{Family: family, Kernel: kernel, Launcher: want, Image: got}
		}
	}
	out := make([]*Kernel, len(names))
	st.mu.Lock()
	defer st.mu.Unlock()
	for i, name := range names {
		k, ok := st.kernels[name]
		if !ok {
			found, err := st.find(name, d.raw)
			if err != nil {
				return nil, fmt.Errorf("device: entry %s of family %s: %w", name, family, err)
			}
			k = &Kernel{dev: d, name: name, k: found, uses: uses(found, st.entries[name])}
			st.kernels[name] = k
		}
		if len(hashes) > 0 {
			marked := *k
			marked.marked = true
			k = &marked
		}
		out[i] = k
	}
	return out, nil
}

// raw says whether an entry is a raw kernel. The emulator has no manifest, but the hashes say it too.
func (st *moduleState) raw(entry string) bool {
	if st.manifest != nil {
		return st.manifest.Spec.Raw()
	}
	hash, _ := st.m.Hash(entry) // of raw kernels, each is its one entry
	return strings.HasPrefix(hash, manifest.RawHash)
}

// find asks the backend for an entry, and compares its parameters with the manifest's where the driver knows them.
func (st *moduleState) find(name string, raw bool) (backend.Kernel, error) {
	if !raw && st.raw(name) {
		return nil, fmt.Errorf("%w: it is a raw __global__ function, so no launch of it is checked; only a device opened WithRawKernels, by a test, launches such", ErrRaw)
	}
	entry := st.entries[name]
	if st.manifest != nil && entry == nil {
		return nil, fmt.Errorf("%w in the manifest", backend.ErrNoKernel)
	}
	k, err := st.m.Kernel(name)
	if err != nil {
		return nil, err
	}
	if c, ok := k.(backend.ParamChecker); ok && entry != nil {
		sizes := make([]int, len(entry.Params))
		for i := range sizes {
			sizes[i] = entry.Params[i].Size
		}
		if err := c.CheckParams(sizes); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// module loads a family once.
func (d *Device) module(family string) *moduleState {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed.Load() {
		return &moduleState{err: fmt.Errorf("device: family %s: device: %w", family, ErrClosed)}
	}
	if st, ok := d.modules[family]; ok {
		return st
	}
	st := &moduleState{kernels: map[string]*Kernel{}}
	if d.info.Kind == backend.GPU {
		if st.manifest, st.err = d.loadManifest(family); st.err == nil {
			st.entries = make(map[string]*manifest.Entry, len(st.manifest.Spec.Entries))
			for i := range st.manifest.Spec.Entries {
				e := &st.manifest.Spec.Entries[i]
				st.entries[e.Name] = e
			}
		}
	}
	var fatbin []byte
	if st.err == nil && d.info.Kind == backend.GPU {
		fatbin, st.err = d.readImage(family + ".fatbin")
	}
	if st.err == nil {
		st.m, st.err = d.b.Load(family, fatbin)
		if st.err != nil {
			st.err = fmt.Errorf("device: loading family %s on %s: %w", family, d.info.Name, st.err)
		}
	}
	d.modules[family] = st
	return st
}

func (d *Device) readImage(name string) ([]byte, error) {
	if d.images == nil {
		return nil, fmt.Errorf("device: %s: %w: opened without images (device.WithImages or WW_IMAGES)", name, ErrNoImage)
	}
	p, err := fs.ReadFile(d.images, name)
	if err != nil {
		return nil, fmt.Errorf("device: %s: %w: %w", name, ErrNoImage, err)
	}
	return p, nil
}

func (d *Device) loadManifest(family string) (*manifest.Manifest, error) {
	name := family + ".manifest.json"
	p, err := d.readImage(name)
	if err != nil {
		return nil, err
	}
	m, err := manifest.Read(p)
	if err != nil {
		return nil, fmt.Errorf("device: %s: %w", name, err)
	}
	if m.Spec.Family != family {
		return nil, fmt.Errorf("device: %s: the manifest is of family %q: requires %q", name, m.Spec.Family, family)
	}
	return m, nil
}

// Name is the entry's name.
func (k *Kernel) Name() string { return k.name }

// Facts is what the driver says of the entry.
func (k *Kernel) Facts() backend.KernelFacts { return k.k.Facts() }

// Launch enqueues the entry. It checks the shape against the device and nothing else: contracts are
// the generated launchers' work. slots holds one argument a word. An empty grid launches nothing.
func (k *Kernel) Launch(s *Stream, c Config, slots []uint64) error {
	st, err := s.on(k.dev)
	if err != nil {
		return fmt.Errorf("%s: launch: %w", k.name, err)
	}
	if err := c.Validate(k.name, &k.dev.info); err != nil {
		return err
	}
	if c.Grid.Count() == 0 {
		return nil
	}
	k.note(s, slots)
	if s.capturing() {
		kept := slices.Clone(slots)
		if s.record(func(st backend.Stream) error { return k.k.Launch(st, c, kept) }) {
			return nil
		}
	}
	if err := k.launch(st, c, slots); err != nil {
		return fmt.Errorf("%s: launch: %w", k.name, err)
	}
	return nil
}

// launch gives the backend a copy of slots: what goes through its interface lives on the heap, and the
// caller's array would be allocated at every launch. A backend is done with slots when it returns.
func (k *Kernel) launch(st backend.Stream, c Config, slots []uint64) error {
	kept, ok := k.dev.slots.Get().(*[]uint64)
	if !ok {
		kept = new([]uint64)
	}
	*kept = append((*kept)[:0], slots...)
	err := k.k.Launch(st, c, *kept)
	k.dev.slots.Put(kept)
	return err
}

// LaunchLoop launches n times from C, with no Go between, and returns the nanoseconds of one launch. It is
// the yardstick for Launch; devices that have no driver in C refuse it.
func (k *Kernel) LaunchLoop(s *Stream, c Config, slots []uint64, n int64) (nanoseconds float64, err error) {
	st, err := s.on(k.dev)
	if err != nil {
		return 0, fmt.Errorf("%s: launch loop: %w", k.name, err)
	}
	if err := c.Validate(k.name, &k.dev.info); err != nil {
		return 0, err
	}
	l, ok := k.k.(backend.LoopLauncher)
	if !ok {
		return 0, fmt.Errorf("%s: launch loop on %s: requires a GPU", k.name, k.dev.info.Name)
	}
	k.note(s, slots)
	if nanoseconds, err = l.LaunchLoop(st, c, slots, n); err != nil {
		return 0, fmt.Errorf("%s: launch loop: %w", k.name, err)
	}
	return nanoseconds, nil
}

// ErrHash is wrapped by HashError.
var ErrHash = errors.New("image and launcher were made from different contracts")

// HashError is a loaded image whose contract differs from the launcher's.
type HashError struct{ Family, Kernel, Launcher, Image string }

func (e *HashError) Error() string {
	return fmt.Sprintf("device: kernel %s of family %s: %v: launcher has %q, image has %q; rebuild or fetch matching images",
		e.Kernel, e.Family, ErrHash, e.Launcher, e.Image)
}

// Unwrap makes errors.Is(err, ErrHash) hold.
func (e *HashError) Unwrap() error { return ErrHash }
