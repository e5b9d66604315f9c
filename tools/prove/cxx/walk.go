package cxx

// Walk calls f with every expression below a statement or an expression, that one included. Where f says no, it goes no deeper.
func Walk(at any, f func(Expr) bool) {
	if x, ok := at.(Expr); ok {
		if expression(x) && !f(x) {
			return
		}
	}
	for _, c := range children(at) {
		Walk(c, f)
	}
}

func expression(x any) bool {
	switch x.(type) {
	case *Number, *Text, *Word, *Name, *Member, *Call, *Braces, *Index, *Unary, *Binary, *Cond, *Cast, *Construct, *SizeOf, *Lambda, *Expand:
		return true
	}
	return false
}

// children are what stands directly below.
func children(at any) []any {
	var out []any
	add := func(list ...Expr) {
		for _, x := range list {
			if x != nil {
				out = append(out, x)
			}
		}
	}
	statement := func(s Stmt) {
		if s != nil {
			out = append(out, s)
		}
	}
	switch x := at.(type) {
	case *Block:
		for _, s := range x.List {
			out = append(out, s)
		}
	case *Decls:
		for _, d := range x.List {
			add(d.Args...)
			add(d.Size)
		}
	case *If:
		add(x.Cond)
		statement(x.Then)
		statement(x.Else)
	case *For:
		statement(x.Init)
		add(x.Cond, x.Step)
		statement(x.Body)
	case *RangeFor:
		add(x.Range)
		statement(x.Body)
	case *Return:
		add(x.X)
	case *Do:
		add(x.X)
	case Asserted:
		add(x.Cond)
	case *Member:
		add(x.X)
	case *Call:
		add(x.Fn)
		add(x.Args...)
	case *Braces:
		add(x.Args...)
	case *Construct:
		add(x.Args...)
	case *Index:
		add(x.X, x.I)
	case *Unary:
		add(x.X)
	case *Binary:
		add(x.X, x.Y)
	case *Cond:
		add(x.C, x.X, x.Y)
	case *Cast:
		add(x.X)
	case *Lambda:
		out = append(out, x.Body)
	case *Expand:
		add(x.X)
	}
	return out
}
