package csr

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/csrkernels"
	"github.com/warpwright/warpwright/go/manifest"
)

// Every entry of the family but the rounding ones is a tier's, with a type, a width of offsets and a kind
// of weights; a tier that is dropped from Tiers, or from the kernels, shows here.
func TestTiersAreTheFamily(t *testing.T) {
	var want []string
	for _, at := range []Direction{Gather, Scatter} {
		for _, tier := range Tiers(at) {
			for _, w := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.BF16} {
				for _, p := range []dtype.Type{dtype.I32, dtype.I64} {
					for _, v := range []string{"one", "each"} {
						entry := fmt.Sprintf("%s_%s_%s_%s", tier.Kernel, w, p, v)
						if tier.Lanes > 0 {
							entry += fmt.Sprintf("_%d", tier.Lanes)
						}
						want = append(want, entry)
						if at == Gather && tier.Kernel != mvBlock { // for matrices of few rows, too
							want = append(want, entry+"_once")
						}
					}
				}
			}
		}
	}
	want = append(want, "csr_round_f16", "csr_round_bf16")
	got := csrkernels.Entries()
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the tiers give the entries\n%s\nand the family has\n%s", strings.Join(want, " "), strings.Join(got, " "))
	}
}

// The tables of every promised architecture use all three ways to gather, in ascending order from 0 on,
// and name only tiers that exist.
func TestTablesUseEveryKernel(t *testing.T) {
	for _, arch := range []int{75, 86, 90} {
		for operator, at := range map[string]Direction{"csr_mv": Gather, "csr_mvt": Scatter} {
			table, ok := csrkernels.Tiers(operator, arch)
			if !ok || table.Arch != arch {
				t.Errorf("%s has no table for sm_%d", operator, arch)
				continue
			}
			var kernels []string
			from := -1.0
			for i, row := range table.Tiers {
				if row.From <= from || i == 0 && row.From != 0 {
					t.Errorf("%s, sm_%d: row %d is from %g, after %g", operator, arch, i, row.From, from)
				}
				from = row.From
				tier, _, err := pick(table, 1<<20, int(row.From*(1<<20)))
				if err != nil || tier.Kernel != row.Kernel || checkTier(at, tier) != nil {
					t.Errorf("%s, sm_%d: row %d gives %v, %v", operator, arch, i, tier, err)
				}
				if !slices.Contains(kernels, row.Kernel) {
					kernels = append(kernels, row.Kernel)
				}
			}
			want := map[Direction]string{Gather: "csr_mv_thread csr_mv_group csr_mv_block", Scatter: "csr_mvt_group"}[at]
			if strings.Join(kernels, " ") != want {
				t.Errorf("%s, sm_%d: the table uses %v, want %s", operator, arch, kernels, want)
			}
			if table.Source == "" {
				t.Errorf("%s, sm_%d: the table does not say who measured it", operator, arch)
			}
		}
	}
}

func TestPick(t *testing.T) {
	table := manifest.TierTable{Operator: "op", Arch: 90, By: "average entries a row", Source: "a guess", Tiers: []manifest.Tier{
		{From: 0, Kernel: "a"},
		{From: 2.5, Kernel: "b", Types: map[string]string{"S": "8"}},
		{From: 100, Kernel: "c"},
	}}
	for _, c := range []struct {
		rows, entries int
		want          Tier
		reason        string
	}{
		{0, 0, Tier{"a", 0}, "0 entries a row on average; the table for sm_90 gives a from 0 to below 2.5 (a guess)"},
		{10, 24, Tier{"a", 0}, "2.4 entries a row"},
		{10, 25, Tier{"b", 8}, "2.5 entries a row on average; the table for sm_90 gives b with 8 lanes a row from 2.5 to below 100"},
		{1, 99, Tier{"b", 8}, "99 entries a row"},
		{1, 100, Tier{"c", 0}, "c from 100 on"},
		{3, 1 << 40, Tier{"c", 0}, "c from 100 on"},
	} {
		got, reason, err := pick(table, c.rows, c.entries)
		if err != nil || got != c.want || !strings.Contains(reason, c.reason) {
			t.Errorf("%d rows, %d entries: got %v, %q, %v; want %v, %q", c.rows, c.entries, got, reason, err, c.want, c.reason)
		}
	}
	table.Tiers = table.Tiers[1:]
	if _, _, err := pick(table, 1, 1); err == nil || !strings.Contains(err.Error(), "serves no average entries a row of 1") {
		t.Errorf("a table without a first row: %v", err)
	}
	table.Tiers[0].Types["S"] = "many"
	if _, _, err := pick(table, 1, 50); err == nil || !strings.Contains(err.Error(), `"many"`) {
		t.Errorf("a table with a strange number of lanes: %v", err)
	}
}

// Reports have tiers in them: the names are those of JSON.
func TestTierAsJSON(t *testing.T) {
	got, err := json.Marshal([]Tier{{"csr_mv_thread", 0}, {"csr_mv_group", 8}})
	if want := `[{"kernel":"csr_mv_thread"},{"kernel":"csr_mv_group","lanes":8}]`; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
