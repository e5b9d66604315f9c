package decide

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/workshop"
)

// Tools is what decisions are made with: programs, and what a family is made of. Paths are from the working folder, where sources are named as in
// the repository.
type Tools struct {
	Z3, Kernelspec, CXX string
	Root                string   // where the emulator's sources are: emu/*.cc
	Includes            []string // folders with headers
	Headers             []string // the family's own
	Sources             []string
}

// emulator makes an emulator of some entries of a family, in a folder.
func (d *Tools) emulator(ctx context.Context, dir, family string, entries []string) (program string, spec *manifest.Spec, err error) {
	cwd, err := filepath.Abs(".")
	if err != nil {
		return "", nil, err
	}
	args := []string{"--only", strings.Join(entries, ",")}
	for _, x := range d.Includes {
		args = append(args, "--include", x)
	}
	for _, x := range d.Headers {
		args = append(args, "--header", x)
	}
	written, err := workshop.Specify(ctx, cwd, d.Kernelspec, dir, family, append(args, d.Sources...)...)
	if err != nil {
		return "", nil, err
	}
	p, err := os.ReadFile(written)
	if err != nil {
		return "", nil, err
	}
	if spec, err = manifest.ReadSpec(p); err != nil {
		return "", nil, err
	}
	abs := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(cwd, path)
	}
	e := workshop.Emulators{Root: abs(d.Root), CXX: d.CXX}
	if strings.ContainsRune(e.CXX, filepath.Separator) {
		e.CXX = abs(e.CXX)
	}
	if err := e.CompileRuntime(ctx, dir); err != nil {
		return "", nil, err
	}
	// A toolchain's compiler is often the driver of C.
	e.Runtime = append(e.Runtime, "-lstdc++", "-lm")
	// Reports name sources as the repository does, wherever it lies.
	asan := workshop.ASan()
	more := []string{"-I" + cwd, "-ffile-prefix-map=" + cwd + "=.", "-ffile-prefix-map=" + dir + "=."}
	for _, x := range d.Includes {
		more = append(more, "-I"+abs(x))
	}
	says, failed, err := workshop.Attempt(ctx, dir, e.Compilation(asan, append(more, "-c", family+".emu.cc", "-o", asan.Program+".o")...))
	if err == nil && failed {
		err = fmt.Errorf("the entries do not compile for the emulator:\n%s", says)
	}
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(dir, asan.Program), spec, e.Link(ctx, dir, asan)
}
