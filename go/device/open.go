package device

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/device/cpu"
	"github.com/warpwright/warpwright/go/device/emu"
	"github.com/warpwright/warpwright/go/device/gpu"
)

// The environment that Open reads. An option wins over it.
const (
	EnvDevice = "WW_DEVICE" // cpu, emu, gpu or gpu:N
	EnvImages = "WW_IMAGES" // the folder that holds FAMILY.fatbin and FAMILY.manifest.json
	EnvEmu    = "WW_EMU"    // the emulator program; without it, cuda/emulator among the runfiles
)

// Option is a setting of Open.
type Option func(*settings)

type settings struct {
	kind, kindFrom string // as written, and where it was written
	images         fs.FS
	raw            bool
	emulator       emu.Options
}

// WithKind asks for a kind of device: "cpu", "emu", "gpu" or "gpu:N" for the GPU with ordinal N;
// "" for Open's own choice, whatever WW_DEVICE says.
func WithKind(kind string) Option {
	return func(s *settings) { s.kind, s.kindFrom = kind, "WithKind" }
}

// WithImages says where the compiled kernels are: FAMILY.fatbin beside FAMILY.manifest.json.
func WithImages(images fs.FS) Option { return func(s *settings) { s.images = images } }

// WithRawKernels lets the device launch raw kernels too: plain __global__ functions without a contract,
// which tests compare with, and which nothing keeps inside their buffers. Without it a family of such
// kernels is refused wherever its images come from.
func WithRawKernels() Option { return func(s *settings) { s.raw = true } }

// WithEmulator names the emulator program that kind "emu" starts.
func WithEmulator(path string) Option { return func(s *settings) { s.emulator.Path = path } }

// WithEmulatorOptions says how kind "emu" runs kernels: which program, in which order of threads, which
// blocks. It is for tests.
func WithEmulatorOptions(o emu.Options) Option { return func(s *settings) { s.emulator = o } }

// apply joins the options with the environment.
func apply(opts []Option) (settings, error) {
	s := settings{kind: os.Getenv(EnvDevice), kindFrom: EnvDevice}
	for _, o := range opts {
		o(&s)
	}
	if dir := os.Getenv(EnvImages); s.images == nil && dir != "" {
		if st, err := os.Stat(dir); err != nil {
			return s, fmt.Errorf("device: open: %s=%q: %w", EnvImages, dir, err)
		} else if !st.IsDir() {
			return s, fmt.Errorf("device: open: %s=%q: requires a folder", EnvImages, dir)
		}
		s.images = os.DirFS(dir)
	}
	return s, nil
}

// parse reads a kind as written; an empty one means automatic choice.
func (s *settings) parse() (kind backend.Kind, index int, err error) {
	name, ordinal, numbered := strings.Cut(s.kind, ":")
	switch kind = backend.Kind(name); kind {
	case "", CPU, Emu:
		if !numbered {
			return kind, 0, nil
		}
	case GPU:
		if !numbered {
			return kind, 0, nil
		}
		if n, err := strconv.ParseUint(ordinal, 10, 31); err == nil {
			return kind, int(n), nil
		}
	}
	return "", 0, fmt.Errorf("device: open: %q, from %s, is no kind of device: requires cpu, emu, gpu or gpu:N with N from 0 on", s.kind, s.kindFrom)
}

// Open opens the device that WithKind or WW_DEVICE asks for. Where neither does, it takes the first
// GPU, or the CPU if the program cannot use GPUs or the machine has none. A GPU that is there and
// fails is an error and no reason to compute elsewhere in silence.
//
// ctx bounds the opening itself.
func Open(ctx context.Context, opts ...Option) (*Device, error) {
	s, err := apply(opts)
	if err != nil {
		return nil, err
	}
	kind, index, err := s.parse()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("device: open: %w", err)
	}
	b, err := s.open(ctx, kind, index)
	if err != nil {
		return nil, err
	}
	return &Device{b: b, info: b.Info(), images: s.images, raw: s.raw, modules: map[string]*moduleState{}}, nil
}

func (s *settings) open(ctx context.Context, kind backend.Kind, index int) (backend.Device, error) {
	switch kind {
	case CPU:
		return cpu.Open(), nil
	case Emu:
		b, err := emu.Open(ctx, s.emulator)
		if err != nil {
			return nil, fmt.Errorf("device: open emu: %w", err)
		}
		return b, nil
	case GPU:
		b, err := gpu.Open(index)
		if err != nil {
			return nil, fmt.Errorf("device: open gpu:%d: %w", index, err)
		}
		return b, nil
	}
	b, err := gpu.Open(0)
	switch {
	case err == nil:
		return b, nil
	case errors.Is(err, ErrNoDriver), errors.Is(err, ErrNoDevice):
		return cpu.Open(), nil
	}
	return nil, fmt.Errorf("device: open: there is a GPU, but it fails (%s=cpu computes without it): %w", EnvDevice, err)
}

// Close unloads the device's kernels and frees what it holds; buffers, streams and events of it are
// closed with it. Closing twice is harmless.
func (d *Device) Close() error {
	if d == nil || d.b == nil || d.closed.Swap(true) {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, family := range slices.Sorted(maps.Keys(d.modules)) {
		if m := d.modules[family].m; m != nil {
			if err := m.Close(); err != nil {
				errs = append(errs, fmt.Errorf("device: closing family %s: %w", family, err))
			}
		}
	}
	if err := d.b.Close(); err != nil {
		errs = append(errs, fmt.Errorf("device: closing %s: %w", d.info.Name, err))
	}
	return errors.Join(errs...)
}
