package syntax

import (
	"github.com/warpwright/warpwright/tools/internal/source"
)

// AddHeader reads the WW_VIEW and WW_TAG rows of a header of the device vocabulary.
func (v *Vocabulary) AddHeader(f *source.File) error {
	p, err := newParser(f)
	if err != nil {
		return err
	}
	for p.peek().Kind != source.End {
		switch {
		case p.peek().Is("WW_VIEW"):
			row, err := p.view()
			if err != nil {
				return err
			}
			v.Views = append(v.Views, row)
		case p.peek().Is("WW_TAG"):
			p.next()
			if err := p.expect("(", "after WW_TAG"); err != nil {
				return err
			}
			name, err := p.ident("the tag's name")
			if err != nil {
				return err
			}
			if err := p.expect(")", "after the tag's name"); err != nil {
				return err
			}
			v.Tags = append(v.Tags, name)
		default:
			p.next()
		}
	}
	return nil
}

// view reads WW_VIEW(pattern, attribute...).
func (p *parser) view() (*View, error) {
	first := p.at
	v := &View{File: p.file, Offset: p.next().Offset}
	if err := p.expect("(", "after WW_VIEW"); err != nil {
		return nil, err
	}
	var err error
	if v.Pattern, err = p.typ(0); err != nil {
		return nil, err
	}
	for p.accept(",") {
		a, err := p.attr()
		if err != nil {
			return nil, err
		}
		v.Attrs = append(v.Attrs, a)
	}
	if err := p.expect(")", "or a comma in WW_VIEW"); err != nil {
		return nil, err
	}
	v.Tokens = p.words(first)
	return v, nil
}

func (p *parser) attr() (Attr, error) {
	name, err := p.ident("an attribute of the view")
	if err != nil {
		return Attr{}, err
	}
	a := Attr{Word: name}
	if !p.accept("(") {
		return a, nil
	}
	for {
		var arg AttrArg
		arg.Const = p.accept("const")
		if p.peek().Kind == source.Ident && p.toks[p.at+1].Is(":") {
			arg.Key = p.next().Text
			p.next()
		}
		if arg.Type, err = p.typeArg(0); err != nil {
			return Attr{}, err
		}
		a.Args = append(a.Args, arg)
		if p.accept(")") {
			return a, nil
		}
		if err := p.expect(",", "or ) in "+name.Text); err != nil {
			return Attr{}, err
		}
	}
}
