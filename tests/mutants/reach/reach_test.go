// Package reach runs the kernels that exist for mutants alone: what they are tried with must be right of what is not mutated.
package reach

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/mutate/trial"
	"github.com/warpwright/warpwright/tools/workshop"
)

const source = "tests/mutants/reach/reach.cu"

// TestTrials plays every trial of these kernels, and wants one of each.
func TestTrials(t *testing.T) {
	program, spec := emulator(t)
	trials := slices.DeleteFunc(trial.All(), func(t *trial.Trial) bool { return t.Source != source })
	for _, k := range spec.Kernels {
		if !slices.ContainsFunc(trials, func(t *trial.Trial) bool { return t.Kernel == k.Name }) {
			t.Errorf("%s has no trial: it reaches nothing", k.Name)
		}
	}
	for _, one := range trials {
		t.Run(one.Kernel, func(t *testing.T) {
			for _, o := range []trial.Options{{}, {Few: true, Offset: true}, {Huge: true}} {
				d, err := device.Open(t.Context(), device.WithKind("emu"), device.WithEmulatorOptions(emu.Options{Path: program, Multiprocessors: 1, CornerBlocks: o.Huge}))
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(one.Play(t.Context(), d, spec, o), d.Close()); err != nil {
					t.Errorf("%+v: %v", o, err)
				}
			}
		})
	}
}

// emulator has the kernels: it is Bazel's, or one that is compiled here with g++.
func emulator(t *testing.T) (program string, spec *manifest.Spec) {
	t.Helper()
	program, file := os.Getenv("REACH_EMU"), os.Getenv("REACH_SPEC")
	if program == "" {
		var err error
		if program, file, err = workshop.Family(t.Context(), filepath.Join("..", "..", ".."), t.TempDir(), "reach", source); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err == nil {
		spec, err = manifest.ReadSpec(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return program, spec
}
