package occupancy

import "testing"

func TestBlocks(t *testing.T) {
	for _, c := range []struct{ arch, threads, registers, shared, want int }{
		{75, 256, 32, 0, 4},  // 1024 threads
		{86, 256, 32, 0, 6},  // 1536 threads
		{90, 256, 32, 0, 8},  // 2048 threads
		{90, 32, 32, 0, 32},  // 32 blocks, half of the warps
		{75, 32, 32, 0, 16},  // 16 blocks, half of the warps
		{90, 256, 33, 0, 6},  // 40 registers are given out, 12 warps a partition
		{90, 256, 64, 0, 4},  // all registers
		{90, 256, 255, 0, 1}, // 256 are given out
		{90, 1024, 65, 0, 0}, // does not launch
		{90, 256, 256, 0, 0}, // no thread has so many
		{75, 256, 32, 16384, 4},
		{75, 256, 32, 16385, 3},
		{90, 256, 32, 1024, 8},
		{90, 256, 32, 232448, 1}, // all that a block can ask for
		{90, 256, 32, 115712, 2},
		{90, 256, 32, 115713, 1},
		{86, 256, 32, 33 * 1024, 2},
		{90, 48, 32, 0, 32}, // as two warps
	} {
		if got, ok := Blocks(c.arch, c.threads, c.registers, c.shared); got != c.want || !ok {
			t.Errorf("sm_%d, %d threads of %d registers, %d bytes: got %d, want %d", c.arch, c.threads, c.registers, c.shared, got, c.want)
		}
	}
	if _, ok := Blocks(70, 256, 32, 0); ok {
		t.Error("sm_70 is known")
	}
	if _, ok := Blocks(90, 0, 32, 0); ok {
		t.Error("a block of no threads fits")
	}
}
