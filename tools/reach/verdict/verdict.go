// Package verdict compares what a kernel family declares with what exported Go declarations launch.
package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/reach/refs"
)

// Input is what a verdict is made of.
type Input struct {
	Spec       *manifest.Spec
	Manifest   *manifest.Manifest // nil where nothing was compiled
	Refs       []*refs.Refs       // one for each launchers target
	Launchers  []string           // how messages name those targets; import paths if empty
	Families   []string           // other families that launches may name
	Unlaunched []Exception
}

// Exception is a kernel or entry that is not launched, on purpose.
type Exception struct{ Name, Reason string }

// Finding is one breach.
type Finding struct {
	Message string // names the kernel or entry, the place and the rule
	Why     string // how it came to be; may be empty
	Fix     string
}

// Format prints a finding the way compilers do; label names the target that it belongs to, which Bazel
// writes @@//cuda/csr:csr and people //cuda/csr:csr.
func (f Finding) Format(label string) string {
	var b strings.Builder
	if strings.HasPrefix(label, "@@//") || strings.HasPrefix(label, "@//") {
		label = strings.TrimLeft(label, "@")
	}
	fmt.Fprintf(&b, "%s: error: %s\n", label, f.Message)
	if f.Why != "" {
		fmt.Fprintf(&b, "  why: %s\n", f.Why)
	}
	fmt.Fprintf(&b, "  fix: %s\n", f.Fix)
	return b.String()
}

// Check returns every breach: of the sources' rules, of launches, of kernels, of images, of exceptions.
func Check(in Input) []Finding {
	c := newChecker(in)
	var all []Finding
	all = append(all, c.sources()...)
	all = append(all, c.launches()...)
	all = append(all, c.kernels()...)
	all = append(all, c.images()...)
	all = append(all, c.exceptions()...)

	seen := map[Finding]bool{} // launchers targets may share packages
	return slices.DeleteFunc(all, func(f Finding) bool {
		dup := seen[f]
		seen[f] = true
		return dup
	})
}

type checker struct {
	Input
	launchers string
	kernel    map[string]*manifest.Kernel
	entries   map[string][]string // of a kernel
	owner     map[string]string   // kernel of an entry
	names     []string            // of kernels and entries

	byKernel, byEntry map[string]refs.Launch // what is launched
	excepted          map[string]bool
}

func newChecker(in Input) *checker {
	c := &checker{
		Input:    in,
		kernel:   map[string]*manifest.Kernel{},
		entries:  map[string][]string{},
		owner:    map[string]string{},
		byKernel: map[string]refs.Launch{},
		byEntry:  map[string]refs.Launch{},
		excepted: map[string]bool{},
	}
	for i := range in.Spec.Kernels {
		k := &in.Spec.Kernels[i]
		c.kernel[k.Name] = k
		c.names = append(c.names, k.Name)
	}
	for _, e := range in.Spec.Entries {
		c.entries[e.Kernel] = append(c.entries[e.Kernel], e.Name)
		c.owner[e.Name] = e.Kernel
		c.names = append(c.names, e.Name)
	}
	for _, r := range in.Refs {
		for _, l := range r.Launches {
			if l.Kernel != "" {
				c.byKernel[l.Kernel] = l
			} else {
				c.byEntry[l.Entry] = l
			}
		}
	}
	for _, e := range in.Unlaunched {
		c.excepted[e.Name] = true
	}
	named := in.Launchers
	if len(named) == 0 {
		for _, r := range in.Refs {
			named = append(named, r.Roots...)
		}
	}
	c.launchers = strings.Join(named, " or ")
	return c
}

// sources passes on what made reachability undecidable.
func (c *checker) sources() []Finding {
	var out []Finding
	for _, r := range c.Refs {
		for _, e := range r.Errors {
			out = append(out, Finding{Message: e.Pos + ": " + e.Message, Fix: e.Fix})
		}
	}
	return out
}

// launches finds launches that name nothing. A name belongs to the family before its first underscore;
// other families' names are left to their own verdicts.
func (c *checker) launches() []Finding {
	others := map[string]bool{}
	for _, f := range c.Families {
		others[f] = true
	}
	each := func(do func(t refs.Target, pos string, generated bool)) {
		for _, r := range c.Refs {
			for _, l := range r.Launches {
				do(l.Target, l.Pos, l.Generated)
			}
			for _, u := range r.Unreached {
				do(u.Target, u.Pos, u.Generated)
			}
		}
	}
	each(func(t refs.Target, _ string, generated bool) {
		if generated {
			others[familyOf(t.Name())] = true // its launchers were generated from its spec
		}
	})
	delete(others, c.Spec.Family)

	var out []Finding
	each(func(t refs.Target, pos string, generated bool) {
		what, known := "kernel", c.kernel[t.Kernel] != nil
		if t.Kernel == "" {
			what = "entry"
			_, known = c.owner[t.Entry]
		}
		family := familyOf(t.Name())
		if known || others[family] {
			return
		}
		f := Finding{
			Message: fmt.Sprintf("launch of %s '%s' (%s), which family %s does not have", what, t.Name(), pos, c.Spec.Family),
			Fix:     "launch one of the family's " + map[string]string{"kernel": "kernels", "entry": "entries"}[what] + ", or add the kernel",
		}
		if family != c.Spec.Family {
			f.Message = fmt.Sprintf("launch of %s '%s' (%s), whose family '%s' is unknown here", what, t.Name(), pos, family)
			f.Fix = fmt.Sprintf("correct the name, or name the family with --family %s", family)
		}
		if near := nearest(t.Name(), c.candidates(what)); near != "" {
			f.Fix = fmt.Sprintf("did you mean '%s'?", near)
		}
		if generated {
			f.Fix = "generate the launchers again from this family's spec"
		}
		out = append(out, f)
	})
	return out
}

func familyOf(name string) string {
	family, _, _ := strings.Cut(name, "_")
	return family
}

func (c *checker) candidates(what string) []string {
	if what == "kernel" {
		return slices.Sorted(maps.Keys(c.kernel))
	}
	return slices.Sorted(maps.Keys(c.owner))
}

// kernels finds kernels that nothing exported leads to, and the single entries left over of kernels that
// are launched by entry name alone.
func (c *checker) kernels() []Finding {
	var out []Finding
	for i := range c.Spec.Kernels {
		k := &c.Spec.Kernels[i]
		if _, ok := c.byKernel[k.Name]; ok || c.excepted[k.Name] {
			continue
		}
		var missing []string
		launched := 0
		for _, e := range c.entries[k.Name] {
			if _, ok := c.byEntry[e]; ok {
				launched++
			} else if !c.excepted[e] {
				missing = append(missing, e)
			}
		}
		if launched == 0 && len(missing) == len(c.entries[k.Name]) {
			why, fix := c.explain(k)
			out = append(out, Finding{
				Message: fmt.Sprintf("kernel '%s' (%s:%d) is launched by no exported function of %s", k.Name, k.Source, k.Line, c.launchers),
				Why:     why,
				Fix:     fix,
			})
			continue
		}
		for _, e := range missing {
			out = append(out, Finding{
				Message: fmt.Sprintf("entry '%s' of kernel '%s' (%s:%d) is launched by no exported function of %s",
					e, k.Name, k.Source, k.Line, c.launchers),
				Why: fmt.Sprintf("the kernel has no launcher that is reached, and %d of its %d entries are launched by name",
					launched, len(c.entries[k.Name])),
				Fix: fmt.Sprintf("launch it, drop the instance from types(...), or list it: unlaunched = {\"%s\": \"the reason\"}", e),
			})
		}
	}
	return out
}

// explain collects why a kernel's launches are not reached.
func (c *checker) explain(k *manifest.Kernel) (why, fix string) {
	fix = fmt.Sprintf("launch it from an exported function, delete it, or list it: unlaunched = {\"%s\": \"the reason\"}", k.Name)
	var reasons []string
	for _, r := range c.Refs {
		for _, u := range r.Unreached {
			if u.Kernel != k.Name && (u.Entry == "" || c.owner[u.Entry] != k.Name) {
				continue
			}
			what := "launcher " + u.Launcher
			if u.Kernel == "" {
				what = "launch of '" + u.Entry + "'"
			}
			reason := fmt.Sprintf("%s (%s): %s", what, u.Pos, u.Why)
			if !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
			if u.Fix != "" {
				fix = u.Fix
			}
		}
	}
	if len(reasons) == 0 {
		return "the sources of " + c.launchers + " hold no launcher of it", "let one of them import the family's generated launchers and call this kernel's, or " +
			fix[strings.Index(fix, "delete it"):]
	}
	return strings.Join(reasons, "; "), fix
}

// images finds compiled entries that the spec does not have: __global__ functions without WW_KERNEL.
func (c *checker) images() []Finding {
	if c.Manifest == nil {
		return nil
	}
	archs := map[string][]string{}
	for _, f := range c.Manifest.Facts {
		if _, ok := c.owner[f.Entry]; !ok {
			archs[f.Entry] = append(archs[f.Entry], fmt.Sprintf("sm_%d", f.Arch))
		}
	}
	var out []Finding
	for _, e := range slices.Sorted(maps.Keys(archs)) {
		slices.Sort(archs[e])
		out = append(out, Finding{
			Message: fmt.Sprintf("entry '%s' is in the images (%s) and no WW_KERNEL of family %s declares it (%s)",
				e, strings.Join(slices.Compact(archs[e]), ", "), c.Spec.Family, strings.Join(c.files(), ", ")),
			Fix: "put WW_KERNEL(...) before the kernel instead of a raw __global__, or delete it",
		})
	}
	return out
}

// files lists the family's sources.
func (c *checker) files() []string {
	files := map[string]bool{}
	for _, k := range c.Spec.Kernels {
		files[k.Source] = true
	}
	return slices.Sorted(maps.Keys(files))
}

// exceptions finds listed names that need no exception, do not exist, or give no reason.
func (c *checker) exceptions() []Finding {
	var out []Finding
	seen := map[string]bool{}
	for _, e := range c.Unlaunched {
		if seen[e.Name] {
			out = append(out, Finding{
				Message: fmt.Sprintf("unlaunched lists '%s' twice", e.Name),
				Fix:     "keep one of the two",
			})
			continue
		}
		seen[e.Name] = true
		place, exists := c.place(e.Name)
		switch l, launched := c.launchOf(e.Name); {
		case !exists:
			f := Finding{
				Message: fmt.Sprintf("unlaunched lists '%s', which is no kernel and no entry of family %s", e.Name, c.Spec.Family),
				Fix:     "remove it from unlaunched",
			}
			if near := nearest(e.Name, c.names); near != "" {
				f.Fix = fmt.Sprintf("did you mean '%s'?", near)
			}
			out = append(out, f)
		case launched:
			out = append(out, Finding{
				Message: fmt.Sprintf("unlaunched lists '%s' (%s), which is launched after all", e.Name, place),
				Why:     strings.Join(l.Via, " > ") + " (" + l.Pos + ")",
				Fix:     "remove it from unlaunched",
			})
		case strings.TrimSpace(e.Reason) == "":
			out = append(out, Finding{
				Message: fmt.Sprintf("unlaunched lists '%s' (%s) without a reason", e.Name, place),
				Fix:     fmt.Sprintf("say why: unlaunched = {\"%s\": \"the reason\"}", e.Name),
			})
		}
	}
	return out
}

// place is where a kernel, or an entry's kernel, stands.
func (c *checker) place(name string) (string, bool) {
	k := c.kernel[name]
	if k == nil {
		k = c.kernel[c.owner[name]]
	}
	if k == nil {
		return "", false
	}
	return fmt.Sprintf("%s:%d", k.Source, k.Line), true
}

// launchOf returns a launch of the kernel or entry, of any of a kernel's entries, or of an entry's kernel.
func (c *checker) launchOf(name string) (refs.Launch, bool) {
	if l, ok := c.byKernel[name]; ok {
		return l, true
	}
	if l, ok := c.byEntry[name]; ok {
		return l, true
	}
	for _, e := range c.entries[name] {
		if l, ok := c.byEntry[e]; ok {
			return l, true
		}
	}
	l, ok := c.byKernel[c.owner[name]]
	return l, ok
}
