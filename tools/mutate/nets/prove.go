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
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// prover has solvers that stay: none answers anything twice, and a mutant changes few of the vocabulary's lemmas.
type prover struct {
	z3 string

	once sync.Once
	err  error
	base *proof.Vocabulary // of what is not mutated
	seed *smt.Solver       // has proved it, and answers no more

	mu   sync.Mutex
	idle []*smt.Solver
}

// open proves the vocabulary as it is.
func (p *prover) open(texts map[string]string) error {
	p.once.Do(func() {
		if p.seed, p.err = smt.Start(context.Background(), p.z3, smt.Limits{}); p.err == nil {
			p.base, p.err = vocabulary(p.seed, texts)
		}
	})
	return p.err
}

func (p *prover) take() (*smt.Solver, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return s, nil
	}
	return p.seed.Fork(context.Background())
}

func (p *prover) give(s *smt.Solver) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
}

func (p *prover) close() error {
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

// vocabulary proves the headers among some sources.
func vocabulary(s *smt.Solver, texts map[string]string) (*proof.Vocabulary, error) {
	var files []*source.File
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if strings.HasSuffix(name, ".h") {
			files = append(files, source.NewFile(name, texts[name]))
		}
	}
	return lemma.Table(context.Background(), s, files)
}

// prove proves what the entries owe, and of a mutant of the vocabulary the vocabulary.
func (b *bench) prove() (*Verdict, error) {
	p := b.prover
	if p == nil {
		return nil, nil
	}
	if err := p.open(b.texts); err != nil {
		return nil, err
	}
	s, err := p.take()
	if err != nil {
		return nil, err
	}
	defer p.give(s)
	v := p.base
	if b.header() {
		texts := maps.Clone(b.texts)
		texts[b.mutant.File] = b.mutant.Apply(texts[b.mutant.File])
		if v, err = vocabulary(s, texts); err != nil {
			return caught(Prover, err.Error()), nil // a form that it cannot read is one that it does not vouch for
		}
	}
	text, err := os.ReadFile(filepath.Join(b.dir, b.file(".obligations.json")))
	if err != nil {
		return nil, err
	}
	owed, err := obligations.Read(text)
	if err != nil {
		return nil, err
	}
	table, err := judge.Family(context.Background(), s, owed, v)
	if err != nil {
		return caught(Prover, err.Error()), nil
	}
	// What is open in the original catches nothing: whether that may be is the build's to say.
	found := slices.DeleteFunc(table.Open(), func(line string) bool { return !b.unknown(line, true) })
	if len(found) > 0 {
		return caught(Prover, strings.Join(found, "\n")), nil
	}
	return nil, nil
}
