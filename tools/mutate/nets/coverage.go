package nets

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/tools/mutate/trial"
	"github.com/warpwright/warpwright/tools/workshop"
)

// Coverage is which trials run which lines of which files.
type Coverage struct {
	trials []*trial.Trial
	lines  []map[string]map[int]bool // by trial: file, line
}

// Cover runs every trial once, in a build that counts lines. gcov is the program that reads the counts.
func (l *Lab) Cover(trials []*trial.Trial, gcov string, workers int) (*Coverage, error) {
	c := &Coverage{trials: trials, lines: make([]map[string]map[int]bool, len(trials))}
	counted := workshop.Coverage()
	precompiled, err := l.emulators.Precompile(counted, filepath.Join(l.Dir, counted.Program), "emu/cuda.h", "emu/table.h", "type_traits", "utility", "cstdint")
	if err != nil {
		return nil, err
	}
	errs := make([]error, len(trials))
	slots := make(chan struct{}, workers)
	var wg sync.WaitGroup
	for i, t := range trials {
		wg.Add(1)
		go func() {
			defer wg.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			if c.lines[i], errs[i] = l.cover(t, gcov, counted, precompiled); errs[i] != nil {
				errs[i] = fmt.Errorf("coverage of %s: %w", t.Kernel, errs[i])
			}
		}()
	}
	wg.Wait()
	return c, errors.Join(errs...)
}

func (l *Lab) cover(t *trial.Trial, gcov string, s workshop.Sanitizer, precompiled string) (lines map[string]map[int]bool, err error) {
	b, err := l.newBench(nil, t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if says, failed, err := b.specify(); err != nil || failed {
		return nil, errors.Join(err, errors.New(says))
	}
	v, err := b.compileFor(s, precompiled)
	if err == nil && v != nil {
		err = errors.New(v.Says)
	}
	if err == nil {
		v, err = b.play(s, play{emu.Options{}, trial.Options{Blind: true}})
	}
	if err == nil && v != nil {
		err = errors.New(v.Says)
	}
	if err != nil {
		return nil, err
	}
	out, err := workshop.Command(b.dir, gcov, "--json-format", "--stdout", s.Program+".gcda")
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

// Trials are those that run a line of a file, or, where no trial does, the nearest line that one runs: a declaration has no code of its own.
func (c *Coverage) Trials(file string, line int) []*trial.Trial {
	var out []*trial.Trial
	nearest := -1
	for i, t := range c.trials {
		for at := range c.lines[i][file] {
			distance := max(at-line, line-at)
			if nearest < 0 || distance < nearest {
				nearest, out = distance, nil
			}
			if distance == nearest && (len(out) == 0 || out[len(out)-1] != t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// Runs says that a trial runs just this line.
func (c *Coverage) Runs(file string, line int) bool {
	for i := range c.trials {
		if c.lines[i][file][line] {
			return true
		}
	}
	return false
}
