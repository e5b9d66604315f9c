package smt

// Near are the premises that share a variable with a goal.
func Near(premises []Premise, goal Bool) []Premise { return Around(premises, goal, 1) }

// Around are the premises that speak of what the goal speaks of: in one round those that name a variable of the goal, in each
// further round those that name a variable of these. What follows from some premises follows from all.
func Around(premises []Premise, goal Bool, rounds int) []Premise {
	known := map[string]bool{}
	for _, v := range goal.variables() {
		known[v.name] = true
	}
	taken := make([]bool, len(premises))
	names := make([][]node, len(premises))
	for i, p := range premises {
		names[i] = p.Is.variables()
	}
	for range rounds {
		var found []node
		for i := range premises {
			if taken[i] {
				continue
			}
			for _, v := range names[i] {
				if known[v.name] {
					taken[i] = true
					found = append(found, names[i]...)
					break
				}
			}
		}
		for _, v := range found {
			known[v.name] = true
		}
	}
	var out []Premise
	for i, p := range premises {
		if taken[i] || len(names[i]) == 0 {
			out = append(out, p)
		}
	}
	return out
}
