package manifest

import (
	"fmt"
	"strconv"
)

// TiersFor finds an operator's table for an architecture: its own, or that of the nearest lower one that has a table. ok is
// false where there is neither.
func TiersFor(tables []TierTable, operator string, arch int) (t TierTable, ok bool) {
	for _, candidate := range tables {
		if candidate.Operator == operator && candidate.Arch <= arch && (!ok || candidate.Arch > t.Arch) {
			t, ok = candidate, true
		}
	}
	return t, ok
}

// Pick finds the row that serves a value of what the table goes by, and says in words which values it serves.
func (t *TierTable) Pick(value float64) (tier Tier, span string, err error) {
	row := -1
	for i, tier := range t.Tiers {
		if tier.From <= value {
			row = i
		}
	}
	if row < 0 {
		return Tier{}, "", fmt.Errorf("the tier table of %s for sm_%d serves no %s of %g", t.Operator, t.Arch, t.By, value)
	}
	tier, span = t.Tiers[row], fmt.Sprintf("from %g on", t.Tiers[row].From)
	if row+1 < len(t.Tiers) {
		span = fmt.Sprintf("from %g to below %g", tier.From, t.Tiers[row+1].From)
	}
	return tier, span, nil
}

// Int is the number that the tier fixes for an instance parameter, 0 where it fixes none.
func (t Tier) Int(param string) (int, error) {
	text, ok := t.Types[param]
	if !ok {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("the tier %s from %g: %s: %w", t.Kernel, t.From, param, err)
	}
	return n, nil
}
