package faults

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/warpwright/warpwright/go/manifest"
)

// Workshop is the tools at hand and where they work.
type Workshop struct {
	root    string // of the repository or the runfiles, absolute
	dir     string // to work in
	count   int    // variants so far
	mu      sync.Mutex
	runtime []string // the emulator's, compiled

	kernelspecProgram string
}

// Environment that names what Bazel has built. Without it everything is made in the working folder, once.
const (
	envKernelspec = "FAULTS_KERNELSPEC"
	envRuntime    = "FAULTS_RUNTIME"
)

// OpenWorkshop finds or builds the tools. root is the repository's, dir a folder to work in.
func OpenWorkshop(root, dir string) (*Workshop, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	w := &Workshop{root: root, dir: dir}
	if w.kernelspecProgram, err = w.program(envKernelspec, "./tools/kernelspec"); err != nil {
		return nil, err
	}
	if w.runtime, err = w.emulator(); err != nil {
		return nil, err
	}
	return w, nil
}

// program is the one that an environment variable names, or else the command of a package.
func (w *Workshop) program(env, pkg string) (string, error) {
	if path := os.Getenv(env); path != "" {
		return w.named(path), nil
	}
	out := filepath.Join(w.dir, filepath.Base(pkg))
	_, err := command(w.root, "go", "build", "-o", out, pkg)
	return out, err
}

// named is a file that the environment names.
func (w *Workshop) named(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.root, path)
}

// emulator is the runtime's archive that Bazel has made, or else its objects.
func (w *Workshop) emulator() ([]string, error) {
	if path := os.Getenv(envRuntime); path != "" {
		return []string{"-Wl,--whole-archive", w.named(path), "-Wl,--no-whole-archive"}, nil
	}
	sources, err := filepath.Glob(filepath.Join(w.root, "emu", "*.cc"))
	if err != nil {
		return nil, err
	}
	if sources == nil {
		return nil, fmt.Errorf("no emulator in %s", w.root)
	}
	objects := make([]string, len(sources))
	errs := make([]error, len(sources))
	var wg sync.WaitGroup
	for i, src := range sources {
		objects[i] = filepath.Join(w.dir, filepath.Base(src)+".o")
		wg.Add(1)
		go func() {
			defer wg.Done()
			_, errs[i] = command(w.root, "g++", "-std=c++20", "-O2", "-g", "-fno-omit-frame-pointer", "-I.", "-c", src, "-o", objects[i])
		}()
	}
	wg.Wait()
	return objects, errors.Join(errs...)
}

// command runs a program and returns its standard error. That it fails is an error.
func command(dir, name string, args ...string) (string, error) {
	says, failed, err := attempt(dir, name, args...)
	if err == nil && failed {
		err = fmt.Errorf("%s %s: it failed:\n%s", name, strings.Join(args, " "), says)
	}
	return says, err
}

// attempt runs a program that may well fail: then it has found something.
func attempt(dir, name string, args ...string) (says string, failed bool, err error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return stderr.String(), true, nil
	}
	return stderr.String(), false, err
}

// variant is one variant of a piece on its way through the tools.
type variant struct {
	*Workshop
	sources Sources
	dir     string
	spec    *manifest.Spec // what kernelspec has read; nil if there are no kernels
}

func (w *Workshop) newVariant(s Sources) (*variant, error) {
	w.mu.Lock()
	w.count++
	dir := filepath.Join(w.dir, fmt.Sprintf("variant%d", w.count))
	w.mu.Unlock()
	for name, text := range s {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	return &variant{Workshop: w, sources: s, dir: dir}, nil
}
