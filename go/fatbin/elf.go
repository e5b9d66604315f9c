package fatbin

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// The parts of a 64-bit little-endian ELF file that a cubin uses.
const (
	elfHeader     = 64
	sectionHeader = 64
	programHeader = 56
	symbolSize    = 24

	machineCUDA = 190

	sectionSymbols = 2    // SHT_SYMTAB
	sectionStrings = 3    // SHT_STRTAB
	sectionNoBits  = 8    // SHT_NOBITS: it has a size, but no bytes in the file
	symbolFunc     = 2    // STT_FUNC
	otherEntry     = 0x10 // STO_CUDA_ENTRY: a kernel

	maxName = 1 << 16
)

// IsCubin reports whether data begins as an ELF file does.
func IsCubin(data []byte) bool { return bytes.HasPrefix(data, []byte("\x7fELF")) }

// section is one row of the section table.
type section struct {
	index        int
	at           uint64 // where its row stands, for errors
	name         string
	kind         uint32
	offset, size uint64
	link, info   uint32
}

// symbol is one row of the symbol table.
type symbol struct {
	name    string
	kind    byte
	other   byte
	section uint16
	size    uint64
}

// elfFile is a file's header and tables, each checked to lie within the file.
type elfFile struct {
	input
	abi      int
	version  uint32 // e_version: of ABI 7 ten times the toolkit's version
	flags    uint32
	sections []section
	symbols  []symbol
}

// elfHeaderOf reads the ELF header and checks that this is a 64-bit little-endian file.
func elfHeaderOf(in input) ([]byte, error) {
	h, err := in.bytes(0, elfHeader, "ELF header")
	if err != nil {
		return nil, err
	}
	if !IsCubin(h) {
		return nil, in.errorf(0, "ELF header", "magic is % x, want 7f 45 4c 46", h[:4])
	}
	if h[4] != 2 || h[5] != 1 {
		return nil, in.errorf(4, "ELF header", "class %d and byte order %d, want 2 (64 bits) and 1 (little-endian)", h[4], h[5])
	}
	return h, nil
}

// table returns where a table of count rows lies, after checking that it lies
// within the file.
func (in input) table(off, count, row uint64, rowAt uint64, rowWant int, what string) ([]byte, error) {
	if count == 0 {
		return nil, nil
	}
	if row != uint64(rowWant) {
		return nil, in.errorf(rowAt, what, "its rows have %d bytes, want %d", row, rowWant)
	}
	// Rows are counted against the file first, so that the product cannot wrap.
	if count > uint64(len(in.data))/row {
		return nil, in.errorf(off, what, "%d rows of %d bytes are more than the file's %d bytes", count, row, len(in.data))
	}
	return in.bytes(off, count*row, what)
}

// sectionTable returns the rows of the section table and the index of the
// section with the names.
func sectionTable(in input, h []byte) (rows []byte, names uint32, err error) {
	off := binary.LittleEndian.Uint64(h[40:])
	row := uint64(binary.LittleEndian.Uint16(h[58:]))
	count := uint64(binary.LittleEndian.Uint16(h[60:]))
	names = uint32(binary.LittleEndian.Uint16(h[62:]))
	// Counts that do not fit stand in the first row.
	if off != 0 && (count == 0 || names == 0xffff) {
		first, err := in.table(off, 1, row, 58, sectionHeader, "section table")
		if err != nil {
			return nil, 0, err
		}
		if count == 0 {
			count = binary.LittleEndian.Uint64(first[32:])
		}
		if names == 0xffff {
			names = binary.LittleEndian.Uint32(first[40:])
		}
	}
	rows, err = in.table(off, count, row, 58, sectionHeader, "section table")
	return rows, names, err
}

// elfEnd returns where an ELF file ends: behind the last of its tables and
// sections.
func elfEnd(in input) (uint64, error) {
	h, err := elfHeaderOf(in)
	if err != nil {
		return 0, err
	}
	end := uint64(elfHeader)
	phOff, phRow, phCount := binary.LittleEndian.Uint64(h[32:]), binary.LittleEndian.Uint16(h[54:]), binary.LittleEndian.Uint16(h[56:])
	programs, err := in.table(phOff, uint64(phCount), uint64(phRow), 54, programHeader, "program table")
	if err != nil {
		return 0, err
	}
	if len(programs) > 0 {
		end = max(end, phOff+uint64(len(programs)))
	}
	rows, _, err := sectionTable(in, h)
	if err != nil {
		return 0, err
	}
	shOff := binary.LittleEndian.Uint64(h[40:])
	if len(rows) > 0 {
		end = max(end, shOff+uint64(len(rows)))
	}
	for i := 0; i < len(rows); i += sectionHeader {
		s := rows[i:]
		if kind := binary.LittleEndian.Uint32(s[4:]); kind == 0 || kind == sectionNoBits {
			continue
		}
		off, size := binary.LittleEndian.Uint64(s[24:]), binary.LittleEndian.Uint64(s[32:])
		if _, err := in.bytes(off, size, sectionLabel(i/sectionHeader, "")); err != nil {
			return 0, err
		}
		end = max(end, off+size)
	}
	return end, nil
}

func readELF(data []byte) (*elfFile, error) {
	f := &elfFile{input: input{format: "cubin", data: data}}
	h, err := elfHeaderOf(f.input)
	if err != nil {
		return nil, err
	}
	if m := binary.LittleEndian.Uint16(h[18:]); m != machineCUDA {
		return nil, f.errorf(18, "ELF header", "machine is %d, want %d (CUDA)", m, machineCUDA)
	}
	f.abi = int(h[8])
	f.version = binary.LittleEndian.Uint32(h[20:])
	f.flags = binary.LittleEndian.Uint32(h[48:])
	if _, err := elfEnd(f.input); err != nil { // every table and section lies within the file
		return nil, err
	}
	rows, names, err := sectionTable(f.input, h)
	if err != nil {
		return nil, err
	}
	shOff := binary.LittleEndian.Uint64(h[40:])
	f.sections = make([]section, len(rows)/sectionHeader)
	for i := range f.sections {
		r := rows[i*sectionHeader:]
		f.sections[i] = section{
			index:  i,
			at:     shOff + uint64(i*sectionHeader),
			kind:   binary.LittleEndian.Uint32(r[4:]),
			offset: binary.LittleEndian.Uint64(r[24:]),
			size:   binary.LittleEndian.Uint64(r[32:]),
			link:   binary.LittleEndian.Uint32(r[40:]),
			info:   binary.LittleEndian.Uint32(r[44:]),
		}
	}
	if err := f.checkDisjoint(); err != nil {
		return nil, err
	}
	if err := f.nameSections(rows, names); err != nil {
		return nil, err
	}
	return f, f.readSymbols()
}

// checkDisjoint checks that no byte belongs to two sections. So reading all of
// them takes no more than the file's own size, whatever the table says.
func (f *elfFile) checkDisjoint() error {
	var used []section
	for _, s := range f.sections {
		if s.kind != 0 && s.kind != sectionNoBits && s.size > 0 {
			used = append(used, s)
		}
	}
	slices.SortFunc(used, func(a, b section) int { return cmp.Compare(a.offset, b.offset) })
	for i := 1; i < len(used); i++ {
		if before := used[i-1]; used[i].offset < before.offset+before.size {
			return f.errorf(used[i].at, sectionLabel(used[i].index, ""), "it begins at %#x, within section %d, which ends at %#x",
				used[i].offset, before.index, before.offset+before.size)
		}
	}
	return nil
}

func (f *elfFile) nameSections(rows []byte, names uint32) error {
	if len(f.sections) == 0 {
		return f.errorf(60, "ELF header", "it has no sections")
	}
	table, err := f.stringTable(names, 62, "section names")
	if err != nil {
		return err
	}
	for i := range f.sections {
		s := &f.sections[i]
		if s.name, err = f.stringAt(table, binary.LittleEndian.Uint32(rows[i*sectionHeader:]), s.at, sectionLabel(i, "")); err != nil {
			return err
		}
	}
	return nil
}

// stringTable returns the contents of section index, which holds strings. It is
// one string of which names are parts, so that many names that overlap in the
// file take no more room than it.
func (f *elfFile) stringTable(index uint32, at uint64, what string) (string, error) {
	if uint64(index) >= uint64(len(f.sections)) {
		return "", f.errorf(at, what, "they are in section %d of %d", index, len(f.sections))
	}
	s := f.sections[index]
	if s.kind != sectionStrings {
		return "", f.errorf(s.at, what, "section %d has type %d, want %d (strings)", index, s.kind, sectionStrings)
	}
	table, err := f.contents(s)
	return string(table), err
}

func (f *elfFile) stringAt(table string, off uint32, at uint64, what string) (string, error) {
	if uint64(off) >= uint64(len(table)) {
		return "", f.errorf(at, what, "its name is at %d of %d bytes of names", off, len(table))
	}
	table = table[off:]
	n := strings.IndexByte(table[:min(len(table), maxName+1)], 0)
	if n < 0 {
		return "", f.errorf(at, what, "its name at %d does not end within %d bytes", off, min(len(table), maxName))
	}
	return table[:n], nil
}

// contents returns a section's bytes; a section without any in the file is empty.
func (f *elfFile) contents(s section) ([]byte, error) {
	if s.kind == sectionNoBits {
		return nil, nil
	}
	return f.bytes(s.offset, s.size, sectionLabel(s.index, s.name))
}

func (f *elfFile) readSymbols() error {
	for _, s := range f.sections {
		if s.kind != sectionSymbols {
			continue
		}
		rows, err := f.contents(s)
		if err != nil {
			return err
		}
		if len(rows)%symbolSize != 0 {
			return f.errorf(s.at, "symbol table", "its %d bytes are not a multiple of %d", len(rows), symbolSize)
		}
		names, err := f.stringTable(s.link, s.at, "symbol names")
		if err != nil {
			return err
		}
		f.symbols = make([]symbol, len(rows)/symbolSize)
		for i := range f.symbols {
			r := rows[i*symbolSize:]
			name, err := f.stringAt(names, binary.LittleEndian.Uint32(r), s.offset+uint64(i*symbolSize), "symbol")
			if err != nil {
				return err
			}
			f.symbols[i] = symbol{
				name:    name,
				kind:    r[4] & 0xf,
				other:   r[5],
				section: binary.LittleEndian.Uint16(r[6:]),
				size:    binary.LittleEndian.Uint64(r[16:]),
			}
		}
		return nil // an ELF file has one symbol table
	}
	return f.errorf(60, "ELF header", "it has no symbol table")
}
