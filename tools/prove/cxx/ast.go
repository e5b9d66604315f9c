// Package cxx reads the C++ of the device vocabulary: classes, their members and the code in them, as trees.
//
// It knows the language that cuda/include/ww is written in, no more. What it does not know is an error with file,
// line and column; nothing is passed over. Preprocessor conditions on WW_EMU take the compiler's side.
package cxx

import "github.com/warpwright/warpwright/tools/internal/source"

// Place is where something stands.
type Place struct {
	File   *source.File
	Offset int
}

// Line is the line of the place.
func (p Place) Line() int { return p.File.Line(p.Offset) }

// Errorf makes an error at the place.
func (p Place) Errorf(format string, args ...any) error {
	return p.File.Errorf(p.Offset, format, args...)
}

// Unit is what a set of headers declares.
type Unit struct {
	Classes   []*Class
	Functions []*Function
	Aliases   []*Alias
	Consts    []*Const // variable templates too
	Concepts  []*Concept
}

// Class is a class or struct: a template, one of its specialisations, or neither.
type Class struct {
	Place
	Name     string
	Head     []TemplateParam
	Args     []Arg // what a specialisation is for; nil for the template itself
	Special  bool
	Outer    *Class
	Bases    []*Type
	Fields   []*Field
	Methods  []*Function
	Classes  []*Class
	Aliases  []*Alias
	Consts   []*Const
	Asserts  []*Assert
	Inherits bool // the constructors of its base
	Defined  bool
}

// String is the class as its declaration names it: Part<D, N, Whole>.
func (c *Class) String() string {
	name := c.Name
	switch {
	case c.Special:
		name += args(c.Args)
	case c.Head != nil:
		var out []Arg
		for _, p := range c.Head {
			out = append(out, Arg{Type: &Type{Path: []Part{{Name: p.Name}}, Pack: p.Pack}})
		}
		name += args(out)
	}
	if c.Outer != nil {
		return c.Outer.String() + "::" + name
	}
	return name
}

// TemplateParam is a parameter of a template head.
type TemplateParam struct {
	Place
	Name    string
	Type    *Type // of a value; nil for a type
	Pack    bool
	Default *Arg
}

// Field is a data member.
type Field struct {
	Place
	Name   string
	Type   *Type
	Size   Expr // of an array
	Public bool
}

// Concept is a concept, with the tokens of what it asks.
type Concept struct {
	Place
	Name, Text string
}

// Alias is using Name = Type.
type Alias struct {
	Place
	Head []TemplateParam
	Name string
	Type *Type
}

// Const is a static constexpr member or a constexpr variable.
type Const struct {
	Place
	Head  []TemplateParam
	Args  []Arg // of a specialisation
	Type  *Type
	Name  string
	Value Expr
	End   int // the offset behind the value
}

// Assert is a static_assert.
type Assert struct {
	Place
	Cond Expr
	Text string
}

// Function is a function, method, constructor or operator.
type Function struct {
	Place
	Name       string // operator[], operator(), and operator of a conversion, which has a Result alone
	Class      *Class
	Head       []TemplateParam
	Requires   Expr
	Static     bool
	Public     bool
	Ctor       bool
	Conversion bool
	Deleted    bool
	Params     []Param
	Result     *Type
	Inits      []Init
	Body       *Block // nil if it is declared only
}

// Param is a parameter of a function.
type Param struct {
	Place
	Type *Type
	Name string
}

// Init is a member's value in a constructor.
type Init struct {
	Place
	Name string
	Args []Expr
}

// Type is a type as it is written.
type Type struct {
	Place
	Const    bool
	Path     []Part // std :: conditional_t<...>; nil with Decltype
	Decltype Expr
	Pointer  int
	Ref      bool
	Pack     bool
	Held     bool // a concept before auto
}

// Part is one name of a path.
type Part struct {
	Name string
	Args []Arg
	Has  bool // angle brackets
}

// Arg is a template argument: a type, or an expression. A plain name is a Type in either case.
type Arg struct {
	Type *Type
	Expr Expr
}

// Expr is an expression.
type Expr interface{ At() Place }

// At is the place itself.
func (p Place) At() Place { return p }

type (
	// Number is a literal.
	Number struct {
		Place
		Text string
	}
	// Text is a string literal.
	Text struct{ Place }
	// Word is true, false, nullptr or this.
	Word struct {
		Place
		Name string
	}
	// Name is a name with all that qualifies it.
	Name struct {
		Place
		Path []Part
	}
	// Member is x.name or x->name.
	Member struct {
		Place
		X    Expr
		Name Part
	}
	// Call is f(args).
	Call struct {
		Place
		Fn   Expr
		Args []Expr
	}
	// Braces is T{args}, or {args} without a type.
	Braces struct {
		Place
		Type *Type
		Args []Expr
	}
	// Index is x[i].
	Index struct {
		Place
		X, I Expr
	}
	// Unary is an operator before its operand, or ++ and -- behind it.
	Unary struct {
		Place
		Op   string
		X    Expr
		Post bool
	}
	// Binary is an operator between its operands, assignments too.
	Binary struct {
		Place
		Op   string
		X, Y Expr
	}
	// Cond is c ? x : y.
	Cond struct {
		Place
		C, X, Y Expr
	}
	// Cast is static_cast<T>(x) and reinterpret_cast<T>(x).
	Cast struct {
		Place
		Reinterpret bool
		Type        *Type
		X           Expr
	}
	// Construct is typename T(args) and decltype(e)(args), whose type no name can be.
	Construct struct {
		Place
		Type *Type
		Args []Expr
	}
	// SizeOf is sizeof of a type or of an expression; both may be asked when a name could be either.
	SizeOf struct {
		Place
		Type *Type
		X    Expr
		Pack string // of sizeof...(name)
	}
	// Lambda is [&](params) { body }.
	Lambda struct {
		Place
		Params []Param
		Body   *Block
	}
	// Expand is e... or a fold (e, ...).
	Expand struct {
		Place
		X Expr
	}
)

// Stmt is a statement.
type Stmt interface{ At() Place }

type (
	// Block is { ... }.
	Block struct {
		Place
		End  int // the offset of }
		List []Stmt
	}
	// Decl declares one variable.
	Decl struct {
		Place
		Constexpr bool
		Type      *Type
		Name      string
		Size      Expr // of an array
		Args      []Expr
		Assigned  bool     // = e, where Args is e
		Names     []string // of auto [x, y] = e
	}
	// Decls are the variables of one declaration.
	Decls struct {
		Place
		List []*Decl
	}
	// If is if and if constexpr.
	If struct {
		Place
		Constexpr  bool
		Cond       Expr
		Then, Else Stmt
	}
	// For is for (init; cond; step) body.
	For struct {
		Place
		Init Stmt
		Cond Expr
		Step Expr
		Body Stmt
	}
	// RangeFor is for (auto name : range) body.
	RangeFor struct {
		Place
		Type  *Type
		Name  string
		Names []string
		Range Expr
		Body  Stmt
	}
	// Return is return e.
	Return struct {
		Place
		X Expr
	}
	// Do is an expression as a statement.
	Do struct {
		Place
		X Expr
	}
	// Extern is a declaration of what is defined elsewhere; no code that is read into may come to it.
	Extern struct{ Place }
	// Using is an alias inside a function.
	Using struct{ *Alias }
	// Asserted is a static_assert inside a function.
	Asserted struct{ *Assert }
)

// At is where the alias stands.
func (u Using) At() Place { return u.Place }

// At is where the assertion stands.
func (a Asserted) At() Place { return a.Place }
