package sass

import (
	"fmt"
	"strings"
)

// Kind is what an access does.
type Kind string

// Space is the memory that an access is of. A generic address may be of any.
type Space string

const (
	Load   Kind = "load"
	Store  Kind = "store"
	Atomic Kind = "atomic"

	Global  Space = "global"
	Shared  Space = "shared"
	Local   Space = "local"
	Generic Space = "generic"
)

// Access is what an instruction does to memory, a thread. Constant memory does not count.
type Access struct {
	Kind  Kind
	Space Space
	Bytes int
	// Hints are the modifiers that say how and not what: CONSTANT, EF, STRONG.GPU; the operation of an atomic.
	Hints string
}

// String is short: load.global.4 CONSTANT.
func (a Access) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s.%s.%d %s", a.Kind, a.Space, a.Bytes, a.Hints))
}

// Plain is the access without its hints.
func (a Access) Plain() Access {
	a.Hints = ""
	return a
}

// Accesses returns what the instruction does to memory: nothing, one access, or two if it copies. An instruction whose guard
// is never true (the compiler pads with such) does nothing.
func (i Instruction) Accesses() []Access {
	if i.Guard == never {
		return nil
	}
	kinds := accessKinds(i.Op)
	if kinds == nil {
		return nil
	}
	bytes, hints, _ := i.width()
	for n := range kinds {
		kinds[n].Bytes, kinds[n].Hints = bytes, hints
	}
	return kinds
}

func accessKinds(op string) []Access {
	switch op {
	case "LDG":
		return []Access{{Kind: Load, Space: Global}}
	case "STG":
		return []Access{{Kind: Store, Space: Global}}
	case "LDS", "LDSM":
		return []Access{{Kind: Load, Space: Shared}}
	case "STS", "STSM":
		return []Access{{Kind: Store, Space: Shared}}
	case "LDL":
		return []Access{{Kind: Load, Space: Local}}
	case "STL":
		return []Access{{Kind: Store, Space: Local}}
	case "LD":
		return []Access{{Kind: Load, Space: Generic}}
	case "ST":
		return []Access{{Kind: Store, Space: Generic}}
	case "ATOM":
		return []Access{{Kind: Atomic, Space: Generic}}
	case "ATOMG", "RED", "REDG":
		return []Access{{Kind: Atomic, Space: Global}}
	case "ATOMS":
		return []Access{{Kind: Atomic, Space: Shared}}
	case "LDGSTS":
		return []Access{{Kind: Load, Space: Global}, {Kind: Store, Space: Shared}}
	}
	return nil
}

// width splits the modifiers of an access into its bytes and its hints. E (a 64-bit address), SYS as the older listings print
// it behind every access, and U are in neither: they say nothing that differs between kernels.
func (i Instruction) width() (bytes int, hints string, err error) {
	bytes = 4
	var rest []string
	matrices := i.Op == "LDSM" || i.Op == "STSM"
	for n, mod := range i.Mods {
		switch mod {
		case "E", "U":
			continue
		case "SYS":
			if n == 0 || i.Mods[n-1] != "STRONG" {
				continue
			}
			rest = append(rest, mod)
		case "U8", "S8":
			bytes = 1
		case "U16", "S16", "F16", "BF16", "BF16_V2", "F16_V2":
			bytes = 2
		case "16":
			if !matrices {
				return 0, "", fmt.Errorf("%s: the modifier %s is no width known here", i.Opcode(), mod)
			}
		case "U32", "S32", "32", "F32", "F16x2", "BF16x2", "F16X2", "BF16X2":
		case "64", "U64", "S64", "F64":
			bytes = 8
		case "128":
			bytes = 16
		case "2", "4":
			if !matrices {
				return 0, "", fmt.Errorf("%s: the modifier %s is no width known here", i.Opcode(), mod)
			}
			bytes = 4 * int(mod[0]-'0')
		default:
			if strings.Trim(mod, "0123456789") == "" {
				return 0, "", fmt.Errorf("%s: the modifier %s is no width known here", i.Opcode(), mod)
			}
			rest = append(rest, mod)
		}
	}
	return bytes, strings.Join(rest, "."), nil
}

// Count is the multiset of what the instructions do to memory.
func Count(instructions []Instruction) map[Access]int {
	counts := map[Access]int{}
	for _, i := range instructions {
		for _, a := range i.Accesses() {
			counts[a]++
		}
	}
	return counts
}
