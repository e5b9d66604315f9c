package bench

import (
	"cmp"
	"slices"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/numtest"
)

// Schema is the version of Report.
const Schema = 1

// Report is all that one run of CSR found. Times are seconds.
type Report struct {
	Schema  int     `json:"schema"`
	Device  Device  `json:"device"`
	Peer    string  `json:"peer"` // cuSPARSE and its version, or why it is absent
	Options Options `json:"options"`
	// Empty is what two events with nothing between them read; 0 where it was not measured.
	Empty float64 `json:"empty_seconds"`
	// CopyRate is the device's own copy in bytes a second, read and written bytes counted; 0 where it was not measured.
	CopyRate float64  `json:"copy_bytes_a_second"`
	Launch   *Launch  `json:"launch,omitempty"`
	Cases    []Case   `json:"cases"`
	Notes    []string `json:"notes,omitempty"` // what a peer could not do, or did wrong
}

// Device is where a report was made.
type Device struct {
	Kind            string `json:"kind"`
	Name            string `json:"name"`
	Arch            int    `json:"arch,omitempty"`
	Multiprocessors int    `json:"multiprocessors"`
	Driver          string `json:"driver"`
}

// DeviceOf describes an open device.
func DeviceOf(d *device.Device) Device {
	i := d.Info()
	return Device{string(i.Kind), i.Name, i.Arch, i.Multiprocessors, i.Driver}
}

// source is what a tier table says of who measured it here.
func (d Device) source(told string) string { return cmp.Or(told, "measured on one "+d.Name) }

// Launch is what a launch costs the host, in seconds.
type Launch struct {
	Ours  float64 `json:"ours"`           // Plan.MulVec: checks, geometry, arguments, the driver's call
	Check float64 `json:"check"`          // the part of Ours that checks the contract
	Bare  float64 `json:"bare,omitempty"` // cuLaunchKernel from a loop in C, of the same kernel
}

// Case is one product of matrices of one shape.
type Case struct {
	Direction csr.Direction `json:"direction"` // 0 gather, 1 scatter
	PerRow    int           `json:"entries_a_row"`
	OneWeight bool          `json:"one_weight"`
	Sets      int           `json:"sets"`  // of inputs in rotation
	Bytes     int64         `json:"bytes"` // the fewest that a product moves
	Chosen    string        `json:"chosen"`
	Reason    string        `json:"reason"`
	Ours      []Measured    `json:"ours"`  // one a tier
	Peers     []Measured    `json:"peers"` // one an algorithm; always with a weight an entry
}

// Measured is one way to compute a case.
type Measured struct {
	Name  string   `json:"name"`
	Tier  csr.Tier `json:"tier"`
	Entry string   `json:"entry,omitempty"` // of ours, which may rely on facts: csr_mv_thread_f32_i32_each_once
	Figures
	// Share is the case's bytes a second as a share of the copy's; 0 where that was not measured.
	Share      float64 `json:"share_of_copy"`
	Preprocess float64 `json:"preprocess_seconds,omitempty"`
	Workspace  uint64  `json:"workspace_bytes,omitempty"`
}

// Figures are how long a way took, and how exact it was.
type Figures struct {
	Median  float64 `json:"median_seconds"`
	Min     float64 `json:"min_seconds"`
	Max     float64 `json:"max_seconds"`
	Largest float64 `json:"largest_error"` // against float64, of the elements that were compared
	Bound   float64 `json:"its_bound"`     // what that element had to stay under
}

// timed takes down the seconds of a way's calls.
func (f *Figures) timed(seconds []float64) {
	f.Median, f.Min, f.Max = Median(seconds), slices.Min(seconds), slices.Max(seconds)
}

// truth is an answer in float64, and how far from it a right result may be.
type truth struct{ y, bound []float64 }

// verify compares a way's answer.
func (f *Figures) verify(got []float32, want truth) error {
	res := numtest.Check(got, want.y, want.bound)
	f.Largest, f.Bound = res.Largest.Err, res.Largest.Bound
	return res.Err()
}

// Best is the fastest way of several; ok is false where there is none.
func Best(ways []Measured) (m Measured, ok bool) {
	if len(ways) == 0 {
		return Measured{}, false
	}
	return slices.MinFunc(ways, func(a, b Measured) int {
		switch {
		case a.Median < b.Median:
			return -1
		case a.Median > b.Median:
			return 1
		}
		return 0
	}), true
}

// ChosenWay is the measurement of the tier that the device's table chose.
func (c *Case) ChosenWay() (m Measured, ok bool) {
	for _, m := range c.Ours {
		if m.Name == c.Chosen {
			return m, true
		}
	}
	return Measured{}, false
}

// Median is that of at least one value; seconds is left as it is.
func Median(seconds []float64) float64 {
	s := slices.Sorted(slices.Values(seconds))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}
