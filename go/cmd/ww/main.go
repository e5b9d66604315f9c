// Command ww is the command line of warpwright: it shows what a machine can run, reads images of
// kernels, multiplies matrices out of files and measures. `ww --help` is its manual.
package main

import (
	"os"

	"github.com/warpwright/warpwright/go/cmd/ww/command"
)

func main() {
	os.Exit(command.Run(os.Args[1:], os.Stdout, os.Stderr))
}
