package contract

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
)

// Env gives names their values: "M", "rows.M", "grid.x", "len(x)", "sizeof(x)", and "addr(x)" for the
// address of a buffer's first byte, which Aligned and Disjoint look at.
type Env map[string]uint64

// Expr is an expression: a Number, Name, Binary or Call; or a Buffer, which stands in predicates only.
type Expr interface {
	// String prints the expression with as few parentheses and as much space as the parser's
	// own form has: Parse(e.String()) equals e.
	String() string
	// Eval computes the value. Its errors are *ArithmeticError and *UnknownNameError.
	Eval(Env) (uint64, error)
	precedence() int
}

// Number is a literal.
type Number uint64

// Name stands for a value of the environment.
type Name string

// Buffer is a buffer as such: the operand of Aligned and Disjoint. Its value is where it begins.
type Buffer string

// Binary is X Op Y, Op one of + - * / %.
type Binary struct {
	Op   byte
	X, Y Expr
}

// Call is Func(X, Y), Func one of cdiv, min, max and align.
type Call struct {
	Func string
	X, Y Expr
}

// The causes of an ArithmeticError, matched with errors.Is.
var (
	ErrOverflow = errors.New("the result is above 2^64-1")
	ErrNegative = errors.New("the result is below 0")
	ErrZero     = errors.New("division by zero")
)

// ArithmeticError is an operation whose result is no number of 64 bits.
type ArithmeticError struct {
	Expr        string // the operation: "M * K"
	Left, Right uint64
	Err         error // ErrOverflow, ErrNegative or ErrZero
}

func (e *ArithmeticError) Error() string {
	return fmt.Sprintf("%s with %d and %d: %v", e.Expr, e.Left, e.Right, e.Err)
}

// Unwrap returns the cause.
func (e *ArithmeticError) Unwrap() error { return e.Err }

// UnknownNameError is a name that the environment does not have.
type UnknownNameError struct{ Name string }

func (e *UnknownNameError) Error() string { return fmt.Sprintf("%s has no value", e.Name) }

// Eval returns the number.
func (n Number) Eval(Env) (uint64, error) { return uint64(n), nil }

// Eval looks the name up.
func (n Name) Eval(env Env) (uint64, error) {
	v, ok := env[string(n)]
	if !ok {
		return 0, &UnknownNameError{string(n)}
	}
	return v, nil
}

// Eval looks up where the buffer begins.
func (b Buffer) Eval(env Env) (uint64, error) { return Name("addr(" + string(b) + ")").Eval(env) }

// Eval computes both sides, then the operation.
func (e *Binary) Eval(env Env) (uint64, error) { return eval(env, e, e.X, e.Y, e.apply) }

// Eval computes both arguments, then the function.
func (e *Call) Eval(env Env) (uint64, error) { return eval(env, e, e.X, e.Y, e.apply) }

func eval(env Env, e, left, right Expr, apply func(x, y uint64) (uint64, error)) (uint64, error) {
	x, err := left.Eval(env)
	if err != nil {
		return 0, err
	}
	y, err := right.Eval(env)
	if err != nil {
		return 0, err
	}
	v, err := apply(x, y)
	if err != nil {
		return 0, &ArithmeticError{e.String(), x, y, err}
	}
	return v, nil
}

func (e *Binary) apply(x, y uint64) (uint64, error) {
	switch e.Op {
	case '+':
		sum, carry := bits.Add64(x, y, 0)
		return checked(sum, carry == 0, ErrOverflow)
	case '-':
		diff, borrow := bits.Sub64(x, y, 0)
		return checked(diff, borrow == 0, ErrNegative)
	case '*':
		hi, lo := bits.Mul64(x, y)
		return checked(lo, hi == 0, ErrOverflow)
	}
	if y == 0 {
		return 0, ErrZero
	}
	if e.Op == '/' {
		return x / y, nil
	}
	return x % y, nil
}

func (e *Call) apply(x, y uint64) (uint64, error) {
	switch e.Func {
	case "min":
		return min(x, y), nil
	case "max":
		return max(x, y), nil
	}
	if y == 0 {
		return 0, ErrZero
	}
	q := x / y
	if x%y != 0 {
		q++ // y is 2 or more here, so q has room
	}
	if e.Func == "cdiv" {
		return q, nil
	}
	hi, lo := bits.Mul64(q, y)
	return checked(lo, hi == 0, ErrOverflow)
}

func checked(v uint64, ok bool, err error) (uint64, error) {
	if !ok {
		return 0, err
	}
	return v, nil
}

func (n Number) String() string { return strconv.FormatUint(uint64(n), 10) }

func (n Name) String() string { return string(n) }

func (b Buffer) String() string { return string(b) }

// String prints with the parentheses that the operators' ranks demand.
func (e *Binary) String() string {
	left, right := e.X.String(), e.Y.String()
	if e.X.precedence() < e.precedence() {
		left = "(" + left + ")"
	}
	if e.Y.precedence() <= e.precedence() { // operators of one rank group to the left
		right = "(" + right + ")"
	}
	return left + " " + string(e.Op) + " " + right
}

// String prints func(x, y).
func (e *Call) String() string { return e.Func + "(" + e.X.String() + ", " + e.Y.String() + ")" }

func (n Number) precedence() int { return 3 }
func (n Name) precedence() int   { return 3 }
func (b Buffer) precedence() int { return 3 }
func (e *Call) precedence() int  { return 3 }
func (e *Binary) precedence() int {
	if e.Op == '+' || e.Op == '-' {
		return 1
	}
	return 2
}

// Names returns the names in e, each once, in the order of their first use.
func Names(e Expr) []string { return names(e) }

func names(es ...Expr) []string {
	var out []string
	seen := map[string]bool{}
	use := func(name string) {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	var walk func(Expr)
	walk = func(e Expr) {
		switch e := e.(type) {
		case Name:
			use(string(e))
		case Buffer:
			for _, of := range []string{"addr", "len", "sizeof"} {
				use(of + "(" + string(e) + ")")
			}
		case *Binary:
			walk(e.X)
			walk(e.Y)
		case *Call:
			walk(e.X)
			walk(e.Y)
		}
	}
	for _, e := range es {
		walk(e)
	}
	return out
}

// Replace returns e with each name for which with has an expression replaced by it.
func Replace(e Expr, with map[string]Expr) Expr {
	switch e := e.(type) {
	case Name:
		if r, ok := with[string(e)]; ok {
			return r
		}
	case *Binary:
		return &Binary{e.Op, Replace(e.X, with), Replace(e.Y, with)}
	case *Call:
		return &Call{e.Func, Replace(e.X, with), Replace(e.Y, with)}
	}
	return e
}
