package manifest

import (
	"strings"
	"testing"
)

func TestPick(t *testing.T) {
	table := TierTable{Operator: "op", Arch: 90, By: "entries", Source: "a guess", Tiers: []Tier{
		{From: 1, Kernel: "a"},
		{From: 2.5, Kernel: "b", Types: map[string]string{"S": "8", "H": "many"}},
	}}
	for _, c := range []struct {
		value        float64
		kernel, span string
		lanes        int
	}{
		{1, "a", "from 1 to below 2.5", 0},
		{2.49, "a", "from 1 to below 2.5", 0},
		{2.5, "b", "from 2.5 on", 8},
		{1e18, "b", "from 2.5 on", 8},
	} {
		tier, span, err := table.Pick(c.value)
		if err != nil || tier.Kernel != c.kernel || span != c.span {
			t.Errorf("%g: %s %s, %v", c.value, tier.Kernel, span, err)
		}
		if lanes, err := tier.Int("S"); err != nil || lanes != c.lanes {
			t.Errorf("%g: S is %d, %v", c.value, lanes, err)
		}
	}
	if _, _, err := table.Pick(0.5); err == nil || err.Error() != "the tier table of op for sm_90 serves no entries of 0.5" {
		t.Errorf("below the first row: %v", err)
	}
	if _, err := table.Tiers[1].Int("H"); err == nil || !strings.Contains(err.Error(), `the tier b from 2.5: H: strconv.Atoi: parsing "many"`) {
		t.Errorf("a value that is no number: %v", err)
	}
}

func TestTiersFor(t *testing.T) {
	tables := []TierTable{{Operator: "mv", Arch: 90}, {Operator: "mv", Arch: 75}, {Operator: "mvt", Arch: 86}}
	for _, c := range []struct {
		operator   string
		arch, want int // 0 for none
	}{{"mv", 74, 0}, {"mv", 75, 75}, {"mv", 89, 75}, {"mv", 90, 90}, {"mv", 120, 90}, {"mvt", 90, 86}, {"mvt", 75, 0}, {"gemm", 90, 0}} {
		got, ok := TiersFor(tables, c.operator, c.arch)
		if ok != (c.want > 0) || got.Arch != c.want {
			t.Errorf("%s on sm_%d: the table of sm_%d, %t", c.operator, c.arch, got.Arch, ok)
		}
	}
}
