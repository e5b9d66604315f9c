package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// envMutate names the program that makes mutants.
const envMutate = "WW_MUTATE"

// mutateCommand hands its arguments to a program of its own: mutants are made of this repository's sources, with compilers and
// solvers that who multiplies matrices does not have.
func mutateCommand() *command {
	return &command{
		name:    "mutate",
		summary: "measure how strong the nets under the kernels are, in a checkout",
		pass: func(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
			dir, err := os.MkdirTemp("", "ww-mutate")
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
			program, err := mutateProgram(ctx, dir, stderr)
			if err != nil {
				return err
			}
			cmd := exec.CommandContext(ctx, program[0], append(program[1:], args...)...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
			cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it has compilers to end and a log to close
			return cmd.Run()
		},
	}
}

// mutateProgram is the program that WW_MUTATE names, else ww-mutate on PATH, else the one of the checkout around, built with Go in a
// folder, with that checkout's root. `go run` would do, but that every failure has one exit code there.
func mutateProgram(ctx context.Context, dir string, stderr io.Writer) ([]string, error) {
	if path := os.Getenv(envMutate); path != "" {
		return []string{path}, nil
	}
	if path, err := exec.LookPath("ww-mutate"); err == nil {
		return []string{path}, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for at := here; ; at = filepath.Dir(at) {
		mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module github.com/warpwright/warpwright\n") {
			program := filepath.Join(dir, "mutate")
			build := exec.CommandContext(ctx, "go", "-C", at, "build", "-o", program, "./tools/mutate")
			build.Stderr = stderr
			return []string{program, "--root", at}, build.Run()
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if at == filepath.Dir(at) {
			return nil, fmt.Errorf("mutants are made of warpwright's sources: run it in a checkout, with Go, or with Bazel as `./bazelw run //tools/mutate -- ...`; or put the program on PATH as ww-mutate, or name it in %s", envMutate)
		}
	}
}
