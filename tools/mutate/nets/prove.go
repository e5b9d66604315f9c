package nets

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/warpwright/warpwright/go/proof"
	"github.com/warpwright/warpwright/tools/internal/obligations"
	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/prove/judge"
	"github.com/warpwright/warpwright/tools/prove/lemma"
	"github.com/warpwright/warpwright/tools/prove/owed"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// prover has solvers that stay: none answers anything twice, and a mutant changes little of what is owed, and few of the vocabulary's
// lemmas.
type prover struct {
	entries, lemmas *solvers

	base *lemma.Base // of what is not mutated

	mu   sync.Mutex
	last map[string]*proof.Vocabulary // of mutants, which are tried with one kernel after another
}

func newProver(z3 string) *prover {
	return &prover{entries: &solvers{z3: z3}, lemmas: &solvers{z3: z3, limits: smt.Limits{Steps: lemma.Steps}}, last: map[string]*proof.Vocabulary{}}
}

// solvers of one kind that nobody uses. The first ends last: it is the one that others begin from.
type solvers struct {
	z3     string
	limits smt.Limits

	mu   sync.Mutex
	seed *smt.Solver // answers no more
	idle []*smt.Solver
}

// take is one that nobody else has.
func (p *solvers) take(ctx context.Context) (*smt.Solver, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ctx = context.WithoutCancel(ctx) // it serves others too
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return s, nil
	}
	if p.seed != nil {
		return p.seed.Fork(ctx)
	}
	return smt.Start(ctx, p.z3, p.limits)
}

// give puts one back; failed is what its last answer was, for who hung is of no use to anybody.
func (p *solvers) give(s *smt.Solver, failed error) error {
	if failed != nil {
		return errors.Join(failed, s.Close())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
	return nil
}

func (p *solvers) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, s := range p.idle {
		errs = append(errs, s.Close())
	}
	if p.seed != nil {
		errs = append(errs, p.seed.Close())
	}
	p.idle, p.seed = nil, nil
	return errors.Join(errs...)
}

// open proves the vocabulary as it is, from which all others begin.
func (p *prover) open(ctx context.Context, texts map[string]string) (err error) {
	if p.lemmas.seed, err = p.lemmas.take(ctx); err == nil {
		p.base, err = lemma.Prove(ctx, p.lemmas.seed, headers(texts))
	}
	return err
}

func (p *prover) close() error { return errors.Join(p.entries.close(), p.lemmas.close()) }

// headers are the vocabulary among some sources.
func headers(texts map[string]string) []*source.File {
	var files []*source.File
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if strings.HasSuffix(name, ".h") {
			files = append(files, source.NewFile(name, texts[name]))
		}
	}
	return files
}

// prove proves what the entries owe, and of a mutant of the vocabulary the vocabulary. What z3 itself fails in catches nothing.
func (b *bench) prove(ctx context.Context) (*Verdict, error) {
	if b.prover == nil {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(b.dir, b.file(".obligations.json")))
	if err != nil {
		return nil, err
	}
	f, err := obligations.Read(text)
	if err != nil {
		return nil, err
	}
	for i := range f.Entries {
		if _, err := owed.Of(&f.Entries[i]); err != nil {
			return caught(Prover, err.Error()), nil // what cannot be said cannot be proved
		}
	}
	v := &proof.Vocabulary{Headers: f.Headers}
	if b.Lemmas {
		if v, err = b.vocabulary(ctx); err != nil {
			var unread *unread
			if errors.As(err, &unread) {
				return caught(Prover, err.Error()), nil
			}
			return nil, err
		}
	}
	s, err := b.prover.entries.take(ctx)
	if err != nil {
		return nil, err
	}
	table, err := judge.Family(ctx, s, f, v)
	if err := b.prover.entries.give(s, err); err != nil {
		return nil, err
	}
	// What is open in the original catches nothing: whether that may be is the build's to say.
	found := slices.DeleteFunc(table.Open(), func(line string) bool { return !b.unknown(line, true) })
	if len(found) > 0 {
		return caught(Prover, strings.Join(found, "\n")), nil
	}
	return nil, nil
}

// unread is a form of the headers that the prover cannot read, and so does not vouch for.
type unread struct{ error }

func (e *unread) Unwrap() error { return e.error }

// vocabulary proves the lemmas: of a mutant those that rest on what it changes.
func (b *bench) vocabulary(ctx context.Context) (*proof.Vocabulary, error) {
	if !b.header() {
		return b.prover.base.Table(), nil
	}
	p, id := b.prover, b.mutant.ID()
	p.mu.Lock()
	v := p.last[id]
	p.mu.Unlock()
	if v != nil {
		return v, nil
	}
	texts := maps.Clone(b.texts)
	texts[b.mutant.File] = b.mutant.Apply(texts[b.mutant.File])
	files := headers(texts)
	if _, err := lemma.Read(files); err != nil {
		return nil, &unread{err}
	}
	s, err := p.lemmas.take(ctx)
	if err != nil {
		return nil, err
	}
	v, err = p.base.Changed(ctx, s, files)
	if err := p.lemmas.give(s, err); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last[id] = v
	return v, nil
}
