package faults

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/warpwright/warpwright/go/manifest"
)

// The files of a variant that tools read.
const (
	kernelFile = "kernel.cu" // kernels of the family "museum"
	rawFile    = "raw.cu"    // the same family, as CUDA has always been written
	launchFile = "launch"
)

const family = "museum"

// kernelspec reads the kernels.
func (v *variant) kernelspec() ([]Finding, error) {
	args := []string{
		"--family", family, "--out-entries", "museum.entries.cu", "--entries-as", "museum.entries.cu",
		"--out-emu", "museum.emu.cc", "--out-spec", "museum.spec.json",
	}
	switch {
	case v.sources[kernelFile] != "":
		args = append(args, "--include", filepath.Join(v.root, "cuda", "include"), "--out-launchers", "launchers.go", kernelFile)
	case v.sources[rawFile] != "":
		args = append(args, "--raw", rawFile)
	default:
		return nil, nil
	}
	says, failed, err := attempt(v.dir, v.kernelspecProgram, args...)
	if err != nil || failed {
		return finding(Kernelspec, says), err
	}
	text, err := os.ReadFile(filepath.Join(v.dir, "museum.spec.json"))
	if err != nil {
		return nil, err
	}
	v.spec, err = manifest.ReadSpec(text)
	return nil, err
}

func finding(tool, says string) []Finding {
	return []Finding{{tool, strings.TrimSpace(says)}}
}

// The emulator's builds. The flags are those of emu_kernels, in emu/private.
var (
	asan = []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"}
	tsan = []string{"-fsanitize=thread"}
)

const (
	asanProgram = "emulator"
	tsanProgram = "emulator_tsan"
)

// compile compiles the entries for the emulator under ASan and UBSan.
func (v *variant) compile() ([]Finding, error) {
	if v.spec == nil {
		return nil, nil
	}
	says, failed, err := attempt(v.dir, "g++", v.compilation(asan, asanProgram)...)
	if err != nil || failed {
		return finding(Compile, says), err
	}
	return nil, v.link(asan, asanProgram)
}

func (v *variant) compilation(sanitizer []string, program string) []string {
	return append(sanitizer[:len(sanitizer):len(sanitizer)], "-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-ffp-contract=off",
		"-Wno-unknown-pragmas", "-Wno-tsan", "-DWW_EMU", "-I.", "-I"+v.root, "-I"+filepath.Join(v.root, "cuda", "include"),
		"-c", "museum.emu.cc", "-o", program+".o")
}

func (v *variant) link(sanitizer []string, program string) error {
	args := append(sanitizer[:len(sanitizer):len(sanitizer)], "-o", program, program+".o")
	_, err := command(v.dir, "g++", append(args, v.runtime...)...)
	return err
}
