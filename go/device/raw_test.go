package device

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/manifest"
)

// hashed is a module that carries hashes itself, as the emulator's do.
type hashed struct {
	backend.Module
	hashes map[string]string
}

func (h *hashed) Hash(kernel string) (string, bool) {
	hash, ok := h.hashes[kernel]
	return hash, ok
}

// A raw kernel is launched by those alone who ask for such, whether a manifest or the image says that it is one.
func TestRawKernels(t *testing.T) {
	p, err := json.Marshal(manifest.Manifest{Schema: manifest.Schema, Spec: manifest.Spec{
		Schema: manifest.SpecSchema, Family: "raw",
		Kernels: []manifest.Kernel{{Name: "raw_k", Raw: true, Hash: manifest.RawHash + "1"}},
		Entries: []manifest.Entry{{Name: "raw_k", Kernel: "raw_k", Params: []manifest.EntryParam{{Size: 8}}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	images := fstest.MapFS{"raw.manifest.json": {Data: p}, "raw.fatbin": {Data: []byte("image")}}
	b := &scripted{sizes: []int{8}}
	d := script(b, images)
	d.modules["emulated"] = &moduleState{
		m:       &hashed{&scriptedModule{b, "emulated"}, map[string]string{"emulated_k": manifest.RawHash + "2", "emulated_safe": "2"}},
		kernels: map[string]*Kernel{},
	}
	for _, entry := range []string{"raw_k", "emulated_k"} {
		_, err := d.Kernel(entry)
		if !errors.Is(err, ErrRaw) || !strings.Contains(err.Error(), entry) || !strings.Contains(err.Error(), "WithRawKernels") {
			t.Errorf("%s: got %v, want ErrRaw", entry, err)
		}
	}
	if _, err := d.Kernel("emulated_safe"); err != nil {
		t.Errorf("a kernel with a contract beside raw ones: %v", err)
	}
	d.raw = true
	for _, entry := range []string{"raw_k", "emulated_k"} {
		if k, err := d.Kernel(entry); err != nil || k.Name() != entry {
			t.Errorf("%s with WithRawKernels: %v", entry, err)
		}
	}
}
