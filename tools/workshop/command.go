package workshop

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Command runs a program in a folder and returns its standard output. That it fails is an error.
func Command(dir, name string, args ...string) (string, error) {
	var out strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Stdout = &out
	says, failed, err := Attempt(dir, cmd)
	if err == nil && failed {
		err = fmt.Errorf("%s: it failed:\n%s", strings.Join(cmd.Args, " "), says)
	}
	return out.String(), err
}

// Attempt runs a program that may well fail: then it has found something, and said so on its standard error.
func Attempt(dir string, cmd *exec.Cmd) (says string, failed bool, err error) {
	var stderr strings.Builder
	cmd.Dir, cmd.Stderr = dir, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return stderr.String(), true, nil
	}
	return stderr.String(), false, err
}
