package syntax

import (
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// Header refuses in a header of a family's own what Kernels refuses in a source, and kernels: those stand
// in .cu files.
func Header(f *source.File) error {
	p, err := newParser(f)
	if err != nil {
		return err
	}
	if err := p.directives(); err != nil {
		return err
	}
	for ; p.peek().Kind != source.End; p.next() {
		if p.peek().Is("WW_KERNEL") {
			return p.fail("WW_KERNEL in a header: kernels stand in .cu files")
		}
		if err := p.allowed(); err != nil {
			return err
		}
	}
	return nil
}

// allowed refuses the next token if it would let device code past the contract. The types of the
// vocabulary refuse most of this themselves; the words are a second net, and keep a reader's eye on what
// no type can see: casts, pointers, macros.
func (p *parser) allowed() error {
	if why := refused(p.toks, p.at); why != "" {
		return p.fail("%s", why)
	}
	return nil
}

// directives looks for the same in preprocessor lines, where a macro would hide it.
func (p *parser) directives() error {
	return p.inDirectives(func(inner []source.Token, i int) string {
		switch w := inner[i]; {
		case w.Is("WW_KERNEL"):
			return "WW_KERNEL in a preprocessor line: kernelspec reads the source as it stands"
		case w.Is("private") || w.Is("protected"):
			return w.Text + " in a preprocessor line: what is a view's own would no longer be"
		case w.Is("#") && inner[i+1].Is("#"):
			return "## in a preprocessor line: it makes words that kernelspec does not see"
		case w.Is("\\"):
			if i > 0 && inner[i-1].Kind == source.Ident && inner[i-1].EndOffset() == w.Offset {
				return "\\ within a word: kernelspec reads the source as it stands"
			}
			return ""
		}
		return refused(inner, i)
	})
}

// inDirectives refuses a token of a preprocessor line for the reason that why gives; it is empty if the token may stand.
func (p *parser) inDirectives(why func(inner []source.Token, i int) string) error {
	for _, t := range p.all {
		if t.Kind != source.Preproc {
			continue
		}
		inner, err := source.NewFile(p.file.Name, t.Text[1:]).Tokens()
		if err != nil {
			continue // #error don't: not C++ tokens, so no code either
		}
		for i, w := range inner {
			if reason := why(inner, i); reason != "" {
				return p.file.Errorf(t.Offset+1+w.Offset, "%s", reason)
			}
		}
	}
	return nil
}

// refused says why token i must not stand in a kernel source; it is empty if it may.
func refused(toks []source.Token, i int) string {
	switch t := toks[i]; t.Kind {
	case source.Ident:
		if t.Text == "ww" && !(i >= 2 && toks[i-2].Is("using") && toks[i-1].Is("namespace") && toks[i+1].Is(";")) {
			return "ww in a kernel source: the vocabulary is used by using namespace ww; and nobody adds to it"
		}
		if t.Text == "Unchecked" && !toks[i+1].Is("&") {
			return "Unchecked in a kernel source: a kernel has it as a parameter and passes it on as const Unchecked&; nobody else makes or names one"
		}
		if initialisesItself(toks, i) {
			return t.Text + " from itself in a kernel source: what is declared here has no value yet, and hides what had one"
		}
		if (t.Text == "struct" || t.Text == "class") && givesValues(toks, i) {
			return "a " + t.Text + " with a constructor, or with a value for a member, in a kernel source: it could be made of members that have no value yet; take it away, and give all members theirs where one is made, as in Pair p{0, 1}"
		}
		if i >= 3 && toks[i-1].Is(":") && toks[i-2].Is(":") && toks[i-3].Is("std") && (t.Text == "array" || t.Text == "span" || t.Text == "data" || t.Text == "to_address") {
			return "std::" + t.Text + " in a kernel source: it has no extent that an index could be below; registers come as Pack or Tile, shared memory as Shared"
		}
		if t.Text == "std" && i > 0 && extended(toks, i) {
			return "std in a kernel source, as a place to declare in: the vocabulary asks it which types are the same, so nobody adds to it"
		}
		if next := toks[i+1:]; t.Text == "this" && (next[0].Is("[") || next[0].Is("+") || next[0].Is("-") && !next[1].Is(">")) {
			return "this with an offset in a kernel source: it reaches memory past the object"
		}
		if why := refusedTerm(toks, i); why != "" {
			return why
		}
		return refusedWord(t.Text)
	case source.Punct:
		return refusedSign(toks, i)
	}
	return ""
}

func refusedWord(word string) string {
	where := word + " in a kernel source: "
	switch word {
	case "__global__", "WW_GLOBAL":
		return where + "a kernel is a function with WW_KERNEL(...) before its template head; its entry is generated"
	case "__shared__":
		return where + "shared memory is a parameter of type Shared<T, n>, so that its size is part of the contract"
	case "WW_VIEW", "WW_TAG":
		return where + "views and tags are declared in the device vocabulary (ww/*.h)"
	case "Mint", "Entry", "Sealed", "Shape", "Facts":
		return where + "indices come from loops and validated arrays, views and shapes from the generated entries"
	case "ThreadIx", "GroupIx", "BlockIx", "RunIx", "CellRun", "Uniform":
		return where + "who owns an index, and what all owners hold alike, is for loops and collectives to say; write auto"
	case "Collective", "Packs", "Span", "Stride", "Indices", "Threads", "Groups", "Blocks", "Runs":
		return where + "it is a part of the vocabulary's own; the functions over it are threads, groups, blocks, runs, each, sum, map and fold"
	case "p_", "v_":
		return where + "what a view or an index holds is its own"
	case "static", "__device__", "__constant__", "__managed__", "thread_local":
		return where + "data outside a launch's arguments is in no contract; a helper function begins with WW_DEV"
	case "begin", "cbegin", "rbegin", "crbegin", "Iterator":
		return where + "an index that no loop has tested may lie outside its extent; write for (auto i : ...)"
	case "reinterpret_cast", "const_cast", "bit_cast", "__builtin_bit_cast", "union", "asm", "__asm__", "dynamic_shared", "copy_beside", "cp_async", "new", "malloc", "alloca",
		"bitand", "memcpy", "memset", "__builtin_memcpy", "__builtin_memset", "addressof", "__builtin_addressof":
		return where + "it reaches memory past the views, which alone keep the contract"
	case "__syncthreads", "__syncwarp", "__activemask", "__any_sync", "__all_sync", "__ballot_sync", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or":
		return where + "what threads do together is a function of the index that they share, such as sum(row, v)"
	}
	if rest, ok := strings.CutPrefix(word, "atomic"); ok && rest != "" && (rest[0] == '_' || 'A' <= rest[0] && rest[0] <= 'Z') {
		return where + "it wants an address; what many threads add to is a parameter Add<T, N> y, and y.add(i, v)"
	}
	if strings.HasPrefix(word, "__shfl_") || strings.HasPrefix(word, "__match_") || strings.HasPrefix(word, "__reduce_") {
		return where + "what threads do together is a function of the index that they share, such as sum(row, v)"
	}
	return ""
}

// refusedSign finds pointers, references and arrays that a source would make itself.
func refusedSign(toks []source.Token, i int) string {
	switch t := toks[i]; t.Text {
	case "\\":
		return "\\ in a kernel source: kernelspec reads the source as it stands"
	case "*", "&":
		if after := toks[i+1]; after.Is(")") || after.Is(">") {
			return t.Text + after.Text + " in a kernel source: a cast to a pointer or a reference reaches memory past the views"
		}
		if t.Text == "*" && i > 0 && pointer(toks, i) {
			return "a pointer in a kernel source: it reaches memory past the views"
		}
		if t.Text == "&" && i > 0 && addressOf(toks, i) {
			return "an address in a kernel source: a pointer reaches memory past the views"
		}
	case "[":
		if i > 0 && toks[i-1].Kind == source.String {
			return "an array in a kernel source: a string has no extent that an index could be below"
		}
		if i >= 2 && toks[i-1].Kind == source.Ident && !toks[i-1].Is("auto") && (endsType(toks[:i-1]) || arrayType(toks, i) || secondDeclared(toks, i-1)) {
			return "an array in a kernel source: it has no extent that an index could be below; registers come as Pack, shared memory as Shared"
		}
	}
	return ""
}

// extended says that the namespace at i is opened, gets another name, or has a member declared: what is specialised has its kind
// or its type before it.
func extended(toks []source.Token, i int) bool {
	switch before := toks[i-1]; before.Text {
	case "namespace":
		return i < 2 || !toks[i-2].Is("using")
	case "=":
		return i >= 3 && toks[i-3].Is("namespace")
	case "struct", "class", "enum", "auto":
		return true
	default:
		return elementType(before)
	}
}

// initialisesItself says that the name at i is declared with a value that is made of itself: Ix<N> i = i, Ix<N> i(f(i)),
// or Pair<Ix<N>, Ix<N>> i{i.second, i.first}.
func initialisesItself(toks []source.Token, i int) bool {
	open := toks[i+1]
	if !declares(toks, i) || !open.Is("=") && !open.Is("(") && !open.Is("{") || open.Is("=") && inHead(toks, i) {
		return false
	}
	depth := 0
	for j := i + 1; j < len(toks); j++ {
		switch t := toks[j]; {
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case t.Is(")") || t.Is("]") || t.Is("}"):
			if depth--; depth < 0 || depth == 0 && !open.Is("=") {
				return false
			}
		case depth == 0 && (t.Is(";") || t.Is(",")):
			return false
		case t.Kind == source.Ident && t.Text == toks[i].Text && !member(toks, j):
			return !declares(toks, j) // else a parameter of the same name
		}
	}
	return false
}

// inHead says that the name at i is a parameter of a template.
func inHead(toks []source.Token, i int) bool {
	depth := 0
	for j := i - 1; j > 0; j-- {
		switch t := toks[j]; {
		case t.Is(">"):
			depth++
		case t.Is("<"):
			if depth--; depth < 0 {
				return toks[j-1].Is("template")
			}
		case t.Is(";") || t.Is("{") || t.Is("}") || t.Is("(") || t.Is(")"):
			return false
		}
	}
	return false
}

// declares says that what precedes the name at i can only be a type, or a type and the & of a reference.
func declares(toks []source.Token, i int) bool {
	if i > 1 && toks[i-1].Is("&") {
		return toks[i-2].Kind == source.Ident && !toks[i-2].Is("return") || toks[i-2].Is(">")
	}
	return i > 0 && endsType(toks[:i])
}

// member says that the name at i is that of a member, behind a point, an arrow or a scope.
func member(toks []source.Token, i int) bool {
	before := toks[i-1]
	return before.Is(".") || before.Is(":") && toks[i-2].Is(":") || before.Is(">") && toks[i-2].Is("-")
}

// givesValues says that the class at i has a constructor, or a member with a value: either may be made of members that have none yet, as
// in S() : i_(j_), j_(i_) {}.
func givesValues(toks []source.Token, i int) bool {
	if i > 0 && (toks[i-1].Is("<") || toks[i-1].Is(",") || toks[i-1].Is("enum")) { // a parameter of a template
		return false
	}
	at := i + 1
	for ; !toks[at].Is("{"); at++ {
		if t := toks[at]; t.Is(";") || t.Is("(") || t.Kind == source.End {
			return false
		}
	}
	depth := 0
	for at++; at+1 < len(toks) && (depth > 0 || !toks[at].Is("}")); at++ {
		switch t, next := toks[at], toks[at+1]; {
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case t.Is(")") || t.Is("]") || t.Is("}"):
			depth--
		case depth > 0 || t.Kind != source.Ident:
		case t.Is("template"):
			for at < len(toks)-1 && !toks[at].Is(">") {
				at++
			}
		case next.Is("("):
			if t.Text == toks[i+1].Text {
				return true
			}
		case (next.Is("=") || next.Is("{")) && declares(toks, at):
			switch before := toks[at-1]; {
			case t.Is("const"), t.Is("noexcept"), t.Is("operator"), before.Is("using"), before.Is("struct"), before.Is("class"), before.Is("enum"):
			default:
				return true
			}
		}
	}
	return false
}

// pointer says that the * at i can only follow a type: auto, an element type or template arguments before it, or
// nothing but a name that begins a statement, as in T* p = ...
func pointer(toks []source.Token, i int) bool {
	before := toks[i-1]
	if before.Is(">") || before.Is("auto") || before.Is("const") || elementType(before) {
		return true
	}
	if i < 2 || before.Kind != source.Ident || toks[i+1].Kind != source.Ident || before.Is("return") {
		return false
	}
	start, end := toks[i-2], toks[i+2]
	return (start.Is(";") || start.Is("{") || start.Is("}")) && (end.Is("=") && !toks[i+3].Is("=") || end.Is(";") || end.Is("{"))
}

// elementType says that a word is a type of the language or an element type: no value has such a name.
func elementType(t source.Token) bool {
	switch t.Text {
	case "void", "bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double",
		"f16", "bf16", "f32", "f64", "i32", "i64", "u8", "u32", "u64":
		return t.Kind == source.Ident
	}
	return false
}

// arrayType says that the [ at i makes an array type of the name before it: f32[4], or using Four = T[4].
func arrayType(toks []source.Token, i int) bool {
	return elementType(toks[i-1]) || i >= 4 && toks[i-2].Is("=") && toks[i-3].Kind == source.Ident && toks[i-4].Is("using")
}

// secondDeclared says that the name at i stands behind a comma that no bracket of its statement encloses: what
// precedes it is a declaration, so it is declared too.
func secondDeclared(toks []source.Token, i int) bool {
	if !toks[i-1].Is(",") {
		return false
	}
	depth := 0
	for j := i - 2; j > 0; j-- {
		switch t := toks[j]; {
		case t.Is(")") || t.Is("]") || t.Is("}"):
			depth++
		case depth > 0:
			if t.Is("(") || t.Is("[") || t.Is("{") {
				depth--
			}
		case t.Is(";"):
			return true
		case t.Is("("), t.Is("["):
			return false
		case t.Is("{"): // of a block or a class, or of values
			before := toks[j-1]
			return before.Is(")") || before.Is(";") || before.Is("{") || before.Is("}") || before.Is("else") || before.Is("do") ||
				j > 1 && (toks[j-2].Is("struct") || toks[j-2].Is("class"))
		}
	}
	return false
}

// addressOf says that the & at i has no left operand; captures of a lambda have none either, but stand in
// its brackets.
func addressOf(toks []source.Token, i int) bool {
	before := toks[i-1]
	if before.Is("&") || toks[i+1].Is("&") { // a && b, or T&& x
		return false
	}
	if before.Kind == source.Ident {
		return before.Is("return")
	}
	if before.Kind != source.Punct || before.Is(")") || before.Is("]") || before.Is(">") {
		return false
	}
	depth := 0
	for j := i - 1; j >= 0; j-- {
		switch {
		case toks[j].Is(")") || toks[j].Is("]") || toks[j].Is("}"):
			depth++
		case toks[j].Is("(") || toks[j].Is("[") || toks[j].Is("{"):
			if depth == 0 {
				return !toks[j].Is("[")
			}
			depth--
		}
	}
	return true
}

// endsType says that tokens end in what can only be a type before a name: another name, or the arguments
// of a template.
func endsType(toks []source.Token) bool {
	last := toks[len(toks)-1]
	if last.Kind == source.Ident {
		switch last.Text {
		case "return", "else", "case", "do", "sizeof":
			return false
		}
		return true
	}
	if !last.Is(">") {
		return false
	}
	depth := 0
	for j := len(toks) - 1; j > 0; j-- {
		switch t := toks[j]; {
		case t.Is(">"):
			depth++
		case t.Is("<"):
			if depth--; depth == 0 {
				return toks[j-1].Kind == source.Ident
			}
		case t.Kind != source.Ident && t.Kind != source.Number && !t.Is(",") && !t.Is(":") && !t.Is("*") && !t.Is("/"):
			return false
		}
	}
	return false
}
