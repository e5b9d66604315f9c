package workshop

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Sanitizer is one of the emulator's builds.
type Sanitizer struct {
	Program string // the emulator's name
	flags   []string
}

// ASan is AddressSanitizer with UndefinedBehaviorSanitizer, TSan ThreadSanitizer. The flags are those of emu_kernels, in
// emu/private.
func ASan() Sanitizer {
	return Sanitizer{"emulator", []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"}}
}

// TSan is the race detector's build.
func TSan() Sanitizer { return Sanitizer{"emulator_tsan", []string{"-fsanitize=thread"}} }

// Emulators makes emulators of kernels.
type Emulators struct {
	Root    string   // of the repository or the runfiles, absolute: emu and cuda/include are in it
	CXX     string   // the C++ compiler
	Runtime []string // what is linked with the kernels: objects, or an archive with its flags
}

// Archive is the emulator's runtime as an archive, as Bazel makes it.
func Archive(path string) []string {
	return []string{"-Wl,--whole-archive", path, "-Wl,--no-whole-archive"}
}

// CompileRuntime compiles the emulator's runtime into a folder. It is never sanitized, so one serves all builds.
func (e *Emulators) CompileRuntime(ctx context.Context, dir string) error {
	sources, err := filepath.Glob(filepath.Join(e.Root, "emu", "*.cc"))
	if err != nil {
		return err
	}
	if sources == nil {
		return fmt.Errorf("no emulator in %s", e.Root)
	}
	for _, src := range sources {
		e.Runtime = append(e.Runtime, filepath.Join(dir, filepath.Base(src)+".o"))
	}
	return Each(len(sources), sources, func(src string) error {
		_, err := Command(ctx, e.Root, e.CXX, "-std=c++20", "-O2", "-g", "-fno-omit-frame-pointer", "-I.", "-c", src, "-o", filepath.Join(dir, filepath.Base(src)+".o"))
		return err
	})
}

// Compilation is a run of the compiler on kernels. Headers are looked for in the folder where it runs before the repository's.
func (e *Emulators) Compilation(s Sanitizer, more ...string) *exec.Cmd {
	cmd := exec.Command(e.CXX, "-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-var-tracking", "-ffp-contract=off", "-Wno-unknown-pragmas", "-Wno-tsan",
		"-Werror=uninitialized", "-Werror=maybe-uninitialized", "-ftrivial-auto-var-init=pattern", "-DWW_EMU", "-I.", "-Icuda/include", "-I"+e.Root, "-I"+filepath.Join(e.Root, "cuda", "include"))
	cmd.Args = append(append(cmd.Args, s.flags...), more...)
	return cmd
}

// Precompile reads headers once for all kernels that include them: reading them is most of the work. It returns a header to be
// included by name.
func (e *Emulators) Precompile(ctx context.Context, s Sanitizer, dir string, headers ...string) (string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	header, text := filepath.Join(dir, "all.h"), ""
	for _, h := range headers {
		text += fmt.Sprintf("#include %q\n", h)
	}
	if err := os.WriteFile(header, []byte(text), 0o666); err != nil {
		return "", err
	}
	says, failed, err := Attempt(ctx, e.Root, e.Compilation(s, "-x", "c++-header", header, "-o", header+".gch"))
	if err == nil && failed {
		err = fmt.Errorf("the headers do not compile:\n%s", says)
	}
	return header, err
}

// Compile compiles, in a folder, the table of a family that kernelspec has written there; precompiled is what Precompile returned.
// What it says where it fails is the compiler's finding.
func (e *Emulators) Compile(ctx context.Context, dir string, s Sanitizer, precompiled, table string) (says string, failed bool, err error) {
	return Attempt(ctx, dir, e.Compilation(s, "-Winvalid-pch", "-Werror=invalid-pch", "-include", precompiled, "-c", table, "-o", s.Program+".o"))
}

// Link makes the emulator of what Compile has compiled: the program s.Program in the folder.
func (e *Emulators) Link(ctx context.Context, dir string, s Sanitizer) error {
	args := append([]string{"-o", s.Program, s.Program + ".o"}, s.flags...)
	_, err := Command(ctx, dir, e.CXX, append(args, e.Runtime...)...)
	return err
}

// Coverage counts lines: what gcov reads lies beside the program, as its name says with .gcda, when it has ended. Nothing is optimised: of an
// inlined function that only returns a member there is no line left.
func Coverage() Sanitizer { return Sanitizer{"emulator_lines", []string{"--coverage", "-O0"}} }
