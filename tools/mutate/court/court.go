// Package court judges mutants, some at a time, and writes the verdicts down.
package court

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/warpwright/warpwright/tools/mutate/nets"
	"github.com/warpwright/warpwright/tools/mutate/operators"
	"github.com/warpwright/warpwright/tools/mutate/record"
	"github.com/warpwright/warpwright/tools/mutate/trial"
	"github.com/warpwright/warpwright/tools/workshop"
)

// Court is who judges.
type Court struct {
	Lab      *nets.Lab
	Log      *record.Log
	Texts    map[string]string // the files that mutants are of, by name
	Trials   []*trial.Trial
	GCov     string // the program that reads line counts
	Workers  int
	Until    time.Time // no mutant is begun after it, if it is not zero
	Again    bool      // those that survived in the log, and no others
	Progress io.Writer

	coverage nets.Coverage

	mu    sync.Mutex
	done  int
	began time.Time // with the first mutant
}

// Judge judges the mutants that the log does not have yet, for as long as there is time.
func (c *Court) Judge(ctx context.Context, all []*operators.Mutant) error {
	todo := slices.DeleteFunc(slices.Clone(all), func(m *operators.Mutant) bool {
		if c.Again {
			return !c.Log.Survived(m.ID())
		}
		before, _ := m.Diff(c.Texts[m.File])
		return c.Log.Has(m.ID(), before)
	})
	fmt.Fprintf(c.Progress, "mutate: %d mutants, %d of them to judge\n", len(all), len(todo))
	if len(todo) == 0 {
		return nil
	}
	if err := c.prepare(ctx, todo); err != nil {
		return err
	}
	c.began = time.Now()
	err := workshop.Each(c.Workers, todo, func(m *operators.Mutant) error {
		if ctx.Err() != nil || !c.Until.IsZero() && time.Now().After(c.Until) {
			return nil
		}
		v := c.try(ctx, m)
		if ctx.Err() != nil {
			return nil // what was cut off is no verdict
		}
		c.say(v, len(todo))
		return c.Log.Add(v)
	})
	if c.done < len(todo) {
		fmt.Fprintf(c.Progress, "mutate: %d are left: the same command goes on with them\n", len(todo)-c.done)
	}
	return err
}

// say reports progress.
func (c *Court) say(v *record.Verdict, of int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	word := v.Net
	switch {
	case word != "":
	case v.Same != "":
		word = "same"
	case v.Error != "":
		word = "ERROR"
	default:
		word = "SURVIVED"
	}
	fmt.Fprintf(c.Progress, "%d of %d, %.1f a minute: %s, %.1f s: %s\n", c.done, of, float64(c.done)/time.Since(c.began).Minutes(), word, v.Seconds, v.ID)
}

// prepare finds out which lines the trials run that mutants need, and makes sure that no net trips over what is right: one that did would
// catch everything. What takes long goes first.
func (c *Court) prepare(ctx context.Context, todo []*operators.Mutant) error {
	start := time.Now()
	headers, needed := false, map[*trial.Trial]bool{}
	for _, m := range todo {
		if headers = headers || !strings.HasSuffix(m.File, ".cu"); !headers {
			for _, t := range c.choose(m) {
				needed[t] = true
			}
		}
	}
	var tasks []func() error
	for _, t := range slices.Backward(c.Trials) {
		if headers || needed[t] {
			tasks = append(tasks, func() error { return c.control(ctx, t) })
		}
		if headers {
			tasks = append(tasks, func() error { return c.Lab.Cover(ctx, &c.coverage, t, c.GCov) })
		}
	}
	if err := workshop.Each(c.Workers, tasks, func(f func() error) error { return f() }); err != nil {
		return err
	}
	fmt.Fprintf(c.Progress, "mutate: no net trips over what is right, %.1f s\n", time.Since(start).Seconds())
	return nil
}

// Control makes sure of all trials that no net trips over what is right.
func (c *Court) Control(ctx context.Context) error {
	trials := slices.Clone(c.Trials)
	slices.Reverse(trials)
	return workshop.Each(c.Workers, trials, func(t *trial.Trial) error {
		start := time.Now()
		if err := c.control(ctx, t); err != nil {
			return err
		}
		fmt.Fprintf(c.Progress, "%s passes, %.1f s\n", t.Kernel, time.Since(start).Seconds())
		return nil
	})
}

func (c *Court) control(ctx context.Context, t *trial.Trial) error {
	v, err := c.Lab.Judge(ctx, nil, t, false)
	if err == nil && v.Net != "" {
		err = fmt.Errorf("%s says: %s", v.Net, v.Says)
	}
	if err != nil {
		return fmt.Errorf("kernel %s, which is not mutated: %w", t.Kernel, err)
	}
	return nil
}

// try tries a mutant by one of the kernels that run its line; if it survives, by the others.
func (c *Court) try(ctx context.Context, m *operators.Mutant) *record.Verdict {
	start := time.Now()
	before, after := m.Diff(c.Texts[m.File])
	v := &record.Verdict{ID: m.ID(), File: m.File, Line: m.Line, Operator: m.Operator, Before: before, After: after, Device: m.Device}
	defer func() { v.Seconds = time.Since(start).Round(time.Millisecond).Seconds() }()
	trials := c.choose(m)
	if len(trials) == 0 {
		v.Says = "unreached: no trial runs anything near this line"
		return v
	}
	same := true // as far as all these kernels go
	var errs []error
	for i, t := range trials {
		// What makes no difference to a kernel need not be tried with it, once it has been tried with one.
		found, err := c.judge(ctx, m, t, i > 0)
		if err != nil { // another kernel may catch it
			errs = append(errs, fmt.Errorf("%s: %w", t.Kernel, err))
			continue
		}
		if i == 0 || !found.Same {
			v.Trials = append(v.Trials, t.Kernel)
		}
		if v.Net, v.Says = found.Net, found.Says; v.Net != "" {
			return v
		}
		same = same && found.Same
	}
	switch err := errors.Join(errs...); {
	case err != nil:
		v.Error = err.Error()
	case same:
		switch reached, err := c.reached(ctx, m, trials); {
		case err != nil:
			v.Error = err.Error()
		case reached:
			v.Same = "the same machine code and contracts"
		default: // that nothing changed shows nothing
			v.Says = "unreached: no trial runs this line, and all compile without it"
		}
	}
	return v
}

// reached says that some trial has a use for the line of a mutant: it runs it, or does not compile without it. A type, a constant or a member
// is not run.
func (c *Court) reached(ctx context.Context, m *operators.Mutant, trials []*trial.Trial) (bool, error) {
	if strings.HasSuffix(m.File, ".cu") || c.coverage.Runs(m.File, m.Line) {
		return true, nil
	}
	without := m.Without(c.Texts[m.File])
	for _, t := range trials {
		if compiles, err := c.Lab.Compiles(ctx, without, t); err != nil || !compiles {
			return !compiles && err == nil, err
		}
	}
	return false, nil
}

// judge is the lab's word. A mutant may be what nobody has thought of: a panic is an error like others.
func (c *Court) judge(ctx context.Context, m *operators.Mutant, t *trial.Trial, unlessSame bool) (v *nets.Verdict, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return c.Lab.Judge(ctx, m, t, unlessSame)
}

// choose orders the kernels that a mutant is tried with: its own, or all of its source if it is in none, or those that run its line, one of them first by chance, and those that
// take long last. What none runs for itself, a type or a constant, may be of use to any.
func (c *Court) choose(m *operators.Mutant) []*trial.Trial {
	if strings.HasSuffix(m.File, ".cu") {
		name := operators.KernelAt(c.Texts[m.File], m.Offset)
		return slices.DeleteFunc(slices.Clone(c.Trials), func(t *trial.Trial) bool { return t.Source != m.File || name != "" && t.Kernel != name })
	}
	out := c.coverage.Trials(c.Trials, m.File, m.Line)
	quick := len(out)
	for quick > 0 && out[quick-1].Slow {
		quick--
	}
	if quick == 0 {
		return out
	}
	h := fnv.New32a()
	h.Write([]byte(m.ID()))
	first := int(h.Sum32()) % quick
	near := slices.Concat(out[first:quick], out[:first], out[quick:])
	if c.coverage.Runs(m.File, m.Line) {
		return near
	}
	return append(near, slices.DeleteFunc(slices.Clone(c.Trials), func(t *trial.Trial) bool { return slices.Contains(near, t) })...)
}
