package cxx

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/warpwright/warpwright/tools/internal/source"
)

func headers(t *testing.T) []*source.File {
	t.Helper()
	names, err := filepath.Glob("../../../cuda/include/ww/*.h")
	if err != nil || len(names) == 0 {
		t.Fatalf("no headers: %v", err)
	}
	var out []*source.File
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, source.NewFile("cuda/include/ww/"+filepath.Base(name), string(text)))
	}
	return out
}

func TestTheVocabularyIsRead(t *testing.T) {
	u, err := Read(headers(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range u.Classes {
		t.Log(c, len(c.Fields), len(c.Methods), c.Inherits)
	}
	for _, f := range u.Functions {
		t.Log(f.Name)
	}
}
