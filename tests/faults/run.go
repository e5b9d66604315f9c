package faults

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/go/valid"
	"github.com/warpwright/warpwright/tools/workshop"
)

// run plays the script under ASan and UBSan, in three orders of threads.
func (v *variant) run() ([]Finding, error) {
	for _, order := range []string{"fwd", "rev", "rand:7"} {
		found, err := v.play(workshop.ASan(), emu.Options{Schedule: order})
		if err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}

// race plays the script under TSan, blocks in order and not.
func (v *variant) race() ([]Finding, error) {
	if v.spec == nil || v.sources[launchFile] == "" {
		return nil, nil
	}
	if found, err := v.compiledTSan.make(func() ([]Finding, error) { return v.compileFor(workshop.TSan(), v.vocabularyTSan) }); err != nil || found != nil {
		return found, err
	}
	for _, o := range []emu.Options{{}, {UnorderedBlocks: true}, {Schedule: "rev", UnorderedBlocks: true}} {
		found, err := v.play(workshop.TSan(), o)
		if err != nil {
			return nil, err
		}
		// What run has found already, wrong values for one, is found here again.
		found = slices.DeleteFunc(found, func(f Finding) bool { return f.Tool != Race })
		if len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// player is a script being played.
type player struct {
	*variant
	dev, elsewhere *device.Device
	options        emu.Options
	arrays         map[string]array
	handles        map[string]handle
	wanted         bool
}

// handle is a validated index array.
type handle interface{ Close() error }

// play plays the script on one emulator. What it finds ends it.
func (v *variant) play(with workshop.Sanitizer, o emu.Options) (found []Finding, err error) {
	text := v.sources[launchFile]
	if text == "" {
		return nil, nil
	}
	s, err := readScript(text)
	if err != nil {
		return nil, err
	}
	o.Path = filepath.Join(v.dir, with.Program)
	for key, value := range s.device {
		switch {
		case key == "blocks" && value == "corner":
			o.CornerBlocks = true
		case key == "sms":
			if o.Multiprocessors, err = strconv.Atoi(value); err != nil {
				return nil, err
			}
		case key == "deadline":
			if o.Deadline, err = time.ParseDuration(value); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("%s: device: no setting %s=%s", launchFile, key, value)
		}
	}
	p := &player{variant: v, options: o, arrays: map[string]array{}, handles: map[string]handle{}}
	if p.dev, err = p.open(); err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, p.dev.Close())
		if p.elsewhere != nil {
			err = errors.Join(err, p.elsewhere.Close())
		}
	}()
	launches := false
	for _, st := range s.steps {
		launches = launches || st.verb == "launch"
		if err := p.step(st); err != nil {
			if tool := blame(err, with); tool != "" {
				return finding(tool, err.Error()), nil
			}
			return nil, fmt.Errorf("%s:%d: %w", launchFile, st.line, err)
		}
	}
	if launches && !p.wanted && !o.CornerBlocks {
		return nil, fmt.Errorf("%s: launches, and wants no result", launchFile)
	}
	return nil, nil
}

func (p *player) open() (*device.Device, error) {
	return device.Open(context.Background(), device.WithKind("emu"), device.WithRawKernels(), device.WithEmulatorOptions(p.options))
}

// errValues is a result that is not what it should be.
var errValues = errors.New("wrong result")

// blame says whose error it is; "" if it is the museum's own.
func blame(err error, with workshop.Sanitizer) string {
	var report *emu.Report
	var geometry *backend.GeometryError
	switch {
	case errors.As(err, &report) && with.Program == workshop.TSan().Program && report.Tool == "ThreadSanitizer":
		return Race
	case errors.As(err, &report):
		return Emulator
	case errors.Is(err, errValues):
		return Values
	case errors.Is(err, valid.ErrInvalid), errors.Is(err, valid.ErrStale):
		return Valid
	case errors.Is(err, device.ErrHash), errors.Is(err, device.ErrNoKernel):
		return Load
	case errors.Is(err, contract.ErrContract), errors.As(err, &geometry):
		return Contract
	}
	return ""
}

func (p *player) step(st step) error {
	switch st.verb {
	case "buffer":
		k, err := kindOf(st.typ)
		if err != nil {
			return err
		}
		dev := p.dev
		if st.other {
			if p.elsewhere == nil {
				if p.elsewhere, err = p.open(); err != nil {
					return err
				}
			}
			dev = p.elsewhere
		}
		p.arrays[st.name], err = k.alloc(dev, st.n, st.values)
		return err
	case "offsets":
		switch st.typ {
		case "i32":
			return newOffsets[int32](p, st)
		case "i64":
			return newOffsets[int64](p, st)
		}
		return fmt.Errorf("offsets of %s", st.typ)
	case "columns":
		host, err := hostOf[int32](st.values)
		if err != nil {
			return err
		}
		p.handles[st.name], err = valid.NewColumns(p.dev, host, st.n)
		return err
	case "slice":
		a, err := p.array(st.source)
		if err != nil {
			return err
		}
		p.arrays[st.name], err = a.slice(st.lo, st.hi)
		return err
	case "write":
		a, err := p.array(st.name)
		if err != nil {
			return err
		}
		return a.write(st.lo, st.values)
	case "copy":
		to, err := p.array(st.name)
		if err != nil {
			return err
		}
		from, err := p.array(st.source)
		if err != nil {
			return err
		}
		return to.copyFrom(from)
	case "close":
		if h := p.handles[st.name]; h != nil {
			return h.Close()
		}
		a, err := p.array(st.name)
		if err != nil {
			return err
		}
		return a.close()
	case "want":
		p.wanted = true
		a, err := p.array(st.name)
		if err != nil {
			return err
		}
		off, err := a.differs(st.values, st.within)
		if err == nil && off != "" {
			err = fmt.Errorf("%w: %s%s", errValues, st.name, off)
		}
		return err
	default:
		return p.launch(st)
	}
}

func hostOf[T int32 | int64](values []string) ([]T, error) {
	host := make([]T, len(values))
	for i, v := range values {
		var err error
		if host[i], err = element[T](v); err != nil {
			return nil, err
		}
	}
	return host, nil
}

func newOffsets[P int32 | int64](p *player, st step) error {
	host, err := hostOf[P](st.values)
	if err != nil {
		return err
	}
	p.handles[st.name], err = valid.NewOffsets(p.dev, host, st.n)
	return err
}

// array finds a buffer or slice, or the array behind a handle, which a launch may be given to write.
func (p *player) array(name string) (array, error) {
	if a := p.arrays[name]; a != nil {
		return a, nil
	}
	switch h := p.handles[name].(type) {
	case *valid.Columns:
		return typed[int32]{s: h.Slice(), hi: h.Slice().Len()}, nil
	case *valid.Offsets[int32]:
		return typed[int32]{s: h.Slice(), hi: h.Slice().Len()}, nil
	case *valid.Offsets[int64]:
		return typed[int64]{s: h.Slice(), hi: h.Slice().Len()}, nil
	}
	return nil, fmt.Errorf("no buffer %s", name)
}
