package csrcases

import (
	"strings"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/numtest"
	"github.com/warpwright/warpwright/tests/harness"
)

// perBlock is how many rows a block of a tier takes at once; 0 for a tier whose kernel has one entry for all launches.
func perBlock(tier csr.Tier) int {
	switch tier.Kernel {
	case "csr_mv_thread":
		return 256
	case "csr_mv_group":
		return 256 / tier.Lanes
	}
	return 0
}

// beyond is a number of rows for which a tier's grid, of 32 blocks a multiprocessor at most, is too small by a few: its threads
// loop then, and no entry can be taken that relies on one round.
func beyond(d *device.Device, tier csr.Tier) int {
	return 32*perBlock(tier)*d.Info().Multiprocessors + 3
}

// alike multiplies with a plan whose kernel takes a variant, and with the entry that relies on the contract alone, which is
// launched by hand. Both must give the same bits. It returns the other entry.
func alike[W dtype.Float, P dtype.Offset](t harness.T, p *problem[W], plan *csr.Plan[W], h csr.Host[W, P], variant string) (entry string) {
	t.Helper()
	c, d := plan.Choice(csr.Gather), p.m.Device()
	entry, ok := strings.CutSuffix(c.Entry, "_"+variant)
	if !ok {
		t.Errorf("%s: %d rows: %v: want the variant %s", p.name, h.Rows, c, variant)
		return ""
	}
	rows := upload(t, d, h.Offsets)
	defer harness.Close(t, rows)
	cols := upload(t, d, h.Columns)
	defer harness.Close(t, cols)
	weights := upload(t, d, h.Weights)
	defer harness.Close(t, weights)
	base := harness.Must(d.Kernel(entry))(t)
	n := perBlock(c.Tier)
	config := device.Config{Grid: device.Dim3{X: uint32((h.Rows + n - 1) / n), Y: 1, Z: 1}, Block: device.Dim3{X: 256, Y: 1, Z: 1}}

	results := map[string][]W{}
	keep := func(name string, product func(s *device.Stream, y, x device.Slice[W]) error) {
		t.Helper()
		p.verify(t, name, csr.Gather, func(s *device.Stream, y, x device.Slice[W]) error {
			if err := product(s, y, x); err != nil {
				return err
			}
			out := harness.Must(device.Alloc[W](d, y.Len()))(t)
			defer harness.Close(t, out)
			if err := out.All().CopyFrom(s, y); err != nil {
				return err
			}
			results[name] = harness.Must(out.Host(s))(t)
			return nil
		})
	}
	keep(c.Entry, plan.MulVec)
	keep(entry, func(s *device.Stream, y, x device.Slice[W]) error {
		return base.Launch(s, config, []uint64{
			uint64(h.Rows), rows.All().Range().Lo, cols.All().Range().Lo, weights.All().Range().Lo, x.Range().Lo, y.Range().Lo,
		})
	})
	a, b := results[c.Entry], results[entry]
	if i := numtest.Different(a, b); i >= 0 {
		t.Errorf("%s: [%d] differs between %v by %s and %v by %s: requires equal bits", p.name, i, a, c.Entry, b, entry)
	}
	return entry
}

func upload[T dtype.Element](t harness.T, d *device.Device, values []T) *device.Buffer[T] {
	t.Helper()
	return harness.Must(device.Upload(d, values))(t)
}
