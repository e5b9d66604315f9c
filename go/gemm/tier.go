package gemm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/gemmkernels"
	"github.com/warpwright/warpwright/go/manifest"
)

// Tier is one way to share the cells of C among threads.
type Tier struct {
	Kernel string `json:"kernel"`         // gemm_cell, gemm_tile or gemm_wide
	Rows   int    `json:"rows,omitempty"` // rows of a block's tile, where the kernel lets one choose; else 0
}

// String names the kernel and its tile's rows.
func (t Tier) String() string {
	if t.Rows == 0 {
		return t.Kernel
	}
	return fmt.Sprintf("%s of %d rows", t.Kernel, t.Rows)
}

// Row is the tier as a tier table has it, from 0 on.
func (t Tier) Row() manifest.Tier {
	out := manifest.Tier{Kernel: t.Kernel}
	if t.Rows > 0 {
		out.Types = map[string]string{"H": strconv.Itoa(t.Rows)}
	}
	return out
}

// The kernels, by the names that the tier tables use.
const (
	cellKernel = "gemm_cell"
	tileKernel = "gemm_tile"
	wideKernel = "gemm_wide"
)

// Tiers returns every tier that an element type has, from small matrices to large ones.
func Tiers[W dtype.Float]() []Tier {
	tiers := []Tier{{cellKernel, 0}}
	if dtype.Of[W]() == dtype.F32 {
		tiers = append(tiers, Tier{tileKernel, 32}, Tier{tileKernel, 64}, Tier{tileKernel, 128}, Tier{wideKernel, 0})
	}
	return tiers
}

// holds says that a grid of the tier has room for so many rows of C: what its launcher says of them.
func (t Tier) holds(d *device.Device, m int) bool {
	var err error
	switch t.Kernel {
	case cellKernel:
		l := gemmkernels.Cell[float32, float32]{M: uint64(m)} // of all element types the blocks are the same
		err = l.CheckSizes(d)
	case tileKernel:
		l := gemmkernels.Tile[float32]{H: t.Rows, M: uint64(m)}
		err = l.CheckSizes(d)
	case wideKernel:
		l := gemmkernels.Wide[float32]{M: uint64(m)}
		err = l.CheckSizes(d)
	}
	return err == nil
}

// Choice is what serves a plan, and why.
type Choice struct {
	Kernel string // "gemm_tile"; "Go" on a device that launches no kernels
	Entry  string // "gemm_tile_f32_128_whole"; empty where nothing is launched
	Tier   Tier
	Reason string // one sentence
}

// String is one line for people.
func (c Choice) String() string {
	name := c.Entry
	if name == "" {
		name = c.Kernel
	}
	return name + ": " + c.Reason
}

// checkTier refuses a tier that the element type does not have.
func checkTier[W dtype.Float](t Tier) error {
	all := Tiers[W]()
	if slices.Contains(all, t) {
		return nil
	}
	var names []string
	for _, t := range all {
		names = append(names, t.String())
	}
	return fmt.Errorf("%s matrices have no tier %v: requires one of: %s", dtype.Of[W](), t, strings.Join(names, "; "))
}

// choose returns the tier for a C of m by n on a device of an architecture, and why. What is too tall for the tier that would be fastest
// gets the first one that holds it.
func choose[W dtype.Float](d *device.Device, arch, m, n int) (Tier, string, error) {
	t, reason, err := fastest[W](arch, m, n)
	if err != nil || t.holds(d, m) {
		return t, reason, err
	}
	for _, taller := range Tiers[W]() {
		if taller.holds(d, m) {
			return taller, fmt.Sprintf("%s; its grid has no room for %d rows, that of %v has", reason, m, taller), nil
		}
	}
	return t, reason, nil // the contract refuses it, with its relation
}

// fastest is what the tier tables say of a C of m by n.
func fastest[W dtype.Float](arch, m, n int) (Tier, string, error) {
	all := Tiers[W]()
	if len(all) == 1 {
		return all[0], fmt.Sprintf("the only kernel for %s", dtype.Of[W]()), nil
	}
	table, ok := gemmkernels.Tiers("gemm", arch)
	if !ok {
		return all[0], fmt.Sprintf("there is no tier table of gemm for sm_%d", arch), nil
	}
	return pick(table, m, n)
}

// pick finds the tier of a table for a C of m by n.
func pick(table manifest.TierTable, m, n int) (Tier, string, error) {
	side := min(m, n)
	row, span, err := table.Pick(float64(side))
	if err != nil {
		return Tier{}, "", err
	}
	rows, err := row.Int("H")
	if err != nil {
		return Tier{}, "", err
	}
	t := Tier{row.Kernel, rows}
	return t, fmt.Sprintf("the %s is %d; the table for sm_%d gives %v %s (%s)", table.By, side, table.Arch, t, span, table.Source), nil
}
