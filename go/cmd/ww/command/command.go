// Package command is the program ww as a function, for ww itself, for programs that carry its commands
// beside their own, and for tests.
package command

import (
	"context"
	"io"
	"os"
	"os/signal"
)

// Run runs `ww args...` and returns its exit code: 0 done, 1 failed, 2 wrong usage. An interrupt
// cancels what waits.
func Run(args []string, stdout, stderr io.Writer) int {
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
		example: []string{"ww info", "ww mul connectome.mtx -t -x ones"},
		verbs:   []*command{infoCommand(), inspectCommand(), auditCommand(), proveCommand(), mulCommand(), benchCommand(), tuneCommand(), doctorCommand(), mutateCommand()},
	}
}
