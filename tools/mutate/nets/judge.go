package nets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/audit/judge"
	"github.com/warpwright/warpwright/tools/manifest/join"
	"github.com/warpwright/warpwright/tools/mutate/operators"
	"github.com/warpwright/warpwright/tools/mutate/trial"
	"github.com/warpwright/warpwright/tools/workshop"
)

// Verdict says which net caught a mutant, and what it said; no net if it survived. Same is that it is the same program by another text, as
// far as the trial goes.
type Verdict struct {
	Net, Says string
	Same      bool
}

// caught is what a net said, cut to what is worth keeping.
func caught(net, says string) *Verdict {
	says = strings.TrimSpace(says)
	const most = 600
	if len(says) > most {
		says = strings.ToValidUTF8(says[:most], "") + " ..."
	}
	return &Verdict{Net: net, Says: says}
}

// net is one of the nets as a bench uses it.
type net struct {
	name string
	try  func(context.Context) (*Verdict, error)
}

// Judge tries a mutant by one trial; m is nil for what is not mutated, which no net may catch. unlessSame asks first whether it is the same
// program, and tries it only if it is not.
func (l *Lab) Judge(ctx context.Context, m *operators.Mutant, t *trial.Trial, unlessSame bool) (v *Verdict, err error) {
	b, err := l.newBench(m, t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if b.device() && b.Toolkit == nil {
		return nil, errors.New("compilers for a GPU alone read it, and there is none: name a toolkit")
	}
	if unlessSame {
		if same, err := b.same(ctx); err != nil || same {
			return &Verdict{Same: same}, err
		}
	}
	for _, net := range b.nets() {
		if !l.uses(net.name) {
			continue
		}
		if net.name == Prover && l.LateProver && m != nil { // the same program proves the same
			if same, err := b.same(ctx); err != nil || same {
				return &Verdict{Same: same}, err
			}
		}
		if v, err := l.patiently(ctx, net); v != nil || err != nil {
			return v, err
		}
	}
	if m == nil {
		return &Verdict{Same: true}, nil
	}
	same, err := b.same(ctx)
	return &Verdict{Same: same}, err
}

// Compiles says that a trial's kernel compiles with a mutant, for the emulator and for a GPU.
func (l *Lab) Compiles(ctx context.Context, m *operators.Mutant, t *trial.Trial) (is bool, err error) {
	b, err := l.newBench(m, t)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	v, err := b.kernelspec(ctx)
	if err == nil && v == nil {
		v, err = b.compile(ctx)
	}
	if err != nil || v != nil || b.Toolkit == nil {
		return v == nil, err
	}
	im, err := b.image(ctx)
	return err == nil && im.refused == "", err
}

// nets are all that could tell, in the order in which they are tried.
func (b *bench) nets() []net {
	prover := net{Prover, b.prove}
	out := []net{{Kernelspec, b.kernelspec}, {Compiler, b.compile}, {Emulator, b.run}, {Audit, b.audit}, {Code, b.code}, {Race, b.race}}
	if b.device() { // the emulator's program is the same
		out = []net{{Kernelspec, b.kernelspec}, {Audit, b.audit}, {Code, b.code}}
	}
	if b.LateProver {
		return append(out, prover)
	}
	return slices.Insert(out, 2, prover)
}

// patiently tries a net for as long as a build would wait: what does not end by then is caught. A proof that takes long is none, but no
// fault either.
func (l *Lab) patiently(ctx context.Context, n net) (*Verdict, error) {
	limited, cancel := context.WithTimeout(ctx, l.Patience)
	defer cancel()
	v, err := n.try(limited)
	switch {
	case err == nil:
		return v, nil
	case limited.Err() == nil || ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", n.name, err)
	case n.name == Prover:
		return nil, nil
	}
	return caught(n.name, fmt.Sprintf("hung: not done after %v: %v", l.Patience, err)), nil
}

func (b *bench) kernelspec(ctx context.Context) (*Verdict, error) {
	refused, err := b.specify(ctx)
	if err != nil || refused == "" {
		return nil, err
	}
	return caught(Kernelspec, refused), nil
}

func (b *bench) spec() (*manifest.Spec, error) {
	text, err := os.ReadFile(filepath.Join(b.dir, b.file(".spec.json")))
	if err != nil {
		return nil, err
	}
	return manifest.ReadSpec(text)
}

func (b *bench) compile(ctx context.Context) (*Verdict, error) {
	return b.compileFor(ctx, workshop.ASan(), b.asan)
}

func (b *bench) compileFor(ctx context.Context, s workshop.Sanitizer, precompiled string) (*Verdict, error) {
	says, failed, err := b.emulators.Compile(ctx, b.dir, s, precompiled, b.file(".emu.cc"))
	if err != nil {
		return nil, err
	}
	if failed {
		return caught(Compiler, says), nil
	}
	return nil, b.emulators.Link(ctx, b.dir, s)
}

// run runs the kernels under ASan and UBSan.
func (b *bench) run(ctx context.Context) (*Verdict, error) {
	return b.play(ctx, workshop.ASan(), trial.Rounds())
}

// race runs them under TSan.
func (b *bench) race(ctx context.Context) (*Verdict, error) {
	if v, err := b.compileFor(ctx, workshop.TSan(), b.tsan); v != nil || err != nil {
		return v, err
	}
	return b.play(ctx, workshop.TSan(), trial.Races())
}

func (b *bench) play(ctx context.Context, s workshop.Sanitizer, rounds []trial.Round) (*Verdict, error) {
	spec, err := b.spec()
	if err != nil {
		return nil, err
	}
	for _, r := range rounds {
		r.Blind = r.Blind || !b.uses(Values)
		found := b.trial.Run(ctx, filepath.Join(b.dir, s.Program), spec, r)
		var report *emu.Report
		switch {
		case found == nil:
		case errors.As(found, &report) && report.Tool == "ThreadSanitizer":
			return caught(Race, found.Error()), nil
		case errors.As(found, &report):
			return caught(Emulator, found.Error()), nil
		case errors.Is(found, trial.ErrValues):
			return caught(Values, found.Error()), nil
		case errors.Is(found, trial.ErrRefused), errors.Is(found, trial.ErrAccepts):
			return caught(Contract, found.Error()), nil
		default:
			return nil, found
		}
	}
	return nil, nil
}

// audit compiles for a GPU and judges the code.
func (b *bench) audit(ctx context.Context) (*Verdict, error) {
	if b.Toolkit == nil {
		return nil, nil
	}
	spec, err := b.spec()
	if err != nil {
		return nil, err
	}
	im, err := b.image(ctx)
	if err != nil {
		return nil, err
	}
	if im.refused != "" {
		return caught(Compiler, im.refused), nil
	}
	facts, err := join.Facts(join.Input{Spec: spec, Cubins: map[int][]byte{90: []byte(im.cubin)}, Logs: map[int]string{90: im.log}})
	var faults manifest.Faults
	if errors.As(err, &faults) {
		return caught(Audit, err.Error()), nil
	}
	if err != nil {
		return nil, err
	}
	table, err := judge.Family(judge.Input{
		Manifest: &manifest.Manifest{Schema: manifest.Schema, Spec: *spec, Facts: facts},
		PTX:      map[int]string{90: im.ptx}, Lines: im.ptx, SASS: map[int]string{90: im.sass}, Narrow: true,
	})
	if err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(table.Unexplained(), func(line string) bool { return !b.news(line) })
	if len(found) > 0 {
		return caught(Audit, strings.Join(slices.Compact(found), "\n")), nil
	}
	return nil, nil
}

// news says that a finding is none of what is not mutated: the tests' kernels are not audited in the build, so they may break a
// rule.
func (b *bench) news(line string) bool {
	entry, rest, _ := strings.Cut(line, ": ")
	rule, _, _ := strings.Cut(rest, ":")
	return b.unknown(entry+": "+rule, strings.HasPrefix(b.trial.Source, "tests/"))
}

// unknown says that something is found only in what is mutated. Of the original it learns what is known, where that is allowed.
func (b *bench) unknown(known string, learn bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mutant == nil && learn {
		b.known[known] = true
	}
	return !b.known[known]
}
