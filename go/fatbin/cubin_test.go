package fatbin

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What ptxas -v prints of kernels.cu stands in these: registers, stack frame,
// shared memory. Parameters are the source's.
func entries(base, scaleRegs, stageRegs, frameRegs, scaleCode, stageCode, dynamicCode, frameCode, nothingCode int) []Entry {
	p := func(offset, size int) Param { return Param{offset, size} }
	return []Entry{
		{Name: "dynamic", Registers: 10, CodeSize: dynamicCode, ParamBase: base, ParamSize: 8, Params: []Param{p(0, 8)}, MaxRegisters: 255},
		{Name: "frame", Registers: frameRegs, Frame: 64, MinStack: 64, CodeSize: frameCode, ParamBase: base, ParamSize: 12, Params: []Param{p(0, 8), p(8, 4)}, MaxRegisters: 255},
		{Name: "nothing", Registers: 4, CodeSize: nothingCode, MaxRegisters: 255},
		{Name: "scale", Registers: scaleRegs, CodeSize: scaleCode, ParamBase: base, ParamSize: 32, Params: []Param{p(0, 8), p(8, 8), p(16, 4), p(24, 8)}, MaxRegisters: 255},
		{Name: "stage", Registers: stageRegs, StaticShared: 1024, CodeSize: stageCode, ParamBase: base, ParamSize: 17, Params: []Param{p(0, 8), p(8, 8), p(16, 1)}, MaxThreads: [3]int{256, 1, 1}, MaxRegisters: 255},
	}
}

func TestCubins(t *testing.T) {
	functions := []string{"$frame$_Z5againfi"}
	for _, c := range []struct {
		file string
		want Cubin
	}{
		{"abi7_sm_75.cubin", Cubin{Arch{SM: 75}, 7, [2]int{12, 9}, entries(0x160, 10, 12, 32, 512, 384, 256, 2304, 128), functions}},
		{"abi7_sm_90.cubin", Cubin{Arch{SM: 90}, 7, [2]int{12, 9}, entries(0x210, 12, 12, 27, 768, 640, 512, 2432, 256), functions}},
		{"sm_90.cubin", Cubin{Arch{SM: 90}, 8, [2]int{13, 0}, entries(0x210, 12, 12, 27, 768, 640, 512, 2432, 256), functions}},
		{"sm_100.cubin", Cubin{Arch{SM: 100}, 8, [2]int{13, 0}, entries(0x380, 12, 14, 27, 768, 640, 512, 2432, 256), functions}},
		{"block.cubin", Cubin{Arch{SM: 90}, 8, [2]int{13, 0}, []Entry{
			{Name: "fixed", Registers: 10, CodeSize: 384, ParamBase: 0x210, ParamSize: 8, Params: []Param{{0, 8}}, ReqThreads: [3]int{64, 2, 1}, MaxRegisters: 255},
			{Name: "large", Registers: 12, CodeSize: 384, ParamBase: 0x210, ParamSize: 20009, Params: []Param{{0, 8}, {8, 20000}, {20008, 1}}, MaxRegisters: 255},
		}, nil}},
	} {
		got, err := ParseCubin(load(t, c.file))
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if diff := cmp.Diff(&c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.file, diff)
		}
	}
}

// TestArchSpecific has the mark of sm_90a, which ABI 8 keeps in .nv.compat.
func TestArchSpecific(t *testing.T) {
	c, err := parse(t, "features.fatbin").Images[0].Cubin()
	if err != nil || c.Arch != (Arch{90, 'a'}) {
		t.Errorf("%v, %v", c.Arch, err)
	}
}

// row returns where section name's row stands, and the section.
func row(t *testing.T, data []byte, name string) (int, section) {
	t.Helper()
	f, err := readELF(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.sections {
		if s.name == name {
			return int(s.at), s
		}
	}
	t.Fatalf("no section %s", name)
	return 0, section{}
}

// record returns where in a section attribute id stands.
func record(t *testing.T, data []byte, name string, id byte) int {
	t.Helper()
	_, s := row(t, data, name)
	b := data[s.offset : s.offset+s.size]
	for i := 0; i < len(b); {
		if b[i+1] == id {
			return int(s.offset) + i
		}
		if b[i] == 4 {
			i += int(binary.LittleEndian.Uint16(b[i+2:]))
		}
		i += 4
	}
	t.Fatalf("no attribute %#x in %s", id, name)
	return 0
}

func TestBrokenCubins(t *testing.T) {
	good := load(t, "sm_90.cubin")
	shOff := binary.LittleEndian.Uint64(good[40:])
	strtab, names := row(t, good, ".strtab")
	symtab, symbols := row(t, good, ".symtab")
	infoRow, info := row(t, good, ".nv.info.scale")
	param := record(t, good, ".nv.info.scale", attrParam) // the last parameter comes first
	regs := record(t, good, ".nv.info", attrRegisters)
	bank := record(t, good, ".nv.info.scale", attrParamBank)
	bankSize := record(t, good, ".nv.info.scale", attrParamBankSize)
	maxThreads := record(t, good, ".nv.info.stage", attrMaxThreads)
	sharedRow, _ := row(t, good, ".nv.shared.stage")
	textRow, text := row(t, good, ".text.scale")
	u16 := func(v uint16) []byte { return binary.LittleEndian.AppendUint16(nil, v) }

	for _, c := range []struct {
		fault  string
		data   []byte
		offset int
		rule   string
	}{
		{"nothing", nil, 0, "64 bytes from here"},
		{"no ELF", edit(good, 0, 'M', 'Z'), 0, "want 7f 45 4c 46"},
		{"32 bits", edit(good, 4, 1), 4, "class 1 and byte order 1, want 2"},
		{"another machine", edit(good, 18, u16(62)...), 18, "machine is 62, want 190"},
		{"another ABI", edit(good, 8, 9), 8, "ABI version is 9, want 7 or 8"},
		{"no architecture", edit(good, 48, u32(0x6000004)...), 48, "architecture 0"},
		{"no sections", edit(edit(good, 40, u64(0)...), 60, u16(0)...), 60, "it has no sections"},
		{"section table outside", edit(good, 40, u64(1<<50)...), 1 << 50, "run past the end"},
		{"section rows of another size", edit(good, 58, u16(40)...), 58, "rows have 40 bytes, want 64"},
		{"too many sections", edit(good, 60, u16(0xfff0)...), int(shOff), "more than the file's"},
		{"section names nowhere", edit(good, 62, u16(900)...), 62, "section 900 of"},
		{"section names behind the last section", edit(good, 62, good[60:62]...), 62, "they are in section"},
		{"a count that is in a section table that is not there", edit(edit(good, 60, u16(0)...), 40, u64(1<<50)...), 1 << 50, "run past the end"},
		{"a count in the first section that is too high", edit(edit(good, 60, u16(0)...), int(shOff)+32, u64(1<<62)...), int(shOff), "4611686018427387904 rows"},
		{"names in a first section that has none", edit(good, 62, u16(0xffff)...), int(shOff), "section 0 has type 0"},
		{"section names in no string table", edit(good, 62, u16(uint16(rowIndex(symtab, shOff)))...), symtab, "want 3 (strings)"},
		{"a section's name outside", edit(good, textRow, u32(1<<30)...), textRow, "its name is at 1073741824"},
		{"a section outside", edit(good, textRow+32, u64(1<<63)...), int(text.offset), "run past the end"},
		{"two sections that overlap", edit(good, textRow+24, u64(text.offset-1)...), textRow, "within section"},
		{"no symbol table", edit(good, symtab+4, u32(1)...), 60, "no symbol table"},
		{"part of a symbol", edit(good, symtab+32, u64(symbols.size-1)...), symtab, "not a multiple of 24"},
		{"symbol names nowhere", edit(good, symtab+40, u32(77777)...), symtab, "section 77777 of"},
		{"a symbol's name outside", edit(good, int(symbols.offset)+24, u32(1<<31)...), int(symbols.offset) + 24, "its name is at 2147483648"},
		{"a name without an end", edit(edit(good, strtab+32, u64(names.size-1)...), int(symbols.offset)+24, u32(uint32(names.size-2))...), int(symbols.offset) + 24, "does not end within 1 bytes"},
		{"a cut attribute", edit(good, infoRow+32, u64(info.size-6)...), int(info.offset + info.size - 8), "2 bytes are left"},
		{"an attribute of no format", edit(good, param, 5), param, "format 5, want 1 to 4"},
		{"an attribute past its section", edit(good, param+2, u16(0xfff0)...), param, "attribute 0x17 has 65520 bytes"},
		{"registers of no symbol", edit(good, regs+4, u32(1<<20)...), regs, "symbol 1048576 of"},
		{"too many registers", edit(good, regs+8, u32(1<<31)...), regs, "attribute 0x2f is 2147483648"},
		{"registers of the symbol behind the last", edit(good, regs+4, u32(uint32(symbols.size/symbolSize))...), regs, "it is about symbol"},
		{"a small parameter record", edit(good, param+2, u16(8)...), param, "format 4 and 8 bytes, want 4 and at least 12"},
		{"a small block record", edit(good, maxThreads+2, u16(8)...), maxThreads, "format 4 and 8 bytes, want 4 and at least 12"},
		{"a small bank record", edit(good, bank+2, u16(4)...), bank, "format 4 and 4 bytes, want 4 and at least 8"},
		{"a small record", edit(good, regs+2, u16(4)...), regs, "format 4 and 4 bytes, want 4 and at least 8"},
		{"a parameter without a size", edit(good, param+12, u32(0x1f000)...), param, "parameter 3 has 0 bytes"},
		{"a parameter's number twice", edit(good, param+8, u16(2)...), param + 16, "numbered 2 where 3 is due"},
		{"a parameter's number too high", edit(good, param+8, u16(9)...), param, "numbered 9 where 3 is due"},
		{"parameters that overlap", edit(good, param+10, u16(18)...), param, "begins at 18, before the end of the one before, 20"},
		{"parameters behind their bank", edit(edit(good, bankSize+2, u16(31)...), bank+10, u16(31)...), param, "end at 32, behind their space of 31"},
		{"a block of no GPU", edit(good, maxThreads+4, u32(1<<20)...), maxThreads, "no block has more than"},
		{"shared memory of no GPU", edit(good, sharedRow+32, u64(1<<40)...), sharedRow, "size is 1099511627776"},
	} {
		_, err := ParseCubin(c.data)
		wantFormat(t, c.fault, err, uint64(c.offset), c.rule)
	}
}

// rowIndex returns the index of the section whose row stands at at.
func rowIndex(at int, shOff uint64) int { return (at - int(shOff)) / sectionHeader }

// TestManySections has the counts where files of 65,280 sections and more have
// them: in the first row of the table.
func TestManySections(t *testing.T) {
	good := load(t, "sm_90.cubin")
	want, err := ParseCubin(good)
	if err != nil {
		t.Fatal(err)
	}
	shOff := int(binary.LittleEndian.Uint64(good[40:]))
	count, names := binary.LittleEndian.Uint16(good[60:]), binary.LittleEndian.Uint16(good[62:])
	many := edit(good, 60, 0, 0, 0xff, 0xff)
	many = edit(many, shOff+32, u64(uint64(count))...)
	many = edit(many, shOff+40, u32(uint32(names))...)
	got, err := ParseCubin(many)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNamelessEntry and the next have symbols that no compiler writes.
func TestNamelessEntry(t *testing.T) {
	good := load(t, "block.cubin")
	_, symbols := row(t, good, ".symtab")
	f, err := readELF(good)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range f.symbols {
		if isEntry(s) {
			_, err := ParseCubin(edit(good, int(symbols.offset)+i*symbolSize, u32(0)...))
			wantFormat(t, "no name", err, 0, "it is an entry without a name")
		}
	}
}

func TestDoubledEntry(t *testing.T) {
	good := load(t, "block.cubin")
	_, symbols := row(t, good, ".symtab")
	f, err := readELF(good)
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	for i, s := range f.symbols {
		if isEntry(s) {
			at = append(at, int(symbols.offset)+i*symbolSize)
		}
	}
	if len(at) != 2 {
		t.Fatalf("%d entries", len(at))
	}
	_, err = ParseCubin(edit(good, at[1], good[at[0]:at[0]+4]...))
	wantFormat(t, "one name for two entries", err, 0, fmt.Sprintf("entry %s is defined twice", f.symbols[(at[0]-int(symbols.offset))/symbolSize].name))
}
