// Package occupancy says how many blocks of a kernel a multiprocessor can hold at once.
package occupancy

// limits are what a multiprocessor of an architecture has, from the table of compute capabilities in the CUDA C++ Programming Guide.
type limits struct {
	warps, blocks int
	shared        int // bytes, for all blocks together
	reserved      int // bytes of it that each block gives to the system
	sharedUnit    int // shared memory is given out in these
}

// What all of these architectures have alike.
const (
	registers     = 65536
	registerUnit  = 256 // a warp's registers are given out in these
	partitions    = 4   // each has a quarter of the registers and of the warps
	lanes         = 32
	mostRegisters = 255
)

var architectures = map[int]limits{
	75: {warps: 32, blocks: 16, shared: 65536, sharedUnit: 256},
	80: {warps: 64, blocks: 32, shared: 167936, reserved: 1024, sharedUnit: 128},
	86: {warps: 48, blocks: 16, shared: 102400, reserved: 1024, sharedUnit: 128},
	89: {warps: 48, blocks: 24, shared: 102400, reserved: 1024, sharedUnit: 128},
	90: {warps: 64, blocks: 32, shared: 233472, reserved: 1024, sharedUnit: 128},
}

// Blocks returns how many blocks of so many threads fit at once, by registers a thread and bytes of shared memory a block; false for an
// architecture that it does not know.
func Blocks(arch, threads, registersAThread, shared int) (int, bool) {
	l, ok := architectures[arch]
	if !ok || threads < 1 {
		return 0, false
	}
	warps := up(threads, lanes) / lanes
	n := min(l.blocks, l.warps/warps)
	if registersAThread > mostRegisters {
		return 0, true
	}
	if a := up(registersAThread*lanes, registerUnit); a > 0 {
		n = min(n, registers/partitions/a*partitions/warps)
	}
	if a := up(shared+l.reserved, l.sharedUnit); a > 0 {
		n = min(n, l.shared/a)
	}
	return n, true
}

func up(n, unit int) int { return (n + unit - 1) / unit * unit }
