// Package nets hands a mutant of a kernel to one net after another, until one catches it.
package nets

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/warpwright/warpwright/tools/mutate/operators"
	"github.com/warpwright/warpwright/tools/mutate/trial"
	"github.com/warpwright/warpwright/tools/workshop"
)

// The nets, in the order in which a mutant meets them, unless the prover is asked early.
const (
	Kernelspec = "kernelspec"
	Compiler   = "compiler"
	Contract   = "contract"
	Emulator   = "emulator"
	Values     = "values"
	Audit      = "audit"
	Code       = "code"
	Race       = "race"
	Prover     = "prover"
)

// All are the nets, in that order; docs/mutation.md explains them.
func All() []string {
	return []string{Kernelspec, Compiler, Contract, Emulator, Values, Audit, Code, Race, Prover}
}

// Config is what a lab is made of.
type Config struct {
	Root       string            // of the repository
	Dir        string            // to work in
	Kernelspec string            // the program
	CXX        string            // the C++ compiler
	Runtime    []string          // the emulator's runtime, if it has been compiled already
	Toolkit    *workshop.Toolkit // nil: without audit
	Z3         string            // the prover's solver; empty: without proofs
	Lemmas     bool              // the prover proves the vocabulary too, of mutants of the headers: minutes
	LateProver bool              // after all other nets, which take less time
	Patience   time.Duration     // what a net takes at most of one kernel; zero: two minutes
	Keep       bool              // leave what is made of each mutant
	// Without names nets that are left out. "values" leaves the comparison out, not the runs: what a net with a hole lets through.
	Without []string
}

// Lab is the nets, ready.
type Lab struct {
	Config
	emulators          *workshop.Emulators
	asan, tsan, counts string            // precompiled headers
	texts              map[string]string // the vocabulary and the trials' sources, by repository path, as they were when the lab was opened
	prover             *prover
	handWritten        func() (*twins, error) // what the code of safe twins is held against

	*originals
}

// originals is what is known of what is not mutated.
type originals struct {
	mu     sync.Mutex
	images map[string]func() (*image, error) // by kernel, each made once
	known  map[string]bool                   // what audit and prover find
}

// Open compiles what all mutants share.
func Open(ctx context.Context, c Config) (*Lab, error) {
	for _, at := range []*string{&c.Root, &c.Dir, &c.Kernelspec, &c.Z3} {
		if *at == "" {
			continue
		}
		path, err := filepath.Abs(*at)
		if err != nil {
			return nil, err
		}
		*at = path
	}
	if c.Patience == 0 {
		c.Patience = 2 * time.Minute
	}
	l := &Lab{
		Config: c, emulators: &workshop.Emulators{Root: c.Root, CXX: c.CXX, Runtime: c.Runtime},
		originals: &originals{images: map[string]func() (*image, error){}, known: map[string]bool{}},
	}
	l.handWritten = l.twins(context.WithoutCancel(ctx))
	if err := l.read(); err != nil {
		return nil, err
	}
	if c.Z3 != "" {
		l.prover = newProver(c.Z3)
	}
	precompile := func(s workshop.Sanitizer, at *string) func() error {
		return func() (err error) {
			// The vocabulary is what mutates: only what it is written in is the same for all.
			*at, err = l.emulators.Precompile(ctx, s, filepath.Join(c.Dir, s.Program), "emu/cuda.h", "emu/table.h", "type_traits", "utility", "cstdint")
			return err
		}
	}
	tasks := []func() error{precompile(workshop.ASan(), &l.asan), precompile(workshop.TSan(), &l.tsan), precompile(workshop.Coverage(), &l.counts)}
	if l.emulators.Runtime == nil {
		tasks = append(tasks, func() error { return l.emulators.CompileRuntime(ctx, c.Dir) })
	}
	if l.prover != nil && l.Lemmas {
		tasks = append(tasks, func() error { return l.prover.open(ctx, l.texts) })
	}
	return l, workshop.Each(len(tasks), tasks, func(f func() error) error { return f() })
}

// read reads the sources, once: they may change while mutants are judged.
func (l *Lab) read() error {
	paths, err := filepath.Glob(filepath.Join(l.Root, "cuda", "include", "ww", "*.h"))
	if err != nil {
		return err
	}
	for _, t := range trial.All() {
		paths = append(paths, filepath.Join(l.Root, filepath.FromSlash(t.Source)))
	}
	l.texts = map[string]string{}
	for _, path := range paths {
		name, err := filepath.Rel(l.Root, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a test has the sources that it needs; who wants another gets the compiler's word
		}
		if err != nil {
			return err
		}
		l.texts[filepath.ToSlash(name)] = string(text)
	}
	return nil
}

// Close ends the solvers.
func (l *Lab) Close() error {
	if l.prover == nil {
		return nil
	}
	return l.prover.close()
}

// Leaving is the lab without some of its nets.
func (l *Lab) Leaving(nets ...string) *Lab {
	out := *l
	out.Without = append(nets, l.Without...)
	return &out
}

// uses says that a net is not left out.
func (l *Lab) uses(net string) bool { return !slices.Contains(l.Without, net) }

// bench is a mutant, or what is not mutated, with one trial, in a folder of its own.
type bench struct {
	*Lab
	dir    string
	trial  *trial.Trial
	mutant *operators.Mutant // nil for what is not mutated

	built     *image // machine code, if it has been compiled
	specified bool   // kernelspec has run
	refused   string // what it said, if it refused
}

// header says that the mutant is of the vocabulary.
func (b *bench) header() bool {
	return b.mutant != nil && strings.HasPrefix(b.mutant.File, "cuda/include/")
}

// device says that no emulator reads what the mutant changes.
func (b *bench) device() bool { return b.mutant != nil && b.mutant.Device }

// newBench lays out the sources as the repository has them, with the mutant's edit; m is nil for none.
func (l *Lab) newBench(m *operators.Mutant, t *trial.Trial) (*bench, error) {
	name := t.Kernel
	if m != nil {
		name = fmt.Sprintf("%x", sha256.Sum256([]byte(m.ID()+" "+t.Kernel)))[:16]
	}
	dir, err := os.MkdirTemp(l.Dir, name+"-")
	if err != nil {
		return nil, err
	}
	b := &bench{Lab: l, dir: dir, trial: t, mutant: m}
	for name, text := range l.texts {
		if !strings.HasSuffix(name, ".h") && name != t.Source {
			continue
		}
		if m != nil && name == m.File {
			text = m.Apply(text)
		}
		at := filepath.Join(b.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *bench) close() error {
	if b.Keep {
		return nil
	}
	return os.RemoveAll(b.dir)
}

// file is the name of one of the family's files.
func (b *bench) file(suffix string) string { return b.trial.Family + suffix }

// specify runs kernelspec, once. What it refuses, it says.
func (b *bench) specify(ctx context.Context) (refused string, err error) {
	if b.specified {
		return b.refused, nil
	}
	says, failed, err := workshop.Attempt(ctx, b.dir, exec.Command(b.Kernelspec, "--family", b.trial.Family, "--include", "cuda/include", "--only", strings.Join(b.trial.Entries(), ","),
		"--out-obligations", b.file(".obligations.json"), "--out-entries", b.file(".entries.cu"), "--entries-as", b.file(".entries.cu"), "--out-emu", b.file(".emu.cc"), "--out-spec", b.file(".spec.json"),
		filepath.FromSlash(b.trial.Source)))
	if err != nil {
		return "", err
	}
	b.specified = true
	if failed {
		b.refused = "kernelspec refuses it: " + says
	}
	return b.refused, nil
}
