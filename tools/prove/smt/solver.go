package smt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Limits bound one query. The zero Limits are the usual ones.
type Limits struct {
	Steps uint32        // of z3's rlimit; about a million a second
	Time  time.Duration // a guard against a z3 that hangs; it does not decide
}

// The usual limits.
const (
	Steps = 20_000_000
	Time  = 2 * time.Minute
)

// Solver is a running z3. It is for one goroutine.
type Solver struct {
	path   string
	limits Limits
	known  map[string]Answer
	enough *cores
	rounds map[string]int // how near the premises were that were enough, by the query's name
	asked  int

	version string

	cmd    *exec.Cmd
	stop   context.CancelFunc
	in     io.WriteCloser
	out    *bufio.Reader
	pushed bool // this process has a context to go back to
}

// Start starts z3, which path names.
func Start(ctx context.Context, path string, limits Limits) (*Solver, error) {
	if limits.Steps == 0 {
		limits.Steps = Steps
	}
	if limits.Time == 0 {
		limits.Time = Time
	}
	s := &Solver{path: path, limits: limits, known: map[string]Answer{}, enough: newCores(), rounds: map[string]int{}}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	reply, err := s.talk(ctx, "(get-info :name)\n(get-info :version)\n")
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.version = strings.Join(strings.Fields(strings.NewReplacer("(:name", "", "(:version", "", ")", "", `"`, "").Replace(reply)), " ")
	return s, nil
}

// Fork starts another z3 that knows what this one was answered. Nobody may ask this one meanwhile.
func (s *Solver) Fork(ctx context.Context) (*Solver, error) {
	out := &Solver{path: s.path, limits: s.limits, known: maps.Clone(s.known), enough: s.enough.clone(), rounds: maps.Clone(s.rounds), version: s.version}
	return out, out.start(ctx)
}

func (s *Solver) start(ctx context.Context) error {
	ctx, s.stop = context.WithCancel(ctx)
	s.cmd = exec.CommandContext(ctx, s.path, "-in", "-smt2")
	in, err := s.cmd.StdinPipe()
	if err != nil {
		s.stop()
		return fmt.Errorf("z3: %w", err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.stop()
		return fmt.Errorf("z3: %w", err)
	}
	if err := s.cmd.Start(); err != nil {
		s.stop()
		return fmt.Errorf("z3: %w", err)
	}
	s.in, s.out, s.pushed = in, bufio.NewReader(out), false
	_, err = s.talk(ctx, withCores)
	return err
}

// Close ends z3.
func (s *Solver) Close() error {
	s.stop()
	s.in.Close()
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) || errors.Is(err, context.Canceled) { // ended by us
		return nil
	}
	return err
}

// Limit bounds the queries from here on.
func (s *Solver) Limit(steps uint32) { s.limits.Steps = steps }

// Version names the solver: "Z3 5.4.1".
func (s *Solver) Version() string { return s.version }

// Asked is the number of queries that z3 was asked; the others were known.
func (s *Solver) Asked() int { return s.asked }

// Prove asks whether the premises imply the goal. An error is z3's own, never a verdict.
func (s *Solver) Prove(ctx context.Context, q Query) (Answer, error) {
	vars, err := q.variables()
	if err != nil {
		return Answer{}, err
	}
	text := q.text(vars)
	if a, ok := s.known[text]; ok {
		return a, nil
	}
	a, err := s.ask(ctx, q, text, vars)
	if err != nil {
		return Answer{}, err
	}
	s.known[text] = a
	return a, nil
}

// Satisfiable says whether the premises can all be true, by an Answer of the goal that they cannot: Refuted, with
// values for which they are. The values are not those of Prove: nobody reads them.
func (s *Solver) Satisfiable(ctx context.Context, premises []Premise) (Answer, error) {
	q := Query{Name: "no values are possible", Premises: premises, Goal: False()}
	vars, err := q.variables()
	if err != nil {
		return Answer{}, err
	}
	text := q.text(vars)
	if a, ok := s.known[text]; ok {
		return a, nil
	}
	a, err := s.once(ctx, text, "", vars)
	if err != nil {
		return Answer{}, err
	}
	if a.Verdict == Refuted {
		err = q.check(a.Model, vars)
	}
	s.known[text] = a
	return a, err
}

// Follows says that the premises imply the goal, if Linear shows it in few steps, of the premises near the goal. It is the quick
// way: where it says no, nothing is known. How near depends on what the query is about, which its name says: it is tried first what was
// enough for the last query of that name.
func (s *Solver) Follows(ctx context.Context, q Query) (bool, error) {
	if s.enough.cover(q) {
		return true, nil
	}
	rounds := []int{1, 2, 4}
	if last := s.rounds[q.Name]; last > 0 {
		rounds = append([]int{last}, slices.DeleteFunc(rounds, func(n int) bool { return n == last })...)
	}
	for _, n := range rounds {
		near := Query{Name: q.Name, Premises: Around(q.Premises, q.Goal, n), Goal: q.Goal}
		if ok, err := s.linear(ctx, near); ok || err != nil {
			s.rounds[q.Name] = n
			return ok, err
		}
	}
	return false, nil
}

// linear asks whether a query follows by Linear, and keeps the premises that this takes.
func (s *Solver) linear(ctx context.Context, q Query) (bool, error) {
	l := Linear(q)
	vars, err := l.variables()
	if err != nil {
		return false, err
	}
	text := l.named(vars, len(q.Premises))
	known := "linear\n" + text // without premises the text may be that of a query for Prove, which can do more
	if a, ok := s.known[known]; ok {
		return a.Verdict == Proved, nil
	}
	s.pushed, s.asked = true, s.asked+1
	ctx, cancel := context.WithTimeout(ctx, s.limits.Time)
	defer cancel()
	verdict, err := s.talk(ctx, fmt.Sprintf("(push)\n(set-option :rlimit %d)\n%s(check-sat)\n", min(8*glance, s.limits.Steps), text))
	if err != nil {
		return false, err
	}
	a := Answer{Verdict: Unknown, Reason: "it does not follow in linear arithmetic"}
	if verdict == "unsat" {
		a.Verdict = Proved
		names, err := s.talk(ctx, "(get-unsat-core)\n")
		if err != nil {
			return false, err
		}
		if !empty(vars) { // of no values anything follows, from no premises
			s.enough.add(q, words(names))
		}
	}
	if _, err := s.talk(ctx, "(pop)\n"); err != nil {
		return false, err
	}
	s.known[known] = a
	return a.Verdict == Proved, nil
}

func (s *Solver) ask(ctx context.Context, q Query, text string, vars []node) (Answer, error) {
	a, err := s.once(ctx, text, "", vars)
	if err != nil || a.Verdict != Refuted {
		return a, err
	}
	// The first values are often of twenty digits: people read a refutation, so smaller ones are tried.
	for _, bound := range []int64{4, 16, 64, 512, 8192, 1 << 20, 1 << 32} {
		small, err := s.once(ctx, text, below(vars, bound), vars)
		if err != nil {
			return small, err
		}
		if small.Verdict == Refuted {
			a.Model = small.Model
			break
		}
	}
	return a, q.check(a.Model, vars)
}

// below bounds all variables.
func below(vars []node, bound int64) string {
	var b strings.Builder
	for _, v := range vars {
		if !v.named {
			fmt.Fprintf(&b, "(assert %s)\n", Int{v}.In(Number(-bound), Number(bound)))
		}
	}
	return b.String()
}

// glance is how many steps a query has before z3 starts anew for it.
const glance = 300_000

// once asks in two ways: in the running context, which is quick, with few steps; and if that does not decide it, in a fresh one, where
// z3 has its whole arsenal and as many steps as the limits say.
func (s *Solver) once(ctx context.Context, text, more string, vars []node) (Answer, error) {
	s.pushed = true
	a, err := s.check(ctx, fmt.Sprintf("(push)\n(set-option :rlimit %d)\n%s%s", min(glance, s.limits.Steps), text, more), vars)
	if err == nil && s.pushed {
		_, err = s.talk(ctx, "(pop)\n")
	}
	if err != nil || a.Verdict != Unknown {
		return a, err
	}
	a, err = s.check(ctx, fmt.Sprintf("(reset)\n(set-option :rlimit %d)\n%s%s", s.limits.Steps, text, more), vars)
	if err != nil {
		return a, err
	}
	_, err = s.talk(ctx, "(reset)\n"+withCores)
	return a, err
}

// withCores makes z3 able to say which premises it took.
const withCores = "(set-option :produce-unsat-cores true)\n"

// check sends a query and reads the answer.
func (s *Solver) check(ctx context.Context, text string, vars []node) (Answer, error) {
	s.asked++
	ctx, cancel := context.WithTimeout(ctx, s.limits.Time)
	defer cancel()
	verdict, err := s.talk(ctx, text+"(check-sat)\n")
	if err != nil {
		if ctx.Err() == nil {
			return Answer{}, err
		}
		// It does not end by itself: a fresh one takes its place.
		s.Close()
		if err := s.start(context.WithoutCancel(ctx)); err != nil {
			return Answer{}, err
		}
		return Answer{Verdict: Unknown, Reason: fmt.Sprintf("z3 did not end within %v", s.limits.Time)}, nil
	}
	switch verdict {
	case "unsat":
		return Answer{Verdict: Proved}, nil
	case "unknown":
		reason, err := s.talk(ctx, "(get-info :reason-unknown)\n")
		if err != nil {
			return Answer{}, err
		}
		return Answer{Verdict: Unknown, Reason: unknown(reason, s.limits.Steps)}, nil
	case "sat":
		m, err := s.model(ctx, vars)
		return Answer{Verdict: Refuted, Model: m}, err
	}
	return Answer{}, fmt.Errorf("z3 said %q to\n%s", verdict, text)
}

// unknown says why in words: z3 calls the end of its steps "canceled".
func unknown(reason string, steps uint32) string {
	_, reason, _ = strings.Cut(reason, `"`)
	reason, _, _ = strings.Cut(reason, `"`)
	if reason == "canceled" || strings.Contains(reason, "resource") {
		return fmt.Sprintf("z3 did not decide it in %d steps", steps)
	}
	return "z3: " + reason
}

func (s *Solver) model(ctx context.Context, vars []node) (Model, error) {
	m := Model{}
	if len(vars) == 0 {
		return m, nil
	}
	var names []string
	for _, v := range vars {
		names = append(names, quoted(v.name))
	}
	reply, err := s.talk(ctx, "(get-value ("+strings.Join(names, " ")+"))\n")
	if err != nil {
		return nil, err
	}
	words := words(reply)
	// ((name value) (name value)), where a value is a number, (- number), true or false.
	at := 1
	for _, v := range vars {
		if at+3 >= len(words) || words[at] != "(" || strings.Trim(words[at+1], "|") != v.name {
			return nil, fmt.Errorf("z3 said %q and not the value of %s", reply, v.name)
		}
		value, next := words[at+2], at+4
		if value == "(" && words[at+3] == "-" && at+4 < len(words) {
			value, next = "-"+words[at+4], at+7
		}
		switch n, ok := new(big.Int).SetString(value, 10); {
		case ok:
			m[v.name] = n
		case value == "true":
			m[v.name] = big.NewInt(1)
		case value == "false":
			m[v.name] = new(big.Int)
		default:
			return nil, fmt.Errorf("z3 said %q and not the value of %s", reply, v.name)
		}
		at = next
	}
	return m, nil
}

// words cuts a reply into parentheses and words; a quoted word may hold anything.
func words(text string) []string {
	var out []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " \t\n") {
		n := 1
		switch text[0] {
		case '(', ')':
		case '|':
			n = strings.IndexByte(text[1:], '|') + 2
		default:
			if n = strings.IndexAny(text, "() \t\n"); n < 0 {
				n = len(text)
			}
		}
		if n < 1 {
			n = len(text)
		}
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

// end is what z3 is asked to say after each reply.
const end = "that is all"

// talk sends text and returns what z3 says to it.
func (s *Solver) talk(ctx context.Context, text string) (string, error) {
	stop := context.AfterFunc(ctx, s.stop) // ends z3, and with it the reading
	defer stop()
	if _, err := io.WriteString(s.in, text+"(echo \""+end+"\")\n"); err != nil {
		return "", fmt.Errorf("z3: %w", err)
	}
	var lines []string
	var wrong error
	for {
		line, err := s.out.ReadString('\n')
		if err != nil {
			return "", fmt.Errorf("z3 ended: %w", err)
		}
		line = strings.TrimRight(line, "\n")
		if line == end {
			break
		}
		if strings.HasPrefix(line, "(error") {
			wrong = errors.Join(wrong, fmt.Errorf("z3 does not understand: %s", line))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), wrong
}
