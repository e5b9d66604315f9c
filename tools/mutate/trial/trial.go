// Package trial runs one kernel over inputs chosen to break it, with the truth beside each: what a mutant's results are held against.
package trial

import (
	"strings"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/launch"
)

// Trial is a kernel, one or two of its instances, and inputs for them.
type Trial struct {
	Family    string
	Source    string // repository path
	Kernel    string
	Instances []Instance
	Variants  []string // the names of prefer(...): launches take them where their facts hold
	// Few is a grid that is tried besides the contract's own, an expression: some blocks only, so that loops over the grid go
	// round more than once. Empty where the grid follows from the cells.
	Few   string
	Cases func(in Instance) []Case
	Slow  bool // it takes ten times as long as others to compile
}

// Instance is a value for each instance parameter, in the kernel's order: "W=f32".
type Instance []string

// Value is that of one parameter.
func (in Instance) Value(name string) string {
	for _, x := range in {
		if n, v, _ := strings.Cut(x, "="); n == name {
			return v
		}
	}
	return ""
}

// Types are the values by name.
func (in Instance) Types() map[string]string {
	out := map[string]string{}
	for _, x := range in {
		n, v, _ := strings.Cut(x, "=")
		out[n] = v
	}
	return out
}

// Entry is the name of an instance's entry.
func (t *Trial) Entry(in Instance) string {
	var values []any
	for _, x := range in {
		_, v, _ := strings.Cut(x, "=")
		values = append(values, v)
	}
	return launch.EntryName(t.Kernel, values...)
}

// Entries are the names of the trial's entries, variants included.
func (t *Trial) Entries() []string {
	var out []string
	for _, in := range t.Instances {
		out = append(out, t.Entry(in))
		for _, v := range t.Variants {
			out = append(out, t.Entry(in)+"_"+v)
		}
	}
	return out
}

// Case is one launch.
type Case struct {
	Name string
	Args map[string]any   // uint64 for an extent, Scalar, *Array, *Offsets, *Columns or *Permutation
	Want map[string]Truth // by parameter; no other buffer may have changed
	Race bool             // small enough for the race detector

	Refused bool // the contract must say no: nothing is run

	// A huge case runs in the blocks of the corners only, over memory that is touched at a few places: index arithmetic beyond 32 bits.
	Huge bool
	Put  map[string][]At // written before the launch
	Get  map[string][]At // wanted after it
	Grid string          // in place of the contract's, if it is not empty
}

// put writes an element before the launch of a huge case.
func (c *Case) put(name string, index uint64, value float64) {
	if c.Put == nil {
		c.Put = map[string][]At{}
	}
	c.Put[name] = append(c.Put[name], At{index, value})
}

// get wants one after it.
func (c *Case) get(name string, index uint64, value float64) {
	if c.Get == nil {
		c.Get = map[string][]At{}
	}
	c.Get[name] = append(c.Get[name], At{index, value})
}

// Scalar is a number as an argument.
type Scalar struct {
	Elem  dtype.Type
	Value float64
}

// Array is a buffer of numbers that its type holds exactly. Without values it comes as the device gives it: NaN, or -1.
type Array struct {
	Elem   dtype.Type
	Values []float64
	N      int // elements, where there are no values
}

// Len is the number of elements.
func (a *Array) Len() int { return max(a.N, len(a.Values)) }

// Offsets are those of the rows of a matrix, of 64 bits if they are wide.
type Offsets struct {
	Values []int64
	Wide   bool
}

// Columns are column numbers below a bound.
type Columns struct {
	Values []int32
	Bound  int
}

// Permutation leads from each place to an element of its own.
type Permutation struct{ Values []int32 }

// Truth is what a buffer must hold, and how far from it each element may be: exactly that without bounds.
type Truth struct{ Y, Bound []float64 }

// At is an element of a buffer that is too large to be looked at as a whole.
type At struct {
	Index uint64
	Value float64
}

// Huge says that there are huge cases.
func (t *Trial) Huge() bool {
	for _, in := range t.Instances {
		for _, c := range t.Cases(in) {
			if c.Huge {
				return true
			}
		}
	}
	return false
}
