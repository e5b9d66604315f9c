package cpu

import (
	"bufio"
	"fmt"
	"os"
)

// machineMemory is how many bytes of memory the machine has, or 0 where it does not say.
func machineMemory() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kib int64
		if n, _ := fmt.Sscanf(lines.Text(), "MemTotal: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
