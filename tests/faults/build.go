package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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

// kernels are what a variant runs.
type kernels struct {
	spec  *manifest.Spec
	table string // the emulator's, in the variant's folder
}

// kernelspec reads the kernels.
func (v *variant) kernelspec() ([]Finding, error) {
	switch {
	case v.sources[kernelFile] != "":
		args := []string{
			"--family", family, "--include", filepath.Join(v.root, "cuda", "include"),
			"--out-entries", "museum.entries.cu", "--entries-as", "museum.entries.cu",
			"--out-emu", "museum.emu.cc", "--out-spec", "museum.spec.json", "--out-launchers", "launchers.go", kernelFile,
		}
		says, failed, err := attempt(v.dir, v.spec, args...)
		if err != nil || failed {
			return finding(Kernelspec, says), err
		}
		text, err := os.ReadFile(filepath.Join(v.dir, "museum.spec.json"))
		if err != nil {
			return nil, err
		}
		spec, err := manifest.ReadSpec(text)
		v.kernels = &kernels{spec, "museum.emu.cc"}
		return nil, err
	case v.sources[rawFile] != "":
		return nil, v.readRaw()
	default:
		return nil, nil
	}
}

func finding(tool, says string) []Finding {
	return []Finding{{tool, strings.TrimSpace(says)}}
}

var (
	rawEntry = regexp.MustCompile(`(?s)extern "C" __global__ void (\w+)\(([^)]*)\)`)
	rawParam = regexp.MustCompile(`^(.*\W)(\w+)$`)
)

// readRaw makes the emulator's table of kernels written in plain CUDA.
func (v *variant) readRaw() error {
	spec := &manifest.Spec{Schema: manifest.SpecSchema, Family: family}
	var table strings.Builder
	fmt.Fprintf(&table, "#include \"emu/cuda.h\"\n#include \"emu/table.h\"\n\n#include %q\n\n", rawFile)
	fmt.Fprintf(&table, "static const emu::Registration registration(%q, {\n", family)
	for _, m := range rawEntry.FindAllStringSubmatch(v.sources[rawFile], -1) {
		e := manifest.Entry{Name: m[1], Kernel: m[1]}
		for _, p := range strings.Split(m[2], ",") {
			parts := rawParam.FindStringSubmatch(strings.TrimSpace(p))
			if parts == nil {
				return fmt.Errorf("%s: cannot read parameter %q of %s", rawFile, p, m[1])
			}
			e.Params = append(e.Params, manifest.EntryParam{Name: parts[2], Type: strings.TrimSpace(parts[1])})
		}
		spec.Entries = append(spec.Entries, e)
		fmt.Fprintf(&table, "    emu::entry<&%s>(%q, %q, \"raw\"),\n", m[1], m[1], m[1])
	}
	table.WriteString("});\n")
	v.kernels = &kernels{spec, "museum.emu.cc"}
	return os.WriteFile(filepath.Join(v.dir, v.kernels.table), []byte(table.String()), 0o666)
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
	if v.kernels == nil {
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
		"-c", v.kernels.table, "-o", program+".o")
}

func (v *variant) link(sanitizer []string, program string) error {
	args := append(sanitizer[:len(sanitizer):len(sanitizer)], "-o", program, program+".o")
	_, err := command(v.dir, "g++", append(args, v.runtime...)...)
	return err
}
