package emu

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/warpwright/warpwright/go/device/backend"
)

// The protocol is described in emu/protocol.md.
const (
	protocolVersion = 2
	protocolMagic   = "warpwright"
	// maxChunk is the most bytes of memory that one read or write request carries.
	maxChunk = 32 << 20
	// maxAnswer is the longest answer that is believed.
	maxAnswer = 64<<20 + 4
)

const (
	opHello byte = iota
	opAlloc
	opFree
	opWrite
	opRead
	opZero
	opCopy
	opLaunch
	opStats
)

// The statuses of an answer.
const (
	statusOK uint32 = iota
	statusMalformed
	statusBadAddress
	statusNoMemory
	statusNoEntry
	statusRefused
)

func u32(v ...uint32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

func u64(v ...uint64) []byte {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

func str(s string) []byte { return append(u32(uint32(len(s))), s...) }

// writeRequest frames a request.
func writeRequest(w io.Writer, op byte, parts ...[]byte) error {
	n := 1
	for _, p := range parts {
		n += len(p)
	}
	if _, err := w.Write(append(u32(uint32(n)), op)); err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// readAnswer reads one answer.
func readAnswer(r io.Reader) (status uint32, payload []byte, err error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n < 4 || n > maxAnswer {
		return 0, nil, fmt.Errorf("an answer of %d bytes, 4 to %d are possible", n, maxAnswer)
	}
	payload = make([]byte, n-4)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, fmt.Errorf("an answer is cut short: %w", err)
	}
	return binary.LittleEndian.Uint32(head[4:]), payload, nil
}

// reader takes fields from a payload. After the first that is missing, err is set and zeros follow.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) take(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.rest)) {
		r.err = io.ErrUnexpectedEOF
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) str() string { return string(r.take(uint64(r.u32()))) }

// uses reads what an entry does with its parameters. What this package does not know counts as a write.
func (r *reader) uses() []backend.Use {
	var out []backend.Use
	for _, b := range r.take(uint64(r.u32())) {
		out = append(out, min(backend.Use(b), backend.Writes))
	}
	return out
}

// greeting is the answer to hello.
type greeting struct {
	sanitizers string
	families   []family
}

type family struct {
	name    string
	entries []entry
}

type entry struct {
	name, kernel, contract string
	uses                   []backend.Use // one a parameter
}

func (r *reader) greeting() (greeting, error) {
	if v := r.u32(); r.err == nil && v != protocolVersion {
		return greeting{}, fmt.Errorf("the program speaks protocol %d, this package %d", v, protocolVersion)
	}
	g := greeting{sanitizers: r.str()}
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		f := family{name: r.str()}
		for k := r.u32(); k > 0 && r.err == nil; k-- {
			f.entries = append(f.entries, entry{name: r.str(), kernel: r.str(), contract: r.str(), uses: r.uses()})
		}
		g.families = append(g.families, f)
	}
	return g, r.err
}
