// Package views tries to misuse the views of the device vocabulary: each attempt must fail to compile, for
// the reason that is written beside it, and differ only in the misuse from a kernel that compiles.
package views

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/tools/workshop"
)

// compiler compiles the bodies of testdata/views.cu.
type compiler struct {
	root    string // of the repository
	entries string // the generated entries, from root
	folder  string // for what a case writes
}

var errRejected = errors.New("the compiler rejects it")

// newCompiler takes the entries from Bazel, or lets kernelspec write them, and reads the vocabulary once for
// all cases.
func newCompiler(t *testing.T) *compiler {
	t.Helper()
	c := &compiler{entries: os.Getenv("VIEWS_ENTRIES"), folder: t.TempDir()}
	var err error
	if c.root, err = filepath.Abs(filepath.Join("..", "..")); err != nil {
		t.Fatal(err)
	}
	inputs := []string{"cuda/include/ww/*.h", "emu/*.h", "tests/views/testdata/*.cu"}
	if c.entries == "" {
		inputs = append(inputs, workshop.Kernelspec()...)
	}
	if err := workshop.Inputs(c.root, inputs...); err != nil {
		t.Fatal(err)
	}
	if c.entries == "" {
		c.entries = filepath.Join(c.folder, "views.entries.cu")
		if out, err := c.run("go", "run", "./tools/kernelspec", "--family", "views", "--include", "cuda/include", "--out-entries", c.entries, "tests/views/testdata/views.cu"); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	all := filepath.Join(c.folder, "all.h")
	if err := os.WriteFile(all, []byte("#include \"emu/cuda.h\"\n#include \"ww/ww.h\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := c.run("g++", c.flags("-x", "c++-header", all, "-o", all+".gch")...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return c
}

func (c *compiler) flags(more ...string) []string {
	return append([]string{"-std=c++20", "-DWW_EMU", "-Wno-unknown-pragmas", "-fdiagnostics-color=never", "-fno-diagnostics-show-caret", "-I.", "-Icuda/include"}, more...)
}

// run runs a program in the repository's root, with messages in English and plain quotes.
func (c *compiler) run(program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = c.root
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = errRejected
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(append([]string{program}, args...), " "), err)
	}
	return out.String(), err
}

// compile compiles the body of a kernel after some declarations.
func (c *compiler) compile(t *testing.T, kernel, declared, body string) (string, error) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"declared.inc": declared, "body.inc": body} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if kernel == "" {
		kernel = "LINE"
	}
	return c.run("g++", c.flags("-D"+kernel, "-I"+folder, "-include", filepath.Join(c.folder, "all.h"), "-x", "c++", "-fsyntax-only", c.entries)...)
}

// all are the attempts of every dimension.
func all() []attempt { return slices.Concat(attempts(), gatherAttempts(), matrixAttempts()) }

func TestMisuse(t *testing.T) {
	c := newCompiler(t)
	names := map[string]bool{}
	for _, a := range all() {
		if names[a.name] {
			t.Errorf("%s is there twice", a.name)
		}
		names[a.name] = true
		t.Run(strings.ReplaceAll(a.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			says, err := regexp.Compile(a.says)
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.compile(t, a.kernel, a.before+"\n"+a.forged, a.fault)
			switch {
			case err == nil:
				t.Errorf("%s: it compiles", a.fault)
			case !errors.Is(err, errRejected):
				t.Fatal(err)
			case !says.MatchString(out):
				t.Errorf("%s: it is rejected, but not since %q:\n%s", a.fault, a.says, errorsOf(out))
			}
		})
	}
}

// TestControls compiles what stands beside each attempt: all at once, and one by one only if that fails.
func TestControls(t *testing.T) {
	c := newCompiler(t)
	before := map[string]bool{}
	for _, kernel := range []string{"LINE", "SQUARE", "ODD", "CELLS", "TILES", "PIPELINE", "PARTS", "ROWS"} {
		var declared, body strings.Builder
		for _, a := range all() {
			if a.kernel != kernel && (a.kernel != "" || kernel != "LINE") {
				continue
			}
			if !before[a.before] {
				before[a.before] = true
				declared.WriteString(a.before + "\n")
			}
			body.WriteString("{ " + a.control + " }\n")
		}
		if out, err := c.compile(t, kernel, declared.String(), body.String()); err == nil {
			continue
		} else if !errors.Is(err, errRejected) {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, a := range all() {
			if out, err := c.compile(t, a.kernel, a.before, a.control); err != nil {
				t.Errorf("%s: the control does not compile: %s\n%s", a.name, a.control, errorsOf(out))
			}
		}
		return
	}
}

// errorsOf are the lines of a compiler's output that say what is wrong.
func errorsOf(out string) string {
	var lines []string
	for _, line := range strings.Split(out, "\n") {
		if strings.Contains(line, "error") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
