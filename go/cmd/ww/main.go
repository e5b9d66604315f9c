// Command ww is the command line of warpwright: it shows what a machine can run, reads images of
// kernels, multiplies matrices out of files and measures. `ww --help` is its manual.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/warpwright/warpwright/go/cmd/ww/command"
	"github.com/warpwright/warpwright/go/device"
)

func main() {
	if err := comeFromBazel(); err != nil {
		fmt.Fprintf(os.Stderr, "ww: %v\n", err)
		os.Exit(1)
	}
	os.Exit(command.Run(os.Args[1:], os.Stdout, os.Stderr))
}

// comeFromBazel goes to the folder in which the user typed `bazel run`, so that files they name are found.
// What Bazel itself names, relative to where it started the program, is kept.
func comeFromBazel() error {
	folder := os.Getenv("BUILD_WORKING_DIRECTORY")
	if folder == "" {
		return nil
	}
	for _, variable := range []string{device.EnvImages, device.EnvEmu} {
		named := os.Getenv(variable)
		if named == "" {
			continue
		}
		absolute, err := filepath.Abs(named)
		if err == nil {
			err = os.Setenv(variable, absolute)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", variable, err)
		}
	}
	return os.Chdir(folder)
}
