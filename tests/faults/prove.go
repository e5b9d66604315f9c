package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/warpwright/warpwright/go/proof"
	"github.com/warpwright/warpwright/tools/workshop"
)

// contractFile is what launchers check in place of what kernelspec has them check: no source can ask for that, so a fault of it is one of the
// generator.
const contractFile = "contract"

// envZ3 names the solver.
const envZ3 = "FAULTS_Z3"

// errNoSolver says what a proof needs.
var errNoSolver = errors.New("no z3 here: name it in " + envZ3 + ", or have it on PATH; Bazel brings its own")

const (
	obligationsFile = "museum.obligations.json"
	lemmasFile      = "ww.lemmas.json"
)

// findSolver finds z3; nothing if there is none: the pieces that need it say so.
func (w *Workshop) findSolver() string {
	if path := os.Getenv(envZ3); path != "" {
		return w.named(path)
	}
	path, err := exec.LookPath("z3")
	if err != nil {
		return ""
	}
	return path
}

// prove proves the contracts of a variant's kernels, if they have any.
func (v *variant) prove() ([]Finding, error) {
	if v.spec == nil || v.files[kernelFile] == "" || v.solver == "" && v.files[contractFile] == "" {
		return nil, nil
	}
	return v.proved.make(v.proveContracts)
}

func (b *build) proveContracts() ([]Finding, error) {
	if b.solver == "" {
		return nil, errNoSolver
	}
	if err := b.changeContract(); err != nil {
		return nil, err
	}
	if err := b.takeLemmas(); err != nil {
		return nil, err
	}
	decide := []string{"decide", "--table", "museum.solved.json", "--obligations", obligationsFile, "--z3", b.solver, "--kernelspec", b.kernelspecProgram, "--cxx", b.emulators.CXX,
		"--root", b.root, "--include", filepath.Join(b.root, "cuda", "include"), "--out", "museum.proof.json"}
	if b.files[headerFile] != "" {
		decide = append(decide, "--header", headerFile)
	}
	for _, args := range [][]string{
		{"table", "--obligations", obligationsFile, "--lemmas", lemmasFile, "--z3", b.solver, "--out", "museum.solved.json"},
		append(decide, kernelFile),
	} {
		if _, err := workshop.Command(context.Background(), b.dir, b.proveProgram, args...); err != nil {
			return nil, err
		}
	}
	says, failed, err := workshop.Attempt(context.Background(), b.dir, exec.Command(b.proveProgram, "verdict", "--table", "museum.proof.json", "--out", "museum.proof.ok"))
	if err != nil || failed {
		return finding(Prove, says), err
	}
	return nil, nil
}

// takeLemmas takes the vocabulary for proved: the museum's faults are of kernels and their contracts.
func (b *build) takeLemmas() error {
	p, err := os.ReadFile(filepath.Join(b.dir, obligationsFile))
	if err != nil {
		return err
	}
	var f struct{ Headers string }
	if err := json.Unmarshal(p, &f); err != nil {
		return err
	}
	v := proof.Vocabulary{Headers: f.Headers, Lemmas: []proof.Lemma{{Name: "the vocabulary, which the museum does not ask about", Source: "cuda/include/ww/ww.h:1", Verdict: proof.Proved}}}
	if p, err = v.Write(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.dir, lemmasFile), p, 0o666)
}

// changeContract replaces relations in what must be proved: each line is RELATION => ANOTHER, or RELATION => nothing.
func (b *build) changeContract() error {
	if b.files[contractFile] == "" {
		return nil
	}
	name := filepath.Join(b.dir, obligationsFile)
	p, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text := string(p)
	for _, line := range strings.Split(b.files[contractFile], "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		old, changed, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if changed == "nothing" {
			changed = "0 == 0"
		}
		old, changed = fmt.Sprintf(`"text": %q`, old), fmt.Sprintf(`"text": %q`, changed)
		if !ok || !strings.Contains(text, old) {
			return fmt.Errorf("%s: %q changes no relation of the contract", contractFile, line)
		}
		text = strings.ReplaceAll(text, old, changed)
	}
	return os.WriteFile(name, []byte(text), 0o666)
}
