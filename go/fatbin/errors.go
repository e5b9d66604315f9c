package fatbin

import "fmt"

// FormatError says what in a file breaks which rule of its format, and where.
type FormatError struct {
	Format string // "fatbin" or "cubin"
	Offset uint64 // of the offending bytes, from the start of the file
	What   string // the thing: "section 3"
	Rule   string // what is wrong with it, with both values
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: at byte %#x: %s: %s", e.Format, e.Offset, e.What, e.Rule)
}

// NoImageError says that a file holds nothing that a device can run.
type NoImageError struct {
	Device Arch
	Has    []string // the images there are, such as "sm_90" and "compute_75"
}

func (e *NoImageError) Error() string {
	return fmt.Sprintf("fatbin: no image for %v: the file has %v", e.Device, e.Has)
}

// input is a file's bytes, or those of a part that begins at base, read with
// every bound checked. Errors count from the start of the file.
type input struct {
	format string
	data   []byte
	base   uint64
}

func (in input) errorf(offset uint64, what, rule string, args ...any) error {
	return &FormatError{in.format, in.base + offset, what, fmt.Sprintf(rule, args...)}
}

// bytes returns the n bytes at off, which are part of what. No sum of the two
// is formed before it is known not to wrap.
func (in input) bytes(off, n uint64, what string) ([]byte, error) {
	size := uint64(len(in.data))
	if off > size || n > size-off {
		return nil, in.errorf(off, what, "%d bytes from here run past the end at %#x", n, in.base+size)
	}
	return in.data[off : off+n : off+n], nil
}
