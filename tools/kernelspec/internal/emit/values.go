package emit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

// extents writes the function that reads the extents off the arguments.
func (l *launcher) extents() {
	var results, values []string
	for _, x := range l.k.Extents {
		results = append(results, l.vars[x.Name])
		values = append(values, l.extentValue(x))
	}
	if len(l.handles()) == 0 {
		return
	}
	l.f("\n// extents reads the extents off the arguments.\n")
	l.f("func (a *%s) extents() (%s uint64, err error) {\n", l.typ, strings.Join(results, ", "))
	zeros := strings.Repeat("0, ", len(results))
	for _, p := range l.handles() {
		l.f("if a.%s == nil {\nreturn %slaunch.Missing(%q, %q)\n}\n", goName(p.Name), zeros, l.k.Name, p.Name)
	}
	l.f("return %s, nil\n}\n", strings.Join(values, ", "))
}

// extentValue is the expression that gives an extent its value.
func (l *launcher) extentValue(x *family.Extent) string {
	field := "a." + goName(x.From.Name)
	switch {
	case x.From.Validated != "":
		return carried(x.From, x.Place)
	case x.From.Kind == family.Dim:
		return field
	case x.From.Kind == family.Cells:
		return "a." + goName(x.Name)
	default:
		return "uint64(" + field + ".Len())"
	}
}

// carried is the call that returns what a handle carries; package valid has these methods.
func carried(p *family.Param, place int) string {
	method := "Entries"
	switch {
	case p.Validated == "permutation":
		method = "Len"
	case place == 0 && p.Validated == "offsets":
		method = "Rows"
	case place == 0:
		method = "Columns"
	}
	return "a." + goName(p.Name) + "." + method + "()"
}

// readExtents writes the locals of those extents that text, the code after it, mentions. Where there are
// handles, one may be missing: failed are the results before the error that the function then returns, or
// ignore. always asks for the handles' check even where no extent is mentioned.
func (l *launcher) readExtents(failed, text string, always bool) {
	var names []string
	any := false
	for _, x := range l.k.Extents {
		name := l.vars[x.Name]
		if !mentions(text, name) {
			name = "_"
		} else {
			any = true
			if len(l.handles()) == 0 {
				l.f("%s := %s\n", name, l.extentValue(x))
			}
		}
		names = append(names, name)
	}
	switch {
	case len(l.handles()) == 0:
	case any && failed == ignore:
		l.f("%s, _ := a.extents() // check has found the handles\n", strings.Join(names, ", "))
	case any:
		l.f("%s, err := a.extents()\nif err != nil {\nreturn %serr\n}\n", strings.Join(names, ", "), failed)
	case always:
		l.f("if %s, err := a.extents(); err != nil {\nreturn %serr\n}\n", strings.Join(names, ", "), failed)
	}
}

// ignore stands for the results before an error that cannot be.
const ignore = "ignore"

// mentions says that Go text has a word.
func mentions(text, word string) bool {
	word = " " + word + " "
	return strings.Contains(" "+strings.Map(func(r rune) rune {
		if r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return ' '
	}, text)+" ", word)
}

// expr prints an expression as Go; arith is set if it uses the checked arithmetic c.
func (l *launcher) expr(e contract.Expr, arith *bool) string {
	if contract.Names(e) == nil {
		if n, err := e.Eval(nil); err == nil {
			return strconv.FormatUint(n, 10)
		}
	}
	switch e := e.(type) {
	case contract.Buffer:
		return l.bufferRange(l.param(string(e))) + ".Lo"
	case contract.Name:
		return l.value(string(e))
	case *contract.Binary:
		*arith = true
		name := map[byte]string{'+': "Add", '-': "Sub", '*': "Mul", '/': "Div", '%': "Mod"}[e.Op]
		return fmt.Sprintf("c.%s(%s, %s)", name, l.expr(e.X, arith), l.expr(e.Y, arith))
	case *contract.Call:
		name := e.Func
		if name == "cdiv" || name == "align" {
			*arith = true
			name = map[string]string{"cdiv": "c.CeilDiv", "align": "c.Align"}[name]
		}
		return fmt.Sprintf("%s(%s, %s)", name, l.expr(e.X, arith), l.expr(e.Y, arith))
	}
	return e.String()
}

// value is what a name of an expression is in Go.
func (l *launcher) value(name string) string {
	if v, ok := l.vars[name]; ok {
		return v
	}
	switch name {
	case "sms":
		return "uint64(d.Info().Multiprocessors)"
	case "block", "block.x", "block.y", "block.z":
		return strconv.FormatUint(l.k.Env(l.k.Instances[0])[name], 10)
	}
	if of, ok := strings.CutPrefix(name, "len("); ok {
		p := l.param(strings.TrimSuffix(of, ")"))
		if p.Validated != "" {
			return "uint64(a." + goName(p.Name) + ".Slice().Len())"
		}
		return "uint64(a." + goName(p.Name) + ".Len())"
	}
	if of, ok := strings.CutPrefix(name, "addr("); ok {
		return l.bufferRange(l.param(strings.TrimSuffix(of, ")"))) + ".Lo"
	}
	if of, ok := strings.CutPrefix(name, "sizeof("); ok {
		return l.size(l.param(strings.TrimSuffix(of, ")")).Elem)
	}
	if of, x, ok := strings.Cut(name, "."); ok {
		p := l.param(of)
		return carried(p, slices.Index(p.Carries, x))
	}
	return "uint64(a." + goName(name) + ")" // an integer parameter or an unsigned scalar
}

func (l *launcher) param(name string) *family.Param {
	i := slices.IndexFunc(l.k.Params, func(p *family.Param) bool { return p.Name == name })
	return l.k.Params[i]
}

// size is the Go expression of an element's bytes.
func (l *launcher) size(e family.Elem) string {
	if t, ok := l.fixed(e); ok {
		return strconv.Itoa(t.Size())
	}
	if e.Acc && l.accs[e.Param] == "" { // shared memory only
		return "uint64(dtype.Of[" + e.Param + "]().Accumulator().Size())"
	}
	return "launch.Size[" + l.goElem(e) + "]()"
}

// operand is a side of a relation, typed even if it is a number.
func (l *launcher) operand(e contract.Expr, arith *bool) string {
	s := l.expr(e, arith)
	if _, err := strconv.ParseUint(s, 10, 64); err == nil {
		return "uint64(" + s + ")"
	}
	return s
}

func opposite(op string) string {
	return map[string]string{">=": "<", ">": "<=", "<=": ">", "<": ">=", "==": "!=", "!=": "=="}[op]
}

// product prints a number of each instance in plain arithmetic: it is small in all of them.
func (l *launcher) product(e contract.Expr) string {
	switch e := e.(type) {
	case contract.Name:
		return l.value(string(e))
	case *contract.Binary:
		return fmt.Sprintf("(%s %c %s)", l.product(e.X), e.Op, l.product(e.Y))
	}
	return e.String()
}
