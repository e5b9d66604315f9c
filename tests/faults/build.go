package faults

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/workshop"
)

// The files of a piece that are compiled.
const (
	kernelFile = "kernel.cu" // kernels of the family "museum"
	headerFile = "kernel.h"  // the family's own header
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

	specified, proved, compiled, compiledTSan, imaged, judged part
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
		out = append(out, "--out-launchers", launchersFile, "--out-obligations", obligationsFile)
		if b.files[headerFile] != "" {
			out = append(out, "--header", headerFile)
		}
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
		says, failed, err := workshop.Attempt(context.Background(), b.dir, exec.Command(b.kernelspecProgram, args...))
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

// vocabulary is the header that Bazel has precompiled, or one that is precompiled now: all kernels include the same headers, and
// reading them is most of the work.
func (w *Workshop) vocabulary(s workshop.Sanitizer, env string) (string, error) {
	if path := os.Getenv(env); path != "" {
		return w.named(path), nil
	}
	return w.emulators.Precompile(context.Background(), s, filepath.Join(w.dir, s.Program), "emu/cuda.h", "emu/table.h", "ww/ww.h")
}

// compile compiles the entries for the emulator under ASan and UBSan.
func (v *variant) compile() ([]Finding, error) {
	return v.compiled.make(func() ([]Finding, error) { return v.compileFor(workshop.ASan(), v.vocabularyASan) })
}

func (b *build) compileFor(s workshop.Sanitizer, vocabulary string) ([]Finding, error) {
	if b.spec == nil {
		return nil, nil
	}
	says, failed, err := b.emulators.Compile(context.Background(), b.dir, s, vocabulary, "museum.emu.cc")
	if err != nil || failed {
		return finding(Compile, says), err
	}
	return nil, b.emulators.Link(context.Background(), b.dir, s)
}
