package command

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/fatbin"
)

func doctorCommand() *command {
	return &command{
		name:    "doctor",
		summary: "say what is missing for a GPU and how to get it",
		doc: `Looks at everything that stands between a program and an NVIDIA GPU, in order: the hardware, the kernel module, the
device files and their permissions, the driver's library, this program itself, the compiled kernels. Exit code 0 says that a GPU
can be used now, 1 that it cannot and that products are computed on the CPU.`,
		example: []string{"ww doctor", "ww doctor -images out/fatbins -json"},
		setup: func(f *flag.FlagSet) func(*invocation, []string) (result, error) {
			at := deviceFlags(f)
			return func(s *invocation, args []string) (result, error) {
				if err := noArgs(args); err != nil {
					return nil, err
				}
				m := machine{root: "/", env: os.Getenv, gpus: gpuCandidates}
				r := m.examine(s.ctx, at)
				if !r.Usable {
					return r, errNoUsableGPU
				}
				return r, nil
			}
		},
	}
}

var errNoUsableGPU = errors.New("no GPU can be used; the first line marked !! above says why")

// diagnosis is what the doctor found, in the order of looking.
type diagnosis struct {
	Usable bool      `json:"gpu_usable"`
	Checks []finding `json:"checks"`
}

type finding struct {
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

func (d *diagnosis) add(what string, ok bool, detail, fix string) {
	if ok {
		fix = ""
	}
	d.Checks = append(d.Checks, finding{what, ok, detail, fix})
}

func (d *diagnosis) text(w io.Writer) error {
	for _, c := range d.Checks {
		mark := "ok"
		if !c.OK {
			mark = "!!"
		}
		fmt.Fprintf(w, "%s  %-15s %s\n", mark, c.What, c.Detail)
		if c.Fix != "" {
			fmt.Fprintf(w, "    %-15s -> %s\n", "", c.Fix)
		}
	}
	verdict := "A GPU can be used."
	if !d.Usable {
		verdict = "No GPU can be used now; products are computed on the CPU, which needs none of the above."
	}
	_, err := fmt.Fprintf(w, "\n%s\n", verdict)
	return err
}

// machine is what the doctor looks at; tests give it a folder for a root.
type machine struct {
	root string
	env  func(string) string
	gpus func(context.Context, []device.Option) ([]device.Info, error)
}

func gpuCandidates(ctx context.Context, opts []device.Option) ([]device.Info, error) {
	var found []device.Info
	for _, c := range device.Available(ctx, opts...) {
		if c.Kind != device.GPU {
			continue
		}
		if c.Err != nil {
			return nil, c.Err
		}
		found = append(found, *c.Info)
	}
	return found, nil
}

func (m *machine) examine(ctx context.Context, at *deviceChoice) *diagnosis {
	d := &diagnosis{}
	m.hardware(d)
	m.kernelModule(d)
	m.deviceFiles(d)
	m.library(d)
	opts, err := at.options()
	if err != nil {
		d.add("images", false, err.Error(), "name the folder that holds FAMILY.fatbin and FAMILY.manifest.json")
		opts = nil
	}
	gpus, gpuErr := m.gpus(ctx, opts)
	if gpuErr != nil {
		d.add("driver", false, gpuErr.Error(), driverFix(gpuErr))
	}
	for _, g := range gpus {
		d.add("driver", true, fmt.Sprintf("gpu:%d is %s, sm_%d, driver %s", g.Index, g.Name, g.Arch, g.Driver), "")
	}
	images := err == nil && at.examineImages(d, gpus)
	d.Usable = gpuErr == nil && len(gpus) > 0 && images
	return d
}

func driverFix(err error) string {
	if strings.Contains(err.Error(), "built without") {
		return "take the program that Bazel builds: ./bazelw build //go/cmd/ww; plain Go lacks the driver's header"
	}
	return "mend what the lines above name, then run this again"
}

func (m *machine) path(p string) string { return filepath.Join(m.root, p) }

// hardware looks for a display or compute controller of NVIDIA's on the PCI bus.
func (m *machine) hardware(d *diagnosis) {
	vendors, err := filepath.Glob(m.path("/sys/bus/pci/devices/*/vendor"))
	var found []string
	for _, v := range vendors {
		folder := filepath.Dir(v)
		if readWord(v) == "0x10de" && strings.HasPrefix(readWord(filepath.Join(folder, "class")), "0x03") {
			found = append(found, filepath.Base(folder))
		}
	}
	switch {
	case len(found) > 0:
		d.add("hardware", true, fmt.Sprintf("NVIDIA GPU at PCI %s", strings.Join(found, ", ")), "")
	case err != nil || len(vendors) == 0:
		d.add("hardware", false, "the machine shows no PCI bus, so whether it has a GPU is not known", "go by the next lines")
	default:
		d.add("hardware", false, fmt.Sprintf("no NVIDIA GPU among the %d devices of the PCI bus", len(vendors)),
			"use a machine that has one; in a virtual machine, have the GPU passed through")
	}
}

func (m *machine) kernelModule(d *diagnosis) {
	const where = "/proc/driver/nvidia/version"
	text, err := os.ReadFile(m.path(where))
	if err != nil {
		d.add("kernel module", false, where+" is not there: the module nvidia is not loaded",
			"install the driver, 580 or newer (Debian: apt-get install nvidia-driver from non-free; else NVIDIA's packages), then `modprobe nvidia`"+m.containerHint())
		return
	}
	line, _, _ := strings.Cut(string(text), "\n")
	d.add("kernel module", true, strings.Join(strings.Fields(line), " "), "")
}

// containerHint says what to do instead, inside a container.
func (m *machine) containerHint() string {
	for _, mark := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(m.path(mark)); err == nil {
			return "; this is a container, so do that on its host and start the container with `--gpus all` (nvidia-container-toolkit)"
		}
	}
	return ""
}

func (m *machine) deviceFiles(d *diagnosis) {
	cards, _ := filepath.Glob(m.path("/dev/nvidia[0-9]*"))
	if len(cards) == 0 {
		d.add("device files", false, "/dev/nvidia0 is not there", "load the module as above, then run `nvidia-modprobe -c 0 -u` as root"+m.containerHint())
		return
	}
	for _, name := range []string{"/dev/nvidiactl", "/dev/nvidia-uvm"} {
		cards = append(cards, m.path(name))
	}
	bad := 0
	for _, file := range cards {
		name := "/" + strings.TrimPrefix(strings.TrimPrefix(file, m.root), "/")
		h, err := os.OpenFile(file, os.O_RDWR, 0)
		switch {
		case err == nil:
			h.Close()
			continue
		case errors.Is(err, fs.ErrNotExist):
			d.add("device files", false, name+" is not there", "run `nvidia-modprobe -c 0 -u` as root"+m.containerHint())
		case errors.Is(err, fs.ErrPermission):
			d.add("device files", false, name+" may not be opened for reading and writing", "join the group that `ls -l "+name+"` names (usermod -aG GROUP USER), or have the mode set to 666")
		default:
			d.add("device files", false, err.Error(), "")
		}
		bad++
	}
	if bad == 0 {
		d.add("device files", true, fmt.Sprintf("%d of them, open for reading and writing", len(cards)), "")
	}
}

// library looks where the dynamic linker would: LD_LIBRARY_PATH, then its usual folders.
func (m *machine) library(d *diagnosis) {
	folders := filepath.SplitList(m.env("LD_LIBRARY_PATH"))
	folders = append(folders, m.linkerFolders()...)
	folders = append(folders, "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/nvidia/lib64", "/usr/lib/wsl/lib")
	for _, folder := range folders {
		file := filepath.Join(folder, "libcuda.so.1")
		if at, err := filepath.EvalSymlinks(m.path(file)); err == nil {
			d.add("libcuda", true, fmt.Sprintf("%s (%s)", file, filepath.Base(at)), "")
			return
		}
	}
	d.add("libcuda", false, "libcuda.so.1 is in none of the linker's folders",
		"it comes with the driver (Debian: libcuda1); where it lies elsewhere, name the folder in LD_LIBRARY_PATH"+m.containerHint())
}

// linkerFolders is what /etc/ld.so.conf.d names.
func (m *machine) linkerFolders() []string {
	files, _ := filepath.Glob(m.path("/etc/ld.so.conf.d/*.conf"))
	slices.Sort(files)
	var out []string
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			if l := strings.TrimSpace(lines.Text()); strings.HasPrefix(l, "/") {
				out = append(out, l)
			}
		}
		file.Close()
	}
	return out
}

// examineImages checks that every family has an image for every GPU, or could be read at all.
func (at *deviceChoice) examineImages(d *diagnosis, gpus []device.Info) bool {
	const fix = "./bazelw build //cuda:images makes them; name their folder with -images or WW_IMAGES"
	families, err := at.families()
	if err != nil {
		d.add("images", false, err.Error(), fix)
		return false
	}
	all := true
	for _, one := range families {
		name := "images of " + one.Family
		if one.Error != "" {
			d.add(name, false, one.Error, fix)
			all = false
			continue
		}
		d.add(name, true, fmt.Sprintf("%s in %s", strings.Join(one.Images, ", "), at.folder()), "")
		for _, g := range gpus {
			if image, err := one.file.Choose(fatbin.Arch{SM: g.Arch}); err != nil {
				d.add(name, false, fmt.Sprintf("gpu:%d: %v", g.Index, err), "compile the family for sm_"+fmt.Sprint(g.Arch)+" too: archs of its cuda_fatbin")
				all = false
			} else {
				d.add(name, true, fmt.Sprintf("gpu:%d runs %s", g.Index, image.Name()), "")
			}
		}
	}
	return all
}

func readWord(file string) string {
	p, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(p))
}
