package emutest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The operations of protocol.md.
const (
	opHello = iota
	opAlloc
	opFree
	opWrite
	opRead
	opZero
	opCopy
	opLaunch
	opStats
)

// put appends numbers of their own size, and strings with their length before them.
func put(fields ...any) []byte {
	var b bytes.Buffer
	for _, f := range fields {
		if s, ok := f.(string); ok {
			binary.Write(&b, binary.LittleEndian, uint32(len(s)))
			b.WriteString(s)
			continue
		}
		if err := binary.Write(&b, binary.LittleEndian, f); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// frame is a request.
func frame(op byte, fields ...any) []byte {
	body := append([]byte{op}, put(fields...)...)
	return append(put(uint32(len(body))), body...)
}

type answer struct {
	status  uint32
	payload []byte
}

// talk feeds the program raw bytes and returns its answers, its exit code and what it said.
func talk(t *testing.T, input ...[]byte) (answers []answer, code int, stderr string) {
	t.Helper()
	path := asanProgram
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join(os.Getenv("TEST_SRCDIR"), os.Getenv("TEST_WORKSPACE"), asanProgram)
	}
	cmd := exec.Command(path)
	cmd.Stdin = bytes.NewReader(bytes.Join(input, nil))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !strings.Contains(err.Error(), "broken pipe") {
		t.Fatal(err)
	}
	for {
		var head [2]uint32
		if err := binary.Read(&out, binary.LittleEndian, &head); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("an answer's header: %v", err)
		}
		if head[0] < 4 || int(head[0]-4) > out.Len() {
			t.Fatalf("an answer of %d bytes, of which %d are there", head[0], out.Len())
		}
		answers = append(answers, answer{head[1], bytes.Clone(out.Next(int(head[0] - 4)))})
	}
	return answers, cmd.ProcessState.ExitCode(), errs.String()
}

func TestProtocolErrors(t *testing.T) {
	const ok, malformed, badAddress, noMemory, noEntry, refused = 0, 1, 2, 3, 4, 5
	one := []uint32{1, 1, 1}
	cases := []struct {
		name   string
		frame  []byte
		status uint32
		says   string
	}{
		{"empty", put(uint32(0)), malformed, "empty frame"},
		{"unknown op", frame(77), malformed, "unknown op 77"},
		{"hello of another program", frame(opHello, "other", uint32(2)), malformed, "hello"},
		{"hello of another version", frame(opHello, "warpwright", uint32(9)), malformed, "version 9"},
		{"hello without a version", frame(opHello, "warpwright"), malformed, "hello"},
		{"hello with a string beyond its end", frame(opHello, uint32(1000), uint32(2)), malformed, "hello"},
		{"alloc of nothing", frame(opAlloc, uint64(0)), malformed, "alloc"},
		{"alloc with too little", frame(opAlloc, uint32(8)), malformed, "alloc"},
		{"alloc with too much", frame(opAlloc, uint64(8), uint64(8)), malformed, "alloc"},
		{"alloc of everything", frame(opAlloc, ^uint64(0)), noMemory, "no room for 18446744073709551615"},
		{"free of null", frame(opFree, uint64(0)), badAddress, "0x0 is not"},
		{"free of a stranger", frame(opFree, uint64(4096)), badAddress, "0x1000 is not"},
		{"write to null", frame(opWrite, uint64(0), uint32(1)), badAddress, "4 bytes at 0x0"},
		{"read from null", frame(opRead, uint64(0), uint32(4)), badAddress, "4 bytes at 0x0"},
		{"read of 4 GB", frame(opRead, uint64(0), ^uint32(0)), malformed, "4294967295 bytes"},
		{"zero from null", frame(opZero, uint64(0), uint64(4)), badAddress, "4 bytes at 0x0"},
		{"copy from null", frame(opCopy, uint64(0), uint64(0), uint64(4)), badAddress, "copy to"},
		{"launch of nothing", frame(opLaunch), malformed, "launch"},
		{"launch of an unknown entry", frame(opLaunch, "nosuch", one, one, uint64(0), uint32(0)), noEntry, "nosuch"},
		{"launch with a slot too few", frame(opLaunch, "spins", one, one, uint64(0), uint32(0)), refused, "1 parameters, got 0"},
		{"launch with more slots than bytes", frame(opLaunch, "spins", one, one, uint64(0), ^uint32(0)), malformed, "launch"},
		{"launch of no threads", frame(opLaunch, "spins", one, []uint32{0, 1, 1}, uint64(0), uint32(1), uint64(0)), refused, "0 x 1 x 1"},
		{"launch of too many threads", frame(opLaunch, "spins", one, []uint32{1 << 16, 1 << 16, 1}, uint64(0), uint32(1), uint64(0)), refused, "65536 x 65536"},
		{"launch with all shared memory", frame(opLaunch, "spins", one, one, ^uint64(0), uint32(1), uint64(0)), refused, "shared"},
		{"launch of no blocks", frame(opLaunch, "spins", []uint32{0, 1, 1}, one, uint64(0), uint32(1), uint64(0)), ok, ""},
		{"stats with a payload", frame(opStats, uint32(1)), malformed, "stats"},
		{"stats", frame(opStats), ok, ""},
	}
	var input [][]byte
	for _, c := range cases {
		input = append(input, c.frame)
	}
	answers, code, stderr := talk(t, input...)
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d, %q: want a clean exit", code, stderr)
	}
	if len(answers) != len(cases) {
		t.Fatalf("%d answers to %d requests", len(answers), len(cases))
	}
	for i, c := range cases {
		if a := answers[i]; a.status != c.status || !strings.Contains(string(a.payload), c.says) {
			t.Errorf("%s: status %d, %q; want %d with %q", c.name, a.status, a.payload, c.status, c.says)
		}
	}
}

// Ranges are checked against the allocation that they start in.
func TestProtocolRanges(t *testing.T) {
	answers, _, _ := talk(t, frame(opAlloc, uint64(16)))
	if len(answers) != 1 || answers[0].status != 0 {
		t.Fatalf("alloc: %v", answers)
	}
	// Addresses differ from run to run, so the rest goes through a program that stays up.
	d := newDialogue(t)
	a := d.alloc(16)
	for _, c := range []struct {
		name   string
		frame  []byte
		status uint32
	}{
		{"write of all", frame(opWrite, a, make([]byte, 16)), 0},
		{"write past the end", frame(opWrite, a, make([]byte, 17)), 2},
		{"write that starts late", frame(opWrite, a+8, make([]byte, 9)), 2},
		{"write before the start", frame(opWrite, a-1, make([]byte, 1)), 2},
		{"write of nothing at the end", frame(opWrite, a+16), 0},
		{"read past the end", frame(opRead, a+15, uint32(2)), 2},
		{"zero that wraps", frame(opZero, a+8, ^uint64(0)-4), 2},
		{"copy from past the end", frame(opCopy, a, a+8, uint64(9)), 2},
		{"copy that overlaps", frame(opCopy, a, a+4, uint64(12)), 0},
		{"free of an address inside", frame(opFree, a+8), 2},
		{"free", frame(opFree, a), 0},
		{"double free", frame(opFree, a), 2},
		{"read after free", frame(opRead, a, uint32(4)), 2},
	} {
		if got := d.ask(c.frame); got.status != c.status {
			t.Errorf("%s: status %d, %q; want %d", c.name, got.status, got.payload, c.status)
		}
	}
}

// dialogue is a program that answers one raw request after another.
type dialogue struct {
	t   *testing.T
	in  io.Writer
	out io.Reader
}

func newDialogue(t *testing.T) *dialogue {
	t.Helper()
	path := asanProgram
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join(os.Getenv("TEST_SRCDIR"), os.Getenv("TEST_WORKSPACE"), asanProgram)
	}
	cmd := exec.Command(path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the end of the input is not a clean exit: %v", err)
		}
	})
	return &dialogue{t, in, out}
}

func (d *dialogue) ask(request []byte) answer {
	d.t.Helper()
	if _, err := d.in.Write(request); err != nil {
		d.t.Fatal(err)
	}
	var head [2]uint32
	if err := binary.Read(d.out, binary.LittleEndian, &head); err != nil {
		d.t.Fatal(err)
	}
	a := answer{head[1], make([]byte, head[0]-4)}
	if _, err := io.ReadFull(d.out, a.payload); err != nil {
		d.t.Fatal(err)
	}
	return a
}

func (d *dialogue) alloc(n uint64) uint64 {
	d.t.Helper()
	a := d.ask(frame(opAlloc, n))
	if a.status != 0 || len(a.payload) != 8 {
		d.t.Fatalf("alloc: %+v", a)
	}
	return binary.LittleEndian.Uint64(a.payload)
}

// Launches are counted by entry.
func TestProtocolStats(t *testing.T) {
	d := newDialogue(t)
	out := d.alloc(4)
	one := []uint32{1, 1, 1}
	for range 2 {
		if a := d.ask(frame(opLaunch, "places", one, one, uint64(0), uint32(1), out)); a.status != 0 || len(a.payload) != 32 {
			t.Fatalf("launch: %d, %q", a.status, a.payload)
		}
	}
	a := d.ask(frame(opStats))
	if !bytes.Contains(a.payload, put("places", uint64(2))) || !bytes.Contains(a.payload, put("axpy", uint64(0))) {
		t.Errorf("stats %q do not hold places 2 and axpy 0", a.payload)
	}
}

// Input that breaks off is said so and ends the program with code 2; between frames it is a clean end.
func TestTruncatedInput(t *testing.T) {
	whole := frame(opHello, "warpwright", uint32(2))
	for n := range len(whole) + 1 {
		answers, code, stderr := talk(t, whole, whole[:n])
		wantCode, says := 2, "the input ends inside a frame"
		if n == 0 || n == len(whole) {
			wantCode, says = 0, ""
		}
		if code != wantCode || !strings.Contains(stderr, says) || len(answers) < 1 {
			t.Errorf("%d bytes of a frame: exit code %d, %q, %d answers; want %d with %q", n, code, stderr, len(answers), wantCode, says)
		}
	}
}

func TestFrameTooLong(t *testing.T) {
	_, code, stderr := talk(t, put(uint32(64<<20+1)))
	if code != 2 || !strings.Contains(stderr, "67108865 bytes") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// Requests with bytes changed at random are answered, or end the program cleanly; no launch is among them,
// since a kernel may do what it likes with the addresses that it is given.
func TestMutatedRequests(t *testing.T) {
	seeds := [][]byte{
		frame(opHello, "warpwright", uint32(2)), frame(opAlloc, uint64(64)), frame(opFree, uint64(64)), frame(opWrite, uint64(64), uint64(1)),
		frame(opRead, uint64(64), uint32(8)), frame(opZero, uint64(64), uint64(8)), frame(opCopy, uint64(64), uint64(64), uint64(8)), frame(opStats),
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		var input [][]byte
		for range 50 {
			f := bytes.Clone(seeds[r.IntN(len(seeds))])
			for range r.IntN(4) {
				if i := r.IntN(len(f)); i != 4 || f[i] != opLaunch {
					f[i] = byte(r.Uint32())
				}
			}
			if len(f) > 4 && f[4] == opLaunch {
				f[4] = opStats
			}
			// Mostly keep the length right, so that the payload is what is read.
			if r.IntN(10) > 0 {
				binary.LittleEndian.PutUint32(f, uint32(len(f)-4))
			}
			input = append(input, f)
		}
		if _, code, stderr := talk(t, input...); code != 0 && code != 2 || strings.Contains(stderr, "Sanitizer") {
			t.Fatalf("exit code %d: %s\ninput %x", code, stderr, bytes.Join(input, nil))
		}
	}
}
