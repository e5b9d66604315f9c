// Package ptxas reads what `ptxas -v` reports.
package ptxas

import (
	"fmt"
	"strconv"
	"strings"
)

// Usage is what the report says of one entry.
type Usage struct {
	Image     string // "sm_90"
	Registers int
	Stack     int // bytes of the entry's own frame
	Shared    int // static bytes
	// Spills are in no cubin, so the report is the only place that has them.
	// Those of device functions that were not inlined count for the entry that
	// they were compiled with.
	SpillStores, SpillLoads int
	complete                bool
}

// Parse reads a report of ptxas -v: for each entry
//
//	ptxas info    : Compiling entry function 'scale' for 'sm_90'
//	ptxas info    : Function properties for scale
//	    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//	ptxas info    : Used 12 registers, used 1 barriers, 1024 bytes smem
//
// and the second and third line once more for each function that it calls.
func Parse(log string) (map[string]*Usage, error) {
	all := map[string]*Usage{}
	var name, function string
	var current *Usage
	for i, line := range strings.Split(log, "\n") {
		fail := func(format string, args ...any) error {
			return fmt.Errorf("ptxas report, line %d: %s: %q", i+1, fmt.Sprintf(format, args...), line)
		}
		_, info, isInfo := strings.Cut(line, "ptxas info    : ")
		switch {
		case isInfo && strings.HasPrefix(info, "Compiling entry function "):
			q := strings.Split(info, "'")
			if len(q) != 5 {
				return nil, fail("want an entry and an architecture in quotes")
			}
			name, function = q[1], ""
			if all[name] != nil {
				return nil, fail("entry %s is reported twice", name)
			}
			current = &Usage{Image: q[3]}
			all[name] = current
		case isInfo && strings.HasPrefix(info, "Function properties for "):
			function = strings.TrimPrefix(info, "Function properties for ")
		case strings.Contains(line, " bytes spill stores"):
			n := numbers(line, "bytes stack frame", "bytes spill stores", "bytes spill loads")
			if current == nil || function == "" || n == nil {
				return nil, fail("want three sizes behind a function's name")
			}
			if function == name {
				current.Stack = n[0]
			}
			current.SpillStores += n[1]
			current.SpillLoads += n[2]
			function = ""
		case isInfo && strings.HasPrefix(info, "Used "):
			n := numbers(strings.TrimPrefix(info, "Used "), "registers")
			if current == nil || n == nil {
				return nil, fail("want the registers of an entry")
			}
			current.Registers = n[0]
			if smem := numbers(info, "bytes smem"); smem != nil {
				current.Shared = smem[0]
			}
			current.complete = true
		}
	}
	for name, u := range all {
		if !u.complete {
			return nil, fmt.Errorf("ptxas report: it does not say how many registers entry %s uses", name)
		}
	}
	return all, nil
}

// numbers returns the numbers that stand before the given words in a list with
// commas, or nil if one is missing.
func numbers(list string, words ...string) []int {
	var out []int
	for _, w := range words {
		for _, part := range strings.Split(list, ",") {
			digits, ok := strings.CutSuffix(strings.TrimSpace(part), " "+w)
			if n, err := strconv.Atoi(digits); ok && err == nil && n >= 0 {
				out = append(out, n)
				break
			}
		}
	}
	if len(out) != len(words) {
		return nil
	}
	return out
}
