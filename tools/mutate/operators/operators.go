package operators

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// All are the operators, in the order of the table; docs/mutation.md says what each does.
func All() []Operator {
	return []Operator{
		{"swap-arguments", swapArguments},
		{"drop-guard", dropGuard},
		{"initial-value", initialValue},
		{"off-by-one", offByOne},
		{"comparison", comparison},
		{"logic", logic},
		{"arithmetic", arithmetic},
		{"drop-modulo", dropModulo},
		{"stride", stride},
		{"warp", warp},
		{"rank", rank},
		{"axis", axis},
		{"barrier", barrier},
		{"narrow", narrow},
		{"drop-cast", dropCast},
		{"control", control},
		{"drop-statement", dropStatement},
		{"shared-bytes", sharedBytes},
		{"drop-clause", dropClause},
		{"direction", direction},
		{"atomic", atomic},
		{"accumulator", accumulator},
		{"extent", extent},
	}
}

// operand says that token i ends an operand, so that what follows is a binary operator.
func (t *text) operand(i int) bool {
	return t.kind(i, source.Ident) && !t.is(i, "return", "operator", "const") || t.kind(i, source.Number) || t.is(i, ")", "]") || t.is(i, ">") && t.tokens[i].match >= 0
}

// binary says that token i is a binary operator: an operand stands before it, and space on both sides, as the house writes it.
func (t *text) binary(i int) bool {
	return i > 0 && t.operand(i-1) && !t.adjacent(i-1) && !t.adjacent(i) && t.tokens[i].match < 0 && !t.is(i-2, "operator")
}

// tuned says that the token stands in what only tunes a kernel: its block, its grid, its instances, facts that it prefers.
func (t *text) tuned(i int) bool {
	if t.tokens[i].region != kernel {
		return false
	}
	for j := i; j >= 0; j = t.around(j) {
		if t.is(j, "(") && t.is(j-1, "block", "grid", "types", "prefer", "except", "unchecked", "archs") {
			return true
		}
	}
	return false
}

// arguments are the ranges of tokens between brackets, cut at commas; nil if there is nothing between them.
func (t *text) arguments(open int) [][2]int {
	end := t.tokens[open].match
	if end <= open+1 {
		return nil
	}
	var out [][2]int
	for from := open + 1; ; {
		to := t.comma(from)
		out = append(out, [2]int{from, to})
		if to >= end {
			break
		}
		from = to + 1
	}
	return out
}

// declares says that an argument is a parameter with its type: two names, or a type and a name, in a row.
func (t *text) declares(a [2]int) bool {
	for i := a[0]; i < a[1]; i++ {
		if m := t.tokens[i].match; m > i && !t.is(i, "<") {
			i = m
			continue
		}
		if t.kind(i, source.Ident) && t.kind(i+1, source.Ident) && i+1 < a[1] {
			return true
		}
		if t.is(i, ">", "*", "&") && t.kind(i+1, source.Ident) && i+1 < a[1] && (t.adjacent(i-1) || t.is(i, ">") && t.tokens[i].match >= 0) {
			return true
		}
	}
	return false
}

func swapArguments(t *text, i int) []edit {
	tok := t.tokens[i]
	if tok.match <= i || !t.is(i, "(", "<", "{", "[") || t.tuned(i) {
		return nil
	}
	switch {
	case t.is(i, "(") && !t.kind(i-1, source.Ident) && !t.is(i-1, ">"), t.is(i, "[") && !t.operand(i-1):
		return nil
	case t.is(i, "(") && t.is(i-1, "if", "for", "while", "operator", "WW_VIEW", "WW_KERNEL", "switch"):
		return nil
	case t.is(i, "{") && !t.is(i-1, "return") && !t.is(i-1, ">"):
		return nil
	}
	args := t.arguments(i)
	if slices.ContainsFunc(args, t.declares) && tok.region != signature {
		return nil
	}
	if tok.region == signature && t.is(i, "(") {
		return nil
	}
	var out []edit
	for n := 1; n < len(args); n++ {
		a, b := args[n-1], args[n]
		left, right := t.between(a[0], a[1]), t.between(b[0], b[1])
		if t.is(i, "<") && tok.region == code && !alike(left, right) {
			continue
		}
		if left == right || left == "Mint()" || left == "key" || strings.HasPrefix(left, "[") || strings.HasPrefix(right, "[") || strings.HasPrefix(left, `"`) {
			continue
		}
		out = append(out, t.replace(a[0], b[1], right+", "+left))
	}
	return out
}

// alike says that two template arguments of the vocabulary are of one kind, so that their exchange may compile.
func alike(a, b string) bool {
	return slices.Contains([]string{"R C", "H W", "K N", "M N", "A R"}, a+" "+b)
}

// condition is the range of the expression around token i: up to brackets, commas and semicolons, behind return and =.
func (t *text) condition(i int) (from, to int) {
	from, to = i, i
	for from > 0 {
		j := from - 1
		if m := t.tokens[j].match; m >= 0 && m < j {
			from = m
			continue
		}
		if t.is(j, "(", "[", "{", "}", ",", ";", "=", "return", "?", ":", "<") && (t.tokens[j].match >= 0 || !t.is(j, "<")) {
			break
		}
		from = j
	}
	for to < len(t.tokens) {
		if m := t.tokens[to].match; m > to {
			to = m + 1
			continue
		}
		if t.is(to, ")", "]", "}", ",", ";", "?", ":") {
			break
		}
		to++
	}
	return from, to
}

func dropGuard(t *text, i int) []edit {
	var out []edit
	switch {
	case t.tokens[i].region != code:
	case t.is(i, "if"):
		open := i + 1
		if t.is(open, "constexpr") {
			open++
		}
		if end := t.tokens[open].match; end > open {
			out = append(out, t.replace(open+1, end, "true"), t.replace(open+1, end, "false"))
		}
	case t.is(i, "?"):
		from, to := t.condition(i - 1)
		out = append(out, t.replace(from, to, "true"), t.replace(from, to, "false"))
	case t.is(i, "&&", "||"):
		out = append(out, t.withoutParts(i)...)
	}
	return out
}

// withoutParts drops the part on each side of && or ||. A part may itself be one of several: it ends at the next such operator.
func (t *text) withoutParts(i int) []edit {
	if !t.binary(i) {
		return nil
	}
	from, to := t.condition(i)
	left, right := from, to
	for j := from; j < to; j++ {
		if m := t.tokens[j].match; m > j {
			j = m
		} else if t.is(j, "&&", "||") {
			if j < i {
				left = j + 1
			} else if j > i {
				right = j
				break
			}
		}
	}
	return []edit{
		{t.tokens[left].Offset, t.tokens[i+1].Offset, ""},
		{t.tokens[i-1].EndOffset(), t.tokens[right-1].EndOffset(), ""},
	}
}

// initialized says that the number at i is all that a variable, a member or a register tile begins with.
func (t *text) initialized(i int) bool {
	if t.is(i-1, "=") && t.is(i+1, ";", ",") && !t.is(i-2, ")", "]") {
		return true
	}
	return t.is(i-1, "(") && t.is(i+1, ")") && t.kind(i-2, source.Ident) && (t.is(i-3, ":", ",") || t.kind(i-3, source.Ident) || t.is(i-3, ">")) && !t.is(i-3, "return")
}

func initialValue(t *text, i int) []edit {
	n, suffix, ok := t.number(i)
	if !ok || !t.initialized(i) || t.tokens[i].region != code {
		return nil
	}
	return []edit{t.replace(i, i+1, strconv.FormatUint(n+1, 10)+suffix)}
}

// number reads a whole number in decimal digits.
func (t *text) number(i int) (n uint64, suffix string, ok bool) {
	if !t.kind(i, source.Number) {
		return 0, "", false
	}
	digits := strings.TrimRight(t.tokens[i].Text, "uUlL")
	n, err := strconv.ParseUint(digits, 10, 63)
	return n, t.tokens[i].Text[len(digits):], err == nil
}

func offByOne(t *text, i int) []edit {
	n, suffix, ok := t.number(i)
	if !ok || t.tuned(i) || t.initialized(i) {
		return nil
	}
	out := []edit{t.replace(i, i+1, strconv.FormatUint(n+1, 10)+suffix)}
	if n > 0 {
		out = append(out, t.replace(i, i+1, strconv.FormatUint(n-1, 10)+suffix))
	}
	return out
}

// exchange replaces token i by its partner.
func (t *text) exchange(i int, pairs ...string) []edit {
	for n := 0; n < len(pairs); n += 2 {
		switch {
		case t.is(i, pairs[n]):
			return []edit{t.replace(i, i+1, pairs[n+1])}
		case t.is(i, pairs[n+1]):
			return []edit{t.replace(i, i+1, pairs[n])}
		}
	}
	return nil
}

func comparison(t *text, i int) []edit {
	if !t.binary(i) || t.tuned(i) {
		return nil
	}
	return t.exchange(i, "<", "<=", ">", ">=", "==", "!=")
}

func logic(t *text, i int) []edit {
	if t.tokens[i].region != code {
		return nil
	}
	switch {
	case t.is(i, "&&", "||", "&", "|"):
		if t.binary(i) {
			return t.exchange(i, "&&", "||", "&", "|")
		}
	case t.is(i, "!") && !t.operand(i-1):
		return []edit{t.replace(i, i+1, "")}
	case t.is(i, "true", "false"):
		return t.exchange(i, "true", "false")
	}
	return nil
}

func arithmetic(t *text, i int) []edit {
	if !t.binary(i) || t.tuned(i) {
		return nil
	}
	switch {
	case t.is(i, "+", "-"):
		return t.exchange(i, "+", "-")
	case t.is(i, "*"):
		return []edit{t.replace(i, i+1, "+")}
	case t.is(i, "/"):
		return []edit{t.replace(i, i+1, "*")}
	}
	return nil
}

// factor is the end of the operand that begins at i: names with :: and ., calls, subscripts, parentheses.
func (t *text) factor(i int) int {
	for i < len(t.tokens) {
		switch m := t.tokens[i].match; {
		case t.is(i, "(", "[", "<") && m > i:
			i = m + 1
		case t.kind(i, source.Ident), t.kind(i, source.Number), t.is(i, "::", ".", "->"):
			i++
		default:
			return i
		}
		if !t.is(i, "(", "[", "<", "::", ".", "->") && !t.is(i-1, "::", ".", "->") {
			return i
		}
		if t.is(i, "<") && t.tokens[i].match < 0 {
			return i
		}
	}
	return i
}

func dropModulo(t *text, i int) []edit {
	if !t.is(i, "%") || !t.binary(i) || t.tuned(i) {
		return nil
	}
	return []edit{{t.tokens[i-1].EndOffset(), t.tokens[t.factor(i+1)-1].EndOffset(), ""}}
}

func stride(t *text, i int) []edit {
	switch {
	case t.tokens[i].region == code && t.is(i, "+=") && !t.is(i+1, "acc", "weights") && (t.is(i-1, "v_", "at_", "run", "at") || t.is(i-1, "i")):
		end := t.factor(i + 1)
		by := t.between(i+1, end)
		return []edit{t.replace(i+1, end, "1"), t.replace(i+1, end, by+" + 1"), t.replace(i+1, end, "2 * "+by)}
	case t.tokens[i].region == code && t.is(i, "apart") && t.is(i+1, "(") && !t.kind(i-1, source.Ident):
		end := t.tokens[i+1].match + 1
		whole := t.between(i, end)
		return []edit{t.replace(i, end, "1"), t.replace(i, end, "("+whole+" + 1)")}
	}
	return nil
}

func warp(t *text, i int) []edit {
	if t.tokens[i].region != code {
		return nil
	}
	switch {
	case t.is(i, "0xffffffffu"):
		return []edit{t.replace(i, i+1, "0x0000ffffu"), t.replace(i, i+1, "0x7fffffffu")}
	case t.is(i, "__shfl_xor_sync"):
		return []edit{t.replace(i, i+1, "__shfl_down_sync"), t.replace(i, i+1, "__shfl_up_sync")}
	case t.is(i, "offset") && t.is(i+1, "/="):
		return []edit{t.replace(i, i+3, "offset -= 2"), t.replace(i, i+3, "offset /= 4")}
	case t.sequence(i, "lane", "(", ")"):
		return []edit{t.replace(i, i+3, "threadIdx.x"), t.replace(i, i+3, "0u")}
	case t.sequence(i, "&", "31"):
		return []edit{t.replace(i, i+2, "& 15")}
	}
	return nil
}

func rank(t *text, i int) []edit {
	if t.tokens[i].region != code {
		return nil
	}
	switch {
	case t.sequence(i, "rank", "(", ")") && t.is(i-1, "::"):
		from := i - 2
		for t.is(from-1, "::") {
			from -= 2
		}
		return []edit{t.replace(from, i+3, "threadIdx.x")}
	case t.is(i, "threadIdx") && t.is(i+1, "."):
		return []edit{t.replace(i, i+3, "0u"), t.replace(i, i+3, "(threadIdx."+t.tokens[i+2].Text+" + 1)")}
	case t.is(i, "blockIdx") && t.is(i+1, "."):
		return []edit{t.replace(i, i+3, "0u")}
	case t.is(i, "gridDim") && t.is(i+1, "."):
		return []edit{t.replace(i, i+3, "1u"), t.replace(i, i+3, "(gridDim."+t.tokens[i+2].Text+" + 1)")}
	}
	return nil
}

func axis(t *text, i int) []edit {
	if t.tokens[i].region != code {
		return nil
	}
	switch {
	case t.is(i, "x", "y") && t.is(i-1, ".") && t.is(i-2, "threadIdx", "blockIdx", "gridDim"), t.is(i, "x", "y") && t.is(i-1, "::"):
		return t.exchange(i, "x", "y")
	case t.is(i+1, "(") && !t.is(i, "rows_", "cols_", "row_", "col_", "row", "col"):
		return nil
	case t.is(i-1, ":", ",") && t.is(i+1, "("): // a member that is initialised
		return nil
	case t.kind(i-1, source.Ident) && !t.is(i-1, "return"), t.is(i-1, ">", "*"): // a declaration
		return nil
	}
	if t.is(i, "H", "W") && !strings.Contains(t.file.Text, "int H") { // W is an element type where there is no height
		return nil
	}
	return t.exchange(i, "rows_", "cols_", "row_", "col_", "H", "W", "first", "second", "height", "width")
}

func barrier(t *text, i int) []edit {
	if t.is(i, "__syncthreads", "__syncwarp") && t.is(i+1, "(") {
		return []edit{t.replace(i, t.until(i, ";"), "")}
	}
	return nil
}

func narrow(t *text, i int) []edit {
	if r := t.tokens[i].region; r != code && r != signature {
		return nil
	}
	switch {
	case t.is(i, "u64"):
		return []edit{t.replace(i, i+1, "u32")}
	case t.is(i, "i64"):
		return []edit{t.replace(i, i+1, "i32")}
	case t.is(i, "typename") && t.is(i+4, "rep"), t.is(i, "typename") && t.is(i+3, "rep"):
		end := i + 1
		for !t.is(end-1, "rep") {
			end++
		}
		return []edit{t.replace(i, end, "i32")}
	}
	return nil
}

func dropCast(t *text, i int) []edit {
	switch {
	case t.tokens[i].region != code:
	case t.is(i, "static_cast", "reinterpret_cast") && t.is(i+1, "<"):
		if open := t.tokens[i+1].match + 1; t.is(open, "(") {
			return []edit{t.replace(i, open, "")}
		}
	case t.is(i, "u64", "i64", "i32", "u32", "rep") && t.is(i+1, "(") && !t.kind(i-1, source.Ident) || t.is(i, "u64", "i64", "i32") && t.is(i+1, "(") && t.is(i-1, "return"):
		return []edit{t.replace(i, i+1, "")}
	}
	return nil
}

func control(t *text, i int) []edit {
	switch {
	case t.tokens[i].region != code:
	case t.is(i, "continue", "break"):
		return []edit{t.replace(i, i+1, "return")}
	case t.is(i, "return") && !t.is(i+1, ";") && !t.sequence(i+1, "{", "}"):
		return []edit{t.replace(i+1, t.until(i, ";")-1, "{}")}
	}
	return nil
}

func dropStatement(t *text, i int) []edit {
	tok := t.tokens[i]
	if !tok.statement || tok.region != code || t.is(i, "return", "if", "for", "while", "do", "else", "using", "const", "constexpr", "auto", "static", "static_assert",
		"template", "typename", "extern", "case", "break", "continue", "{", "}", ";", "public", "private", "protected", "friend", "__syncthreads", "__syncwarp") {
		return nil
	}
	end := t.until(i, ";")
	for j := i; j < end; j++ {
		if m := t.tokens[j].match; m > j && t.is(j, "{") {
			return nil
		}
	}
	if !t.is(i, "asm") && t.declares([2]int{i, t.declarator(i, end)}) {
		return nil
	}
	return []edit{t.replace(i, end, ";")}
}

// declarator is where the initial value of a declaration would begin.
func (t *text) declarator(i, end int) int {
	for ; i < end; i++ {
		if t.is(i, "=", "(", "[", "+=", "-=", "*=", "/=") {
			return i
		}
	}
	return end
}

func sharedBytes(t *text, i int) []edit {
	switch {
	case t.tokens[i].region == signature && t.is(i, "Shared", "SharedTile") && t.is(i+1, "<"):
		args := t.arguments(i + 1)
		if len(args) < 2 {
			return nil
		}
		at := args[1]
		return []edit{t.replace(at[0], at[1], halved(t.between(at[0], at[1])))}
	case t.tokens[i].region == view && t.is(i, "shared") && t.is(i+1, "("):
		if args := t.arguments(i + 1); len(args) == 2 {
			at := args[1]
			return []edit{t.replace(at[0], at[1], "("+t.between(at[0], at[1])+") / 2")}
		}
	}
	return nil
}

func halved(expression string) string {
	if n, err := strconv.ParseUint(expression, 10, 64); err == nil {
		return strconv.FormatUint(max(n/2, 1), 10)
	}
	return expression + " / 2"
}

func dropClause(t *text, i int) []edit {
	drop := func(a [2]int) edit { // with the comma before it
		if t.is(a[0]-1, ",") {
			return edit{t.tokens[a[0]-2].EndOffset(), t.tokens[a[1]-1].EndOffset(), ""}
		}
		if t.is(a[1], ",") {
			return edit{t.tokens[a[0]].Offset, t.tokens[a[1]+1].Offset, ""}
		}
		return t.replace(a[0], a[1], "")
	}
	var out []edit
	switch {
	case t.is(i, "WW_VIEW") && t.is(i+1, "("):
		for n, a := range t.arguments(i + 1) {
			// Without what makes it a view of its kind it is no row.
			if n > 0 && !t.is(a[0], "pointer", "shared", "dim", "cells", "token", "in", "out", "inout", "add") {
				out = append(out, drop(a))
			}
		}
	case t.is(i, "WW_KERNEL") && t.is(i+1, "("):
		for _, a := range t.arguments(i + 1) {
			switch {
			case !t.is(a[0], "requires"):
			default:
				if relations := t.arguments(a[0] + 1); len(relations) > 1 {
					for _, r := range relations {
						out = append(out, drop(r))
					}
				} else {
					out = append(out, drop(a))
				}
			}
		}
	}
	return out
}

func direction(t *text, i int) []edit {
	if t.tokens[i].region != view {
		return nil
	}
	switch {
	case t.is(i, "in") && t.is(i-1, ","):
		return []edit{t.replace(i, i+1, "out")}
	case t.is(i, "out", "inout", "add") && t.is(i-1, ","):
		return []edit{t.replace(i, i+1, "in")}
	case t.is(i, "const"):
		return []edit{t.replace(i, i+2, t.tokens[i+1].Text)}
	case t.sequence(i, "pointer", "(") && !t.is(i+2, "const"):
		return []edit{t.replace(i+2, i+3, "const "+t.tokens[i+2].Text)}
	}
	return nil
}

func atomic(t *text, i int) []edit {
	if !t.is(i, "atomicAdd") || !t.is(i+1, "(") {
		return nil
	}
	args := t.arguments(i + 1)
	if len(args) != 2 {
		return nil
	}
	return []edit{t.replace(i, t.tokens[i+1].match+1, fmt.Sprintf("*(%s) += %s", t.between(args[0][0], args[0][1]), t.between(args[1][0], args[1][1])))}
}

func accumulator(t *text, i int) []edit {
	switch r := t.tokens[i].region; {
	case r != code && r != signature:
	case t.is(i, "Acc") && t.is(i+1, "<") && !t.is(i+3, "="):
		end := t.tokens[i+1].match
		return []edit{t.replace(i, end+1, t.between(i+2, end))}
	case t.is(i, "f32") && t.is(i-1, "="):
		return []edit{t.replace(i, i+1, "f16")}
	case t.is(i, "f64") && t.is(i-1, "="), t.is(i, "f64") && t.sequence(i+1, "acc", "("):
		return []edit{t.replace(i, i+1, "f32")}
	case t.is(i, "f32") && t.sequence(i+1, "acc", "("):
		return []edit{t.replace(i, i+1, "f16")}
	case t.is(i, "__float2half_rn"):
		return []edit{t.replace(i, i+1, "__float2half_rz")}
	case t.is(i, "__float2bfloat16_rn"):
		return []edit{t.replace(i, i+1, "__float2bfloat16_rz")}
	}
	return nil
}

func extent(t *text, i int) []edit {
	switch t.tokens[i].region {
	case signature:
		return t.otherExtent(i)
	case view:
		switch {
		case t.is(i, "len") && t.is(i+1, "("):
			return t.shorter(i+1, t.tokens[i+1].match)
		case t.is(i, "offsets", "columns", "permutation") && t.sequence(i-2, "validated", "("):
			next := map[string]string{"offsets": "columns", "columns": "offsets", "permutation": "columns"}
			return []edit{t.replace(i, i+1, next[t.tokens[i].Text])}
		case t.is(i, "min", "max"):
			return t.exchange(i, "min", "max")
		}
	}
	return nil
}

// otherExtent puts every other extent of the kernel in place of one in the type of a parameter.
func (t *text) otherExtent(i int) []edit {
	if !t.kind(i, source.Ident) || !t.is(i-1, "<", ",") || !t.is(i+1, ",", ">") || t.tokens[i].region != signature || !t.is(t.around(i), "<") {
		return nil
	}
	head := i
	for head > 0 && !t.is(head, "template") {
		head--
	}
	var extents []string
	for _, a := range t.arguments(head + 1) {
		name := t.tokens[a[1]-1].Text
		if t.is(a[0], "class") && len(name) == 1 && !t.instance(head, name) {
			extents = append(extents, name)
		}
	}
	if !slices.Contains(extents, t.tokens[i].Text) {
		return nil
	}
	var out []edit
	for _, x := range extents {
		if x != t.tokens[i].Text {
			out = append(out, t.replace(i, i+1, x))
		}
	}
	return out
}

// instance says that types(...) of the annotation before a template head names a parameter.
func (t *text) instance(head int, name string) bool {
	for i := head; i > 0 && !t.is(i, "WW_KERNEL"); i-- {
		if t.is(i, name) && t.is(i+1, ":") {
			return true
		}
	}
	return false
}

// shorter makes a length that lacks one of its terms or factors, or is one less.
func (t *text) shorter(open, end int) []edit {
	var out []edit
	for i := open + 1; i < end; i++ {
		if m := t.tokens[i].match; m > i {
			i = m
		} else if t.is(i, "*", "+") && t.binary(i) {
			out = append(out, edit{t.tokens[open+1].Offset, t.tokens[i+1].Offset, ""}, edit{t.tokens[i-1].EndOffset(), t.tokens[end-1].EndOffset(), ""})
		}
	}
	if out == nil && t.kind(open+1, source.Ident) && end == open+2 {
		x := t.tokens[open+1].Text
		out = append(out, t.replace(open+1, end, fmt.Sprintf("max(%s, 1) - 1", x)))
	}
	return out
}
