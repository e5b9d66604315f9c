// Package court judges mutants, some at a time, and writes the verdicts down.
package court

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/warpwright/warpwright/tools/mutate/nets"
	"github.com/warpwright/warpwright/tools/mutate/operators"
	"github.com/warpwright/warpwright/tools/mutate/record"
	"github.com/warpwright/warpwright/tools/mutate/trial"
)

// Court is who judges.
type Court struct {
	Lab      *nets.Lab
	Log      *record.Log
	Texts    map[string]string // the files that mutants are of, by name
	Trials   []*trial.Trial
	GCov     string // the program that reads line counts
	Workers  int
	Progress io.Writer

	coverage *nets.Coverage
	passes   map[string]func() error // by kernel: that it passes as it is, asked once

	mu   sync.Mutex
	done int
}

// Prepare finds out which lines the trials run, and that they can run.
func (c *Court) Prepare() (err error) {
	if c.coverage != nil {
		return nil
	}
	c.passes = map[string]func() error{}
	for _, t := range c.Trials {
		c.passes[t.Kernel] = sync.OnceValue(func() error { return c.control(t) })
	}
	c.coverage, err = c.Lab.Cover(c.Trials, c.GCov, c.Workers)
	return err
}

// Runs says that a trial runs the very line that a mutant is of.
func (c *Court) Runs(m *operators.Mutant) bool { return c.coverage.Runs(m.File, m.Line) }

// Judge judges the mutants that the log does not have yet.
func (c *Court) Judge(all []*operators.Mutant) error {
	todo := slices.DeleteFunc(slices.Clone(all), func(m *operators.Mutant) bool { return c.Log.Has(m.ID()) != nil })
	fmt.Fprintf(c.Progress, "mutate: %d mutants, %d of them judged already\n", len(all), len(all)-len(todo))
	if len(todo) == 0 {
		return nil
	}
	if err := c.Prepare(); err != nil {
		return err
	}
	fmt.Fprintf(c.Progress, "mutate: it is known which lines %d kernels run\n", len(c.Trials))
	return each(c.Workers, todo, func(m *operators.Mutant) error {
		v, err := c.try(m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.ID(), err)
		}
		c.mu.Lock()
		c.done++
		fmt.Fprintf(c.Progress, "%d of %d, %s: %s\n", c.done, len(todo), word(v), m.ID())
		c.mu.Unlock()
		return c.Log.Add(v)
	})
}

// Control makes sure of all trials that no net trips over what is right.
func (c *Court) Control() error {
	return each(c.Workers, c.Trials, func(t *trial.Trial) error {
		start := time.Now()
		if err := c.control(t); err != nil {
			return err
		}
		fmt.Fprintf(c.Progress, "%s passes, %.1f s\n", t.Kernel, time.Since(start).Seconds())
		return nil
	})
}

// control makes sure that no net trips over what is right: one that did would catch everything.
func (c *Court) control(t *trial.Trial) error {
	v, err := c.Lab.Judge(nil, t)
	if err == nil && v.Net != "" {
		err = fmt.Errorf("%s says: %s", v.Net, v.Says)
	}
	if err != nil {
		return fmt.Errorf("kernel %s, which is not mutated: %w", t.Kernel, err)
	}
	return nil
}

func word(v *record.Verdict) string {
	switch {
	case v.Net != "":
		return v.Net
	case v.Same != "":
		return "same"
	}
	return "SURVIVED"
}

// try tries a mutant by one of the kernels that run its line; if it survives, by the others.
func (c *Court) try(m *operators.Mutant) (*record.Verdict, error) {
	start := time.Now()
	before, after := m.Diff(c.Texts[m.File])
	v := &record.Verdict{ID: m.ID(), File: m.File, Line: m.Line, Operator: m.Operator, Before: before, After: after}
	trials, err := c.choose(m)
	if err != nil {
		return nil, err
	}
	same := true // as far as all these kernels go
	for i, t := range trials {
		if i > 0 { // what makes no difference to a kernel need not be tried with it
			is, err := c.Lab.Same(m, t)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.Kernel, err)
			}
			if is {
				continue
			}
		}
		if err := c.passes[t.Kernel](); err != nil {
			return nil, err
		}
		found, err := c.Lab.Judge(m, t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Kernel, err)
		}
		v.Trials = append(v.Trials, t.Kernel)
		if v.Net, v.Says = found.Net, found.Says; v.Net != "" {
			break
		}
		is, err := c.Lab.Same(m, t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Kernel, err)
		}
		same = same && is
	}
	switch {
	case v.Net != "" || !same:
	case strings.HasSuffix(m.File, ".cu") || c.Runs(m):
		v.Same = "the same machine code and contracts"
	default: // that nothing changed shows nothing
		v.Says = "no trial runs this line"
	}
	v.Seconds = time.Since(start).Round(time.Millisecond).Seconds()
	return v, nil
}

// choose orders the kernels that a mutant is tried with: its own, or those that run its line, one of them first by chance.
func (c *Court) choose(m *operators.Mutant) ([]*trial.Trial, error) {
	var out []*trial.Trial
	if strings.HasSuffix(m.File, ".cu") {
		name := operators.KernelAt(c.Texts[m.File], m.Offset)
		for _, t := range c.Trials {
			if t.Kernel == name && t.Source == m.File {
				out = append(out, t)
			}
		}
		if out == nil {
			return nil, fmt.Errorf("no trial runs kernel %q of %s: add one to tools/mutate/trial", name, m.File)
		}
		return out, nil
	}
	if out = c.coverage.Trials(m.File, m.Line); out == nil {
		return nil, errors.New("no trial runs anything near this line: add one to tools/mutate/trial")
	}
	h := fnv.New32a()
	h.Write([]byte(m.ID()))
	first := int(h.Sum32()) % len(out)
	return slices.Concat(out[first:], out[:first]), nil
}

// each calls f for all, some at a time. After an error no more are begun.
func each[T any](workers int, all []T, f func(T) error) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	next := 0
	for range min(workers, len(all)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				mu.Lock()
				i := next
				next++
				stop := i >= len(all) || len(errs) > 0
				mu.Unlock()
				if stop {
					return
				}
				if err := f(all[i]); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}
