package family

import (
	"slices"

	"github.com/warpwright/warpwright/tools/internal/source"
)

// strips refuses a call of pipeline or stage in which one parameter of shared memory is given two things to hold: their threads would
// write the same elements, which no type can see.
func (r *resolver) strips() error {
	body := r.src.Body
	for i, t := range body {
		if !t.Is("pipeline") && !t.Is("stage") || i+1 >= len(body) || !body[i+1].Is("(") {
			continue
		}
		var fills []string
		depth := 0
		for j := i + 1; j+2 < len(body); j++ {
			switch at := body[j]; {
			case at.Is("(") || at.Is("[") || at.Is("{"):
				depth++
			case at.Is(")") || at.Is("]") || at.Is("}"):
				depth--
			}
			if depth == 0 {
				break
			}
			name := body[j+1]
			if depth != 1 || !body[j].Is("(") && !body[j].Is(",") || !body[j+2].Is(".") || !r.shared(name) {
				continue
			}
			if slices.Contains(fills, name.Text) {
				return r.fail(name.Offset, "%s stands twice in %s(...): what it is to hold would be written over each other; give each a parameter of its own", name.Text, t.Text)
			}
			fills = append(fills, name.Text)
		}
	}
	return nil
}

// shared says that a name is a parameter of shared memory.
func (r *resolver) shared(name source.Token) bool {
	return slices.ContainsFunc(r.out.Params, func(p *Param) bool { return p.Kind == Shared && p.Name == name.Text })
}
