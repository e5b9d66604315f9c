//go:build gpu

package main

import (
	"os"
	"testing"

	"github.com/warpwright/warpwright/examples/gemm/talk"
)

// TestCode: what the talk says of machine code is so on every architecture: checks cost instructions, those of a launch none, and
// traps stand where checks do. Bazel makes the table, and always with the tag gpu, so plain `go test` leaves this out.
func TestCode(t *testing.T) {
	code, err := talk.ReadCode(os.Getenv(envCode))
	if err != nil {
		t.Fatal(err)
	}
	of := map[int]map[string]talk.Code{}
	for _, c := range code {
		if of[c.Arch] == nil {
			of[c.Arch] = map[string]talk.Code{}
		}
		of[c.Arch][c.Entry] = c
	}
	if len(of) != 3 {
		t.Fatalf("code for %d architectures, want 3", len(of))
	}
	for arch, entries := range of {
		every, once, safe, raw := entries["checked_gemm_f32"], entries["once_gemm_f32"], entries["twin_gemm_f32"], entries["raw_gemm_f32"]
		if every.Traps == 0 || once.Traps == 0 || safe.Traps != 0 || raw.Traps != 0 {
			t.Errorf("sm_%d: traps %d, %d, %d, %d: requires some, some, none, none", arch, every.Traps, once.Traps, safe.Traps, raw.Traps)
		}
		if !(every.Loop.PerProduct() > 2*raw.Loop.PerProduct()) {
			t.Errorf("sm_%d: %.2f instructions a product with a check at every access, %.2f without: there is nothing to save", arch, every.Loop.PerProduct(), raw.Loop.PerProduct())
		}
		if !(safe.Loop.PerProduct() <= 1.02*raw.Loop.PerProduct()) || safe.Loop.Branches > raw.Loop.Branches {
			t.Errorf("sm_%d: once a launch %+v, never %+v: requires the same loop", arch, safe.Loop, raw.Loop)
		}
		if !(once.Loop.PerProduct() <= 1.1*raw.Loop.PerProduct()) {
			t.Errorf("sm_%d: once a thread %+v, never %+v: requires no check in the loop", arch, once.Loop, raw.Loop)
		}
	}
}

// TestGives runs the program as `bazel run` does on a machine without a GPU, whatever this one has.
func TestGives(t *testing.T) {
	t.Setenv("WW_DEVICE", "emu")
	says(t, 0, []string{"-side", "33", "-repeat", "1"}, "twin_gemm_f32: requires len(a) >= M * K: left side is 1089, right side is 2178", "Machine code for sm_90", "checked_gemm_f32")
	says(t, 0, []string{"-side", "33", "-repeat", "1", "-json"}, `"same_bits": true`)
}
