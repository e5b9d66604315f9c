package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestDocs runs every example of docs/contracts.md: a relation or an expression, values, the verdict.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "contracts.md"))
	if err != nil {
		t.Fatal(err)
	}
	boxes := strings.Split(string(text), "```contract\n")[1:]
	if len(boxes) < 15 {
		t.Fatalf("only %d examples", len(boxes))
	}
	for _, box := range boxes {
		box, _, _ := strings.Cut(box, "```")
		head, want, ok := strings.Cut(box, "verdict")
		if !ok {
			t.Errorf("no verdict:\n%s", box)
			continue
		}
		env := Env{}
		var relation, expression string
		for _, line := range strings.Split(strings.TrimSpace(head), "\n") {
			switch key, rest, _ := strings.Cut(line, " "); key {
			case "relation":
				relation = strings.TrimSpace(rest)
			case "expression":
				expression = strings.TrimSpace(rest)
			case "values":
				if err := values(env, rest); err != nil {
					t.Errorf("%v:\n%s", err, box)
				}
			default:
				t.Errorf("no part of an example: %q", line)
			}
		}
		got := judge(relation, expression, env)
		if lines := strings.Join(strings.Fields(got), " "); lines != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%s\ngives   %s", box, got)
		} else if strings.Contains(got, "\n") && !strings.Contains(want, strings.ReplaceAll(got, "\n", "\n  ")) {
			t.Errorf("%s\nthe caret stands elsewhere:\n%s", box, got)
		}
	}
}

// judge is the verdict.
func judge(relation, expression string, env Env) string {
	if expression != "" {
		e, err := Parse(expression)
		if err != nil {
			return err.Error()
		}
		v, err := e.Eval(env)
		if err != nil {
			return err.Error()
		}
		return strconv.FormatUint(v, 10)
	}
	r, err := ParseRelation(relation)
	if err != nil {
		return err.Error()
	}
	if r.Op == Aligned || r.Op == Disjoint { // examples leave out what does not matter
		for _, name := range r.Names() {
			if _, ok := env[name]; !ok {
				env[name] = 1
			}
		}
	}
	v := r.Check(env)
	if v == nil {
		return "holds"
	}
	_, says, _ := strings.Cut(v.Error(), v.Relation+": ")
	return says
}

// values reads "M = 16, K = 2^32, addr(x) = 0x1000".
func values(env Env, text string) error {
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		power, isPower := strings.CutPrefix(strings.TrimSpace(value), "2^")
		if !isPower {
			power = strings.TrimSpace(value)
		}
		n, err := strconv.ParseUint(power, 0, 64)
		if err != nil || !ok {
			return fmt.Errorf("no value: %q", part)
		}
		if isPower {
			n = 1 << n
		}
		env[strings.TrimSpace(name)] = n
	}
	return nil
}
