package verdict_test

import (
	"fmt"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/reach/refs"
	"github.com/warpwright/warpwright/tools/reach/verdict"
)

func ExampleCheck() {
	spec := &manifest.Spec{
		Family:  "csr",
		Kernels: []manifest.Kernel{{Name: "csr_mv_warp", Source: "cuda/csr/mv.cu", Line: 12}},
		Entries: []manifest.Entry{{Name: "csr_mv_warp_f32", Kernel: "csr_mv_warp"}},
	}
	found := &refs.Refs{
		Roots: []string{"example.org/m/csr"},
		Unreached: []refs.Unreached{{
			Target:   refs.Target{Kernel: "csr_mv_warp"},
			Pos:      "csrkernels/launchers.go:20",
			Launcher: "csrkernels.MvWarp.Launch",
			Why:      "nothing refers to it",
		}},
	}
	for _, f := range verdict.Check(verdict.Input{Spec: spec, Refs: []*refs.Refs{found}}) {
		fmt.Print(f.Format("@@//cuda/csr:csr"))
	}
	// Output:
	// //cuda/csr:csr: error: kernel 'csr_mv_warp' (cuda/csr/mv.cu:12) is launched by no exported function of example.org/m/csr
	//   why: launcher csrkernels.MvWarp.Launch (csrkernels/launchers.go:20): nothing refers to it
	//   fix: launch it from an exported function, delete it, or list it: unlaunched = {"csr_mv_warp": "the reason"}
}
