package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/warpwright/warpwright/go/fatbin"
)

func inspectCommand() *command {
	return &command{
		name:    "inspect",
		args:    "FILE",
		summary: "show what a .fatbin or .cubin holds",
		doc: `Prints the images of a fatbin, and of every image of machine code the entries with what they take: registers a thread,
parameters, stack, shared memory. Compressed images are named, not unpacked. The file's kind is told by its contents.`,
		example: []string{"ww inspect csr.fatbin", "ww inspect -arch 90 -json csr.fatbin"},
		setup: func(f *flag.FlagSet) func(*invocation, []string) (result, error) {
			arch := f.String("arch", "", "show the entries of the images for this `ARCH` alone, such as 90")
			return func(_ *invocation, args []string) (result, error) {
				if len(args) != 1 {
					return nil, usagef("got %d files, want one", len(args))
				}
				return inspect(args[0], *arch)
			}
		},
	}
}

// inspection is what a file holds.
type inspection struct {
	File   string        `json:"file"`
	Kind   string        `json:"kind"` // fatbin or cubin
	Bytes  int           `json:"bytes"`
	Images []imageReport `json:"images"`
}

type imageReport struct {
	Name        string        `json:"name"` // sm_90, compute_75
	Kind        string        `json:"kind"` // elf or ptx
	Bytes       uint64        `json:"bytes"`
	Compression string        `json:"compression,omitempty"`
	Toolkit     string        `json:"toolkit,omitempty"`
	Entries     []entryReport `json:"entries,omitempty"`
}

type entryReport struct {
	Name           string        `json:"name"`
	Registers      int           `json:"registers"`
	Stack          int           `json:"stack_bytes"`
	Shared         int           `json:"static_shared_bytes"`
	Code           int           `json:"code_bytes"`
	MaxThreads     int           `json:"max_threads,omitempty"`
	ParameterBytes int           `json:"parameter_bytes"`
	Parameters     []paramReport `json:"parameters"`
}

type paramReport struct {
	Offset int `json:"offset"`
	Size   int `json:"size"`
}

func inspect(path, arch string) (result, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err // names the file
	}
	r := &inspection{File: path, Bytes: len(data)}
	switch {
	case fatbin.IsFatbin(data):
		r.Kind = "fatbin"
		err = r.fatbin(data)
	case fatbin.IsCubin(data):
		r.Kind = "cubin"
		err = r.cubin(data)
	default:
		err = errors.New("neither a fatbin nor a cubin: it begins with other bytes")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if arch != "" {
		a, err := fatbin.ParseArch(arch)
		if err != nil {
			return nil, &usageError{err}
		}
		return r.only(a)
	}
	return r, nil
}

func (r *inspection) fatbin(data []byte) error {
	f, err := fatbin.Parse(data)
	if err != nil {
		return err
	}
	for _, m := range f.Images {
		image := imageReport{Name: m.Name(), Kind: m.Kind.String(), Bytes: m.Size, Compression: m.Compression}
		if m.Kind == fatbin.ELF && m.Compression == "" {
			c, err := m.Cubin()
			if err != nil {
				return err
			}
			image.read(c)
		}
		r.Images = append(r.Images, image)
	}
	return nil
}

func (r *inspection) cubin(data []byte) error {
	c, err := fatbin.ParseCubin(data)
	if err != nil {
		return err
	}
	image := imageReport{Name: c.Arch.String(), Kind: fatbin.ELF.String(), Bytes: uint64(len(data))}
	image.read(c)
	r.Images = []imageReport{image}
	return nil
}

func (m *imageReport) read(c *fatbin.Cubin) {
	if c.Toolkit != [2]int{} {
		m.Toolkit = fmt.Sprintf("%d.%d", c.Toolkit[0], c.Toolkit[1])
	}
	for _, e := range c.Entries {
		one := entryReport{
			Name: e.Name, Registers: e.Registers, Stack: max(e.Frame, e.MinStack), Shared: e.StaticShared, Code: e.CodeSize,
			ParameterBytes: e.ParamSize, Parameters: []paramReport{},
		}
		if t := e.MaxThreads; t != [3]int{} {
			one.MaxThreads = max(t[0], 1) * max(t[1], 1) * max(t[2], 1)
		}
		for _, p := range e.Params {
			one.Parameters = append(one.Parameters, paramReport{p.Offset, p.Size})
		}
		m.Entries = append(m.Entries, one)
	}
}

// only leaves the images for one architecture.
func (r *inspection) only(a fatbin.Arch) (result, error) {
	var kept []imageReport
	var names []string
	for _, m := range r.Images {
		names = append(names, m.Name)
		if m.Name == a.String() || m.Name == "compute_"+a.Name() {
			kept = append(kept, m)
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("%s: no image for %s: the file has %v", r.File, a, names)
	}
	r.Images = kept
	return r, nil
}

func (r *inspection) text(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s of %d bytes\n", r.File, r.Kind, r.Bytes)
	for _, m := range r.Images {
		fmt.Fprintf(w, "\n%s  %s, %d bytes", m.Name, m.Kind, m.Bytes)
		if m.Compression != "" {
			fmt.Fprintf(w, ", compressed with %s", m.Compression)
		}
		if m.Toolkit != "" {
			fmt.Fprintf(w, ", made by CUDA %s", m.Toolkit)
		}
		fmt.Fprintln(w)
		if len(m.Entries) == 0 {
			continue
		}
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "registers\tstack\tshared\tcode\tthreads\tparameters\t  entry")
		for _, e := range m.Entries {
			fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%d\t%s\t  %s\n", e.Registers, e.Stack, e.Shared, e.Code, e.MaxThreads, e.parameters(), e.Name)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// parameters is the sizes in order: "8+8+8+4".
func (e *entryReport) parameters() string {
	if len(e.Parameters) == 0 {
		return "none"
	}
	s := ""
	for i, p := range e.Parameters {
		if i > 0 {
			s += "+"
		}
		s += fmt.Sprint(p.Size)
	}
	return s
}
