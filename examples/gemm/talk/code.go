package talk

import (
	"encoding/json"
	"fmt"
	"os"
)

// Code is what the compiler made of one entry for one architecture, read from its machine code when the images were built
// (examples/gemm/machinecode).
type Code struct {
	Entry        string `json:"entry"`
	Arch         int    `json:"arch"`
	Instructions int    `json:"instructions"`
	Branches     int    `json:"branches"`
	Traps        int    `json:"traps"`
	Loop         Loop   `json:"loop"`
}

// Loop is the loop in which an entry spends its time.
type Loop struct {
	Products     int `json:"products"` // multiplications and additions a round
	Instructions int `json:"instructions"`
	Branches     int `json:"branches"`
}

// PerProduct is how many instructions the loop takes for a multiplication and an addition.
func (l Loop) PerProduct() float64 { return float64(l.Instructions) / float64(l.Products) }

// ReadCode reads the file that machinecode wrote.
func ReadCode(name string) ([]Code, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var code []Code
	if err := json.Unmarshal(text, &code); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return code, nil
}

// archOf is the architecture whose code a device runs: its own, or else the nearest one below, 0 without.
func archOf(code []Code, arch int) int {
	best := 0
	for _, c := range code {
		if c.Arch <= arch {
			best = max(best, c.Arch)
		}
	}
	return best
}

// codeOf finds an entry's code for an architecture.
func codeOf(code []Code, entry string, arch int) (Code, bool) {
	for _, c := range code {
		if c.Entry == entry && c.Arch == arch {
			return c, true
		}
	}
	return Code{}, false
}
