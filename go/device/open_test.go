package device_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
)

// clean empties the environment that Open reads.
func clean(t *testing.T) {
	t.Helper()
	for _, name := range []string{device.EnvDevice, device.EnvImages, device.EnvEmu} {
		t.Setenv(name, "")
	}
}

func openCPU(t *testing.T) *device.Device {
	t.Helper()
	clean(t)
	d, err := device.Open(t.Context(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestKindIsChecked(t *testing.T) {
	for _, kind := range []string{"cuda", "CPU", "cpu:0", "emu:1", "gpu:", "gpu:-1", "gpu:+1", "gpu:x", "gpu:99999999999", " cpu"} {
		clean(t)
		_, err := device.Open(t.Context(), device.WithKind(kind))
		wantError(t, err, nil, fmt.Sprintf("%q, from WithKind, is no kind", kind), "cpu, emu, gpu or gpu:N")

		t.Setenv(device.EnvDevice, kind)
		_, err = device.Open(t.Context())
		wantError(t, err, nil, fmt.Sprintf("%q, from WW_DEVICE, is no kind", kind), "cpu, emu, gpu or gpu:N")
	}
}

func TestOptionWinsOverEnvironment(t *testing.T) {
	clean(t)
	t.Setenv(device.EnvDevice, "nonsense")
	d, err := device.Open(t.Context(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := d.Info().Kind; got != device.CPU {
		t.Errorf("kind is %q, want cpu", got)
	}
}

func TestImagesFolderIsChecked(t *testing.T) {
	clean(t)
	missing := filepath.Join(t.TempDir(), "absent")
	t.Setenv(device.EnvImages, missing)
	_, err := device.Open(t.Context(), device.WithKind("cpu"))
	wantError(t, err, os.ErrNotExist, "WW_IMAGES", missing)

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(device.EnvImages, file)
	_, err = device.Open(t.Context(), device.WithKind("cpu"))
	wantError(t, err, nil, "WW_IMAGES", file, "requires a folder")

	d, err := device.Open(t.Context(), device.WithKind("cpu"), device.WithImages(os.DirFS(t.TempDir())))
	if err != nil {
		t.Fatalf("the option does not win: %v", err)
	}
	d.Close()
}

func TestOpenHonoursContext(t *testing.T) {
	clean(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := device.Open(ctx, device.WithKind("cpu"))
	wantError(t, err, context.Canceled)
}

func TestCPULaunchesNothing(t *testing.T) {
	d := openCPU(t)
	if d.Launches() {
		t.Error("the cpu device says that it launches")
	}
	if !strings.HasPrefix(d.Info().Name, "Go on ") {
		t.Errorf("name is %q", d.Info().Name)
	}
	_, err := d.Kernel("csr_mv_thread_f32_i32_each")
	wantError(t, err, device.ErrNoKernel, "launches nothing")
}

func TestCloseIsIdempotentAndFinal(t *testing.T) {
	d := openCPU(t)
	b, err := device.Alloc[float32](d, 4)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, errAlloc := device.Alloc[float32](d, 4)
	_, errEmpty := device.Alloc[float32](d, 0)
	_, errStream := d.NewStream()
	_, errEvent := d.NewEvent()
	_, errSince := e.Since(e)
	r := b.All().Range()
	for name, err := range map[string]error{
		"alloc": errAlloc, "alloc of nothing": errEmpty, "new stream": errStream, "new event": errEvent,
		"write": b.Write(nil, 0, make([]float32, 4)), "read": b.Read(nil, 0, make([]float32, 4)), "zero": b.Zero(nil),
		"stream wait": s.Wait(t.Context()), "stream wait for": s.WaitFor(e), "record": e.Record(nil), "event wait": e.Wait(t.Context()),
		"since": errSince, "device wait": d.Wait(t.Context()), "usable": r.Usable(d),
	} {
		if !errors.Is(err, device.ErrClosed) {
			t.Errorf("%s after Close: got %v, want %v", name, err, device.ErrClosed)
		}
	}
	if err := errors.Join(b.Close(), s.Close(), e.Close()); err != nil {
		t.Errorf("closing what lived on a closed device: %v", err)
	}
}

func TestAvailable(t *testing.T) {
	clean(t)
	kinds := map[device.Kind]device.Candidate{}
	for _, c := range device.Available(t.Context(), device.WithEmulator("")) {
		kinds[c.Kind] = c
		if (c.Info == nil) == (c.Err == nil) {
			t.Errorf("%s: exactly one of Info and Err is wanted: %+v", c.Kind, c)
		}
		if c.String() == "" || !strings.HasPrefix(c.String(), string(c.Kind)+":") {
			t.Errorf("line is %q", c)
		}
	}
	for _, kind := range []device.Kind{device.GPU, device.CPU, device.Emu} {
		if _, ok := kinds[kind]; !ok {
			t.Errorf("%s is not listed", kind)
		}
	}
	if kinds[device.CPU].Info == nil {
		t.Errorf("no CPU: %v", kinds[device.CPU].Err)
	}
}

func ExampleOpen() {
	d, err := device.Open(context.Background(), device.WithKind("cpu"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	b, err := device.Upload(d, []float32{1, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	host, err := b.Host(nil)
	fmt.Println(d.Info().Kind, host, err)
	// Output: cpu [1 2 3] <nil>
}

// wantError checks an error's identity (unless target is nil) and that it says each of parts.
func wantError(t *testing.T, err, target error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	if target != nil && !errors.Is(err, target) {
		t.Errorf("error is %v, want %v in its chain", err, target)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error is %q, want it to say %q", err, p)
		}
	}
}
