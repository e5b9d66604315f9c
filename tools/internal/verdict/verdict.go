// Package verdict is how a check ends in the build: a program that has written a table of what it found judges it apart from that, so
// that the table ships whatever stands in it, and the build fails for what has no reason.
package verdict

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// ErrOpen is the end of a run that found something and has said so.
var ErrOpen = errors.New("something is open")

// most is how many lines are listed: what is wrong in a header is wrong in every entry.
const most = 40

// Run is `PROGRAM verdict --table FILE --out STAMP`, with the arguments after "verdict". judge says what is wrong in a table, a
// line each, and what those lines are; where there are none, the stamp is written.
func Run(program string, args []string, stderr io.Writer, judge func(table []byte) (says string, lines []string, err error)) error {
	name := program + " verdict"
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	table := flags.String("table", "", fmt.Sprintf("the `file` that %s table wrote", program))
	out := flags.String("out", "", "the stamp to write if all is well")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *table == "" || *out == "" || flags.NArg() > 0 {
		return fmt.Errorf("%s: want --table and --out, and no other arguments", name)
	}
	p, err := os.ReadFile(*table)
	if err != nil {
		return fmt.Errorf("%s: --table: %w", name, err)
	}
	says, lines, err := judge(p)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", name, *table, err)
	}
	if len(lines) == 0 {
		if err := os.WriteFile(*out, nil, 0o666); err != nil {
			return fmt.Errorf("%s: --out: %w", name, err)
		}
		return nil
	}
	fmt.Fprintf(stderr, "%s: %s:\n", program, says)
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(stderr, "  and %d more\n", len(lines)-most)
			break
		}
		fmt.Fprintf(stderr, "  %s\n", line)
	}
	return ErrOpen
}
