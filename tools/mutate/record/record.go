// Package record keeps the verdicts on mutants: a log that a later run goes on from, and the table made of it.
package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
)

// Verdict is a line of the log.
type Verdict struct {
	ID       string   `json:"id"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Operator string   `json:"operator"`
	Before   string   `json:"before"` // the line without the edit
	After    string   `json:"after"`  // the line with it
	Trials   []string `json:"trials"` // kernels that it was tried with
	Net      string   `json:"net"`    // that caught it; empty if it survived
	Says     string   `json:"says,omitempty"`
	Device   bool     `json:"device,omitempty"` // no emulator reads the line
	Same     string   `json:"same,omitempty"`   // why a survivor is no fault: its machine code, or the list of equivalents
	Error    string   `json:"error,omitempty"`  // what kept the nets from judging it
	Seconds  float64  `json:"seconds"`
}

// Survived says that no net caught it and nothing shows that it is the same program.
func (v *Verdict) Survived() bool { return v.Net == "" && v.Same == "" && v.Error == "" }

// Log is a file of verdicts, one a line, written as they come.
type Log struct {
	mu   sync.Mutex
	file *os.File
	have map[string]*Verdict
}

// Open reads a log, or begins one. A last line that was cut off is written anew.
func Open(path string) (*Log, error) {
	l := &Log{have: map[string]*Verdict{}}
	all, whole, err := read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, v := range all {
		l.have[v.ID] = v
	}
	// Of two runs with one log, each writes behind what the other one has written.
	if l.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
		return nil, err
	}
	if err := l.file.Truncate(whole); err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	return l, nil
}

// Read reads the verdicts of a log, the last one on each mutant.
func Read(path string) ([]*Verdict, error) {
	all, _, err := read(path)
	last := map[string]*Verdict{}
	for _, v := range all {
		last[v.ID] = v
	}
	return slices.DeleteFunc(all, func(v *Verdict) bool { return last[v.ID] != v }), err
}

// begin is how each line of a log begins, be it cut off.
var begin = []byte(`{"id":"`)

// read also says how many bytes whole lines take.
func read(path string) (out []*Verdict, whole int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		if err != nil && (bytes.HasPrefix(line, begin) || bytes.HasPrefix(begin, line)) {
			return out, whole, nil // what is left is a line that was cut off
		}
		v := &Verdict{}
		if err := json.Unmarshal(line, v); err != nil {
			return nil, 0, fmt.Errorf("%s:%d: no verdict: %w", path, n, err)
		}
		if v.ID == "" {
			return nil, 0, fmt.Errorf("%s:%d: no verdict: it names no mutant", path, n)
		}
		out = append(out, v)
		whole += int64(len(line))
	}
}

// Has says that there is a verdict on a mutant whose line is before without the edit. One that could not be judged has none, nor has one
// whose line has changed since.
func (l *Log) Has(id, before string) bool {
	v := l.find(id)
	return v != nil && v.Error == "" && v.Before == before
}

// Survived says that the verdict on a mutant is that it survived.
func (l *Log) Survived(id string) bool {
	v := l.find(id)
	return v != nil && v.Survived()
}

func (l *Log) find(id string) *Verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.have[id]
}

// Add writes a verdict down.
func (l *Log) Add(v *Verdict) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.have[v.ID] = v
	_, err = l.file.Write(append(line, '\n'))
	return err
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }
