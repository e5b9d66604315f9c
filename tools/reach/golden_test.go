package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/reach/refs"
)

var update = flag.Bool("update", false, "write what the trees give into their want sections")

// module is the import path above every tree.
const module = "example.org/house/"

// TestTrees runs the command over each tree of testdata and compares what it finds and what the verdict says.
func TestTrees(t *testing.T) {
	names, err := filepath.Glob("testdata/trees/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no trees: %v", err)
	}
	house := readArchive(t, "testdata/house.txtar")
	for _, name := range names {
		name, err := filepath.Abs(name) // the test changes its folder
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			tree := readArchive(t, name)
			found, said := judge(t, house, tree)
			if *update {
				tree.set("want.refs", found)
				tree.set("want.verdict", said)
				if err := os.WriteFile(name, tree.format(), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := tree.files["want.refs"]; found != want {
				t.Errorf("refs:\n%s\nwant:\n%s", found, want)
			}
			if want := tree.files["want.verdict"]; said != want {
				t.Errorf("verdict:\n%s\nwant:\n%s", said, want)
			}
		})
	}
}

// judge writes a tree to a folder, runs refs and verdict there, and returns both results as text.
func judge(t *testing.T, house, tree *archive) (found, said string) {
	t.Helper()
	t.Chdir(t.TempDir())
	files := map[string]string{}
	for name, text := range house.files {
		files[name] = text
	}
	for name, text := range tree.files {
		files[name] = text
	}
	args := []string{"refs", "--out", "refs.json"}
	verdictArgs := []string{"verdict", "--spec", "spec.json", "--refs", "refs.json", "--label", "//cuda/csr:csr", "--out", "stamp"}
	for _, line := range strings.Split(tree.comment, "\n") {
		if root, ok := strings.CutPrefix(line, "root: "); ok {
			args = append(args, "--root", module+root)
			verdictArgs = append(verdictArgs, "--launchers", "//"+root)
		}
		if u, ok := strings.CutPrefix(line, "unlaunched: "); ok {
			verdictArgs = append(verdictArgs, "--unlaunched", u)
		}
	}
	for name, text := range files {
		if path.Ext(name) != ".go" || text == "" {
			continue
		}
		writeFile(t, name, text)
		args = append(args, "--src", module+path.Dir(name)+"="+name)
	}
	writeFile(t, "spec.json", spec(t, files["kernels"]))
	if compiled := files["compiled"]; compiled != "" {
		writeFile(t, "manifest.json", compiledManifest(t, compiled))
		verdictArgs = append(verdictArgs, "--manifest", "manifest.json")
	}

	var stdout, stderr bytes.Buffer
	if code := run(args, &stdout, &stderr); code != 0 {
		t.Fatalf("refs: exit %d: %s", code, stderr.String())
	}
	first, err := os.ReadFile("refs.json")
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(args[3:]) // the order of the arguments must not matter
	for i := 3; i+1 < len(args); i += 2 {
		args[i], args[i+1] = args[i+1], args[i]
	}
	if code := run(args, &stdout, &stderr); code != 0 {
		t.Fatalf("refs, in another order: exit %d: %s", code, stderr.String())
	}
	again, err := os.ReadFile("refs.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, again) {
		t.Errorf("another order of the arguments gives other bytes:\n%s\nfirst:\n%s", again, first)
	}
	r, err := refs.Read(first)
	if err != nil {
		t.Fatal(err)
	}
	code := run(verdictArgs, &stdout, &stderr)
	_, statErr := os.Stat("stamp")
	if passed := code == 0; passed != (statErr == nil) || passed != (stderr.Len() == 0) {
		t.Errorf("verdict: exit %d, stamp %v, stderr %q: they disagree", code, statErr, stderr.String())
	}
	return summary(r), stderr.String()
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// summary is refs as the trees write them.
func summary(r *refs.Refs) string {
	var b strings.Builder
	for _, l := range r.Launches {
		fmt.Fprintf(&b, "launched %s %s\n", l.Name(), l.Pos)
		for _, way := range l.Public {
			fmt.Fprintf(&b, "\t%s\n", strings.Join(way, " > "))
		}
	}
	for _, u := range r.Unreached {
		fmt.Fprintf(&b, "unreached %s %s %s\n\t%s\n", u.Name(), u.Pos, u.Launcher, u.Why)
		if u.Fix != "" {
			fmt.Fprintf(&b, "\tfix: %s\n", u.Fix)
		}
	}
	for _, e := range r.Errors {
		fmt.Fprintf(&b, "error %s: %s\n\tfix: %s\n", e.Pos, e.Message, e.Fix)
	}
	return b.String()
}

// spec makes family csr's spec from lines KERNEL FILE:LINE ENTRY...
func spec(t *testing.T, lines string) string {
	t.Helper()
	s := manifest.Spec{Schema: manifest.SpecSchema, Family: "csr"}
	for line := range strings.Lines(lines) {
		fields := strings.Fields(line)
		file, at, ok := strings.Cut(fields[1], ":")
		n, err := strconv.Atoi(at)
		if !ok || err != nil {
			t.Fatalf("kernels: %q: want KERNEL FILE:LINE ENTRY...", line)
		}
		s.Kernels = append(s.Kernels, manifest.Kernel{Name: fields[0], Source: file, Line: n})
		for _, e := range fields[2:] {
			s.Entries = append(s.Entries, manifest.Entry{Name: e, Kernel: fields[0]})
		}
	}
	return encode(t, s)
}

// compiledManifest makes a manifest whose facts are the lines ENTRY ARCH...
func compiledManifest(t *testing.T, lines string) string {
	t.Helper()
	m := manifest.Manifest{Schema: manifest.Schema, Spec: manifest.Spec{Schema: manifest.SpecSchema}}
	for line := range strings.Lines(lines) {
		fields := strings.Fields(line)
		for _, a := range fields[1:] {
			arch, err := strconv.Atoi(a)
			if err != nil {
				t.Fatalf("compiled: %q: %v", line, err)
			}
			m.Facts = append(m.Facts, manifest.Facts{Entry: fields[0], Arch: arch})
		}
	}
	return encode(t, m)
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// archive is a comment and named files, each after a line "-- name --".
type archive struct {
	comment string
	names   []string
	files   map[string]string
}

func readArchive(t *testing.T, name string) *archive {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{files: map[string]string{}}
	into := ""
	var b strings.Builder
	end := func() {
		if into == "" {
			a.comment = b.String()
		} else {
			a.set(into, b.String())
		}
		b.Reset()
	}
	for line := range strings.Lines(string(text)) {
		if mark := strings.TrimSpace(line); strings.HasPrefix(mark, "-- ") && strings.HasSuffix(mark, " --") {
			end()
			into = strings.TrimSpace(mark[3 : len(mark)-3])
			continue
		}
		b.WriteString(line)
	}
	end()
	return a
}

func (a *archive) set(name, text string) {
	if !slices.Contains(a.names, name) {
		a.names = append(a.names, name)
	}
	a.files[name] = text
}

func (a *archive) format() []byte {
	b := bytes.NewBufferString(a.comment)
	for _, name := range a.names {
		fmt.Fprintf(b, "-- %s --\n%s", name, a.files[name])
	}
	return b.Bytes()
}
