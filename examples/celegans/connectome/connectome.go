// Package connectome reads a connectome as the C. elegans Connectome Toolbox (cect) stores it.
package connectome

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// Connectome is a directed graph of cells. Row r of the matrix holds what cell r sends: an entry
// (r, c, n) says that cell r makes n synapses onto cell c. cect indexes its arrays [pre][post], and
// the muscles bear it out: they receive, and their rows are empty.
type Connectome struct {
	Cells   []string
	Entries []Entry // by row, then by column
}

// Entry is the synapses from one cell onto another.
type Entry struct {
	From, To int
	Synapses int
}

// Read decodes the connections of one class, such as Generic_CS, the chemical synapses.
func Read(r io.Reader, class string) (*Connectome, error) {
	var file struct {
		Nodes       []string               `json:"nodes"`
		Connections map[string][][]float64 `json:"connections"`
	}
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("connectome: %w", err)
	}
	rows, ok := file.Connections[class]
	if !ok {
		return nil, fmt.Errorf("connectome: no connections of class %q", class)
	}
	if len(rows) != len(file.Nodes) {
		return nil, fmt.Errorf("connectome: %s has %d rows for %d cells", class, len(rows), len(file.Nodes))
	}
	seen := make(map[string]int, len(file.Nodes))
	for i, name := range file.Nodes {
		if before, ok := seen[name]; ok {
			return nil, fmt.Errorf("connectome: cells %d and %d are both called %q", before, i, name)
		}
		seen[name] = i
	}
	c := &Connectome{Cells: file.Nodes}
	for from, row := range rows {
		if len(row) != len(file.Nodes) {
			return nil, fmt.Errorf("connectome: row %d (%s) of %s has %d columns for %d cells", from, c.Cells[from], class, len(row), len(c.Cells))
		}
		for to, n := range row {
			if n < 0 || n > math.MaxInt32 || n != math.Trunc(n) {
				return nil, fmt.Errorf("connectome: %s onto %s in %s: %v is no number of synapses", c.Cells[from], c.Cells[to], class, n)
			}
			if n > 0 {
				c.Entries = append(c.Entries, Entry{from, to, int(n)})
			}
		}
	}
	return c, nil
}
