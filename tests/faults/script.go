package faults

import (
	"fmt"
	"strconv"
	"strings"
)

const launchFile = "launch"

// script is the file `launch` of a piece: what the host does, a step a line. README.md lists the steps.
type script struct {
	device map[string]string // settings of the device
	steps  []step
}

// step is one line.
type step struct {
	line   int
	verb   string
	name   string            // what the step is about
	typ    string            // of elements
	n      int               // a length or a bound
	other  bool              // on a second device
	source string            // of a slice
	lo, hi int               // of a slice
	given  map[string]string // of a launch: values by name
	values []string          // elements
	within float64           // how far a result may be off
}

// readScript parses a script. Its faults are the piece's own, never a finding.
func readScript(text string) (*script, error) {
	s := &script{device: map[string]string{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "#")
		head, values, filled := strings.Cut(strings.TrimSpace(line)+" ", " = ")
		words := strings.Fields(head)
		if len(words) == 0 {
			continue
		}
		st := step{line: n, verb: words[0]}
		err := st.read(words[1:])
		if err == nil && filled {
			st.values, err = elements(values)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", launchFile, n, strings.TrimSpace(line), err)
		}
		if st.verb == "device" {
			s.device = st.given
			continue
		}
		s.steps = append(s.steps, st)
	}
	return s, nil
}

// read takes the words between a step's verb and its values.
func (st *step) read(words []string) error {
	var err error
	take := func(what string) string {
		if len(words) == 0 {
			if err == nil {
				err = fmt.Errorf("requires %s", what)
			}
			return ""
		}
		word := words[0]
		words = words[1:]
		return word
	}
	number := func(what string) int {
		word := take(what)
		if err != nil {
			return 0
		}
		var n int
		n, err = strconv.Atoi(word)
		return n
	}
	maybe := func(word string) bool {
		if len(words) == 0 || words[0] != word {
			return false
		}
		words = words[1:]
		return true
	}
	switch st.verb {
	case "device":
		st.given, err = pairs(words)
		return err
	case "launch":
		if st.name = take("a kernel"); err == nil {
			st.given, err = pairs(words)
		}
		return err
	case "buffer":
		st.name, st.typ, st.n = take("a name"), take("an element type"), number("a length")
		st.other = maybe("elsewhere")
	case "offsets":
		st.name, st.typ = take("a name"), take("an element type")
		take("the word of")
		st.n = number("the number of entries")
	case "columns":
		st.name = take("a name")
		take("the word of")
		st.n = number("the number of columns")
	case "slice":
		st.name, st.source, st.lo, st.hi = take("a name"), take("a buffer"), number("a first element"), number("an end")
	case "write":
		st.name = take("a name")
		take("the word from")
		st.lo = number("a first element")
	case "copy":
		st.name, st.source = take("a name"), take("a buffer")
	case "close":
		st.name = take("a name")
	case "want":
		st.name = take("a name")
		if maybe("within") {
			bound := take("a bound")
			if err == nil {
				st.within, err = strconv.ParseFloat(bound, 64)
			}
		}
	default:
		return fmt.Errorf("no step %q", st.verb)
	}
	if err == nil && len(words) > 0 {
		err = fmt.Errorf("does not end before %q", words[0])
	}
	return err
}

// pairs reads name=value words.
func pairs(words []string) (map[string]string, error) {
	out := map[string]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || out[name] != "" {
			return nil, fmt.Errorf("%q is no name=value, or stands twice", word)
		}
		out[name] = value
	}
	return out, nil
}

// elements reads values: 3, 100*3 for a hundred of them, 0..9 for a rising row.
func elements(text string) ([]string, error) {
	out := []string{}
	for _, word := range strings.Fields(text) {
		if times, value, ok := strings.Cut(word, "*"); ok {
			n, err := strconv.Atoi(times)
			if err != nil {
				return nil, err
			}
			for range n {
				out = append(out, value)
			}
			continue
		}
		if first, last, ok := strings.Cut(word, ".."); ok {
			lo, err := strconv.Atoi(first)
			if err != nil {
				return nil, err
			}
			hi, err := strconv.Atoi(last)
			if err != nil {
				return nil, err
			}
			for i := lo; i <= hi; i++ {
				out = append(out, strconv.Itoa(i))
			}
			continue
		}
		out = append(out, word)
	}
	return out, nil
}
