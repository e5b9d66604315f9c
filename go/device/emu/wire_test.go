package emu

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device/backend"
)

// hello is a whole answer to a hello.
var hello = bytes.Join([][]byte{u32(protocolVersion), str("address"), u32(2),
	str("empty"), u32(0),
	str("csr"), u32(1), str("csr_mv_f32"), str("csr_mv"), str("abc"), str("\x00\x01\x02\x09")}, nil)

func TestGreeting(t *testing.T) {
	got, err := (&reader{rest: hello}).greeting()
	want := greeting{"address", []family{{"empty", nil}, {"csr", []entry{{"csr_mv_f32", "csr_mv", "abc", []backend.Use{backend.Word, backend.Reads, backend.Writes, backend.Writes}}}}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for n := range hello {
		if _, err := (&reader{rest: hello[:n]}).greeting(); err == nil {
			t.Errorf("%d of %d bytes of a greeting are taken for a whole", n, len(hello))
		}
	}
	if _, err := (&reader{rest: u32(9)}).greeting(); err == nil || !strings.Contains(err.Error(), "protocol 9") {
		t.Errorf("another version: %v", err)
	}
}

func TestReadAnswer(t *testing.T) {
	whole := append(u32(4+3, statusRefused), "no!"...)
	status, payload, err := readAnswer(bytes.NewReader(whole))
	if status != statusRefused || string(payload) != "no!" || err != nil {
		t.Errorf("%d, %q, %v", status, payload, err)
	}
	for n := range whole {
		if _, _, err := readAnswer(bytes.NewReader(whole[:n])); err == nil {
			t.Errorf("%d of %d bytes of an answer are taken for a whole", n, len(whole))
		}
	}
	for _, length := range []uint32{0, 3, maxAnswer + 1, 1<<32 - 1} {
		if _, _, err := readAnswer(bytes.NewReader(append(u32(length, 0), make([]byte, 8)...))); err == nil {
			t.Errorf("an answer that claims %d bytes is accepted", length)
		}
	}
}

// Whatever a program answers, the client neither panics nor believes more than is there.
func FuzzGreeting(f *testing.F) {
	f.Add(hello)
	f.Add(u32(protocolVersion, 0, 1<<32-1))
	f.Fuzz(func(t *testing.T, p []byte) {
		g, err := (&reader{rest: p}).greeting()
		if err != nil {
			return
		}
		n := len(g.families)
		for _, f := range g.families {
			n += len(f.entries)
		}
		if n > len(p) {
			t.Errorf("%d names out of %d bytes", n, len(p))
		}
	})
}
