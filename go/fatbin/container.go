// Package fatbin reads what NVIDIA's compiler writes: fatbins, which hold images
// of one program for several GPUs, and cubins, the images of machine code.
//
// It is written from the bytes of such files, since neither format has a
// published description. It reads what warpwright has to know: which images a
// fatbin holds, which one a driver would take, and what a cubin says of its
// kernels. Any input at all is either read or refused by a *FormatError; none
// can make it panic or allocate more than a small multiple of its own size.
package fatbin

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// A fatbin is one or more containers, each a header and a list of entries, each
// of which is a header and an image.
const (
	magic           = 0xba55ed50
	containerHeader = 16 // u32 magic, u16 version, u16 header size, u64 size of the entries
	entryHeader     = 64 // at least; the entry says how long its header is
)

// Kind is what an image holds.
type Kind uint16

// The kinds of image.
const (
	PTX Kind = 1 // text that the driver compiles
	ELF Kind = 2 // machine code, a cubin
)

// String returns "ptx" or "elf".
func (k Kind) String() string {
	switch k {
	case PTX:
		return "ptx"
	case ELF:
		return "elf"
	}
	return fmt.Sprintf("kind %#x", uint16(k))
}

// Flags of an entry.
const (
	flag64Bit    = 0x1
	flagDebug    = 0x2
	flagLZ4      = 0x1000
	flagLZ4Speed = 0x2000 // what --compress-mode=speed sets
	flagZstd     = 0x8000
	flagArch     = 0x100000 // sm_90a: for this architecture alone
	flagFamily   = 0x200000 // sm_100f: for its family alone
)

// Image is one entry of a fatbin.
type Image struct {
	Kind    Kind
	Arch    Arch
	Version [2]int // of PTX the language, of ELF the code: major, minor
	Flags   uint64
	Offset  uint64 // of the entry in the file

	// Payload is the image as it is stored, without padding. It is part of what
	// was read, not a copy.
	Payload []byte
	// Compression is "lz4" or "zstd", or empty for an image that is stored as it
	// is. Compressed images are named and not unpacked.
	Compression string
	// Size is the image's size when it is not compressed.
	Size uint64
}

// Name returns the image as nvcc names it: "sm_90" or "compute_75".
func (m Image) Name() string {
	if m.Kind == PTX {
		return "compute_" + m.Arch.Name()
	}
	return m.Arch.String()
}

// Debug reports whether the image was compiled with debug information.
func (m Image) Debug() bool { return m.Flags&flagDebug != 0 }

// File is a fatbin.
type File struct{ Images []Image }

// IsFatbin reports whether data begins as a fatbin does.
func IsFatbin(data []byte) bool {
	return len(data) >= 4 && binary.LittleEndian.Uint32(data) == magic
}

// Parse reads a fatbin. The images refer to data.
func Parse(data []byte) (*File, error) {
	in := input{format: "fatbin", data: data}
	f := &File{}
	if len(data) == 0 {
		return nil, in.errorf(0, "container", "the file is empty")
	}
	for off := uint64(0); off < uint64(len(data)); {
		next, err := f.container(in, off)
		if err != nil {
			return nil, err
		}
		off = next
	}
	return f, nil
}

// container reads the one at off and returns where it ends.
func (f *File) container(in input, off uint64) (uint64, error) {
	h, err := in.bytes(off, containerHeader, "container header")
	if err != nil {
		return 0, err
	}
	if m := binary.LittleEndian.Uint32(h); m != magic {
		return 0, in.errorf(off, "container", "magic is %#x, want %#x", m, uint32(magic))
	}
	if v := binary.LittleEndian.Uint16(h[4:]); v != 1 {
		return 0, in.errorf(off+4, "container", "version is %d, want 1", v)
	}
	headerSize := uint64(binary.LittleEndian.Uint16(h[6:]))
	if headerSize < containerHeader {
		return 0, in.errorf(off+6, "container", "header size is %d, want at least %d", headerSize, containerHeader)
	}
	if _, err := in.bytes(off, headerSize, "container header"); err != nil {
		return 0, err
	}
	off += headerSize
	size := binary.LittleEndian.Uint64(h[8:])
	if _, err := in.bytes(off, size, "container's entries"); err != nil {
		return 0, err
	}
	end := off + size
	// Entries see nothing that lies behind their container.
	in.data = in.data[:end]
	for off < end {
		m, next, err := entry(in, off)
		if err != nil {
			return 0, err
		}
		f.Images = append(f.Images, m)
		off = next
	}
	return end, nil
}

// entry reads the one at off and returns where it ends.
func entry(in input, off uint64) (Image, uint64, error) {
	h, err := in.bytes(off, entryHeader, "entry header")
	if err != nil {
		return Image{}, 0, err
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(h[at:]) }
	m := Image{
		Kind:    Kind(binary.LittleEndian.Uint16(h)),
		Version: [2]int{int(binary.LittleEndian.Uint16(h[26:])), int(binary.LittleEndian.Uint16(h[24:]))},
		Flags:   binary.LittleEndian.Uint64(h[40:]),
		Offset:  off,
	}
	if v := binary.LittleEndian.Uint16(h[2:]); v != 0x101 {
		return Image{}, 0, in.errorf(off+2, "entry", "version is %#x, want 0x101", v)
	}
	headerSize, stored := uint64(u32(4)), binary.LittleEndian.Uint64(h[8:])
	if headerSize < entryHeader {
		return Image{}, 0, in.errorf(off+4, "entry", "header size is %d, want at least %d", headerSize, entryHeader)
	}
	if _, err := in.bytes(off, headerSize, "entry header"); err != nil {
		return Image{}, 0, err
	}
	if m.Payload, err = in.bytes(off+headerSize, stored, "entry's image"); err != nil {
		return Image{}, 0, err
	}
	next := off + headerSize + stored
	if m.Kind != PTX && m.Kind != ELF {
		return Image{}, 0, in.errorf(off, "entry", "%v is neither ptx (1) nor elf (2)", m.Kind)
	}
	if m.Arch, err = entryArch(in, off, u32(28), m.Flags); err != nil {
		return Image{}, 0, err
	}

	packed := uint64(u32(16))
	switch {
	case m.Flags&flagZstd != 0:
		m.Compression = "zstd"
	case m.Flags&(flagLZ4|flagLZ4Speed) != 0:
		m.Compression = "lz4"
	}
	if m.Compression != "" {
		if packed > stored {
			return Image{}, 0, in.errorf(off+16, "entry", "its compressed image has %d bytes, but only %d are stored", packed, stored)
		}
		m.Payload, m.Size = m.Payload[:packed:packed], binary.LittleEndian.Uint64(h[56:])
		return m, next, nil
	}
	if m.Payload, err = unpadded(in, off+headerSize, m.Kind, m.Payload); err != nil {
		return Image{}, 0, err
	}
	m.Size = uint64(len(m.Payload))
	return m, next, nil
}

func entryArch(in input, off uint64, sm uint32, flags uint64) (Arch, error) {
	a := Arch{SM: int(sm)}
	if sm < 10 || sm > 255 {
		return Arch{}, in.errorf(off+28, "entry", "architecture is %d, want 10 to 255", sm)
	}
	switch flags & (flagArch | flagFamily) {
	case flagArch:
		a.Feature = 'a'
	case flagFamily:
		a.Feature = 'f'
	case flagArch | flagFamily:
		return Arch{}, in.errorf(off+40, "entry", "flags %#x make it both architecture- and family-specific", flags)
	}
	return a, nil
}

// unpadded drops what fills an entry up to a multiple of 8: from text the zero
// bytes, from an ELF file what lies behind its tables.
func unpadded(in input, off uint64, kind Kind, payload []byte) ([]byte, error) {
	if kind == PTX {
		return bytes.TrimRight(payload, "\x00"), nil
	}
	if !IsCubin(payload) {
		return nil, in.errorf(off, "elf image", "it does not begin with the ELF magic")
	}
	end, err := elfEnd(input{in.format, payload, in.base + off})
	if err != nil {
		return nil, err
	}
	return payload[:end:end], nil
}

// Choose returns the image that the driver takes for a device: machine code of
// the same major capability with the greatest minor that is not above the
// device's, code for that architecture alone before code for all; without any,
// the newest PTX that the device can run. Otherwise it returns a *NoImageError.
//
// The driver's own switches, CUDA_FORCE_PTX_JIT and CUDA_DISABLE_PTX_JIT, are
// not looked at.
func (f *File) Choose(device Arch) (Image, error) {
	best := -1
	for i, m := range f.Images {
		if m.Kind == ELF && m.Arch.runs(device) || m.Kind == PTX && m.Arch.compiles(device) {
			if best < 0 || preferred(m, f.Images[best]) {
				best = i
			}
		}
	}
	if best < 0 {
		e := &NoImageError{Device: device}
		for _, m := range f.Images {
			e.Has = append(e.Has, m.Name())
		}
		return Image{}, e
	}
	return f.Images[best], nil
}

// preferred reports whether the driver takes a over b, if both can run.
func preferred(a, b Image) bool {
	if a.Kind != b.Kind {
		return a.Kind == ELF
	}
	if a.Arch.SM != b.Arch.SM {
		return a.Arch.SM > b.Arch.SM
	}
	return a.Arch.Feature != 0 && b.Arch.Feature == 0
}
