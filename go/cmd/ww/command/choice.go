package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/fatbin"
	"github.com/warpwright/warpwright/go/manifest"
)

// deviceChoice is the flags -device and -images, and the environment behind them.
type deviceChoice struct{ kind, images string }

func deviceFlags(f *flag.FlagSet) *deviceChoice {
	c := &deviceChoice{}
	f.StringVar(&c.kind, "device", "", "compute on `KIND`: cpu, emu, gpu or gpu:N (else WW_DEVICE decides, else what there is)")
	imagesFlag(f, c)
	return c
}

func imagesFlag(f *flag.FlagSet, c *deviceChoice) {
	f.StringVar(&c.images, "images", "", "take compiled kernels from `FOLDER` (else WW_IMAGES)")
}

// folder is where the compiled kernels are, or "".
func (c *deviceChoice) folder() string {
	if c.images != "" {
		return c.images
	}
	return os.Getenv(device.EnvImages)
}

func (c *deviceChoice) options() ([]device.Option, error) {
	var opts []device.Option
	if c.kind != "" {
		opts = append(opts, device.WithKind(c.kind))
	}
	if c.images != "" {
		if st, err := os.Stat(c.images); err != nil {
			return nil, fmt.Errorf("-images: %w", err)
		} else if !st.IsDir() {
			return nil, fmt.Errorf("-images: %s is not a folder", c.images)
		}
		opts = append(opts, device.WithImages(os.DirFS(c.images)))
	}
	return opts, nil
}

func (c *deviceChoice) open(ctx context.Context) (*device.Device, error) {
	opts, err := c.options()
	if err != nil {
		return nil, err
	}
	d, err := device.Open(ctx, opts...)
	if err != nil && c.kind != "" {
		return nil, fmt.Errorf("-device %s: %w", c.kind, err)
	}
	return d, err
}

// familyReport is one family's images as they lie in the folder.
type familyReport struct {
	Family   string               `json:"family"`
	Images   []string             `json:"images,omitempty"`
	Bytes    int                  `json:"bytes,omitempty"`
	Kernels  int                  `json:"kernels,omitempty"`
	Entries  int                  `json:"entries,omitempty"`
	Variants []variantReport      `json:"variants,omitempty"`
	Tiers    []manifest.TierTable `json:"tiers,omitempty"`
	Error    string               `json:"error,omitempty"`

	file *fatbin.File
}

// variantReport is a variant of a kernel: which launches take it.
type variantReport struct {
	Kernel  string   `json:"kernel"`
	Variant string   `json:"variant"`
	Facts   []string `json:"facts"`
}

var errNoImages = errors.New("no compiled kernels are named: neither -images nor " + device.EnvImages + " is set")

// families reads every fatbin of the folder with its manifest; one that cannot be read carries the reason.
func (c *deviceChoice) families() ([]familyReport, error) {
	folder := c.folder()
	if folder == "" {
		return nil, errNoImages
	}
	dir := os.DirFS(folder)
	names, err := fs.Glob(dir, "*.fatbin")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		if _, err := os.ReadDir(folder); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s holds no .fatbin", folder)
	}
	slices.Sort(names)
	var out []familyReport
	for _, name := range names {
		r := familyReport{Family: strings.TrimSuffix(name, ".fatbin")}
		if err := r.read(dir); err != nil {
			r.Error = fmt.Sprintf("%s: %v", filepath.Join(folder, r.Family), err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (r *familyReport) read(dir fs.FS) error {
	data, err := fs.ReadFile(dir, r.Family+".fatbin")
	if err != nil {
		return err
	}
	if r.file, err = fatbin.Parse(data); err != nil {
		return err
	}
	r.Bytes = len(data)
	for _, m := range r.file.Images {
		r.Images = append(r.Images, m.Name())
	}
	text, err := fs.ReadFile(dir, r.Family+".manifest.json")
	if err != nil {
		return err
	}
	m, err := manifest.Read(text)
	if err != nil {
		return err
	}
	r.Kernels, r.Entries, r.Tiers = len(m.Spec.Kernels), len(m.Spec.Entries), m.Spec.Tiers
	for _, k := range m.Spec.Kernels {
		for _, p := range k.Prefers {
			v := variantReport{Kernel: k.Name, Variant: p.Name}
			for _, f := range p.Facts {
				v.Facts = append(v.Facts, f.Text)
			}
			r.Variants = append(r.Variants, v)
		}
	}
	return nil
}
