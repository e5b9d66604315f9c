// Command tool turns a connectome of the C. elegans Connectome Toolbox into a Matrix Market file and a
// list of the cells' names: row r sends, column c receives, line r of the names is cell r.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/warpwright/warpwright/examples/celegans/connectome"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "tool: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	f := flag.NewFlagSet("tool", flag.ContinueOnError)
	in := f.String("in", "", "the connectome, JSON")
	class := f.String("class", "Generic_CS", "the class of connections: Generic_CS (chemical synapses) or Generic_GJ (gap junctions)")
	matrix := f.String("matrix", "", "the Matrix Market file to write")
	names := f.String("names", "", "the list of names to write")
	if err := f.Parse(args); err != nil {
		return err
	}
	file, err := os.Open(*in)
	if err != nil {
		return err
	}
	defer file.Close()
	c, err := connectome.Read(file, *class)
	if err != nil {
		return fmt.Errorf("%s: %w", *in, err)
	}
	if err := write(*matrix, func(w io.Writer) error { return writeMatrix(w, c, *class) }); err != nil {
		return err
	}
	return write(*names, func(w io.Writer) error { return writeNames(w, c) })
}

func write(name string, content func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	if err = content(w); err == nil {
		err = w.Flush()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func writeMatrix(w io.Writer, c *connectome.Connectome, class string) error {
	fmt.Fprintf(w, "%%%%MatrixMarket matrix coordinate integer general\n")
	fmt.Fprintf(w, "%% C. elegans hermaphrodite, %s: entry (r, c) counts the synapses from cell r onto cell c.\n", class)
	fmt.Fprintf(w, "%% Connections: Cook et al., Nature 571 (2019), as the C. elegans Connectome Toolbox (cect) carries them.\n")
	fmt.Fprintf(w, "%d %d %d\n", len(c.Cells), len(c.Cells), len(c.Entries))
	for _, e := range c.Entries {
		if _, err := fmt.Fprintf(w, "%d %d %d\n", e.From+1, e.To+1, e.Synapses); err != nil {
			return err
		}
	}
	return nil
}

func writeNames(w io.Writer, c *connectome.Connectome) error {
	for _, name := range c.Cells {
		if _, err := fmt.Fprintln(w, name); err != nil {
			return err
		}
	}
	return nil
}
