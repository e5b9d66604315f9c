package manifest

import (
	"fmt"
	"strings"
)

// Fault is a rule that a spec or a manifest breaks.
type Fault struct {
	Entry string // the entry, or empty
	Image string // "sm_90" or "compute_75", or empty where no image is concerned
	Rule  string // what is wrong, with both values
}

// Error names the entry, the image and the rule, as far as there are such.
func (f Fault) Error() string {
	var where []string
	if f.Entry != "" {
		where = append(where, "entry "+f.Entry)
	}
	if f.Image != "" {
		where = append(where, "image "+f.Image)
	}
	return strings.Join(append(where, f.Rule), ": ")
}

// maxFaults is how many faults a message lists: one wrong parameter of a kernel
// is wrong in each of its entries and images.
const maxFaults = 20

// Faults is the error of a spec or manifest that breaks rules: all of them.
type Faults []Fault

// Error lists the faults, one a line, the first ones only if there are many.
func (fs Faults) Error() string {
	if len(fs) == 1 {
		return "manifest: " + fs[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "manifest: %d faults", len(fs))
	for i, f := range fs {
		if i == maxFaults {
			fmt.Fprintf(&b, "\n  and %d more", len(fs)-maxFaults)
			break
		}
		b.WriteString("\n  " + f.Error())
	}
	return b.String()
}

// Add records a fault.
func (fs *Faults) Add(entry, image, rule string, args ...any) {
	*fs = append(*fs, Fault{entry, image, fmt.Sprintf(rule, args...)})
}

// Err returns the faults as an error, nil if there are none.
func (fs Faults) Err() error {
	if len(fs) == 0 {
		return nil
	}
	return fs
}
