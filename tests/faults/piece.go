package faults

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Piece is one fault of the museum.
type Piece struct {
	Name     string
	Story    string    // what goes wrong, and where such a fault was met
	Verdicts []Verdict // who finds it: first the tool that is the first to, then others that must find it too
	Faulty   Sources
	Repaired Sources
}

// Verdict is what a tool must say.
type Verdict struct {
	Tool string
	Says []*regexp.Regexp
}

// Sources are the files of one variant by their names.
type Sources map[string]string

// Parse reads a piece: prose, then `verdict:` and `says:` lines, then files, each after a line
// `-- name --`. Lines between #ifdef FAULT and #else are the fault, those between #else and #endif its
// repair; the rest belongs to both.
func Parse(name, text string) (*Piece, error) {
	p := &Piece{Name: name}
	head, files, err := archive(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var story []string
	for _, line := range strings.Split(head, "\n") {
		key, value, _ := strings.Cut(line, ": ")
		switch {
		case key == "verdict":
			if !slices.Contains(ToolNames(), value) {
				return nil, fmt.Errorf("%s: verdict: no tool %q: %s are", name, value, strings.Join(ToolNames(), ", "))
			}
			p.Verdicts = append(p.Verdicts, Verdict{Tool: value})
		case key == "says":
			if p.Verdicts == nil {
				return nil, fmt.Errorf("%s: says %q stands before any verdict", name, value)
			}
			words, err := regexp.Compile(value)
			if err != nil {
				return nil, fmt.Errorf("%s: says: %w", name, err)
			}
			last := &p.Verdicts[len(p.Verdicts)-1]
			last.Says = append(last.Says, words)
		case p.Verdicts == nil:
			story = append(story, line)
		case line != "":
			return nil, fmt.Errorf("%s: %q is neither verdict nor says", name, line)
		}
	}
	p.Story = strings.TrimSpace(strings.Join(story, "\n"))
	switch {
	case p.Story == "":
		return nil, fmt.Errorf("%s: says nothing of the fault", name)
	case p.Verdicts == nil:
		return nil, fmt.Errorf("%s: has no verdict", name)
	}
	for _, v := range p.Verdicts {
		if v.Says == nil {
			return nil, fmt.Errorf("%s: verdict %s says nothing", name, v.Tool)
		}
	}
	p.Faulty, p.Repaired = Sources{}, Sources{}
	same := true
	for _, f := range files {
		faulty, repaired, err := variants(f.text)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, f.name, err)
		}
		same = same && squeeze(faulty) == squeeze(repaired)
		p.Faulty.add(f.name, faulty)
		p.Repaired.add(f.name, repaired)
	}
	if same {
		return nil, fmt.Errorf("%s: has no repaired variant: nothing stands between #ifdef FAULT and #endif", name)
	}
	return p, nil
}

// squeeze leaves out empty lines.
func squeeze(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), "\n")
}

// add leaves out a file of which nothing is left: a variant need not have it.
func (s Sources) add(name, text string) {
	if strings.TrimSpace(text) != "" {
		s[name] = text
	}
}

type file struct{ name, text string }

// archive splits a text at its lines `-- name --`.
func archive(text string) (head string, files []file, err error) {
	var b strings.Builder
	flush := func() {
		if files == nil {
			head = b.String()
		} else {
			files[len(files)-1].text = b.String()
		}
		b.Reset()
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSuffix(line, "\n")
		name, ok := strings.CutPrefix(trimmed, "-- ")
		if ok {
			name, ok = strings.CutSuffix(name, " --")
		}
		if !ok {
			b.WriteString(line)
			continue
		}
		flush()
		if slices.ContainsFunc(files, func(f file) bool { return f.name == name }) {
			return "", nil, fmt.Errorf("file %s stands twice", name)
		}
		files = append(files, file{name: name})
	}
	flush()
	if files == nil {
		return "", nil, errors.New("holds no files")
	}
	return head, files, nil
}

// variants cuts a file. What a variant lacks becomes empty lines, so that both count lines alike.
func variants(text string) (faulty, repaired string, err error) {
	const (
		both = iota
		fault
		repair
	)
	var f, r strings.Builder
	where := both
	for line := range strings.Lines(text) {
		next := -1
		switch strings.TrimSpace(line) {
		case "#ifdef FAULT":
			if where != both {
				return "", "", errors.New("#ifdef FAULT inside another one")
			}
			next = fault
		case "#ifndef FAULT":
			if where != both {
				return "", "", errors.New("#ifndef FAULT inside another one")
			}
			next = repair
		case "#else":
			switch where {
			case fault:
				next = repair
			case repair:
				next = fault
			default:
				return "", "", errors.New("#else without #ifdef FAULT")
			}
		case "#endif":
			if where == both {
				return "", "", errors.New("#endif without #ifdef FAULT")
			}
			next = both
		}
		if next >= 0 {
			where, line = next, "\n"
			f.WriteString(line)
			r.WriteString(line)
			continue
		}
		f.WriteString(pick(where != repair, line))
		r.WriteString(pick(where != fault, line))
	}
	if where != both {
		return "", "", errors.New("#ifdef FAULT without #endif")
	}
	return f.String(), r.String(), nil
}

func pick(keep bool, line string) string {
	if keep {
		return line
	}
	return "\n"
}
