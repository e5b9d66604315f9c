package workshop

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
)

// Command runs a program in a folder and returns its standard output. That it fails is an error.
func Command(ctx context.Context, dir, name string, args ...string) (string, error) {
	var out strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Stdout = &out
	says, failed, err := Attempt(ctx, dir, cmd)
	if err == nil && failed {
		err = fmt.Errorf("%s: it failed:\n%s", strings.Join(cmd.Args, " "), says)
	}
	return out.String(), err
}

// Attempt runs a program that may well fail: then it has found something, and said so on its standard error. When the context ends,
// the program ends with all that it has started, which is an error.
func Attempt(ctx context.Context, dir string, cmd *exec.Cmd) (says string, failed bool, err error) {
	var stderr strings.Builder
	cmd.Dir, cmd.Stderr = dir, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // compilers are drivers: what takes long is what they start
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	if err := cmd.Start(); err != nil {
		return "", false, err
	}
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err = cmd.Wait()
	if !stop() {
		return stderr.String(), false, fmt.Errorf("%s: %w", cmd.Args[0], ctx.Err())
	}
	says = stderr.String()
	var exit *exec.ExitError
	switch {
	case !errors.As(err, &exit):
		return says, false, err
	case exit.ExitCode() < 0, strings.Contains(says, "signal terminated program"), strings.Contains(says, "died due to signal"):
		return says, false, fmt.Errorf("%s was killed, so it has found nothing: %w:\n%s", cmd.Args[0], err, says)
	}
	return says, true, nil
}
