package lemma

import (
	"fmt"
	"math"
	"strings"

	"github.com/warpwright/warpwright/tools/prove/cxx"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// What a block copies into shared memory lies there for all its threads behind a barrier, and nobody may write where another one still reads.
// Who waits for whom is a matter of a few functions (stage, pipeline), which are rehearsed: executed as they stand for some rounds
// of their loop, with every access noted between the barriers where it happens. All threads of a block go one way there,
// which the audit and the race detector see to.

// rehearsed is how many rounds there are of a loop whose sides turn: after two of them each is where it was.
const rehearsed = 3

// filling says that a member of what a function is given writes shared memory, or reads it, and which side of it, by the name of a parameter.
type filling struct {
	write  bool
	beside bool // what is copied is there after copied() only
	side   string
}

// usage is such an access.
type usage struct {
	at    cxx.Place
	of    string // whose memory
	what  string
	write bool
	side  smt.Int
	from  int // between which barriers it happens
	to    int
}

// never is where a copy arrives for which nobody waits.
const never = math.MaxInt

// uses notes what a member of that name does.
func (m *machine) uses(at cxx.Place, f method, args []value) {
	o, ok := f.of.(*opaqueType)
	if !ok || m.silent {
		return
	}
	for key, does := range fillings() {
		class, name, _ := strings.Cut(key, "::")
		of := m.v.member(class, name)
		if name != f.name || of == nil || len(of.Params) != len(args) {
			continue
		}
		u := usage{at: at, of: o.name, what: name, write: does.write, side: smt.Number(0), from: m.phase, to: m.phase}
		for i, p := range of.Params {
			if n, ok := args[i].(number); ok && p.Name == does.side {
				u.side = n.v
			}
		}
		if does.beside {
			u.to = never
		}
		m.used = append(m.used, u)
	}
}

// arrived says that what was copied so far is there, behind the next barrier.
func (m *machine) arrived() {
	for i := range m.used {
		if m.used[i].to == never {
			m.used[i].to = m.phase
		}
	}
}

// rehearse executes some rounds of a loop without an end; then the run is over.
func (m *machine) rehearse(round func() (left bool)) {
	for range rehearsed {
		if round() {
			return
		}
	}
	m.unended = true
	panic(stopped{})
}

// unguarded finds an access to shared memory that no barrier keeps apart from another one.
func (p *prover) unguarded(u unit, a assignment) (*finding, error) {
	runs, err := p.explored(u, a, func(m *machine) { m.rehearsal = true })
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		for i, x := range r.m.used {
			bad := func(format string, args ...any) (*finding, error) {
				return &finding{at: x.at, what: fmt.Sprintf(format, args...), assign: r.m.assign, answer: smt.Answer{Verdict: smt.Unknown, Reason: "no barrier is between them"}}, nil
			}
			switch {
			case !x.write:
				continue
			case x.from == 0:
				return bad("%s of %s writes shared memory, which others may still read from before", x.what, x.of)
			case x.to >= r.m.phase && !r.m.unended:
				return bad("%s of %s writes shared memory, which others may read from then on", x.what, x.of)
			}
			for j, y := range r.m.used {
				if i != j && x.of == y.of && x.from <= y.to && y.from <= x.to && compare("==", x.side, y.side).c >= 0 {
					return bad("%s of %s writes the side of shared memory that %s accesses (%s)", x.what, x.of, y.what, where(y.at))
				}
			}
		}
	}
	return nil, nil
}
