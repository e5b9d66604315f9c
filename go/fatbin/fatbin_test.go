package fatbin

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(t *testing.T, name string) *File {
	t.Helper()
	f, err := Parse(load(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

func names(f *File) string {
	var out []string
	for _, m := range f.Images {
		out = append(out, strings.TrimSpace(m.Name()+" "+m.Compression))
	}
	return strings.Join(out, ", ")
}

func TestImages(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"shipped.fatbin", "sm_75, sm_86, sm_90, compute_75, compute_90"},
		{"zstd.fatbin", "sm_75 zstd, sm_86 zstd, sm_90 zstd, compute_75 zstd, compute_90 zstd"},
		{"lz4.fatbin", "sm_90, compute_75 lz4"},
		{"features.fatbin", "sm_90a, sm_100f, compute_90a"},
	} {
		if got := names(parse(t, c.file)); got != c.want {
			t.Errorf("%s: %s, want %s", c.file, got, c.want)
		}
	}
}

func TestPayloads(t *testing.T) {
	plain, packed := parse(t, "shipped.fatbin"), parse(t, "zstd.fatbin")
	if want := load(t, "sm_90.cubin"); !slices.Equal(plain.Images[2].Payload, want) {
		t.Errorf("sm_90 has %d bytes and is not the cubin of %d bytes that was put in", len(plain.Images[2].Payload), len(want))
	}
	for i, m := range plain.Images {
		z := packed.Images[i]
		// The packed sizes of PTX count the zero byte at its end.
		if z.Size != m.Size+uint64(map[Kind]int{PTX: 1}[m.Kind]) || uint64(len(z.Payload)) >= m.Size {
			t.Errorf("%s: %d bytes, %d when packed, from %d", m.Name(), m.Size, len(z.Payload), z.Size)
		}
		if string(z.Payload[:4]) != "\x28\xb5\x2f\xfd" {
			t.Errorf("%s: the packed image does not begin as zstd does", m.Name())
		}
		if m.Kind == PTX && (!strings.Contains(string(m.Payload), ".visible .entry scale(") || !strings.HasSuffix(string(m.Payload), "}\n\n")) {
			t.Errorf("%s is not the text: %q", m.Name(), m.Payload)
		}
		if want := map[Kind][2]int{PTX: {9, 0}, ELF: {1, 8}}[m.Kind]; m.Version != want {
			t.Errorf("%s: version %v, want %v", m.Name(), m.Version, want)
		}
		if m.Debug() {
			t.Errorf("%s has no debug information", m.Name())
		}
		if m.Kind == ELF {
			if c, err := m.Cubin(); err != nil || c.Arch != m.Arch || len(c.Entries) != 5 {
				t.Errorf("%s: %v, %v", m.Name(), c, err)
			}
		} else if _, err := m.Cubin(); err == nil || !strings.Contains(err.Error(), "is ptx, not a cubin") {
			t.Errorf("%s reads as a cubin: %v", m.Name(), err)
		}
	}
	if _, err := packed.Images[0].Cubin(); err == nil || !strings.Contains(err.Error(), "compressed with zstd") {
		t.Errorf("a compressed image reads as a cubin: %v", err)
	}
}

func TestContainersInARow(t *testing.T) {
	f, err := Parse(append(load(t, "shipped.fatbin"), load(t, "lz4.fatbin")...))
	if err != nil || len(f.Images) != 7 {
		t.Fatalf("%d images of 7, %v", len(f.Images), err)
	}
	if got, want := f.Images[5].Offset, uint64(len(load(t, "shipped.fatbin"))+containerHeader); got != want {
		t.Errorf("the second container's first entry is at %d, want %d", got, want)
	}
}

func TestChoose(t *testing.T) {
	ptx75 := Image{Kind: PTX, Arch: Arch{SM: 75}}
	sass := func(names ...string) *File {
		f := &File{Images: []Image{ptx75}}
		for _, n := range names {
			kind := ELF
			if rest, ok := strings.CutPrefix(n, "compute_"); ok {
				kind, n = PTX, rest
			}
			a, err := ParseArch(n)
			if err != nil {
				t.Fatal(err)
			}
			f.Images = append(f.Images, Image{Kind: kind, Arch: a})
		}
		return f
	}
	shipped := parse(t, "shipped.fatbin")
	for _, c := range []struct {
		file   *File
		device int
		want   string
	}{
		{shipped, 75, "sm_75"},
		{shipped, 80, "compute_75"}, // sm_75 is another major, sm_86 is later
		{shipped, 86, "sm_86"},
		{shipped, 89, "sm_86"},
		{shipped, 90, "sm_90"},
		{shipped, 100, "compute_90"},
		{shipped, 120, "compute_90"},
		{sass("80", "86", "89"), 87, "sm_86"},
		{sass("89", "80"), 86, "sm_80"},
		{sass("90", "90a"), 90, "sm_90a"},
		{sass("90a", "90"), 90, "sm_90a"},
		{sass("90a"), 100, "compute_75"},
		{sass("100f"), 103, "sm_100f"},
		{sass("100a"), 103, "compute_75"},
		{sass("100", "100f"), 120, "compute_75"},
		{sass("compute_90a", "compute_80"), 90, "compute_90a"},
		{sass("compute_90a", "compute_80"), 100, "compute_80"},
	} {
		got, err := c.file.Choose(Arch{SM: c.device})
		if err != nil || got.Name() != c.want {
			t.Errorf("sm_%d takes %s of (%s), want %s; %v", c.device, got.Name(), names(c.file), c.want, err)
		}
	}

	_, err := shipped.Choose(Arch{SM: 70})
	var none *NoImageError
	if !errors.As(err, &none) || none.Device.SM != 70 || len(none.Has) != 5 {
		t.Fatalf("sm_70 takes an image: %v", err)
	}
	if want := "fatbin: no image for sm_70: the file has [sm_75 sm_86 sm_90 compute_75 compute_90]"; err.Error() != want {
		t.Errorf("got  %v\nwant %v", err, want)
	}
}

func TestArch(t *testing.T) {
	for _, name := range []string{"75", "86", "90a", "100f", "120"} {
		a, err := ParseArch(name)
		if err != nil || a.Name() != name || a.String() != "sm_"+name {
			t.Errorf("ParseArch(%q) = %v, %v", name, a, err)
		}
	}
	if a := (Arch{SM: 103}); a.Major() != 10 || a.Minor() != 3 {
		t.Errorf("%v has capability %d.%d", a, a.Major(), a.Minor())
	}
	for _, name := range []string{"", "a", "9", "sm_90", "90b", "086", "-86", "300", "8 6"} {
		if a, err := ParseArch(name); err == nil {
			t.Errorf("ParseArch(%q) = %v, want an error", name, a)
		}
	}
}

// edit returns a copy of data with bytes replaced at off.
func edit(data []byte, off int, b ...byte) []byte {
	out := slices.Clone(data)
	copy(out[off:], b)
	return out
}

func u32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
func u64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

// wantFormat checks that err is a *FormatError that names the place and the rule.
func wantFormat(t *testing.T, fault string, err error, offset uint64, rule string) {
	t.Helper()
	var f *FormatError
	if !errors.As(err, &f) {
		t.Errorf("%s: got %v, want a *FormatError", fault, err)
		return
	}
	if f.Offset != offset || !strings.Contains(f.Rule, rule) {
		t.Errorf("%s: got %v, want byte %#x and %q", fault, err, offset, rule)
	}
}

func TestMagic(t *testing.T) {
	for _, c := range []struct {
		data          []byte
		fatbin, cubin bool
	}{
		{nil, false, false},
		{[]byte{0x50, 0xed, 0x55}, false, false},
		{[]byte{0x50, 0xed, 0x55, 0xba}, true, false},
		{[]byte("\x7fEL"), false, false},
		{[]byte("\x7fELF"), false, true},
	} {
		if IsFatbin(c.data) != c.fatbin || IsCubin(c.data) != c.cubin {
			t.Errorf("% x: fatbin %v, cubin %v", c.data, IsFatbin(c.data), IsCubin(c.data))
		}
	}
}

func TestBrokenContainers(t *testing.T) {
	good := load(t, "shipped.fatbin")
	for _, c := range []struct {
		fault  string
		data   []byte
		offset uint64
		rule   string
	}{
		{"nothing", nil, 0, "the file is empty"},
		{"a cut header", good[:15], 0, "run past the end at 0xf"},
		{"wrong magic", edit(good, 0, 0), 0, "magic is 0xba55ed00, want 0xba55ed50"},
		{"wrong version", edit(good, 4, 2), 4, "version is 2, want 1"},
		{"small header", edit(good, 6, 8), 6, "header size is 8, want at least 16"},
		{"large header", edit(good[:64], 6, 0xff, 0xff), 0, "65535 bytes from here"},
		{"too few bytes", good[:len(good)-1], 16, "run past the end"},
		{"a size that wraps", edit(good, 8, u64(1<<64-8)...), 16, "18446744073709551608 bytes from here"},
		{"bytes behind", append(slices.Clone(good), 0), uint64(len(good)), "16 bytes from here"},
		{"entry version", edit(good, 18, 2), 18, "version is 0x102, want 0x101"},
		{"entry kind", edit(good, 16, 7), 16, "kind 0x7 is neither"},
		{"entry header size", edit(good, 20, 63), 20, "header size is 63, want at least 64"},
		{"entry header past the end", edit(good, 20, u32(1<<31)...), 16, "2147483648 bytes from here"},
		{"entry past its container", edit(good, 24, u64(1<<40)...), 80, "1099511627776 bytes from here"},
		{"entry architecture too high", edit(good, 44, u32(256)...), 44, "architecture is 256, want 10 to 255"},
		{"entry architecture", edit(good, 44, u32(7)...), 44, "architecture is 7, want 10 to 255"},
		{"both features", edit(good, 56, u64(0x300011)...), 56, "both architecture- and family-specific"},
		{"compressed and larger than stored", edit(edit(good, 56, u64(0x8011)...), 32, u32(1<<30)...), 32, "only 11424 are stored"},
		{"an elf image that is none", edit(good, 80, 'x'), 80, "does not begin with the ELF magic"},
		{"an elf image whose table is outside", edit(good, 80+40, u64(1<<62)...), 80 + 1<<62, "run past the end"},
	} {
		_, err := Parse(c.data)
		wantFormat(t, c.fault, err, c.offset, c.rule)
	}
	const want = "fatbin: at byte 0x4: container: version is 2, want 1"
	if _, err := Parse(edit(good, 4, 2)); fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %v", err, want)
	}
}

// TestEveryPrefix cuts the file at every length.
func TestEveryPrefix(t *testing.T) {
	for _, name := range []string{"lz4.fatbin", "sm_90.cubin"} {
		good := load(t, name)
		for n := range len(good) {
			var err error
			if IsFatbin(good) {
				_, err = Parse(good[:n])
			} else {
				_, err = ParseCubin(good[:n])
			}
			var f *FormatError
			if !errors.As(err, &f) {
				t.Fatalf("%s cut at %d of %d bytes: %v", name, n, len(good), err)
			}
		}
	}
}
