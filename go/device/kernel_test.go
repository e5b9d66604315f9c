package device

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/manifest"
)

// scripted is a backend whose families hold one kernel each and which notes what it is asked for.
type scripted struct {
	calls    []string
	loadErr  error
	closeErr error
	sizes    []int // of the kernel's parameters

	launched  int    // slots of the last launch
	sum       uint64 // of them
	launchErr error
}

func (b *scripted) note(format string, args ...any) {
	b.calls = append(b.calls, fmt.Sprintf(format, args...))
}

func (b *scripted) Info() backend.Info                  { return backend.Info{Kind: backend.GPU, Name: "scripted"} }
func (b *scripted) Launches() bool                      { return true }
func (b *scripted) Alloc(int64) (backend.Memory, error) { return nil, backend.ErrOutOfMemory }
func (b *scripted) NewStream() (backend.Stream, error)  { return nil, backend.ErrNoDevice }
func (b *scripted) NewEvent() (backend.Event, error)    { return nil, backend.ErrNoDevice }
func (b *scripted) Close() error                        { b.note("close"); return b.closeErr }
func (b *scripted) Load(family string, fatbin []byte) (backend.Module, error) {
	b.note("load %s %s", family, fatbin)
	return &scriptedModule{b, family}, b.loadErr
}

type scriptedModule struct {
	b      *scripted
	family string
}

func (m *scriptedModule) Kernel(entry string) (backend.Kernel, error) {
	m.b.note("kernel %s", entry)
	return &scriptedKernel{b: m.b}, nil
}
func (m *scriptedModule) Hash(string) (string, bool) { return "", false }
func (m *scriptedModule) Close() error {
	m.b.note("unload %s", m.family)
	return fmt.Errorf("unload %s", m.family)
}

type scriptedKernel struct {
	b *scripted
	backend.Kernel
}

func (k *scriptedKernel) CheckParams(sizes []int) error {
	k.b.note("params %v", sizes)
	if !slices.Equal(sizes, k.b.sizes) {
		return fmt.Errorf("sizes %v, want %v", sizes, k.b.sizes)
	}
	return nil
}

// Launch adds up what it is given.
func (k *scriptedKernel) Launch(_ backend.Stream, _ backend.Config, slots []uint64) error {
	k.b.launched = len(slots)
	k.b.sum = 0
	for _, slot := range slots {
		k.b.sum += slot
	}
	return k.b.launchErr
}

// family is the images of a family with the kernel FAMILY_k and its instance FAMILY_k_f32.
func family(t *testing.T, name string, images fstest.MapFS) {
	t.Helper()
	p, err := json.Marshal(manifest.Manifest{Schema: manifest.Schema, Spec: manifest.Spec{
		Schema: manifest.SpecSchema, Family: name,
		Kernels: []manifest.Kernel{{Name: name + "_k", Hash: "h1"}},
		Entries: []manifest.Entry{{Name: name + "_k_f32", Kernel: name + "_k", Params: []manifest.EntryParam{{Size: 8}, {Offset: 8, Size: 4}}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	images[name+".manifest.json"] = &fstest.MapFile{Data: p}
	images[name+".fatbin"] = &fstest.MapFile{Data: []byte("image of " + name)}
}

func script(b *scripted, images fstest.MapFS) *Device {
	return &Device{b: b, info: b.Info(), images: images, modules: map[string]*moduleState{}}
}

func TestEntriesAreFoundOnce(t *testing.T) {
	b, images := &scripted{sizes: []int{8, 4}}, fstest.MapFS{}
	family(t, "one", images)
	family(t, "two", images)
	d := script(b, images)
	for range 3 {
		for _, entry := range []string{"one_k_f32", "two_k_f32"} {
			if k, err := d.Kernel(entry); err != nil || k.Name() != entry {
				t.Fatalf("%s: %v", entry, err)
			}
		}
	}
	err := d.Close()
	want := []string{
		"load one image of one", "kernel one_k_f32", "params [8 4]", "load two image of two", "kernel two_k_f32", "params [8 4]",
		"unload one", "unload two", "close",
	}
	if !slices.Equal(b.calls, want) {
		t.Errorf("the backend was asked for\n%q, want\n%q", b.calls, want)
	}
	for _, part := range []string{"closing family one: unload one", "closing family two: unload two"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("Close says %v, want %q in it", err, part)
		}
	}
	if _, err := d.Kernel("one_k_f32"); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: got %v, want %v", err, ErrClosed)
	}
}

func TestEntriesAreChecked(t *testing.T) {
	images := fstest.MapFS{}
	family(t, "one", images)
	family(t, "bare", images)
	delete(images, "bare.fatbin")
	images["renamed.manifest.json"] = images["one.manifest.json"]
	images["broken.manifest.json"] = &fstest.MapFile{Data: []byte(`{"schema": 99}`)}
	mine := errors.New("mine")
	for _, c := range []struct {
		name, family, entry string
		hashes              map[string]string
		b                   scripted
		images              fstest.MapFS
		is                  error
		says                []string
	}{
		{name: "entry not in the manifest", family: "one", entry: "one_k_f64", images: images, is: ErrNoKernel, says: []string{"one_k_f64", "in the manifest"}},
		{name: "other parameters", family: "one", entry: "one_k_f32", b: scripted{sizes: []int{8}}, images: images, says: []string{"one_k_f32", "sizes [8 4], want [8]"}},
		{name: "other hash", family: "one", entry: "one_k_f32", hashes: map[string]string{"one_k": "h2"}, images: images, is: ErrHash, says: []string{"one_k", `"h2"`, `"h1"`}},
		{name: "hash of no kernel", family: "one", entry: "one_k_f32", hashes: map[string]string{"one_x": "h1"}, images: images, is: ErrHash, says: []string{"one_x"}},
		{name: "no images", family: "one", entry: "one_k_f32", is: ErrNoImage, says: []string{"one.manifest.json", "WithImages", "WW_IMAGES"}},
		{name: "no such family", family: "absent", entry: "absent_k", images: images, is: ErrNoImage, says: []string{"absent.manifest.json"}},
		{name: "manifest alone", family: "bare", entry: "bare_k", images: images, is: ErrNoImage, says: []string{"bare.fatbin"}},
		{name: "manifest of another family", family: "renamed", entry: "renamed_k", images: images, says: []string{"renamed.manifest.json", `"one"`, `"renamed"`}},
		{name: "manifest of another schema", family: "broken", entry: "broken_k", images: images, says: []string{"broken.manifest.json", "99"}},
		{name: "image that does not load", family: "one", entry: "one_k_f32", b: scripted{loadErr: mine}, images: images, is: mine, says: []string{"loading family one on scripted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := script(&c.b, c.images)
			if c.images == nil {
				d.images = nil
			}
			for range 2 { // and again: failures are remembered, not repeated
				_, err := d.Entries(c.family, []string{c.entry}, c.hashes)
				if err == nil {
					t.Fatal("no error")
				}
				if c.is != nil && !errors.Is(err, c.is) {
					t.Errorf("error is %v, want %v in its chain", err, c.is)
				}
				for _, s := range c.says {
					if !strings.Contains(err.Error(), s) {
						t.Errorf("error is %q, want it to say %q", err, s)
					}
				}
			}
			if n := len(slices.DeleteFunc(c.b.calls, func(s string) bool { return !strings.HasPrefix(s, "load") })); n > 1 {
				t.Errorf("loaded %d times", n)
			}
		})
	}
}

func TestKindIsTakenFromTheOption(t *testing.T) {
	t.Setenv(EnvDevice, "emu")
	for option, want := range map[string]backend.Kind{"cpu": CPU, "gpu:3": GPU, "": ""} {
		s, err := apply([]Option{WithKind(option)})
		if err != nil {
			t.Fatal(err)
		}
		kind, index, err := s.parse()
		if err != nil || kind != want || (option == "gpu:3") != (index == 3) {
			t.Errorf("%q was read as %q, %d (%v)", option, kind, index, err)
		}
	}
	s, err := apply(nil)
	if err != nil {
		t.Fatal(err)
	}
	if kind, _, err := s.parse(); err != nil || kind != Emu {
		t.Errorf("the environment was read as %q (%v)", kind, err)
	}
	if _, err := Open(context.Background(), WithKind("gpu:7")); err == nil || !strings.Contains(err.Error(), "gpu:7") {
		t.Errorf("opening gpu:7: got %v", err)
	}
}

// launchable is a kernel on a device that takes blocks of 32 threads.
func launchable() (*scripted, *Kernel) {
	b := &scripted{}
	d := script(b, nil)
	d.info.MaxThreadsPerBlock, d.info.MaxGrid = 32, Dim3{X: 8, Y: 1, Z: 1}
	return b, &Kernel{dev: d, name: "one_k_f32", k: &scriptedKernel{b: b}, marked: true}
}

var oneBlock = Config{Grid: Dim3{X: 1, Y: 1, Z: 1}, Block: Dim3{X: 32, Y: 1, Z: 1}}

// The backend is given the caller's slots, no more of them than there are, and nothing is allocated.
func TestLaunchHandsOverItsSlots(t *testing.T) {
	b, k := launchable()
	for _, slots := range [][]uint64{{1, 2, 3, 4}, {5}, nil, {7, 8}} {
		if err := k.Launch(nil, oneBlock, slots); err != nil {
			t.Fatal(err)
		}
		var sum uint64
		for _, slot := range slots {
			sum += slot
		}
		if b.launched != len(slots) || b.sum != sum {
			t.Errorf("%v: the backend has %d slots of the sum %d", slots, b.launched, b.sum)
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		slots := [...]uint64{1, 2, 3}
		if err := k.Launch(nil, oneBlock, slots[:]); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a launch allocates %v times", n)
	}
	b.launchErr = errors.New("mine")
	if err := k.Launch(nil, oneBlock, nil); !errors.Is(err, b.launchErr) || !strings.Contains(err.Error(), "one_k_f32: launch: ") {
		t.Errorf("got %v", err)
	}
}

// BenchmarkLaunch is what the package adds to a backend's launch.
func BenchmarkLaunch(b *testing.B) {
	_, k := launchable()
	b.ReportAllocs()
	for b.Loop() {
		slots := [...]uint64{1, 2, 3, 4, 5, 6}
		if err := k.Launch(nil, oneBlock, slots[:]); err != nil {
			b.Fatal(err)
		}
	}
}
