package fatbin

import (
	"fmt"
	"strconv"
)

// Arch is a GPU architecture as the compiler names it: sm_86 or sm_90a.
type Arch struct {
	// SM is ten times the major compute capability plus the minor: 86.
	SM int
	// Feature is 0, or 'a' for code that only this very architecture runs, or
	// 'f' for code that later members of the same family run too.
	Feature byte
}

// Major returns the major compute capability: 8 of sm_86.
func (a Arch) Major() int { return a.SM / 10 }

// Minor returns the minor compute capability: 6 of sm_86.
func (a Arch) Minor() int { return a.SM % 10 }

// Name returns the architecture without a prefix: "90a".
func (a Arch) Name() string {
	if a.Feature == 0 {
		return strconv.Itoa(a.SM)
	}
	return strconv.Itoa(a.SM) + string(rune(a.Feature))
}

// String returns the architecture as ptxas names it: "sm_90a".
func (a Arch) String() string { return "sm_" + a.Name() }

// ParseArch reads what Name writes.
func ParseArch(name string) (Arch, error) {
	digits, feature := name, byte(0)
	if n := len(name); n > 0 && (name[n-1] == 'a' || name[n-1] == 'f') {
		digits, feature = name[:n-1], name[n-1]
	}
	sm, err := strconv.ParseUint(digits, 10, 8)
	if err != nil || sm < 10 || digits[0] == '0' {
		return Arch{}, fmt.Errorf("fatbin: %q is no architecture; 86 and 90a are", name)
	}
	return Arch{int(sm), feature}, nil
}

// runs reports whether machine code for a runs on the device: the same major
// capability, and a minor that is not greater.
func (a Arch) runs(device Arch) bool {
	if a.Feature == 'a' {
		return a.SM == device.SM
	}
	return a.Major() == device.Major() && a.Minor() <= device.Minor()
}

// compiles reports whether a driver compiles PTX for a on the device: any
// later one, if the PTX uses nothing that belongs to one chip or one family.
func (a Arch) compiles(device Arch) bool {
	if a.Feature != 0 {
		return a.runs(device)
	}
	return a.SM <= device.SM
}
