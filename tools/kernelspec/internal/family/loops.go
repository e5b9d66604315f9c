package family

import (
	"slices"
	"strings"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/tools/internal/source"
)

// Loop is a loop of a kernel's body over the Dim of an extent, of which each thread, group or block of the grid takes its share.
type Loop struct {
	Extent string
	Text   string        // groups<S>(m)
	Takes  contract.Expr // indices a block and round, a number in each instance
}

// loops finds the loops of the vocabulary (ww/range.h, ww/run.h) over Dims. One that stands in a function which the body calls is
// not seen, nor is one whose number has no value in some instance: the compiler has its word on that.
func (r *resolver) loops() error {
	for i, t := range r.src.Body {
		if t.Kind != source.Ident {
			continue
		}
		arg, rest := templateArg(r.src.Body[i+1:])
		if len(rest) < 3 || !rest[0].Is("(") || !rest[2].Is(")") && !rest[2].Is(",") {
			continue
		}
		of := slices.IndexFunc(r.out.Params, func(p *Param) bool { return p.Kind == Dim && p.Name == rest[1].Text })
		if of < 0 {
			continue
		}
		takes := share(t.Text, arg)
		if takes == nil || slices.ContainsFunc(r.out.Instances, func(in Instance) bool {
			_, err := takes.Eval(r.out.Env(in))
			return err != nil
		}) {
			continue
		}
		text := t.Text
		if arg != "" {
			text += "<" + arg + ">"
		}
		r.out.Loops = append(r.out.Loops, Loop{r.out.Params[of].Extents[0], text + "(" + rest[1].Text + ")", takes})
	}
	return nil
}

// share is how many indices a block takes in a round of a loop, nil for what is no such loop.
func share(loop, arg string) contract.Expr {
	block := contract.Expr(contract.Name("block"))
	switch {
	case loop == "threads" && arg == "":
		return block
	case loop == "blocks" && arg == "":
		return contract.Number(1)
	case arg == "":
		return nil
	}
	with, err := contract.Parse(arg)
	switch {
	case err != nil:
		return nil
	case loop == "groups":
		return &contract.Binary{Op: '/', X: block, Y: InBlocks(with)}
	case loop == "runs":
		return &contract.Binary{Op: '*', X: block, Y: InBlocks(with)}
	}
	return nil
}

// templateArg is the text between < and > that tokens begin with, empty without, and the tokens behind it.
func templateArg(toks []source.Token) (string, []source.Token) {
	if len(toks) == 0 || !toks[0].Is("<") {
		return "", toks
	}
	var text []string
	for i, t := range toks[1:] {
		if t.Is(">") {
			return strings.Join(text, " "), toks[i+2:]
		}
		text = append(text, t.Text)
	}
	return "", nil
}
