package sass

import "strings"

// kind is what an opcode does to the flow of control.
type kind int

const (
	unknown kind = iota
	plain
	branch     // BRA
	indexed    // BRX: to one of the labels of a comment
	call       // CALL: of a function, or a jump if the label is the function's own
	ret        // RET
	exit       // EXIT, KILL
	trap       // BPT: what follows it is never run, and often belongs to something else
	reconverge // BSYNC: waits for the lanes of the BSSY, whose label is the next address
	collective // WARPSYNC.COLLECTIVE names the place behind the collective
	notMine    // changes the flow in a way that was never seen in a listing
)

// kindOf classifies the opcodes of Turing, Ampere, Ada and Hopper. Graphics, textures and surfaces are left out.
func kindOf(op string) kind {
	switch op {
	case "BRA":
		return branch
	case "BRX", "BRXU":
		return indexed
	case "CALL":
		return call
	case "RET":
		return ret
	case "EXIT", "KILL":
		return exit
	case "BPT":
		return trap
	case "BSYNC":
		return reconverge
	case "WARPSYNC":
		return collective
	case "JMP", "JMX", "JMXU", "RTT", "RPCMOV":
		return notMine
	case
		// f32, f16, f64 and tensor cores
		"FADD", "FADD32I", "FCHK", "FFMA", "FFMA32I", "FMNMX", "FMUL", "FMUL32I", "FSEL", "FSET", "FSETP", "FSWZADD", "MUFU",
		"HADD2", "HADD2_32I", "HFMA2", "HFMA2_32I", "HMMA", "HMNMX2", "HMUL2", "HMUL2_32I", "HSET2", "HSETP2", "VHMNMX",
		"DADD", "DFMA", "DMMA", "DMUL", "DSETP", "BMMA", "IMMA", "BGMMA", "HGMMA", "IGMMA", "QGMMA",
		// integers
		"BMSK", "BREV", "FLO", "IABS", "IADD", "IADD3", "IADD32I", "IDP", "IDP4A", "IMAD", "IMNMX", "IMUL", "IMUL32I", "ISCADD",
		"ISCADD32I", "ISETP", "LEA", "LOP", "LOP3", "LOP32I", "POPC", "SHF", "SHL", "SHR", "VABSDIFF", "VABSDIFF4", "VIADD",
		"VIADDMNMX", "VIMNMX", "VIMNMX3",
		// conversions, moves, predicates
		"F2F", "F2FP", "F2I", "F2IP", "FRND", "I2F", "I2FP", "I2I", "I2IP",
		"MOV", "MOV32I", "MOVM", "PRMT", "SEL", "SGXT", "SHFL", "P2R", "PLOP3", "PSETP", "R2P",
		// the datapath of the warp
		"R2UR", "REDUX", "S2UR", "UBMSK", "UBREV", "UCLEA", "UF2FP", "UFLO", "UIADD3", "UIMAD", "UISETP", "ULDC", "ULEA", "ULOP",
		"ULOP3", "ULOP32I", "UMOV", "UP2UR", "UPLOP3", "UPOPC", "UPRMT", "UPSETP", "UR2UP", "USEL", "USGXT", "USHF", "USHL", "USHR",
		"VOTEU",
		// memory
		"ATOM", "ATOMG", "ATOMS", "LD", "LDC", "LDG", "LDGSTS", "LDL", "LDS", "LDSM", "RED", "REDG", "ST", "STG", "STL", "STS", "STSM",
		"CCTL", "CCTLL", "CGAERRBAR", "DEPBAR", "ERRBAR", "FENCE", "LDGDEPBAR", "MATCH", "MEMBAR", "QSPC",
		// the rest, none of which branches
		"B2R", "BAR", "BMOV", "BREAK", "BSSY", "CS2R", "ELECT", "ENDCOLLECTIVE", "GETLMEMBASE", "LEPC", "NANOSLEEP", "NOP",
		"PMTRIG", "R2B", "S2R", "SETLMEMBASE", "VOTE", "YIELD":
		return plain
	}
	return unknown
}

// jump says whether a call has a label of the function itself: then it is a branch, and nothing returns from it.
func (i Instruction) jump() bool {
	return kindOf(i.Op) == call && len(i.Operands) == 0 && len(i.Targets) == 1 && strings.HasPrefix(i.Targets[0], ".L")
}

// never is the guard of what does not run. The compiler pads with such instructions, and on sm_75 it writes a branch with
// this guard where lanes cannot have come apart.
const never = "!PT"

// detour says whether one way of a branch is for warps whose lanes have come apart.
func (i Instruction) detour() bool {
	return i.Op == "BRA" && (i.Has("DIV") || i.Has("CONV") || i.Guard == never)
}
