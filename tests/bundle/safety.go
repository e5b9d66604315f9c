package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"

	"github.com/warpwright/warpwright/tests/containment"
	"github.com/warpwright/warpwright/tests/harness"
	"github.com/warpwright/warpwright/tests/twinbench"
)

// measureTwins measures safe kernels beside raw ones, and fails if one costs more than it may. The last line
// of the output, or the error, sums up.
func measureTwins(ctx context.Context, args []string, stdout io.Writer) (err error) {
	f := flag.NewFlagSet("twins", flag.ContinueOnError)
	out := f.String("o", "", "write the report as JSON to `FILE`")
	only := f.String("run", "", "measure the kernels whose name matches `REGEXP`")
	if err := f.Parse(args); err != nil {
		return err
	}
	re, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	d, err := harness.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	fmt.Fprintln(stdout, harness.Describe(d))
	r, err := twinbench.Run(ctx, d, twinbench.Options{Only: re.MatchString, Progress: func(row twinbench.Row) { fmt.Fprintln(stdout, row) }})
	if err != nil {
		return err
	}
	if len(r.Rows) == 0 {
		return fmt.Errorf("-run %q matches no kernel", *only)
	}
	if err := writeJSON(*out, r); err != nil {
		return err
	}
	if len(r.Slow()) > 0 {
		return errors.New(r.Summary())
	}
	fmt.Fprintln(stdout, r.Summary())
	return nil
}

// writeJSON writes a report to a file, if one is named.
func writeJSON(path string, report any) error {
	if path == "" {
		return nil
	}
	p, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(p, '\n'), 0o666)
}

// contain makes bad launches, each by this program in another process.
func contain(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) > 0 {
		return fmt.Errorf("want no arguments, have %q", args)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return containment.Run(ctx, stdout, func(ctx context.Context, l containment.Launch) *exec.Cmd {
		return exec.CommandContext(ctx, self, "bad-launch", l.Arg())
	})
}

// child makes one bad launch.
func child(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("want one launch, have %q", args)
	}
	l, err := containment.Parse(args[0])
	if err != nil {
		return err
	}
	return containment.Child(ctx, l, stdout)
}
