package fatbin_test

import (
	"fmt"
	"os"

	"github.com/warpwright/warpwright/go/fatbin"
)

// What a device would run, and what that image says of one kernel.
func ExampleFile_Choose() {
	data, err := os.ReadFile("testdata/shipped.fatbin")
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := fatbin.Parse(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, sm := range []int{70, 80, 89, 90} {
		image, err := file.Choose(fatbin.Arch{SM: sm})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("sm_%d runs %s\n", sm, image.Name())
	}
	// Output:
	// fatbin: no image for sm_70: the file has [sm_75 sm_86 sm_90 compute_75 compute_90]
	// sm_80 runs compute_75
	// sm_89 runs sm_86
	// sm_90 runs sm_90
}

func ExampleParseCubin() {
	data, err := os.ReadFile("testdata/sm_90.cubin")
	if err != nil {
		fmt.Println(err)
		return
	}
	cubin, err := fatbin.ParseCubin(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range cubin.Entries {
		fmt.Printf("%s: %d registers, %d bytes of stack, %d of shared memory, %d parameters\n",
			e.Name, e.Registers, e.Frame, e.StaticShared, len(e.Params))
	}
	// Output:
	// dynamic: 10 registers, 0 bytes of stack, 0 of shared memory, 1 parameters
	// frame: 27 registers, 64 bytes of stack, 0 of shared memory, 2 parameters
	// nothing: 4 registers, 0 bytes of stack, 0 of shared memory, 0 parameters
	// scale: 12 registers, 0 bytes of stack, 0 of shared memory, 4 parameters
	// stage: 12 registers, 0 bytes of stack, 1024 of shared memory, 3 parameters
}
