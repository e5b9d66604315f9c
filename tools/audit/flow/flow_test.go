package flow

import (
	"math/rand"
	"reflect"
	"slices"
	"testing"
)

func TestLoops(t *testing.T) {
	for _, c := range []struct {
		name      string
		graph     Graph
		loops     []Loop
		reducible bool
	}{
		{"nothing", Graph{}, nil, true},
		{"a line", Graph{{1}, {2}, {}}, nil, true},
		{"a node that repeats itself", Graph{{1}, {1, 2}, {}}, []Loop{{1, []int{1}, None}}, true},
		{"a nest", Graph{{1}, {2}, {2, 3}, {1, 4}, {}}, []Loop{{1, []int{1, 2, 3}, None}, {2, []int{2}, 0}}, true},
		{"two tails", Graph{{1}, {2, 3}, {1}, {1, 4}, {}}, []Loop{{1, []int{1, 2, 3}, None}}, true},
		{"test in the middle", Graph{{1}, {2, 3}, {1}, {}}, []Loop{{1, []int{1, 2}, None}}, true},
		{"two entrances", Graph{{1, 2}, {2}, {1, 3}, {}}, nil, false},
		{"two entrances in a loop", Graph{{1}, {2, 3}, {3}, {2, 4}, {1, 5}, {}}, []Loop{{1, []int{1, 2, 3, 4}, None}}, false},
		{"a loop that nothing reaches", Graph{{2}, {1}, {}}, nil, true},
		{"three deep, two side by side", Graph{{1}, {2}, {3}, {3, 4}, {4, 5}, {2, 6}, {1, 7}, {}},
			[]Loop{{1, []int{1, 2, 3, 4, 5, 6}, None}, {2, []int{2, 3, 4, 5}, 0}, {3, []int{3}, 1}, {4, []int{4}, 1}}, true},
	} {
		loops, reducible := c.graph.Loops()
		if !reflect.DeepEqual(loops, c.loops) || reducible != c.reducible {
			t.Errorf("%s: got %v, reducible %v; want %v, %v", c.name, loops, reducible, c.loops, c.reducible)
		}
	}
}

// TestDominators compares with the definition: a dominates b if b cannot be reached once a is taken out.
func TestDominators(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 2000 {
		g := make(Graph, 1+random.Intn(12))
		for n := range g {
			for range random.Intn(4) {
				g[n] = append(g[n], random.Intn(len(g)))
			}
		}
		idom, reachable := g.Dominators(), g.Reachable()
		for a := range g {
			without := make(Graph, len(g))
			for n, succs := range g {
				if n != a {
					without[n] = slices.DeleteFunc(slices.Clone(succs), func(s int) bool { return s == a })
				}
			}
			left := without.Reachable()
			for b := range g {
				want := reachable[b] && (a == b || a == 0 || !left[b])
				got := reachable[b] && Dominates(idom, a, b)
				if got != want {
					t.Fatalf("%v: %d dominates %d: got %v, want %v", g, a, b, got, want)
				}
			}
		}
	}
}

// TestNests holds the loops of random graphs against what a natural loop is.
func TestNests(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	for range 2000 {
		g := make(Graph, 2+random.Intn(10))
		for n := range g {
			for range 1 + random.Intn(2) {
				g[n] = append(g[n], random.Intn(len(g)))
			}
		}
		idom := g.Dominators()
		loops, _ := g.Loops()
		for i, l := range loops {
			for _, n := range l.Nodes {
				if !Dominates(idom, l.Header, n) {
					t.Fatalf("%v: header %d does not dominate node %d of its loop", g, l.Header, n)
				}
			}
			if l.Parent == None {
				continue
			}
			if l.Parent >= i {
				t.Fatalf("%v: loop %d comes before its parent %d", g, i, l.Parent)
			}
			for _, n := range l.Nodes {
				if !slices.Contains(loops[l.Parent].Nodes, n) {
					t.Fatalf("%v: node %d of a loop is not in the loop around it", g, n)
				}
			}
		}
	}
}
