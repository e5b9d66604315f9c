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
		pass: func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
			cmd, err := mutateProgram(ctx)
			if err != nil {
				return err
			}
			cmd.Args = append(cmd.Args, args...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
			return cmd.Run()
		},
	}
}

// mutateProgram is the program that WW_MUTATE names, else ww-mutate on PATH, else the one of the checkout around, built with Go.
func mutateProgram(ctx context.Context) (*exec.Cmd, error) {
	if path := os.Getenv(envMutate); path != "" {
		return exec.CommandContext(ctx, path), nil
	}
	if path, err := exec.LookPath("ww-mutate"); err == nil {
		return exec.CommandContext(ctx, path), nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for at := dir; ; at = filepath.Dir(at) {
		mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module github.com/warpwright/warpwright\n") {
			return exec.CommandContext(ctx, "go", "-C", at, "run", "./tools/mutate", "--root", at), nil
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if at == filepath.Dir(at) {
			return nil, fmt.Errorf("mutants are made of warpwright's sources: run it in a checkout, with Go, or with Bazel as `./bazelw run //tools/mutate -- ...`; or put the program on PATH as ww-mutate, or name it in %s", envMutate)
		}
	}
}
