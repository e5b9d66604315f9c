package csr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/kernels/launch"
	"github.com/warpwright/warpwright/go/manifest"
)

// Direction is one of the two products of a matrix.
type Direction int

// The directions.
const (
	Gather  Direction = iota // y = A x: each row gathers from x
	Scatter                  // y = Aᵀ x: each row scatters into y
)

// String names the direction and its product.
func (at Direction) String() string {
	switch at {
	case Gather:
		return "gather (y = A x)"
	case Scatter:
		return "scatter (y = Aᵀ x)"
	}
	return "Direction(" + strconv.Itoa(int(at)) + ")"
}

// operator is the product as errors name it.
func (at Direction) operator() string {
	if at == Scatter {
		return "csr.MulVecT"
	}
	return "csr.MulVec"
}

// Tier is one way to share the rows of a matrix among threads.
type Tier struct {
	Kernel string `json:"kernel"`          // csr_mv_thread, csr_mv_group, csr_mv_block or csr_mvt_group
	Lanes  int    `json:"lanes,omitempty"` // how many lanes a row gets, where the kernel lets one choose; else 0
}

// String names the kernel and the lanes.
func (t Tier) String() string {
	if t.Lanes == 0 {
		return t.Kernel
	}
	return fmt.Sprintf("%s with %d lanes a row", t.Kernel, t.Lanes)
}

// The kernels, by the names that the tier tables use.
const (
	mvThread = "csr_mv_thread"
	mvGroup  = "csr_mv_group"
	mvBlock  = "csr_mv_block"
	mvtGroup = "csr_mvt_group"
)

// Tiers returns every tier that a direction has, from short rows to long ones.
func Tiers(at Direction) []Tier {
	switch at {
	case Gather:
		return []Tier{{mvThread, 0}, {mvGroup, 4}, {mvGroup, 8}, {mvGroup, 32}, {mvBlock, 0}}
	case Scatter:
		return []Tier{{mvtGroup, 4}, {mvtGroup, 8}, {mvtGroup, 32}}
	}
	return nil
}

// Choice is what serves a direction of a plan, and why.
type Choice struct {
	Direction Direction
	Kernel    string // "csr_mv_group"; "Go" on a device that launches no kernels
	Entry     string // "csr_mv_group_f32_i32_each_8_once"; empty where nothing is launched
	// Rounding is the entry that follows it where sums in float32 become a half-precision y; else empty.
	Rounding string
	Tier     Tier
	Reason   string // one sentence
}

// taking is the choice with its kernel's entry, and why that relies on no more.
func (c Choice) taking(entry launch.Choice) Choice {
	c.Entry, c.Reason = entry.Entry, entry.Because(c.Reason)
	return c
}

// String is one line for people.
func (c Choice) String() string {
	entry := c.Entry
	if entry == "" {
		entry = c.Kernel
	}
	if c.Rounding != "" {
		entry += ", then " + c.Rounding
	}
	return fmt.Sprintf("%s: %s: %s", c.Direction, entry, c.Reason)
}

// checkTier refuses a tier that the direction does not have.
func checkTier(at Direction, t Tier) error {
	all := Tiers(at)
	if slices.Contains(all, t) {
		return nil
	}
	var names []string
	for _, t := range all {
		names = append(names, t.String())
	}
	if len(names) == 0 {
		return fmt.Errorf("there is no direction %s", at)
	}
	return fmt.Errorf("%s has no tier %v: requires one of: %s", at, t, strings.Join(names, "; "))
}

// pick finds the tier of a table for rows of so many entries on average.
func pick(table manifest.TierTable, rows, entries int) (Tier, string, error) {
	average := float64(entries) / float64(max(rows, 1))
	row, span, err := table.Pick(average)
	if err != nil {
		return Tier{}, "", err
	}
	lanes, err := row.Int("S")
	if err != nil {
		return Tier{}, "", err
	}
	t := Tier{row.Kernel, lanes}
	reason := fmt.Sprintf("%.4g entries a row on average; the table for sm_%d gives %v %s (%s)", average, table.Arch, t, span, table.Source)
	return t, reason, nil
}
