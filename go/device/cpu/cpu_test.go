package cpu

import (
	"errors"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device/backend"
)

func TestFreeBooksBackOnce(t *testing.T) {
	d := Open()
	m, err := d.Alloc(1000)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.taken.Load(); got != 1000 {
		t.Errorf("%d bytes are taken, want 1000", got)
	}
	if err := errors.Join(m.Free(), m.Free()); err != nil {
		t.Fatal(err)
	}
	if got := d.taken.Load(); got != 0 {
		t.Errorf("%d bytes are taken after two frees, want 0", got)
	}
}

func TestCopy(t *testing.T) {
	d := Open()
	a, err := d.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 8)
	err = errors.Join(a.Write(nil, 0, []byte("abcdefgh")), b.Zero(nil, 0, 8), b.CopyFrom(nil, 1, a, 2, 3), a.CopyFrom(nil, 1, a, 0, 4), b.Read(nil, 0, got))
	if err != nil || string(got) != "\x00cde\x00\x00\x00\x00" {
		t.Errorf("the copy is %q (%v)", got, err)
	}
	if err := a.Read(nil, 0, got); err != nil || string(got) != "aabcdfgh" {
		t.Errorf("an overlapping copy gave %q (%v)", got, err)
	}
	foreign, err := Open().Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.CopyFrom(nil, 0, foreign, 0, 1); !errors.Is(err, backend.ErrForeign) {
		t.Errorf("a copy from another device: got %v, want %v", err, backend.ErrForeign)
	}
}

func TestRefusals(t *testing.T) {
	d := Open()
	for _, n := range []int64{0, -1} {
		if _, err := d.Alloc(n); err == nil || !strings.Contains(err.Error(), "requires bytes > 0") {
			t.Errorf("alloc of %d bytes: got %v", n, err)
		}
	}
	if _, err := d.Load("csr", nil); !errors.Is(err, backend.ErrNoKernel) {
		t.Errorf("load: got %v, want %v", err, backend.ErrNoKernel)
	}
}
