package command

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/manifest"
)

func infoCommand() *command {
	return &command{
		name:    "info",
		summary: "list devices, compiled kernels, their variants and tier tables",
		doc: `Devices stand in the order in which programs take them. A kind that is absent says why. A variant is the entry of a kernel that a
launch takes if it keeps the variant's facts; of several, the first one counts. The tier tables say which kernel serves which shapes on which
GPU, and who measured that.`,
		example: []string{"ww info", "ww info -images out/fatbins -json"},
		setup: func(f *flag.FlagSet) func(*invocation, []string) (result, error) {
			at := &deviceChoice{}
			imagesFlag(f, at)
			return func(s *invocation, args []string) (result, error) {
				if err := noArgs(args); err != nil {
					return nil, err
				}
				return info(s.ctx, at)
			}
		},
	}
}

// infoReport is what `ww info` prints.
type infoReport struct {
	Devices  []deviceReport `json:"devices"`
	Folder   string         `json:"images_folder,omitempty"`
	Families []familyReport `json:"families"`
}

type deviceReport struct {
	Kind            device.Kind `json:"kind"`
	Index           int         `json:"index"`
	Name            string      `json:"name,omitempty"`
	Arch            int         `json:"arch,omitempty"`
	Multiprocessors int         `json:"multiprocessors,omitempty"`
	MemoryBytes     int64       `json:"memory_bytes,omitempty"`
	SharedMax       int         `json:"shared_bytes_a_block,omitempty"`
	Driver          string      `json:"driver,omitempty"`
	Absent          string      `json:"absent,omitempty"`
}

func info(ctx context.Context, at *deviceChoice) (result, error) {
	opts, err := at.options()
	if err != nil {
		return nil, err
	}
	r := &infoReport{Folder: at.folder(), Families: []familyReport{}}
	for _, c := range device.Available(ctx, opts...) {
		one := deviceReport{Kind: c.Kind}
		if c.Err != nil {
			one.Absent = c.Err.Error()
		} else {
			i := c.Info
			one = deviceReport{c.Kind, i.Index, i.Name, i.Arch, i.Multiprocessors, i.MemoryBytes, i.SharedPerBlockMax, i.Driver, ""}
		}
		r.Devices = append(r.Devices, one)
	}
	if r.Folder == "" {
		return r, nil
	}
	families, err := at.families()
	if err != nil {
		return r, err
	}
	r.Families = families
	return r, nil
}

func (r *infoReport) text(w io.Writer) error {
	fmt.Fprintln(w, "Devices, first choice first:")
	for _, d := range r.Devices {
		if d.Absent != "" {
			fmt.Fprintf(w, "  %-6s none: %s\n", d.Kind, d.Absent)
			continue
		}
		name := string(d.Kind)
		if d.Kind == device.GPU {
			name = fmt.Sprintf("gpu:%d", d.Index)
		}
		fmt.Fprintf(w, "  %-6s %s\n", name, d.facts())
	}
	if r.Folder == "" {
		_, err := fmt.Fprintf(w, "\nCompiled kernels: %v\n", errNoImages)
		return err
	}
	fmt.Fprintf(w, "\nCompiled kernels in %s:\n", r.Folder)
	for _, f := range r.Families {
		if f.Error != "" {
			fmt.Fprintf(w, "  %-6s unreadable: %s\n", f.Family, f.Error)
			continue
		}
		fmt.Fprintf(w, "  %-6s %d kernels, %d entries, %s, %d bytes\n", f.Family, f.Kernels, f.Entries, strings.Join(f.Images, " "), f.Bytes)
	}
	for _, f := range r.Families {
		if len(f.Variants) > 0 {
			fmt.Fprintf(w, "\nVariants in %s, which a launch takes that keeps their facts:\n", f.Family)
		}
		for _, v := range f.Variants {
			fmt.Fprintf(w, "  %s_%s: %s\n", v.Kernel, v.Variant, strings.Join(v.Facts, ", "))
		}
	}
	for _, f := range r.Families {
		for _, t := range f.Tiers {
			printTiers(w, t)
		}
	}
	return nil
}

func (d *deviceReport) facts() string {
	facts := []string{d.Name}
	if d.Arch != 0 {
		facts = append(facts, fmt.Sprintf("sm_%d", d.Arch))
	}
	if d.Kind == device.GPU {
		facts = append(facts, fmt.Sprintf("%d multiprocessors", d.Multiprocessors), fmt.Sprintf("%d bytes of shared memory a block", d.SharedMax))
	}
	if d.MemoryBytes > 0 {
		facts = append(facts, fmt.Sprintf("%.1f GiB", float64(d.MemoryBytes)/(1<<30)))
	}
	if d.Driver != "" {
		facts = append(facts, d.Driver)
	}
	return strings.Join(facts, ", ")
}

func printTiers(w io.Writer, t manifest.TierTable) {
	fmt.Fprintf(w, "\nTiers of %s on sm_%d, by %s (%s):\n", t.Operator, t.Arch, t.By, t.Source)
	for _, row := range t.Tiers {
		fmt.Fprintf(w, "  from %-6g %s", row.From, row.Kernel)
		for _, name := range slices.Sorted(maps.Keys(row.Types)) {
			fmt.Fprintf(w, " %s=%s", name, row.Types[name])
		}
		fmt.Fprintln(w)
	}
}
