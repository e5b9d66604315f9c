package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/warpwright/warpwright/go/csr"
	"github.com/warpwright/warpwright/go/manifest"
)

// noise is how much slower than the best a tier may be and still go on serving: a difference between
// two runs of the same kernel is of this size.
const noise = 0.02

// Tiers returns the tier tables that the measurements imply, one a direction. One table serves
// matrices with a single weight and with a weight an entry, so a tier's time at some length is its
// worse one of the two, each as a multiple of the best there. Between two measured lengths the next
// tier begins where lines through both tiers' times cross.
//
// source says who measured, on what and when.
func (r *Report) Tiers(source string) ([]manifest.TierTable, error) {
	if r.Device.Arch == 0 {
		return nil, fmt.Errorf("bench: tier tables of %s: requires a device that launches kernels as a GPU does", r.Device.Name)
	}
	var out []manifest.TierTable
	for _, one := range []struct {
		at       csr.Direction
		operator string
	}{{csr.Gather, "csr_mv"}, {csr.Scatter, "csr_mvt"}} {
		tiers, err := r.implied(one.at)
		if err != nil {
			return nil, fmt.Errorf("bench: tier table of %s: %w", one.operator, err)
		}
		out = append(out, manifest.TierTable{
			Operator: one.operator, Arch: r.Device.Arch, By: "average entries a row", Source: source, Tiers: tiers,
		})
	}
	return out, nil
}

// cost is how many times slower than the best a tier is, by length and by tier.
type cost map[csr.Tier]float64

func (r *Report) implied(at csr.Direction) ([]manifest.Tier, error) {
	costs := map[int]cost{}
	for i := range r.Cases {
		c := &r.Cases[i]
		if c.Direction != at {
			continue
		}
		best, ok := Best(c.Ours)
		if !ok {
			return nil, errors.New("a case without a measurement")
		}
		if costs[c.PerRow] == nil {
			costs[c.PerRow] = cost{}
		}
		for _, m := range c.Ours {
			costs[c.PerRow][m.Tier] = max(costs[c.PerRow][m.Tier], m.Median/best.Median)
		}
	}
	if len(costs) == 0 {
		return nil, errors.New("nothing was measured")
	}
	var lengths []int
	for n := range costs {
		lengths = append(lengths, n)
	}
	slices.Sort(lengths)
	var out []manifest.Tier
	var last csr.Tier
	for i, n := range lengths {
		t := costs[n].best()
		switch {
		case i == 0:
			out = append(out, row(t, 0))
		case t == last || costs[n][last] <= costs[n][t]*(1+noise):
			continue
		default:
			before := lengths[i-1]
			out = append(out, row(t, crossing(before, n, costs[before][last]-costs[before][t], costs[n][last]-costs[n][t])))
		}
		last = t
	}
	return out, nil
}

// best is the tier of the least cost; among equals the one with fewer lanes, so that runs agree.
func (c cost) best() csr.Tier {
	var all []csr.Tier
	for t := range c {
		all = append(all, t)
	}
	return slices.MinFunc(all, func(a, b csr.Tier) int {
		return cmp.Or(cmp.Compare(c[a], c[b]), cmp.Compare(a.Lanes, b.Lanes), cmp.Compare(a.Kernel, b.Kernel))
	})
}

// crossing is the length, between a and b, at which a difference that is da at a and db > 0 at b
// passes zero, on a logarithmic scale of lengths. Where it is not below zero at a, that is a tie
// which noise left to the other tier.
func crossing(a, b int, da, db float64) float64 {
	if da >= 0 {
		return float64(a) + 1
	}
	at := float64(a) * math.Pow(float64(b)/float64(a), da/(da-db))
	return math.Ceil(at)
}

func row(t csr.Tier, from float64) manifest.Tier {
	out := manifest.Tier{From: from, Kernel: t.Kernel}
	if t.Lanes > 0 {
		out.Types = map[string]string{"S": strconv.Itoa(t.Lanes)}
	}
	return out
}

// WriteTiers writes tables as cuda/sm_XX/FAMILY.tiers.json has them, a tier a line.
func WriteTiers(w io.Writer, tables []manifest.TierTable) error {
	p := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			return err.Error() // strings and maps of strings do not fail
		}
		return string(text)
	}
	fmt.Fprintln(w, "[")
	for i, t := range tables {
		fmt.Fprintf(w, "  {\n    \"operator\": %s,\n    \"arch\": %d,\n    \"by\": %s,\n    \"source\": %s,\n    \"tiers\": [\n", p(t.Operator), t.Arch, p(t.By), p(t.Source))
		for j, tier := range t.Tiers {
			fmt.Fprintf(w, "      {\"from\": %g, \"kernel\": %s", tier.From, p(tier.Kernel))
			if len(tier.Types) > 0 {
				fmt.Fprintf(w, ", \"types\": {")
				for k, name := range slices.Sorted(maps.Keys(tier.Types)) {
					if k > 0 {
						fmt.Fprint(w, ", ")
					}
					fmt.Fprintf(w, "%s: %s", p(name), p(tier.Types[name]))
				}
				fmt.Fprint(w, "}")
			}
			fmt.Fprintf(w, "}%s\n", comma(j, len(t.Tiers)))
		}
		fmt.Fprintf(w, "    ]\n  }%s\n", comma(i, len(tables)))
	}
	_, err := fmt.Fprintln(w, "]")
	return err
}

func comma(i, n int) string {
	if i+1 < n {
		return ","
	}
	return ""
}
