package sass

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Error is a line that is not understood.
type Error struct {
	Line int
	Text string
	Why  string
}

func (e *Error) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Why)
	}
	return fmt.Sprintf("line %d: %s: %q", e.Line, e.Why, e.Text)
}

// Every instruction of these architectures has 16 bytes.
const step = 16

// ReadFile reads the listing in a file.
func ReadFile(name string) ([]*Function, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	functions, err := Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return functions, nil
}

// Parse reads a listing. Its functions come in the order of the listing.
func Parse(r io.Reader) ([]*Function, error) {
	p := parser{types: map[string]bool{}}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		p.line++
		if err := p.read(in.Text()); err != nil {
			return nil, err
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", p.line+1, err)
	}
	if err := p.endSection(); err != nil {
		return nil, err
	}
	if !p.target {
		return nil, fmt.Errorf("no .target line: not what nvdisasm -c prints")
	}
	return p.functions, nil
}

type parser struct {
	line      int
	target    bool
	kernel    string          // of the section being read
	types     map[string]bool // names that .type calls functions
	code      []Instruction   // of the section
	labels    map[string]int  // of the section: the index of the instruction that follows
	starts    []start         // of the section
	functions []*Function
}

// start is where a function of the section begins.
type start struct {
	name  string
	line  int
	index int
}

var (
	instructionLine = regexp.MustCompile(`^\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s*$`)
	labelLine       = regexp.MustCompile(`^([.$A-Za-z_][\w.$]*):$`)
	directiveLine   = regexp.MustCompile(`^\s+\.(\w+)\s*(.*)$`)
	opcodeText      = regexp.MustCompile(`^(?:@(!?U?P[0-9T]+)\s+)?([A-Z][A-Z0-9_]*)((?:\.[A-Za-z0-9_]+)*)(?:\s+(.*))?$`)
	labelOperand    = regexp.MustCompile("`\\(([^()`]+)\\)")
	branchTargets   = regexp.MustCompile(`\(\*"BRANCH_TARGETS ([^"]*)"\*\)`)
)

func (p *parser) errorf(text, format string, args ...any) error {
	return &Error{Line: p.line, Text: strings.TrimSpace(text), Why: fmt.Sprintf(format, args...)}
}

func (p *parser) read(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return nil
	case strings.HasPrefix(text, "//---"): // begins a section, or the symbols at the end
		return p.endSection()
	}
	if m := instructionLine.FindStringSubmatch(text); m != nil {
		return p.instruction(text, m[1], m[2])
	}
	if m := labelLine.FindStringSubmatch(text); m != nil {
		return p.label(text, m[1])
	}
	if m := directiveLine.FindStringSubmatch(text); m != nil {
		return p.directive(text, m[1], m[2])
	}
	return p.errorf(text, "neither an instruction nor a label nor a directive")
}

func (p *parser) directive(text, name, rest string) error {
	switch name {
	case "target":
		arch := strings.TrimSpace(rest)
		switch arch {
		case "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a":
			p.target = true
			return nil
		}
		return p.errorf(text, "architecture %s is not one of sm_75 to sm_90", arch)
	case "section":
		section, _, _ := strings.Cut(rest, ",")
		kernel, isCode := strings.CutPrefix(section, ".text.")
		if !isCode {
			return p.errorf(text, "section %s is no code: want the output of nvdisasm -c", section)
		}
		p.kernel, p.labels = kernel, map[string]int{}
		return nil
	case "type":
		symbol, what, _ := strings.Cut(rest, ",")
		if what == "@function" {
			p.types[symbol] = true
		}
		return nil
	case "elftype", "headerflags", "sectioninfo", "sectionflags", "sectionentsize", "align", "global", "weak", "local", "size", "other":
		return nil
	}
	return p.errorf(text, "directive .%s is not known", name)
}

func (p *parser) label(text, name string) error {
	if p.kernel == "" {
		return p.errorf(text, "a label outside a section")
	}
	if name == ".text."+p.kernel {
		return nil
	}
	if _, twice := p.labels[name]; twice {
		return p.errorf(text, "label %s stands twice", name)
	}
	p.labels[name] = len(p.code)
	switch {
	case p.types[name]:
		p.starts = append(p.starts, start{name, p.line, len(p.code)})
	case !strings.HasPrefix(name, ".L"):
		return p.errorf(text, "label %s is neither a function's nor a place in one", name)
	}
	return nil
}

func (p *parser) instruction(text, address, code string) error {
	if len(p.starts) == 0 {
		return p.errorf(text, "an instruction outside a function")
	}
	at, err := strconv.ParseUint(address, 16, 64)
	if err != nil {
		return p.errorf(text, "address: %v", err)
	}
	if want := uint64(step * len(p.code)); at != want {
		return p.errorf(text, "address %#x, expected %#x", at, want)
	}
	m := opcodeText.FindStringSubmatch(code)
	if m == nil {
		return p.errorf(text, "not an instruction")
	}
	i := Instruction{Address: at, Line: p.line, Guard: m[1], Op: m[2]}
	if m[3] != "" {
		i.Mods = strings.Split(m[3][1:], ".")
	}
	switch kindOf(i.Op) {
	case unknown:
		return p.errorf(text, "opcode %s is not known", i.Op)
	case notMine:
		return p.errorf(text, "where %s leads is not known", i.Op)
	}
	operands := m[4]
	if t := branchTargets.FindStringSubmatch(operands); t != nil {
		i.Targets = strings.Split(t[1], ",")
		operands = branchTargets.ReplaceAllString(operands, "")
	}
	for _, t := range labelOperand.FindAllStringSubmatch(operands, -1) {
		i.Targets = append(i.Targets, t[1])
	}
	if i.Operands, err = split(labelOperand.ReplaceAllString(operands, "")); err != nil {
		return p.errorf(text, "%v", err)
	}
	if accessKinds(i.Op) != nil {
		if _, _, err := i.width(); err != nil {
			return p.errorf(text, "%v", err)
		}
	}
	p.code = append(p.code, i)
	return nil
}

// split cuts operands at the commas outside brackets and drops empty ones, where a label stood.
func split(text string) ([]string, error) {
	var operands []string
	depth, from := 0, 0
	add := func(to int) {
		operand := strings.TrimSuffix(strings.TrimSpace(text[from:to]), ".reuse")
		if operand != "" {
			operands = append(operands, operand)
		}
		from = to + 1
	}
	for at, c := range text {
		switch c {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',':
			if depth == 0 {
				add(at)
			}
		case '`', '"', '{', '}', '@':
			return nil, fmt.Errorf("%q in an operand is not known", c)
		}
		if depth < 0 {
			return nil, fmt.Errorf("%q closes nothing", c)
		}
	}
	if depth != 0 {
		return nil, fmt.Errorf("a bracket stays open")
	}
	add(len(text))
	return operands, nil
}

// endSection makes functions of the code that was read.
func (p *parser) endSection() error {
	for n, s := range p.starts {
		end := len(p.code)
		if n+1 < len(p.starts) {
			end = p.starts[n+1].index
		}
		f := &Function{Name: s.name, Kernel: p.kernel, Line: s.line}
		if err := blocks(f, p.code[s.index:end], p.labels, s.index); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		p.functions = append(p.functions, f)
	}
	if len(p.starts) > 0 && !slices.ContainsFunc(p.starts, func(s start) bool { return s.name == p.kernel }) {
		return &Error{Line: p.starts[0].line, Why: fmt.Sprintf("section .text.%s has no function %s", p.kernel, p.kernel)}
	}
	p.kernel, p.code, p.labels, p.starts = "", nil, nil, nil
	return nil
}
