package nets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/mutate/trial"
)

// image is what a trial's entries are for a GPU: code, reports on it, and what a launch knows of them.
type image struct {
	refused                    string // by nvcc or ptxas; then there is nothing else
	ptx, cubin, log, sass, law string
}

// image compiles the entries, once; those of what is not mutated once for all.
func (b *bench) image(ctx context.Context) (*image, error) {
	if b.mutant == nil {
		return b.original(ctx, b.trial)
	}
	if b.built == nil {
		im, err := b.compileImage(ctx)
		if err != nil {
			return nil, err
		}
		b.built = im
	}
	return b.built, nil
}

// original is the image of what is not mutated.
func (l *Lab) original(ctx context.Context, t *trial.Trial) (*image, error) {
	l.mu.Lock()
	once, ok := l.images[t.Kernel]
	if !ok {
		once = sync.OnceValues(func() (*image, error) {
			im, err := l.makeOriginal(ctx, t)
			if err != nil {
				return nil, fmt.Errorf("%s, which is not mutated: %w", t.Kernel, err)
			}
			return im, nil
		})
		l.images[t.Kernel] = once
	}
	l.mu.Unlock()
	return once()
}

func (l *Lab) makeOriginal(ctx context.Context, t *trial.Trial) (im *image, err error) {
	b, err := l.newBench(nil, t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if im, err = b.compileImage(ctx); err == nil && im.refused != "" {
		err = errors.New(im.refused)
	}
	return im, err
}

func (b *bench) compileImage(ctx context.Context) (*image, error) {
	if refused, err := b.specify(ctx); err != nil || refused != "" {
		return &image{refused: refused}, err
	}
	spec, err := b.spec()
	if err != nil {
		return nil, err
	}
	files, says, failed, err := b.Toolkit.Image(ctx, b.dir, b.Root, b.file(".entries.cu"), b.trial.Family)
	if err != nil || failed {
		return &image{refused: "nvcc or ptxas refuses it: " + says}, err
	}
	im := &image{}
	for _, f := range []struct {
		name string
		to   *string
	}{{files.PTX, &im.ptx}, {files.Cubin, &im.cubin}, {files.Log, &im.log}, {files.SASS, &im.sass}} {
		text, err := os.ReadFile(filepath.Join(b.dir, f.name))
		if err != nil {
			return nil, err
		}
		*f.to = string(text)
	}
	im.law, err = contractOf(spec)
	return im, err
}

// same says that a mutant makes the same machine code and the same contracts of a trial: then it is the same program, by another
// text, as far as the trial goes. Without a toolkit nothing is the same.
func (b *bench) same(ctx context.Context) (bool, error) {
	if b.Toolkit == nil {
		return false, nil
	}
	want, err := b.original(ctx, b.trial)
	if err != nil {
		return false, err
	}
	got, err := b.image(ctx)
	if err != nil {
		return false, err
	}
	return got.refused == "" && got.sass == want.sass && got.law == want.law, nil
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
