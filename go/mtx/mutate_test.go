package mtx

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

// mutations is for long runs by hand: go test -run TestMutations -mutations 1000000.
var mutations = flag.Int("mutations", 3000, "mutations of each seed")

func seeds() [][]byte {
	texts := []string{
		"%%MatrixMarket matrix coordinate real general\n% a comment\n3 4 4\n1 1 1.5\n2 3 -2e3\n3 4 1e-300\n1 2 0.25\n",
		"%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 7\n2 1 -8\n3 3 9007199254740992\n",
		"%%MatrixMarket matrix coordinate real skew-symmetric\r\n\r\n3 3 2\r\n2 1 1\r\n3 1 -inf\r\n",
		"%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 1\n2 2\n3 3",
		"%%MatrixMarket matrix coordinate pattern symmetric\n2147483647 2147483647 1\n2147483647 1\n",
		"%%MatrixMarket matrix array complex hermitian\n1 1\n1 0\n",
		"%%MatrixMarket matrix coordinate real general\n0 0 0\n",
	}
	var all [][]byte
	for _, t := range texts {
		all = append(all, []byte(t))
	}
	return append(all, []byte(pack(texts[0])))
}

// check is what must hold of any input: it is refused by an error that says
// where, or it is read, valid, and survives being written and read again.
func check(data []byte) error {
	m, err := ReadLimited(bytes.NewReader(data), Limits{Entries: 1 << 16, Line: 1 << 10})
	if err != nil {
		var s *SyntaxError
		var corrupt flate.CorruptInputError
		switch {
		case m != nil:
			return fmt.Errorf("a matrix beside the error %w", err)
		case errors.As(err, &s):
			if s.Line < 1 || s.Rule == "" || len(s.Text) > shownText {
				return fmt.Errorf("the error says too little or too much: %+v", s)
			}
			return nil
		case errors.As(err, &corrupt), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum),
			errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
			return nil
		}
		return fmt.Errorf("refused by %T: %w", err, err)
	}
	if err := m.Validate(); err != nil {
		return fmt.Errorf("what was read is not valid: %w", err)
	}
	var b bytes.Buffer
	if err := Write(&b, m); err != nil {
		return err
	}
	again, err := Read(&b)
	if err != nil {
		return fmt.Errorf("what was written is not read: %w", err)
	}
	if !same(m, again) {
		return fmt.Errorf("writing and reading changes %+v to %+v", m, again)
	}
	if g := m.General(); g.Validate() != nil || g.NNZ() < m.NNZ() || g.NNZ() > 2*m.NNZ() {
		return fmt.Errorf("the general form of %+v is %+v", m, g)
	}
	return nil
}

// mutate changes a few places: bytes, words of the format, lines copied, cuts.
func mutate(rng *rand.Rand, data []byte) []byte {
	words := []string{"%%MatrixMarket", " ", "\n", "\r\n", "%", "-", "+", "e", "inf", "nan", "0x1p-3", "_", "1e999", "0", "1", "2147483647",
		"2147483648", "9223372036854775807", "18446744073709551616", "pattern", "symmetric", "skew-symmetric", "integer", "array", "\x00", "\t", "\x1f\x8b"}
	data = slices.Clone(data)
	for range 1 + rng.IntN(4) {
		at := rng.IntN(len(data) + 1)
		switch rng.IntN(6) {
		case 0:
			data = slices.Insert(data, at, []byte(words[rng.IntN(len(words))])...)
		case 1:
			if at < len(data) {
				data[at] = byte(rng.Uint32())
			}
		case 2:
			if at < len(data) {
				data[at] ^= 1 << rng.IntN(8)
			}
		case 3:
			data = data[:at]
		case 4:
			end := at + rng.IntN(len(data)-at+1)
			data = slices.Delete(data, at, end)
		case 5:
			end := at + rng.IntN(len(data)-at+1)
			data = slices.Insert(data, rng.IntN(len(data)+1), slices.Clone(data[at:end])...)
		}
	}
	return data
}

func TestMutations(t *testing.T) {
	for i, seed := range seeds() {
		rng := rand.New(rand.NewPCG(13, uint64(i)))
		read := 0
		for n := range *mutations {
			data := mutate(rng, seed)
			if err := check(data); err != nil {
				t.Fatalf("seed %d, mutation %d: %v\n%q", i, n, err, data)
			}
			if _, err := Read(bytes.NewReader(data)); err == nil {
				read++
			}
		}
		if i < 5 && read == 0 {
			t.Errorf("seed %d: no mutation is read, so only refusals are tested", i)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := check(data); err != nil {
			t.Fatal(err)
		}
	})
}
