package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A log that was cut off in a line goes on without it, and keeps the others.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	add := func(ids ...string) {
		l, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if l.Has(id, "") {
				t.Errorf("%s is in the log already", id)
			}
			if err := l.Add(&Verdict{ID: id, Net: "values"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	add("a", "b")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-5], 0o666); err != nil {
		t.Fatal(err)
	}
	add("b", "c")
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if l.Has("c", "another line") {
		t.Error("a verdict on a line that has changed since is taken for one on the line that is")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, v := range all {
		ids = append(ids, v.ID)
	}
	if got := strings.Join(ids, ""); got != "abc" {
		t.Errorf("the log has %s", got)
	}
}

// Two runs that have one log at a time keep each other's verdicts.
func TestTwoRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	var runs [2]*Log
	for i := range runs {
		var err error
		if runs[i], err = Open(path); err != nil {
			t.Fatal(err)
		}
	}
	for i, id := range []string{"a", "b", "c", "d"} {
		if err := runs[i%2].Add(&Verdict{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range runs {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := Read(path); err != nil || len(all) != 4 {
		t.Errorf("of four verdicts there are %d, %v", len(all), err)
	}
}

// A file that is no log is refused and stays as it is, also where it is a single line without an end.
func TestForeign(t *testing.T) {
	for text, want := range map[string]string{
		"what is no log":                 "no verdict",
		"{\"id\":\"a\"}\nwhat is no log": ":2: no verdict",
		"{\"id\":\"a\"}\n\n":             ":2: no verdict",
		"{}\n":                           "it names no mutant",
		"{\"id\":\"a\"}\n{\"i":           "",
		"":                               "",
	} {
		path := filepath.Join(t.TempDir(), "log.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := Open(path)
		if err == nil {
			err = l.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
		if got, err := os.ReadFile(path); err != nil || want != "" && string(got) != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}

func TestTable(t *testing.T) {
	list := filepath.Join(t.TempDir(), "equivalent.txt")
	if err := os.WriteFile(list, []byte("# why\nf.h off-by-one\n+ a + ** + c\nIt is the same.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	equivalents, err := ReadEquivalents(list)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = Print(&out, []*Verdict{
		{File: "f.h", Operator: "off-by-one", Net: "values", Seconds: 1},
		{File: "f.h", Operator: "off-by-one", After: "a + 2 + c", Seconds: 1},
		{File: "f.h", Operator: "off-by-one", After: "a - 2 + c", Before: "a - 1 + c", Line: 7, Trials: []string{"k"}, Seconds: 1},
		{File: "g.h", Operator: "barrier", Same: "the same machine code", Seconds: 1},
		{File: "h.h", Operator: "barrier", Before: "wait();", After: ";", Device: true, Seconds: 1},
	}, equivalents, Headings{Operators: []string{"barrier", "off-by-one"}, Nets: []string{"values", "race"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"5 mutants: 1 killed, 2 the same program, 2 survived, 1 of them on lines that a GPU alone runs; 33.3 % of those that are another program killed, 20.0 % of all",
		"survived: f.h:7 off-by-one, tried with k\n  - a - 1 + c\n  + a - 2 + c\n",
		"It is the same.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
}

func TestEquivalentsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"f.h\n+ x\nwhy\n":  "is not FILE OPERATOR",
		"f.h op\nwhy\n":    "has no line that begins with +",
		"f.h op\n+ x\n\n ": "has no reason",
	} {
		path := filepath.Join(t.TempDir(), "list.txt")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadEquivalents(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
