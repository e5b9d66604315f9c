// Command ww is the command line of warpwright: it shows what a machine can run, reads images of
// kernels, multiplies matrices out of files and measures. `ww --help` is its manual.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return root().run(ctx, "ww", args, stdout, stderr)
}

func root() *command {
	return &command{
		name:    "ww",
		summary: "ww runs checked CUDA kernels from Go, on a GPU or without one.",
		doc: `Every command takes a device from -device or WW_DEVICE (cpu, emu, gpu or gpu:N; by itself it takes the
first GPU, else the CPU) and compiled kernels from -images or WW_IMAGES, a folder.`,
		example: []string{"ww info", "ww doctor"},
		verbs:   []*command{infoCommand(), inspectCommand(), doctorCommand()},
	}
}
