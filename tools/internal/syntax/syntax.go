// Package syntax reads what is declared for kernelspec: WW_KERNEL functions in kernel sources, and
// WW_VIEW and WW_TAG rows in the device vocabulary. It knows forms, not meanings: package family
// says what a clause or a type stands for.
package syntax

import (
	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/internal/source"
)

// Word is a name or number and its place.
type Word struct {
	Text   string
	Offset int
}

// Text is a piece of a clause that holds an expression or relation; comments are blanked out.
type Text struct {
	Text   string
	Offset int
}

// Kernel is one WW_KERNEL function.
type Kernel struct {
	File       *source.File
	Offset     int    // of WW_KERNEL
	Doc        string // the comment before it, without comment signs
	Annotation Annotation
	Template   []TemplateParam
	Name       Word
	Params     []Param
	Tokens     []string // annotation and signature, for the contract hash
	Body       []source.Token
}

// Annotation is what WW_KERNEL(...) says.
type Annotation struct {
	Block, Grid []Text
	Types       []TypeList
	Requires    []Text
	Archs       []Word
	Exceptions  []Exception
	Unchecked   *Word // the reason, at the clause's place; nil without the clause
	Prefers     []Prefer
}

// Prefer is prefer(NAME: fact, ...).
type Prefer struct {
	Offset int // of the clause
	Name   Word
	Facts  []Fact
}

// Fact is one fact of a prefer clause: a call of a name, or a relation, which has no Func.
type Fact struct {
	Text
	Func Word
	Args []Text
}

// TypeList is one parameter of types(...) with its values.
type TypeList struct {
	Name   Word
	Values []Word
}

// Exception is except(rule, "reason").
type Exception struct {
	Rule   Word
	Reason string
}

// TemplateParam is a parameter of the template head: class NAME or int NAME.
type TemplateParam struct {
	Word
	Int bool
}

// Param is a parameter of the function.
type Param struct {
	Name Word
	Type *Type
}

// Type is a type or a template argument: a name, a name with arguments, or an expression.
type Type struct {
	Offset int
	Name   string        // "In", "W"; empty for an expression
	Args   []*Type       // of a template
	Expr   contract.Expr // BLOCK / 32, 8; nil for a type
}

// String prints the type as C++ has it.
func (t *Type) String() string {
	if t.Expr != nil {
		return t.Expr.String()
	}
	out := t.Name
	for i, a := range t.Args {
		if i == 0 {
			out += "<" + a.String()
		} else {
			out += ", " + a.String()
		}
	}
	if t.Args != nil {
		out += ">"
	}
	return out
}

// View is one WW_VIEW row.
type View struct {
	File    *source.File
	Offset  int // of WW_VIEW
	Pattern *Type
	Attrs   []Attr
	Tokens  []string // for the contract hash
}

// Attr is one attribute of a WW_VIEW row: in, len(M + 1), index(N: P).
type Attr struct {
	Word
	Args []AttrArg // nil where the attribute has no parentheses
}

// AttrArg is an argument of an attribute. Const is the word before a type, Key what stands before a
// colon.
type AttrArg struct {
	Const bool
	Key   string
	Type  *Type
}

// Vocabulary is what the headers declare.
type Vocabulary struct {
	Views []*View
	Tags  []Word
}
