package dynamic

import (
	"fmt"
	"maps"
	"slices"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/kernels/launch"
	"github.com/warpwright/warpwright/go/manifest"
)

// Family is a family of kernels on one device.
type Family struct {
	name    string
	dev     *device.Device
	kernels map[string]*kernel
	entries map[string]*device.Kernel // nil on a device that launches nothing
}

// Load reads the contracts of a spec, and makes its entries ready on d. On a device that launches nothing
// contracts can be checked all the same, and launches are refused.
func Load(d *device.Device, s *manifest.Spec) (*Family, error) {
	if d == nil || s == nil {
		return nil, fmt.Errorf("dynamic: load: %w: requires a device and a spec", launch.ErrNil)
	}
	f := &Family{name: s.Family, dev: d, kernels: map[string]*kernel{}}
	for i := range s.Kernels {
		k, err := compile(&s.Kernels[i])
		if err != nil {
			return nil, fmt.Errorf("dynamic: kernel %s of family %s: %w", s.Kernels[i].Name, s.Family, err)
		}
		f.kernels[k.Name] = k
	}
	if !d.Launches() {
		return f, nil
	}
	f.entries = make(map[string]*device.Kernel, len(s.Entries))
	for _, e := range s.Entries {
		k := f.kernels[e.Kernel]
		if k == nil {
			return nil, fmt.Errorf("dynamic: entry %s: the spec has no kernel %q", e.Name, e.Kernel)
		}
		if k.archs != nil && !launch.Compiled(d, k.archs) {
			continue
		}
		found, err := d.Entries(s.Family, []string{e.Name}, map[string]string{k.Name: k.Hash})
		if err != nil {
			return nil, err
		}
		f.entries[e.Name] = found[0]
	}
	return f, nil
}

// Kernels names the kernels that can be called, in alphabetical order.
func (f *Family) Kernels() []string { return slices.Sorted(maps.Keys(f.kernels)) }

// Chosen says which entry a call takes that keeps the contract, and why none that relies on more.
func (f *Family) Chosen(c *Call) (launch.Choice, error) {
	b, err := f.bind(c)
	if err != nil {
		return launch.Choice{}, err
	}
	if b.k.variants != nil {
		if _, err := b.config(); err != nil {
			return launch.Choice{}, err
		}
	}
	return b.choose(), nil
}

// Check returns an error unless the launch keeps the kernel's contract on the family's device.
func (f *Family) Check(c *Call) error {
	b, err := f.bind(c)
	if err != nil {
		return err
	}
	return b.check()
}

// CheckSizes is Check without the buffers: an error says that there are none with which the launch would keep the contract.
func (f *Family) CheckSizes(c *Call) error {
	b, err := f.bind(c)
	if err != nil {
		return err
	}
	b.lengths = contract.Unknown
	return b.check()
}

// Config is the shape of the launch.
func (f *Family) Config(c *Call) (device.Config, error) {
	b, err := f.bind(c)
	if err != nil {
		return device.Config{}, err
	}
	return b.config()
}

// Launch checks the contract and enqueues the kernel on s (nil: the default stream).
func (f *Family) Launch(s *device.Stream, c *Call) error {
	b, err := f.bind(c)
	if err != nil {
		return err
	}
	if f.entries == nil {
		return launch.Refused(b.k.Name)
	}
	if err := b.check(); err != nil {
		return err
	}
	config, err := b.config()
	if err != nil {
		return err
	}
	entry := f.entries[b.choose().Entry]
	if entry == nil {
		return launch.NoArch(b.entry, f.dev, b.k.archNames())
	}
	return entry.Launch(s, config, b.slots())
}
