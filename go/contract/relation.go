package contract

// Relation is one comparison of two expressions.
type Relation struct {
	Left  Expr
	Op    string // ">=", ">", "<=", "<", "==" or "!="
	Right Expr
}

func (r *Relation) String() string { return r.Left.String() + " " + r.Op + " " + r.Right.String() }

// Check returns nil if the relation holds, else what is wrong with it. A side that cannot be
// computed is a violation too; its cause is what errors.As finds in it.
func (r *Relation) Check(env Env) *Violation {
	left, err := r.Left.Eval(env)
	if err != nil {
		return &Violation{Relation: r.String(), Overflow: true, Err: err}
	}
	right, err := r.Right.Eval(env)
	if err != nil {
		return &Violation{Relation: r.String(), Overflow: true, Err: err}
	}
	if r.holds(left, right) {
		return nil
	}
	return &Violation{Relation: r.String(), Left: left, Right: right}
}

func (r *Relation) holds(left, right uint64) bool {
	switch r.Op {
	case ">=":
		return left >= right
	case ">":
		return left > right
	case "<=":
		return left <= right
	case "<":
		return left < right
	case "==":
		return left == right
	default:
		return left != right
	}
}

// Lengths says how long a buffer must be, beside the length that the contract names.
type Lengths uint8

// The modes of Lengths.
const (
	AtLeast Lengths = iota // what a kernel needs
	Exact                  // what a public function asks for, so that a mistake shows
)

// Hold says whether a buffer of have elements is long enough for a contract that names want.
func (l Lengths) Hold(have, want uint64) bool {
	return have == want || have > want && l == AtLeast
}

// String is the comparison: ">=" or "==".
func (l Lengths) String() string {
	if l == Exact {
		return "=="
	}
	return ">="
}
