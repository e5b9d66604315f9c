package smt

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// cores are premises that were enough for goals: a query that has them, whatever else it has, asks nothing new.
type cores struct {
	ids map[string]int // of premises, by their keys
	of  map[string][][]int
}

func newCores() *cores { return &cores{map[string]int{}, map[string][][]int{}} }

func (c *cores) clone() *cores { return &cores{maps.Clone(c.ids), maps.Clone(c.of)} }

// cover says that some premises of the query were enough for its goal before.
func (c *cores) cover(q Query) bool {
	known := c.of[q.Goal.key()]
	if known == nil {
		return false
	}
	has := map[int]bool{}
	for _, p := range q.Premises {
		if id, ok := c.ids[p.Is.key()]; ok {
			has[id] = true
		}
	}
	return slices.ContainsFunc(known, func(core []int) bool {
		return !slices.ContainsFunc(core, func(id int) bool { return !has[id] })
	})
}

// add notes which premises of a query were enough: p0 is the first one.
func (c *cores) add(q Query, names []string) {
	core := []int{}
	for _, name := range names {
		n, err := strconv.Atoi(strings.TrimPrefix(name, "p"))
		if err != nil {
			continue // a parenthesis
		}
		key := q.Premises[n].Is.key()
		id, ok := c.ids[key]
		if !ok {
			id = len(c.ids)
			c.ids[key] = id
		}
		core = append(core, id)
	}
	goal := q.Goal.key()
	c.of[goal] = append(slices.Clip(c.of[goal]), core)
}
