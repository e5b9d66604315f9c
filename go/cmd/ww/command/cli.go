package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/internal/document"
)

// The exit codes, as every --help says them.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

const exitCodes = "Exit code: 0 done, 1 failed, 2 wrong usage."

// command is one verb of the program: it either has verbs of its own or runs.
type command struct {
	name    string
	args    string // what follows the flags, as help prints it: "MATRIX.mtx"
	summary string // one line, for the list of the verbs
	doc     string // a paragraph or two
	example []string
	verbs   []*command
	// setup declares the flags and returns what runs the command once they are parsed.
	setup func(f *flag.FlagSet) func(s *invocation, args []string) (result, error)
	// pass, in place of setup, hands all arguments to another program, which has a --help of its own.
	pass func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

// invocation is one run of the program.
type invocation struct {
	ctx    context.Context
	stderr io.Writer // for progress
}

// result is what a command prints: itself as JSON, or text. A command may return one with an error.
type result interface {
	text(w io.Writer) error
}

// usageError is a fault of the command line, as opposed to a failure of the work.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// run finds the verb in args, under c, and runs it. path is how the user came here: "ww bench".
func (c *command) run(ctx context.Context, path string, args []string, stdout, stderr io.Writer) int {
	if len(c.verbs) > 0 {
		return c.dispatch(ctx, path, args, stdout, stderr)
	}
	if c.pass != nil {
		var exit *exec.ExitError
		switch err := c.pass(ctx, args, stdout, stderr); {
		case errors.As(err, &exit): // the program has said why
			if exit.ExitCode() == exitUsage {
				return exitUsage
			}
			return exitFailed
		case err != nil:
			return fail(path, err, stderr)
		}
		return exitOK
	}
	f := flag.NewFlagSet(path, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	asJSON := f.Bool("json", false, "print the result as JSON")
	work := c.setup(f)
	rest, err := parse(f, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.help(path, f, stdout)
		return exitOK
	case err != nil:
		return fail(path, usagef("%w", err), stderr)
	}
	res, err := work(&invocation{ctx, stderr}, rest)
	if res != nil {
		if printErr := show(res, *asJSON, stdout); err == nil {
			err = printErr
		}
	}
	if err != nil {
		return fail(path, err, stderr)
	}
	return exitOK
}

func (c *command) dispatch(ctx context.Context, path string, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		c.help(path, nil, stderr)
		return exitUsage
	}
	switch name := args[0]; name {
	case "help", "-h", "-help", "--help":
		// `ww help bench csr` is `ww bench csr --help`.
		if name == "help" && len(args) > 1 {
			return c.run(ctx, path, append(slices.Clone(args[1:]), "--help"), stdout, stderr)
		}
		c.help(path, nil, stdout)
		return exitOK
	default:
		for _, v := range c.verbs {
			if v.name == name {
				return v.run(ctx, path+" "+name, args[1:], stdout, stderr)
			}
		}
		return fail(path, c.unknown(path, name), stderr)
	}
}

func (c *command) unknown(path, name string) error {
	if strings.HasPrefix(name, "-") {
		return usagef("flag %s before the command: a flag follows it, as in `%s %s %s`", name, path, c.verbs[0].name, name)
	}
	var names []string
	for _, v := range c.verbs {
		names = append(names, v.name)
	}
	if near := nearest(name, names); near != "" {
		return usagef("unknown command %q: did you mean %q?", name, near)
	}
	return usagef("unknown command %q: there are %s", name, strings.Join(names, ", "))
}

func fail(path string, err error, stderr io.Writer) int {
	fmt.Fprintf(stderr, "%s: %v\n", path, err)
	var usage *usageError
	if errors.As(err, &usage) {
		fmt.Fprintf(stderr, "`%s --help` says more.\n", path)
		return exitUsage
	}
	return exitFailed
}

func show(res result, asJSON bool, stdout io.Writer) error {
	if !asJSON {
		return res.text(stdout)
	}
	text, err := document.Write("-json", res)
	if err != nil {
		return err
	}
	_, err = stdout.Write(text)
	return err
}

func (c *command) help(path string, f *flag.FlagSet, w io.Writer) {
	usage := path
	if len(c.verbs) > 0 {
		usage += " COMMAND"
	} else {
		usage += " [flags]"
	}
	if c.args != "" {
		usage += " " + c.args
	}
	fmt.Fprintf(w, "%s\n\nUsage: %s\n", c.summary, usage)
	if c.doc != "" {
		fmt.Fprintf(w, "\n%s\n", c.doc)
	}
	if len(c.verbs) > 0 {
		fmt.Fprintf(w, "\nCommands:\n")
		for _, v := range c.verbs {
			fmt.Fprintf(w, "  %-9s %s\n", v.name, v.summary)
		}
		fmt.Fprintf(w, "\n`%s COMMAND --help` says more of one.\n", path)
	}
	if f != nil {
		fmt.Fprintf(w, "\nFlags, before or after the arguments:\n")
		f.VisitAll(func(one *flag.Flag) {
			kind, text := flag.UnquoteUsage(one)
			name := "-" + one.Name
			if kind != "" {
				name += " " + kind
			}
			if one.DefValue != "" && one.DefValue != "false" && one.DefValue != "0" {
				text += fmt.Sprintf(" (default %s)", one.DefValue)
			}
			fmt.Fprintf(w, "  %-16s %s\n", name, text)
		})
	}
	if len(c.example) > 0 {
		fmt.Fprintf(w, "\nExample:\n")
		for _, line := range c.example {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	fmt.Fprintf(w, "\n%s\n", exitCodes)
}

// parse is f.Parse with flags allowed after arguments too; what follows -- is never a flag.
func parse(f *flag.FlagSet, args []string) ([]string, error) {
	var tail []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, tail = args[:i], args[i+1:]
	}
	var rest []string
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		if args = f.Args(); len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	return append(rest, tail...), nil
}

// noArgs refuses arguments of a command that takes none.
func noArgs(args []string) error {
	if len(args) > 0 {
		return usagef("argument %q: the command takes none", args[0])
	}
	return nil
}

// nearest returns the candidate that is at most two typing slips from name, or "".
func nearest(name string, candidates []string) string {
	best, least := "", 3
	for _, c := range candidates {
		if d := slips(name, c); d < least && d < min(len(name), len(c)) {
			best, least = c, d
		}
	}
	return best
}

// slips is how many insertions, deletions, changes and swaps of neighbours lead from a to b.
func slips(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			default:
				change := rows[i-1][j-1]
				if a[i-1] != b[j-1] {
					change++
				}
				rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
				}
			}
		}
	}
	return rows[len(a)][len(b)]
}
