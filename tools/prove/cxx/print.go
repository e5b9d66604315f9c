package cxx

import (
	"fmt"
	"strings"
)

// Types and expressions as they stood.

// args prints template arguments.
func args(list []Arg) string {
	var out []string
	for _, a := range list {
		out = append(out, a.String())
	}
	return "<" + strings.Join(out, ", ") + ">"
}

// String prints the argument.
func (a Arg) String() string {
	if a.Type != nil {
		return a.Type.String()
	}
	return Print(a.Expr)
}

// String prints the type.
func (t *Type) String() string {
	out := ""
	if t.Const {
		out = "const "
	}
	if t.Decltype != nil {
		out += "decltype(" + Print(t.Decltype) + ")"
	}
	out += path(t.Path) + strings.Repeat("*", t.Pointer)
	if t.Ref {
		out += "&"
	}
	if t.Pack {
		out += "..."
	}
	return out
}

func path(parts []Part) string {
	var out []string
	for _, p := range parts {
		s := p.Name
		if p.Has {
			s += args(p.Args)
		}
		out = append(out, s)
	}
	return strings.Join(out, "::")
}

func prints(list []Expr) string {
	var out []string
	for _, e := range list {
		out = append(out, Print(e))
	}
	return strings.Join(out, ", ")
}

// Print writes an expression as it stood, with parentheses where operators meet.
func Print(e Expr) string {
	nested := func(x Expr) string {
		switch x.(type) {
		case *Binary, *Cond:
			return "(" + Print(x) + ")"
		}
		return Print(x)
	}
	switch e := e.(type) {
	case *Number:
		return e.Text
	case *Text:
		return `"..."`
	case *Word:
		return e.Name
	case *Name:
		return path(e.Path)
	case *Member:
		return nested(e.X) + "." + path([]Part{e.Name})
	case *Call:
		return nested(e.Fn) + "(" + prints(e.Args) + ")"
	case *Braces:
		if e.Type == nil {
			return "{" + prints(e.Args) + "}"
		}
		return e.Type.String() + "{" + prints(e.Args) + "}"
	case *Construct:
		return e.Type.String() + "(" + prints(e.Args) + ")"
	case *Index:
		return nested(e.X) + "[" + Print(e.I) + "]"
	case *Unary:
		if e.Post {
			return nested(e.X) + e.Op
		}
		return e.Op + nested(e.X)
	case *Binary:
		return nested(e.X) + " " + e.Op + " " + nested(e.Y)
	case *Cond:
		return nested(e.C) + " ? " + Print(e.X) + " : " + Print(e.Y)
	case *Cast:
		return "static_cast<" + e.Type.String() + ">(" + Print(e.X) + ")"
	case *SizeOf:
		if e.Type != nil {
			return "sizeof(" + e.Type.String() + ")"
		}
		return "sizeof(" + Print(e.X) + ")"
	case *Lambda:
		return "[&](...) {...}"
	case *Expand:
		return Print(e.X) + "..."
	}
	return fmt.Sprintf("%T", e)
}
