package nets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/warpwright/warpwright/tools/audit/sass"
	"github.com/warpwright/warpwright/tools/audit/twin"
)

// The twins of safe kernels, as an expert writes them, and why a safe one may be longer.
const (
	handWritten = "tests/twins/raw.cu"
	reasons     = "tests/twins/reasons.txt"
)

// twins is what the machine code of safe kernels is held against.
type twins struct {
	raw     map[string]*sass.Function // by name
	reasons []twin.Reason
}

// twins reads and compiles them, once.
func (l *Lab) twins(ctx context.Context) func() (*twins, error) {
	return sync.OnceValues(func() (t *twins, err error) {
		dir, err := os.MkdirTemp(l.Dir, "raw-")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		im, says, failed, err := l.Toolkit.Image(ctx, dir, l.Root, filepath.Join(l.Root, filepath.FromSlash(handWritten)), "raw")
		if failed {
			err = errors.New(says)
		}
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(filepath.Join(dir, im.SASS))
		if err != nil {
			return nil, err
		}
		t = &twins{}
		if t.raw, err = functions(string(text)); err != nil {
			return nil, err
		}
		f, err := os.Open(filepath.Join(l.Root, filepath.FromSlash(reasons)))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		t.reasons, err = twin.ReadReasons(reasons, f)
		return t, err
	})
}

func functions(listing string) (map[string]*sass.Function, error) {
	all, err := sass.Parse(strings.NewReader(listing))
	out := map[string]*sass.Function{}
	for _, f := range all {
		out[f.Name] = f
	}
	return out, err
}

// code holds the machine code of a safe twin against what is written by hand, as the tests of the twins do: views must cost nothing,
// and variants must pay.
func (b *bench) code(ctx context.Context) (*Verdict, error) {
	if b.Toolkit == nil || b.trial.Family != "twin" {
		return nil, nil
	}
	twins, err := b.handWritten()
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
	safe, err := functions(im.sass)
	if err != nil {
		return nil, err
	}
	spec, err := b.spec()
	if err != nil {
		return nil, err
	}
	for _, e := range spec.Entries {
		compare, name := twin.Compare, e.Name
		if e.Prefer != "" {
			compare, name = twin.CompareVariant, strings.TrimSuffix(e.Name, "_"+e.Prefer)
		}
		pair := strings.TrimPrefix(e.Name, "twin_")
		f, hand := safe[e.Name], twins.raw["raw_"+strings.TrimPrefix(name, "twin_")]
		if f == nil || hand == nil { // split tiles: nobody bothers to write that by hand
			continue
		}
		row, err := compare(pair, "sm_90", f, hand)
		if err != nil {
			return nil, err
		}
		rows := []twin.Row{row}
		twin.Excuse(rows, twins.reasons) // what it returns is of other pairs, or says of this one why it is not excused
		if !rows[0].Fine() {
			return caught(Code, pair+" "+rows[0].Verdict()), nil
		}
	}
	return nil, nil
}
