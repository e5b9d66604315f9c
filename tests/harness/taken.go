package harness

import (
	"maps"
	"slices"

	"github.com/warpwright/warpwright/go/device"
)

// Taken watches which entries launches take.
type Taken struct {
	t      T
	d      *device.Device
	before map[string]int64 // launches, by entry; nil where the device does not count them
	chosen map[string]bool
}

// Watch begins to watch a device.
func Watch(t T, d *device.Device) *Taken {
	return &Taken{t: t, d: d, before: d.LaunchCounts(), chosen: map[string]bool{}}
}

// Chosen notes that a launcher, or a plan, has chosen an entry.
func (w *Taken) Chosen(entry string) { w.chosen[entry] = true }

// Entries are those that were chosen, in alphabetical order.
func (w *Taken) Entries() []string { return slices.Sorted(maps.Keys(w.chosen)) }

// Want fails the case for each of the entries that was not chosen, or was never launched since Watch, as far as the device counts
// launches.
func (w *Taken) Want(entries []string) {
	w.t.Helper()
	after := w.d.LaunchCounts()
	for _, entry := range entries {
		if !w.chosen[entry] {
			w.t.Errorf("nothing has chosen entry %s", entry)
		}
		if after != nil && after[entry] == w.before[entry] {
			w.t.Errorf("entry %s was not launched", entry)
		}
	}
	w.t.Logf("%d entries chosen, launches counted: %t", len(w.chosen), after != nil)
}
