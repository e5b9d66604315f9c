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
	"github.com/warpwright/warpwright/go/gemm"
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
// source says who measured, on what and when; where it is empty, the device is named.
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
			Operator: one.operator, Arch: r.Device.Arch, By: "average entries a row", Source: r.Device.source(source), Tiers: tiers,
		})
	}
	return out, nil
}

// cost is how many times slower than the best a tier is, by tier.
type cost[T comparable] map[T]float64

func (r *Report) implied(at csr.Direction) ([]manifest.Tier, error) {
	costs := map[int]cost[csr.Tier]{}
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
			costs[c.PerRow] = cost[csr.Tier]{}
		}
		for _, m := range c.Ours {
			costs[c.PerRow][m.Tier] = max(costs[c.PerRow][m.Tier], m.Median/best.Median)
		}
	}
	return imply(costs, func(t csr.Tier) manifest.Tier {
		out := manifest.Tier{Kernel: t.Kernel}
		if t.Lanes > 0 {
			out.Types = map[string]string{"S": strconv.Itoa(t.Lanes)}
		}
		return out
	}, func(a, b csr.Tier) int { return cmp.Or(cmp.Compare(a.Lanes, b.Lanes), cmp.Compare(a.Kernel, b.Kernel)) })
}

// Tiers returns the tier table of dense products that the measurements imply, as that of sparse ones.
func (r *GemmReport) Tiers(source string) ([]manifest.TierTable, error) {
	if r.Device.Arch == 0 {
		return nil, fmt.Errorf("bench: tier tables of %s: requires a device that launches kernels as a GPU does", r.Device.Name)
	}
	costs := map[int]cost[gemm.Tier]{}
	for i := range r.Cases {
		c := &r.Cases[i]
		best, ok := c.Best(GemmOurs)
		if !ok {
			return nil, fmt.Errorf("bench: tier table of gemm: %d a side without a measurement", c.Side)
		}
		costs[c.Side] = cost[gemm.Tier]{}
		for _, w := range c.Ways {
			if w.Kind == GemmOurs {
				costs[c.Side][w.Tier] = w.Median / best.Median
			}
		}
	}
	tiers, err := imply(costs, gemm.Tier.Row, func(a, b gemm.Tier) int { return cmp.Compare(a.String(), b.String()) })
	if err != nil {
		return nil, fmt.Errorf("bench: tier table of gemm: %w", err)
	}
	return []manifest.TierTable{{
		Operator: "gemm", Arch: r.Device.Arch, By: "smaller of rows and columns", Source: r.Device.source(source), Tiers: tiers,
	}}, nil
}

// imply gives each length its cheapest tier, where a tier that serves already stays as long as noise can be all that another has
// before it. row is a tier as a table has it; order is one of tiers, so that runs agree on which of two equal ones serves.
func imply[T comparable](costs map[int]cost[T], row func(T) manifest.Tier, order func(a, b T) int) ([]manifest.Tier, error) {
	if len(costs) == 0 {
		return nil, errors.New("nothing was measured")
	}
	lengths := slices.Sorted(maps.Keys(costs))
	var out []manifest.Tier
	var last T
	for i, n := range lengths {
		t := costs[n].best(order)
		from := 0.0
		switch {
		case i == 0:
		case t == last || costs[n][last] <= costs[n][t]*(1+noise):
			continue
		default:
			before := lengths[i-1]
			from = crossing(before, n, costs[before][last]-costs[before][t], costs[n][last]-costs[n][t])
		}
		tier := row(t)
		tier.From = from
		out = append(out, tier)
		last = t
	}
	return out, nil
}

// best is the tier of the least cost; of equal ones the first in an order.
func (c cost[T]) best(order func(a, b T) int) T {
	return slices.MinFunc(slices.Collect(maps.Keys(c)), func(a, b T) int { return cmp.Or(cmp.Compare(c[a], c[b]), order(a, b)) })
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
