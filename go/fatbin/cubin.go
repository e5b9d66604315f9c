package fatbin

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Cubin is what an image of machine code says about itself.
type Cubin struct {
	Arch    Arch
	ABI     int    // of the ELF file: 7 up to CUDA 12, then 8
	Toolkit [2]int // the CUDA version that made it: major, minor; zero if no kernel says
	Entries []Entry
	// Functions are the device functions that stand beside the entries.
	Functions []string
}

// Entry is a kernel. Sizes are in bytes.
type Entry struct {
	Name      string
	Registers int // per thread
	// Frame is the stack frame, spilled registers included. MinStack counts the
	// functions that it calls too; MaxStack is 0 where the compiler cannot tell.
	Frame, MinStack, MaxStack int
	// StaticShared is the shared memory that the kernel declares. What the driver
	// keeps for itself at the start of it (from sm_90 on) is not counted.
	StaticShared int
	CodeSize     int
	// The constant bank holds the parameters from ParamBase on.
	ParamBase, ParamSize int
	Params               []Param
	// MaxThreads is the largest block by __launch_bounds__, ReqThreads the only
	// one; zero where the source says nothing.
	MaxThreads, ReqThreads [3]int
	// MaxRegisters is the compiler's limit per thread, 255 if none was set.
	MaxRegisters int
}

// Param is one parameter of a kernel.
type Param struct{ Offset, Size int }

// End returns where the parameter ends.
func (p Param) End() int { return p.Offset + p.Size }

// The driver's own shared memory: a section for static shared memory begins
// with it if the file has the section that stands for it.
const (
	reservedShared        = 1024
	reservedSharedSection = ".nv.shared.reserved.0"
)

// Attributes of the .nv.info sections.
const (
	attrMaxThreads    = 0x05
	attrParamBank     = 0x0a
	attrReqThreads    = 0x10
	attrFrame         = 0x11
	attrMinStack      = 0x12
	attrParam         = 0x17
	attrParamBankSize = 0x19
	attrMaxRegisters  = 0x1b
	attrMaxStack      = 0x23
	attrRegisters     = 0x2f
	attrToolkit       = 0x37
	attrParamV2       = 0x45

	compatArchSpecific = 0x09 // of .nv.compat
)

// ParseCubin reads a cubin.
func ParseCubin(data []byte) (*Cubin, error) {
	f, err := readELF(data)
	if err != nil {
		return nil, err
	}
	r := &cubinReader{elfFile: f, entries: map[string]*Entry{}}
	if err := r.read(); err != nil {
		return nil, err
	}
	return &r.cubin, nil
}

// Cubin reads the image, which must be an uncompressed ELF one.
func (m Image) Cubin() (*Cubin, error) {
	if m.Kind != ELF {
		return nil, fmt.Errorf("fatbin: image %s at byte %#x is ptx, not a cubin", m.Name(), m.Offset)
	}
	if m.Compression != "" {
		return nil, fmt.Errorf("fatbin: image %s at byte %#x is compressed with %s, which is not unpacked", m.Name(), m.Offset, m.Compression)
	}
	c, err := ParseCubin(m.Payload)
	if err != nil {
		return nil, fmt.Errorf("fatbin: image %s at byte %#x: %w", m.Name(), m.Offset, err)
	}
	return c, nil
}

type cubinReader struct {
	*elfFile
	cubin   Cubin
	entries map[string]*Entry
	params  map[*Entry][]numbered // parameters as they come, before they are ordered
}

type numbered struct {
	at      uint64
	ordinal int
	Param
}

func (r *cubinReader) read() error {
	if err := r.readArch(); err != nil {
		return err
	}
	if err := r.readNames(); err != nil {
		return err
	}
	r.params = map[*Entry][]numbered{}
	reserved := 0
	for _, s := range r.sections {
		if s.name == reservedSharedSection {
			reserved = reservedShared
		}
	}
	for _, s := range r.sections {
		if err := r.readSection(s, reserved); err != nil {
			return err
		}
	}
	for _, s := range r.symbols {
		if e := r.entries[s.name]; e != nil && isEntry(s) {
			if err := r.finish(e); err != nil {
				return err
			}
			r.cubin.Entries = append(r.cubin.Entries, *e)
		}
	}
	slices.SortFunc(r.cubin.Entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(r.cubin.Functions)
	return nil
}

func (r *cubinReader) readArch() error {
	r.cubin.ABI = r.abi
	switch r.abi {
	case 7:
		r.cubin.Arch.SM = int(r.flags & 0xff)
		if r.flags&0x800 != 0 {
			r.cubin.Arch.Feature = 'a'
		}
	case 8:
		r.cubin.Arch.SM = int(r.flags >> 8 & 0xff)
	default:
		return r.errorf(8, "ELF header", "ABI version is %d, want 7 or 8", r.abi)
	}
	if r.cubin.Arch.SM < 10 {
		return r.errorf(48, "ELF header", "flags %#x name architecture %d, want at least 10", r.flags, r.cubin.Arch.SM)
	}
	return nil
}

func isEntry(s symbol) bool {
	return s.kind == symbolFunc && s.other&otherEntry != 0 && s.section != 0
}

func (r *cubinReader) readNames() error {
	for i, s := range r.symbols {
		switch {
		case s.kind != symbolFunc || s.section == 0:
		case !isEntry(s):
			r.cubin.Functions = append(r.cubin.Functions, s.name)
		case s.name == "":
			return r.errorf(0, fmt.Sprintf("symbol %d", i), "it is an entry without a name")
		case r.entries[s.name] != nil:
			return r.errorf(0, fmt.Sprintf("symbol %d", i), "entry %s is defined twice", s.name)
		default:
			size, err := r.toInt(s.size, 0, "entry "+s.name, "code size")
			if err != nil {
				return err
			}
			r.entries[s.name] = &Entry{Name: s.name, CodeSize: size}
		}
	}
	return nil
}

func (r *cubinReader) readSection(s section, reserved int) error {
	const info, shared, text = ".nv.info.", ".nv.shared.", ".text."
	switch {
	case s.name == ".nv.info":
		return r.records(s, r.fileAttribute)
	case s.name == ".nv.compat":
		return r.records(s, func(a attribute) error {
			if a.id == compatArchSpecific && a.format < 4 && a.value[0] == 1 {
				r.cubin.Arch.Feature = 'a'
			}
			return nil
		})
	case strings.HasPrefix(s.name, info):
		if e := r.entries[s.name[len(info):]]; e != nil {
			return r.records(s, func(a attribute) error { return r.entryAttribute(e, a) })
		}
	case strings.HasPrefix(s.name, shared):
		if e := r.entries[s.name[len(shared):]]; e != nil {
			size, err := r.toInt(s.size, s.at, sectionLabel(s.index, s.name), "size")
			if err != nil {
				return err
			}
			e.StaticShared = max(0, size-reserved)
		}
	case strings.HasPrefix(s.name, text):
		// Where .nv.info does not say, the top byte of the section's info does.
		if e := r.entries[s.name[len(text):]]; e != nil && e.Registers == 0 {
			e.Registers = int(s.info >> 24)
		}
	}
	return nil
}

// attribute is a record of an .nv.info section.
type attribute struct {
	at     uint64
	format byte
	id     byte
	value  []byte // two bytes of formats 1 to 3, any number of format 4
}

// records splits a section into attributes: u8 format, u8 id, u16, which is the
// value itself or, of format 4, the size of the value that follows.
func (r *cubinReader) records(s section, each func(attribute) error) error {
	data, err := r.contents(s)
	if err != nil {
		return err
	}
	what := sectionLabel(s.index, s.name)
	for i := 0; i < len(data); {
		at := s.offset + uint64(i)
		if len(data)-i < 4 {
			return r.errorf(at, what, "%d bytes are left, too few for an attribute's 4", len(data)-i)
		}
		a := attribute{at, data[i], data[i+1], data[i+2 : i+4]}
		if a.format < 1 || a.format > 4 {
			return r.errorf(at, what, "attribute %#x has format %d, want 1 to 4", a.id, a.format)
		}
		i += 4
		if a.format == 4 {
			n := int(binary.LittleEndian.Uint16(a.value))
			if n > len(data)-i {
				return r.errorf(at, what, "attribute %#x has %d bytes, but %d are left", a.id, n, len(data)-i)
			}
			a.value = data[i : i+n]
			i += n
		}
		if err := each(a); err != nil {
			return err
		}
	}
	return nil
}

// words returns the first n 32-bit words of a value.
func (r *cubinReader) words(a attribute, n int) ([]uint32, error) {
	if a.format != 4 || len(a.value) < 4*n {
		return nil, r.errorf(a.at, fmt.Sprintf("attribute %#x", a.id), "it has format %d and %d bytes, want 4 and at least %d", a.format, len(a.value), 4*n)
	}
	w := make([]uint32, n)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(a.value[4*i:])
	}
	return w, nil
}

// fileAttribute reads what .nv.info says about a function: its symbol, a number.
func (r *cubinReader) fileAttribute(a attribute) error {
	field := func(e *Entry) *int {
		switch a.id {
		case attrRegisters:
			return &e.Registers
		case attrFrame:
			return &e.Frame
		case attrMinStack:
			return &e.MinStack
		case attrMaxStack:
			return &e.MaxStack
		}
		return nil
	}
	if field(&Entry{}) == nil {
		return nil
	}
	w, err := r.words(a, 2)
	if err != nil {
		return err
	}
	if uint64(w[0]) >= uint64(len(r.symbols)) {
		return r.errorf(a.at, fmt.Sprintf("attribute %#x", a.id), "it is about symbol %d of %d", w[0], len(r.symbols))
	}
	s := r.symbols[w[0]]
	if e := r.entries[s.name]; e != nil && isEntry(s) {
		n, err := r.toInt(uint64(w[1]), a.at, "entry "+e.Name, fmt.Sprintf("attribute %#x", a.id))
		if err != nil {
			return err
		}
		*field(e) = n
	}
	return nil
}

// entryAttribute reads what .nv.info.E says about entry E.
func (r *cubinReader) entryAttribute(e *Entry, a attribute) error {
	switch a.id {
	case attrMaxThreads, attrReqThreads:
		w, err := r.words(a, 3)
		if err != nil {
			return err
		}
		block := [3]int{int(w[0]), int(w[1]), int(w[2])}
		for _, n := range w {
			if n > 1<<16 {
				return r.errorf(a.at, "entry "+e.Name, "its block is %v, and no block has more than 65536 threads a side", block)
			}
		}
		if a.id == attrMaxThreads {
			e.MaxThreads = block
		} else {
			e.ReqThreads = block
		}
	case attrParamBank: // symbol; u16 base, u16 size
		w, err := r.words(a, 2)
		if err != nil {
			return err
		}
		e.ParamBase, e.ParamSize = int(w[1]&0xffff), int(w[1]>>16)
	case attrParamBankSize:
		if a.format < 4 {
			e.ParamSize = int(binary.LittleEndian.Uint16(a.value))
		}
	case attrParam, attrParamV2: // u32 index; u16 ordinal, u16 offset; size
		w, err := r.words(a, 3)
		if err != nil {
			return err
		}
		size := w[2]
		if a.id == attrParam { // the lower bits hold alignment and bank
			size >>= 18
		}
		if size == 0 || size > 1<<16 {
			return r.errorf(a.at, "entry "+e.Name, "parameter %d has %d bytes, want 1 to 65536", w[1]&0xffff, size)
		}
		r.params[e] = append(r.params[e], numbered{a.at, int(w[1] & 0xffff), Param{int(w[1] >> 16), int(size)}})
	case attrMaxRegisters:
		if a.format < 4 {
			e.MaxRegisters = int(binary.LittleEndian.Uint16(a.value))
		}
	case attrToolkit: // ten times the version
		w, err := r.words(a, 1)
		if err != nil {
			return err
		}
		v := [2]int{int(w[0] / 10), int(w[0] % 10)}
		if slices.Compare(v[:], r.cubin.Toolkit[:]) > 0 {
			r.cubin.Toolkit = v
		}
	}
	return nil
}

// finish orders the parameters and checks that they are a sane list.
func (r *cubinReader) finish(e *Entry) error {
	params := r.params[e]
	slices.SortFunc(params, func(a, b numbered) int { return a.ordinal - b.ordinal })
	end := 0
	for i, p := range params {
		if p.ordinal != i {
			return r.errorf(p.at, "entry "+e.Name, "its parameters are numbered %d where %d is due", p.ordinal, i)
		}
		if p.Offset < end {
			return r.errorf(p.at, "entry "+e.Name, "parameter %d begins at %d, before the end of the one before, %d", i, p.Offset, end)
		}
		end = p.End()
		e.Params = append(e.Params, p.Param)
	}
	if end > e.ParamSize {
		return r.errorf(params[len(params)-1].at, "entry "+e.Name, "its parameters end at %d, behind their space of %d bytes", end, e.ParamSize)
	}
	return nil
}

// toInt refuses sizes that no GPU has and that an int might not hold.
func (r *cubinReader) toInt(n, at uint64, what, field string) (int, error) {
	const limit = 1<<31 - 1
	if n > limit {
		return 0, r.errorf(at, what, "%s is %d, want at most %d", field, n, limit)
	}
	return int(n), nil
}

func sectionLabel(index int, name string) string {
	return strings.TrimSpace(fmt.Sprintf("section %d %s", index, name))
}
