package fatbin

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// read does all that can be done with a file from outside, and checks what must
// hold of any input: it is read or refused by a *FormatError, and what was read
// lies within it.
func read(data []byte) error {
	c, err := ParseCubin(data)
	if err := checkCubin(data, c, err); err != nil {
		return err
	}
	f, err := Parse(data)
	if err != nil {
		return checkRefusal(err)
	}
	stored := 0
	for _, m := range f.Images {
		stored += len(m.Payload)
		if m.Kind != PTX && m.Kind != ELF {
			return fmt.Errorf("an image is %v", m.Kind)
		}
		if m.Kind == ELF && m.Compression == "" {
			c, err := m.Cubin()
			if err := checkCubin(m.Payload, c, err); err != nil {
				return err
			}
		}
	}
	if stored > len(data) {
		return fmt.Errorf("the images have %d bytes, the file %d", stored, len(data))
	}
	if m, err := f.Choose(Arch{SM: 90}); err == nil && !m.Arch.compiles(Arch{SM: 90}) {
		return fmt.Errorf("sm_90 takes %s", m.Name())
	}
	return nil
}

func checkCubin(data []byte, c *Cubin, err error) error {
	if err != nil {
		return checkRefusal(err)
	}
	for i, e := range c.Entries {
		if i > 0 && c.Entries[i-1].Name >= e.Name {
			return fmt.Errorf("entries %s and %s are not in order", c.Entries[i-1].Name, e.Name)
		}
		end := 0
		for _, p := range e.Params {
			if p.Size <= 0 || p.Offset < end {
				return fmt.Errorf("entry %s has parameters %v", e.Name, e.Params)
			}
			end = p.End()
		}
		if end > e.ParamSize || e.Registers < 0 || e.StaticShared < 0 {
			return fmt.Errorf("entry %+v", e)
		}
	}
	if n := len(c.Entries) + len(c.Functions); n*symbolSize > len(data) {
		return fmt.Errorf("%d functions from %d bytes", n, len(data))
	}
	return nil
}

func checkRefusal(err error) error {
	var f *FormatError
	if !errors.As(err, &f) {
		return fmt.Errorf("refused by %T: %w", err, err)
	}
	if f.Format == "" || f.What == "" || f.Rule == "" {
		return fmt.Errorf("the refusal says too little: %+v", f)
	}
	return nil
}

// mutate changes a few places of a file: bits, bytes, whole words with values
// that lie at an edge, words copied from elsewhere in the file, cuts.
func mutate(rng *rand.Rand, data []byte) []byte {
	edges := []uint64{0, 1, 7, 16, 63, 64, 0x7f, 0xff, 0x7fff, 0xffff, 1 << 31, 1<<32 - 1, 1 << 63, 1<<64 - 1, uint64(len(data)), uint64(len(data)) - 1}
	data = slices.Clone(data)
	for range 1 + rng.IntN(4) {
		if len(data) < 16 {
			return data
		}
		at := rng.IntN(len(data) - 8)
		if rng.IntN(2) == 0 { // most of what steers the reader stands at the beginning or in the tables at the end
			at = rng.IntN(min(128, len(data)-8))
		}
		switch rng.IntN(8) {
		case 0:
			data[at] ^= 1 << rng.IntN(8)
		case 1:
			data[at] = byte(rng.Uint32())
		case 2:
			binary.LittleEndian.PutUint16(data[at:], uint16(edges[rng.IntN(len(edges))]))
		case 3:
			binary.LittleEndian.PutUint32(data[at:], uint32(edges[rng.IntN(len(edges))]))
		case 4:
			binary.LittleEndian.PutUint64(data[at:], edges[rng.IntN(len(edges))])
		case 5:
			copy(data[at:at+8], data[rng.IntN(len(data)-8):])
		case 6:
			data = data[:rng.IntN(len(data))]
		case 7:
			n := min(64, len(data)-at)
			data = slices.Concat(data[:at], data[at:at+n], data[at:])
		}
	}
	return data
}

func seeds(t testing.TB) [][]byte {
	var all [][]byte
	for _, pattern := range []string{"*.cubin", "*.fatbin"} {
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s in testdata: %v", pattern, err)
		}
		for _, f := range files {
			all = append(all, load(t, filepath.Base(f)))
		}
	}
	return all
}

// mutations is for long runs by hand: go test -run TestMutations -mutations 1000000.
var mutations = flag.Int("mutations", 2000, "mutations of each file of testdata")

// TestMutations is the fuzzing that runs with every test: the same inputs each
// time. Every 16th is watched for memory.
func TestMutations(t *testing.T) {
	for i, seed := range seeds(t) {
		rng := rand.New(rand.NewPCG(11, uint64(i)))
		for n := range *mutations {
			data := mutate(rng, seed)
			if n%16 == 0 {
				watchMemory(t, data)
				continue
			}
			if err := read(data); err != nil {
				t.Fatalf("seed %d, mutation %d: %v", i, n, err)
			}
		}
	}
}

func watchMemory(t *testing.T, data []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := read(data); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(16*len(data)+1<<16); got > limit {
		t.Fatalf("reading %d bytes allocated %d, more than %d", len(data), got, limit)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := read(data); err != nil {
			t.Fatal(err)
		}
	})
}
