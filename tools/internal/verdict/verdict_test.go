package verdict

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lines judges a table that has one a line.
func lines(table []byte) (string, []string, error) {
	text := string(table)
	if text == "spoilt" {
		return "", nil, errors.New("it is spoilt")
	}
	found := strings.Fields(text)
	return "found", found, nil
}

func TestRun(t *testing.T) {
	folder := t.TempDir()
	table, stamp := filepath.Join(folder, "table"), filepath.Join(folder, "stamp")
	for _, c := range []struct{ text, says, err string }{
		{"", "", ""},
		{"a b", "check: found:\n  a\n  b\n", "something is open"},
		{strings.Repeat("a ", 42), "check: found:\n" + strings.Repeat("  a\n", 40) + "  and 2 more\n", "something is open"},
		{"spoilt", "", "check verdict: " + table + ": it is spoilt"},
	} {
		if err := os.WriteFile(table, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		var says bytes.Buffer
		err := Run("check", []string{"--table", table, "--out", stamp}, &says, lines)
		if says.String() != c.says || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%q: said %q, error %v", c.text, &says, err)
		}
		if _, err := os.Stat(stamp); (err == nil) != (c.text == "") {
			t.Errorf("%q: the stamp: %v", c.text, err)
		}
		if err := os.Remove(stamp); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for want, args := range map[string][]string{
		"check verdict: want --table and --out": {"--table", "x"},
		"no other arguments":                    {"--table", "x", "--out", "y", "z"},
		"check verdict: --table: ":              {"--table", "no/such", "--out", "y"},
		"flag provided but not defined":         {"--tables", "x"},
	} {
		var says bytes.Buffer
		if err := Run("check", args, &says, lines); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
}
