// Package reach runs the kernels that exist for mutants alone: what they are tried with must be right of what is not mutated.
package reach

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/mutate/trial"
	"github.com/warpwright/warpwright/tools/workshop"
)

const source = "tests/mutants/reach/reach.cu"

// TestTrials plays every trial of these kernels, and wants one of each. The emulator is Bazel's, or one that is compiled here with g++.
func TestTrials(t *testing.T) {
	program, file := os.Getenv("REACH_EMU"), os.Getenv("REACH_SPEC")
	if program == "" {
		var err error
		if program, file, err = workshop.Family(t.Context(), filepath.Join("..", "..", ".."), t.TempDir(), "reach", source); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := manifest.ReadSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	trials := trial.Of(source)
	for _, k := range spec.Kernels {
		if !slices.ContainsFunc(trials, func(t *trial.Trial) bool { return t.Kernel == k.Name }) {
			t.Errorf("%s has no trial: it reaches nothing", k.Name)
		}
	}
	for _, one := range trials {
		t.Run(one.Kernel, func(t *testing.T) {
			for _, r := range trial.Rounds() {
				if err := one.Run(t.Context(), program, spec, r); err != nil {
					t.Errorf("%+v: %v", r, err)
				}
			}
		})
	}
}
