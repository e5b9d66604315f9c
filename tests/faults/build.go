package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/warpwright/warpwright/go/manifest"
)

// The files of a piece that are compiled.
const (
	kernelFile = "kernel.cu" // kernels of the family "museum"
	rawFile    = "raw.cu"    // the same family, as CUDA has always been written
	imageFile  = "image.cu"  // what the images are compiled from, where that is not what the launchers were
)

const family = "museum"

// build is what is made of the files of a variant, each part once.
type build struct {
	*Workshop
	files Sources
	dir   string
	spec  *manifest.Spec // nil if there are no kernels

	specified, compiled, compiledTSan, imaged, judged part
}

// part is one part of a build, with what its tool found.
type part struct {
	once  sync.Once
	found []Finding
	err   error
}

func (p *part) make(f func() ([]Finding, error)) ([]Finding, error) {
	p.once.Do(func() { p.found, p.err = f() })
	return p.found, p.err
}

func finding(tool, says string) []Finding {
	return []Finding{{tool, strings.TrimSpace(says)}}
}

// kernelspec reads the kernels.
func (v *variant) kernelspec() ([]Finding, error) { return v.specified.make(v.specify) }

func (b *build) specify() ([]Finding, error) {
	entries := []string{
		"--family", family, "--out-entries", "museum.entries.cu", "--entries-as", "museum.entries.cu", "--out-emu", "museum.emu.cc",
	}
	out := []string{"--out-spec", "museum.spec.json"}
	read := []string{"--include", filepath.Join(b.root, "cuda", "include"), kernelFile}
	switch {
	case b.files[kernelFile] != "":
		out = append(out, "--out-launchers", launchersFile)
	case b.files[rawFile] != "":
		read = []string{"--raw", rawFile}
	default:
		return nil, nil
	}
	runs := [][]string{append(append(entries, out...), read...)}
	if b.files[imageFile] != "" {
		runs = [][]string{append(append([]string{"--family", family}, out...), read...), append(append(entries, read[:len(read)-1]...), imageFile)}
	}
	for _, args := range runs {
		says, failed, err := attempt(b.dir, exec.Command(b.kernelspecProgram, args...))
		if err != nil || failed {
			return finding(Kernelspec, says), err
		}
	}
	text, err := os.ReadFile(filepath.Join(b.dir, "museum.spec.json"))
	if err != nil {
		return nil, err
	}
	b.spec, err = manifest.ReadSpec(text)
	return nil, err
}

// sanitizer is one of the emulator's builds.
type sanitizer struct {
	program string
	flags   []string
	env     string // names the header that Bazel has precompiled
}

// The flags are those of emu_kernels, in emu/private; private/vocabulary.bzl repeats them.
var (
	asan = sanitizer{"emulator", []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"}, "FAULTS_VOCABULARY_ASAN"}
	tsan = sanitizer{"emulator_tsan", []string{"-fsanitize=thread"}, "FAULTS_VOCABULARY_TSAN"}
)

// compilation is a run of g++ on kernels.
func (w *Workshop) compilation(s sanitizer, more ...string) *exec.Cmd {
	cmd := exec.Command("g++", "-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-ffp-contract=off", "-Wno-unknown-pragmas", "-Wno-tsan",
		"-DWW_EMU", "-I.", "-I"+w.root, "-I"+filepath.Join(w.root, "cuda", "include"))
	cmd.Args = append(append(cmd.Args, s.flags...), more...)
	return cmd
}

// vocabulary is the header that Bazel has precompiled, or one that is precompiled now: all kernels include the same headers, and
// reading them is most of the work.
func (w *Workshop) vocabulary(s sanitizer) (string, error) {
	if path := os.Getenv(s.env); path != "" {
		return w.named(path), nil
	}
	dir := filepath.Join(w.dir, s.program)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", err
	}
	header := filepath.Join(dir, "all.h")
	if err := os.WriteFile(header, []byte("#include \"emu/cuda.h\"\n#include \"emu/table.h\"\n#include \"ww/ww.h\"\n"), 0o666); err != nil {
		return "", err
	}
	says, failed, err := attempt(w.root, w.compilation(s, "-x", "c++-header", header, "-o", header+".gch"))
	if err == nil && failed {
		err = fmt.Errorf("the vocabulary does not compile:\n%s", says)
	}
	return header, err
}

// compile compiles the entries for the emulator under ASan and UBSan.
func (v *variant) compile() ([]Finding, error) {
	return v.compiled.make(func() ([]Finding, error) { return v.compileFor(asan, v.vocabularyASan) })
}

func (b *build) compileFor(s sanitizer, vocabulary string) ([]Finding, error) {
	if b.spec == nil {
		return nil, nil
	}
	says, failed, err := attempt(b.dir, b.compilation(s, "-Winvalid-pch", "-Werror=invalid-pch", "-include", vocabulary, "-c", "museum.emu.cc", "-o", s.program+".o"))
	if err != nil || failed {
		return finding(Compile, says), err
	}
	link := append(append([]string{"-o", s.program, s.program + ".o"}, s.flags...), b.runtime...)
	_, err = command(b.dir, "g++", link...)
	return nil, err
}
