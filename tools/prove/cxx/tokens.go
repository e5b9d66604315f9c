package cxx

import (
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// operators of more than one character; >> is two tokens, since it closes templates.
var operators = []string{"...", "<<=", "::", "->", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<"}

// tokens are those that the compiler sees: without comments, the parts for the emulator, and includes.
func tokens(f *source.File) ([]source.Token, error) {
	all, err := f.Tokens()
	if err != nil {
		return nil, err
	}
	var out []source.Token
	var skip []bool // for each open condition: its current branch is not compiled
	for i := 0; i < len(all); i++ {
		t := all[i]
		switch t.Kind {
		case source.Comment:
			continue
		case source.Preproc:
			if err := directive(f, t, &skip); err != nil {
				return nil, err
			}
			continue
		}
		if t.Kind != source.End {
			if skipped(skip) {
				continue
			}
		} else if len(skip) > 0 {
			return nil, f.Errorf(t.Offset, "#ifdef without #endif")
		}
		if t.Kind == source.Punct {
			for _, op := range operators {
				if strings.HasPrefix(f.Text[t.Offset:], op) {
					t.Text = op
					i += len(op) - 1
					break
				}
			}
		}
		out = append(out, t)
	}
	return out, nil
}

func skipped(skip []bool) bool {
	for _, s := range skip {
		if s {
			return true
		}
	}
	return false
}

func directive(f *source.File, t source.Token, skip *[]bool) error {
	words := strings.Fields(strings.TrimPrefix(t.Text, "#"))
	if len(words) == 0 {
		return nil
	}
	s := *skip
	switch words[0] {
	case "pragma", "include":
		return nil
	case "define":
		if name, _, _ := strings.Cut(words[1], "("); strings.HasPrefix(name, "WW_") {
			return nil
		}
	case "ifdef":
		if len(words) == 2 && words[1] == "WW_EMU" {
			*skip = append(s, true)
			return nil
		}
	case "if":
		// What a newer architecture does beside the thread has the accesses of what all others do: those are read.
		if strings.Contains(t.Text, "__CUDA_ARCH__") {
			*skip = append(s, true)
			return nil
		}
	case "else":
		if len(s) > 0 {
			s[len(s)-1] = !s[len(s)-1]
			return nil
		}
	case "endif":
		if len(s) > 0 {
			*skip = s[:len(s)-1]
			return nil
		}
	}
	return f.Errorf(t.Offset, "%s: the reader knows #pragma, #include, #define WW_..., #ifdef WW_EMU and #if of __CUDA_ARCH__", words[0])
}
