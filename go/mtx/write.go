package mtx

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// WriteFile writes a matrix to the file of that name, packed by gzip if it ends
// in ".gz".
func WriteFile(name string, m *COO, comments ...string) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("mtx: %w", err)
	}
	if strings.HasSuffix(name, ".gz") {
		z := gzip.NewWriter(f)
		err = errors.Join(Write(z, m, comments...), z.Close())
	} else {
		err = Write(f, m, comments...)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Write writes a matrix, after validating it, with comments below the header.
// Values are written so that Read gives back the same ones.
func Write(w io.Writer, m *COO, comments ...string) error {
	if err := m.Validate(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%%%%MatrixMarket matrix coordinate %v %v\n", m.Field, m.Symmetry)
	for _, c := range comments {
		for _, line := range strings.FieldsFunc(c, func(r rune) bool { return r == '\n' || r == '\r' }) {
			fmt.Fprintf(out, "%% %s\n", line)
		}
	}
	fmt.Fprintf(out, "%d %d %d\n", m.Rows, m.Cols, m.NNZ())
	var line []byte
	for i := range m.Row {
		line = strconv.AppendInt(line[:0], int64(m.Row[i])+1, 10)
		line = append(line, ' ')
		line = strconv.AppendInt(line, int64(m.Col[i])+1, 10)
		if m.Field != Pattern {
			line = append(line, ' ')
			line = m.Field.append(line, m.Value[i])
		}
		line = append(line, '\n')
		out.Write(line) // the writer keeps its first error for Flush
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("mtx: %w", err)
	}
	return nil
}

func (f Field) append(line []byte, v float64) []byte {
	if f == Integer {
		return strconv.AppendInt(line, int64(v), 10)
	}
	return strconv.AppendFloat(line, v, 'g', -1, 64)
}
