package nets

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/mutate/operators"
	"github.com/warpwright/warpwright/tools/mutate/trial"
)

// Same says that a mutant makes the same machine code and the same contracts of a trial: then it is the same program, by another
// text, as far as the trial goes. Without a toolkit nothing is the same.
func (l *Lab) Same(m *operators.Mutant, t *trial.Trial) (bool, error) {
	if l.Toolkit == nil {
		return false, nil
	}
	want, err := l.original(t)
	if err != nil {
		return false, err
	}
	got, err := l.image(m, t)
	return got == want, err
}

// original is the image of what is not mutated, made once.
func (l *Lab) original(t *trial.Trial) (string, error) {
	l.mu.Lock()
	image, ok := l.images[t.Kernel]
	l.mu.Unlock()
	if ok {
		return image, nil
	}
	image, err := l.image(nil, t)
	if err == nil && image == "" {
		err = fmt.Errorf("%s does not compile", t.Kernel)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.images[t.Kernel] = image
	return image, err
}

// image is the machine code of a trial's entries with what a launch knows of them; empty if it does not compile.
func (l *Lab) image(m *operators.Mutant, t *trial.Trial) (out string, err error) {
	b, err := l.newBench(m, t)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if _, failed, err := b.specify(); err != nil || failed {
		return "", err
	}
	spec, err := b.spec()
	if err != nil {
		return "", err
	}
	im, _, failed, err := b.Toolkit.Image(b.dir, b.Root, b.file(".entries.cu"), t.Family)
	if err != nil || failed {
		return "", err
	}
	sass, err := os.ReadFile(filepath.Join(b.dir, im.SASS))
	if err != nil {
		return "", err
	}
	contract, err := contractOf(spec)
	return contract + string(sass), err
}

// contractOf is a spec without what says only where it was written, and how.
func contractOf(spec *manifest.Spec) (string, error) {
	s := *spec
	s.Views = nil
	s.Kernels = append([]manifest.Kernel(nil), s.Kernels...)
	for i := range s.Kernels {
		s.Kernels[i].Hash, s.Kernels[i].Doc, s.Kernels[i].Line = "", "", 0
	}
	text, err := json.Marshal(s)
	return string(text), err
}
