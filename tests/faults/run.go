package faults

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/go/valid"
)

// run plays the script under ASan and UBSan, in three orders of threads.
func (v *variant) run() ([]Finding, error) {
	for _, order := range []string{"fwd", "rev", "rand:7"} {
		found, err := v.play(asanProgram, emu.Options{Schedule: order})
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
	if _, err := command(v.dir, "g++", v.compilation(tsan, tsanProgram)...); err != nil {
		return nil, err
	}
	if err := v.link(tsan, tsanProgram); err != nil {
		return nil, err
	}
	for _, unordered := range []bool{false, true} {
		found, err := v.play(tsanProgram, emu.Options{UnorderedBlocks: unordered})
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
func (v *variant) play(program string, o emu.Options) (found []Finding, err error) {
	text := v.sources[launchFile]
	if text == "" {
		return nil, nil
	}
	s, err := readScript(text)
	if err != nil {
		return nil, err
	}
	o.Path = filepath.Join(v.dir, program)
	for key, value := range s.device {
		switch {
		case key == "blocks" && value == "corner":
			o.CornerBlocks = true
		case key == "sms":
			if o.Multiprocessors, err = strconv.Atoi(value); err != nil {
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
			if tool := blame(err, program); tool != "" {
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
func blame(err error, program string) string {
	var report *emu.Report
	switch {
	case errors.As(err, &report) && program == tsanProgram && report.Tool == "ThreadSanitizer":
		return Race
	case errors.As(err, &report):
		return Emulator
	case errors.Is(err, errValues):
		return Values
	case errors.Is(err, valid.ErrInvalid), errors.Is(err, valid.ErrStale):
		return Valid
	case errors.Is(err, device.ErrHash):
		return Load
	case errors.Is(err, contract.ErrContract):
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

// array finds a buffer or slice.
func (p *player) array(name string) (array, error) {
	if a := p.arrays[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("no buffer %s", name)
}
