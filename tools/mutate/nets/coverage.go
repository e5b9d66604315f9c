package nets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"

	"github.com/warpwright/warpwright/tools/mutate/trial"
	"github.com/warpwright/warpwright/tools/workshop"
)

// Coverage is which trials run which lines of which files.
type Coverage struct {
	mu    sync.Mutex
	lines map[*trial.Trial]map[string]map[int]bool // file, line
}

// Cover runs a trial once, in a build that counts lines, and adds what it runs. gcov is the program that reads the counts.
func (l *Lab) Cover(ctx context.Context, c *Coverage, t *trial.Trial, gcov string) error {
	lines, err := l.cover(ctx, t, gcov)
	if err != nil {
		return fmt.Errorf("coverage of %s: %w", t.Kernel, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lines == nil {
		c.lines = map[*trial.Trial]map[string]map[int]bool{}
	}
	c.lines[t] = lines
	return nil
}

func (l *Lab) cover(ctx context.Context, t *trial.Trial, gcov string) (lines map[string]map[int]bool, err error) {
	b, err := l.newBench(nil, t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	s := workshop.Coverage()
	v, err := b.kernelspec(ctx)
	if err == nil && v == nil {
		v, err = b.compileFor(ctx, s, b.counts)
	}
	if err == nil && v == nil {
		v, err = b.play(ctx, s, []trial.Round{{Options: trial.Options{Blind: true}}})
	}
	if err == nil && v != nil {
		err = errors.New(v.Says)
	}
	if err != nil {
		return nil, err
	}
	out, err := workshop.Command(ctx, b.dir, gcov, "--json-format", "--stdout", s.Program+".gcda")
	if err != nil {
		return nil, err
	}
	var counts struct {
		Files []struct {
			File  string
			Lines []struct {
				Number int `json:"line_number"`
				Count  int `json:"count"`
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &counts); err != nil {
		return nil, fmt.Errorf("gcov: %w", err)
	}
	lines = map[string]map[int]bool{}
	run := func(file string, line int) {
		if lines[file] == nil {
			lines[file] = map[int]bool{}
		}
		lines[file][line] = true
	}
	for _, f := range counts.Files {
		for _, n := range f.Lines {
			if n.Count > 0 {
				run(filepath.ToSlash(filepath.Clean(strings.TrimPrefix(f.File, b.dir+"/"))), n.Number)
			}
		}
	}
	spec, err := b.spec()
	if err != nil {
		return nil, err
	}
	for _, v := range spec.Views { // rows are no code; a launch goes by those that the kernel uses
		run(v.File, v.Line)
	}
	if len(lines) == 0 {
		return nil, errors.New("no line was counted")
	}
	return lines, nil
}

// Trials are those of some that run a line of a file, or, where none does, the nearest line that one runs: a declaration has no code of its
// own.
func (c *Coverage) Trials(of []*trial.Trial, file string, line int) []*trial.Trial {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []*trial.Trial
	nearest := math.MaxInt
	for _, t := range of {
		distance := math.MaxInt
		for at := range c.lines[t][file] {
			distance = min(distance, max(at-line, line-at))
		}
		if distance < nearest {
			nearest, out = distance, nil
		}
		if distance == nearest && distance < math.MaxInt {
			out = append(out, t)
		}
	}
	return out
}

// Runs says that a trial runs just this line.
func (c *Coverage) Runs(file string, line int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, lines := range c.lines {
		if lines[file][line] {
			return true
		}
	}
	return false
}
