package nets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/audit/judge"
	"github.com/warpwright/warpwright/tools/manifest/join"
	"github.com/warpwright/warpwright/tools/mutate/operators"
	"github.com/warpwright/warpwright/tools/mutate/trial"
	"github.com/warpwright/warpwright/tools/workshop"
)

// Verdict says which net caught a mutant, and what it said; no net if it survived.
type Verdict struct{ Net, Says string }

// caught is what a net said, cut to what is worth keeping.
func caught(net, says string) *Verdict {
	says = strings.TrimSpace(says)
	const most = 600
	if len(says) > most {
		says = strings.ToValidUTF8(says[:most], "") + " ..."
	}
	return &Verdict{net, says}
}

// Judge tries a mutant by one trial; m is nil for what is not mutated, which no net may catch.
func (l *Lab) Judge(m *operators.Mutant, t *trial.Trial) (v *Verdict, err error) {
	b, err := l.newBench(m, t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	type net struct {
		name string
		try  func() (*Verdict, error)
	}
	prover, others := net{Prover, b.prove}, []net{{Emulator, b.run}, {Audit, b.audit}, {Race, b.race}}
	if l.LateProver {
		others = append(others, prover)
	} else {
		others = append([]net{prover}, others...)
	}
	for _, net := range append([]net{{Kernelspec, b.kernelspec}, {Compiler, b.compile}}, others...) {
		if !l.uses(net.name) {
			continue
		}
		if v, err := net.try(); v != nil || err != nil {
			if err != nil {
				err = fmt.Errorf("%s: %w", net.name, err)
			}
			return v, err
		}
	}
	return &Verdict{}, nil
}

func (b *bench) kernelspec() (*Verdict, error) {
	says, failed, err := b.specify()
	if err != nil || !failed {
		return nil, err
	}
	return caught(Kernelspec, says), nil
}

func (b *bench) spec() (*manifest.Spec, error) {
	text, err := os.ReadFile(filepath.Join(b.dir, b.file(".spec.json")))
	if err != nil {
		return nil, err
	}
	return manifest.ReadSpec(text)
}

func (b *bench) compile() (*Verdict, error) { return b.compileFor(workshop.ASan(), b.asan) }

func (b *bench) compileFor(s workshop.Sanitizer, precompiled string, more ...string) (*Verdict, error) {
	says, failed, err := b.emulators.Compile(b.dir, s, precompiled, b.file(".emu.cc"), more...)
	if err != nil {
		return nil, err
	}
	if failed {
		return caught(Compiler, says), nil
	}
	return nil, b.emulators.Link(b.dir, s)
}

// run runs the kernels under ASan and UBSan.
func (b *bench) run() (*Verdict, error) {
	blind := !b.uses(Values)
	for _, p := range []play{
		{emu.Options{Schedule: "fwd"}, trial.Options{Blind: blind}},
		{emu.Options{Schedule: "rev"}, trial.Options{Few: true, Blind: blind}},
		{emu.Options{Schedule: "rand:7"}, trial.Options{Few: true, Offset: true, Blind: blind}},
		{emu.Options{CornerBlocks: true}, trial.Options{Huge: true, Blind: blind}},
	} {
		if v, err := b.play(workshop.ASan(), p); v != nil || err != nil {
			return v, err
		}
	}
	return nil, nil
}

// race runs them under TSan.
func (b *bench) race() (*Verdict, error) {
	if v, err := b.compileFor(workshop.TSan(), b.tsan); v != nil || err != nil {
		return v, err
	}
	for _, schedule := range []string{"fwd", "rev"} {
		v, err := b.play(workshop.TSan(), play{emu.Options{Schedule: schedule, UnorderedBlocks: true}, trial.Options{Race: true, Few: true, Blind: true}})
		if v != nil || err != nil {
			return v, err
		}
	}
	return nil, nil
}

// play is one run of all cases.
type play struct {
	emu   emu.Options
	trial trial.Options
}

func (b *bench) play(s workshop.Sanitizer, p play) (v *Verdict, err error) {
	if p.trial.Huge && !b.trial.Huge() {
		return nil, nil
	}
	spec, err := b.spec()
	if err != nil {
		return nil, err
	}
	p.emu.Path, p.emu.Multiprocessors, p.emu.Deadline = filepath.Join(b.dir, s.Program), 1, 20*time.Second
	d, err := device.Open(context.Background(), device.WithKind("emu"), device.WithEmulatorOptions(p.emu))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	found := b.trial.Play(d, spec, p.trial)
	var report *emu.Report
	switch {
	case found == nil:
		return nil, nil
	case errors.As(found, &report) && report.Tool == "ThreadSanitizer":
		return caught(Race, found.Error()), nil
	case errors.As(found, &report):
		return caught(Emulator, found.Error()), nil
	case errors.Is(found, trial.ErrValues):
		return caught(Values, found.Error()), nil
	case errors.Is(found, trial.ErrRefused), errors.Is(found, trial.ErrAccepts):
		return caught(Contract, found.Error()), nil
	}
	return nil, found
}

// audit compiles for a GPU and judges the code.
func (b *bench) audit() (*Verdict, error) {
	if b.Toolkit == nil {
		return nil, nil
	}
	spec, err := b.spec()
	if err != nil {
		return nil, err
	}
	im, says, failed, err := b.Toolkit.Image(b.dir, b.Root, b.file(".entries.cu"), b.trial.Family)
	if err != nil {
		return nil, err
	}
	if failed {
		return caught(Compiler, says), nil
	}
	texts := map[string][]byte{}
	for _, name := range []string{im.PTX, im.Cubin, im.Log, im.SASS} {
		if texts[name], err = os.ReadFile(filepath.Join(b.dir, name)); err != nil {
			return nil, err
		}
	}
	facts, err := join.Facts(join.Input{Spec: spec, Cubins: map[int][]byte{90: texts[im.Cubin]}, Logs: map[int]string{90: string(texts[im.Log])}})
	var faults manifest.Faults
	if errors.As(err, &faults) {
		return caught(Audit, err.Error()), nil
	}
	if err != nil {
		return nil, err
	}
	table, err := judge.Family(judge.Input{
		Manifest: &manifest.Manifest{Schema: manifest.Schema, Spec: *spec, Facts: facts},
		PTX:      map[int]string{90: string(texts[im.PTX])}, Lines: string(texts[im.PTX]), SASS: map[int]string{90: string(texts[im.SASS])}, Narrow: true,
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
