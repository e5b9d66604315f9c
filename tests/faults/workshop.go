package faults

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/warpwright/warpwright/tools/workshop"
)

// Workshop is the tools at hand and where they work.
type Workshop struct {
	root      string // of the repository or the runfiles, absolute
	dir       string // to work in
	emulators *workshop.Emulators
	toolkit   *workshop.Toolkit // nil where there is none

	vocabularyASan, vocabularyTSan string // headers, precompiled

	kernelspecProgram, proveProgram, reachProgram, manifestProgram, auditProgram string

	solver string // z3; empty where there is none

	mu     sync.Mutex
	builds map[string]*build // by what is built
}

// Environment that names what Bazel has built. Without it everything is made in the working folder, once.
const (
	envKernelspec = "FAULTS_KERNELSPEC"
	envProve      = "FAULTS_PROVE"
	envReach      = "FAULTS_REACH"
	envManifest   = "FAULTS_MANIFEST"
	envAudit      = "FAULTS_AUDIT"
	envRuntime    = "FAULTS_RUNTIME"

	envVocabularyASan = "FAULTS_VOCABULARY_ASAN" // a header that Bazel has precompiled
	envVocabularyTSan = "FAULTS_VOCABULARY_TSAN"
)

// OpenWorkshop finds or builds the tools. root is the repository's, dir a folder to work in.
func OpenWorkshop(root, dir string) (*Workshop, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	w := &Workshop{root: root, dir: dir, builds: map[string]*build{}}
	for _, p := range []struct {
		at        *string
		env, tool string
	}{
		{&w.kernelspecProgram, envKernelspec, "kernelspec"},
		{&w.proveProgram, envProve, "prove"},
		{&w.reachProgram, envReach, "reach"},
		{&w.manifestProgram, envManifest, "manifest"},
		{&w.auditProgram, envAudit, "audit"},
	} {
		if *p.at, err = w.program(p.env, p.tool); err != nil {
			return nil, err
		}
	}
	w.emulators = &workshop.Emulators{Root: root, CXX: "g++"}
	if path := os.Getenv(envRuntime); path != "" {
		w.emulators.Runtime = workshop.Archive(w.named(path))
	} else if err := w.emulators.CompileRuntime(context.Background(), dir); err != nil {
		return nil, err
	}
	if w.vocabularyASan, err = w.vocabulary(workshop.ASan(), envVocabularyASan); err != nil {
		return nil, err
	}
	if w.vocabularyTSan, err = w.vocabulary(workshop.TSan(), envVocabularyTSan); err != nil {
		return nil, err
	}
	w.solver = w.findSolver()
	w.toolkit, err = w.findToolkit()
	return w, err
}

// program is the one that an environment variable names, or else the repository's tool.
func (w *Workshop) program(env, tool string) (string, error) {
	if path := os.Getenv(env); path != "" {
		return w.named(path), nil
	}
	return workshop.GoTool(context.Background(), w.root, w.dir, tool)
}

// named is a file that the environment names.
func (w *Workshop) named(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.root, path)
}

// variant is one variant of a piece on its way through the tools.
type variant struct {
	*build
	sources Sources
	audited bool // compiled for a GPU too
}

// newVariant finds the build of what the variant compiles: two that differ in their scripts alone have one.
func (w *Workshop) newVariant(s Sources, audited bool) (*variant, error) {
	key := sha256.New()
	files := Sources{}
	for _, name := range append(goFiles(s), kernelFile, headerFile, rawFile, imageFile, contractFile) {
		if s[name] != "" {
			files[name] = s[name]
			fmt.Fprintf(key, "%s %d %s", name, len(s[name]), s[name])
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	id := fmt.Sprintf("%x", key.Sum(nil))[:16]
	if b := w.builds[id]; b != nil {
		return &variant{b, s, audited}, nil
	}
	b := &build{Workshop: w, files: files, dir: filepath.Join(w.dir, id)}
	if err := os.Mkdir(b.dir, 0o777); err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	w.builds[id] = b
	return &variant{b, s, audited}, nil
}
