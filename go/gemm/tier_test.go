package gemm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/kernels/gemmkernels"
	"github.com/warpwright/warpwright/go/manifest"
)

// opened is a device of which launchers can be asked.
func opened(t *testing.T) *device.Device {
	t.Helper()
	dev, err := device.Open(t.Context(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

func entries[W dtype.Float]() []string {
	var out []string
	for _, t := range Tiers[W]() {
		entry := fmt.Sprintf("%s_%s", t.Kernel, dtype.Of[W]())
		if t.Rows > 0 {
			entry += fmt.Sprintf("_%d", t.Rows)
		}
		out = append(out, entry)
	}
	return out
}

// Every entry of the family is a tier's, or a variant of one; a tier that is dropped from Tiers, or from the kernels, shows here.
func TestTiersAreTheFamily(t *testing.T) {
	want := slices.Concat(entries[float32](), entries[float64](), entries[dtype.Float16](), entries[dtype.BFloat16]())
	got := slices.DeleteFunc(gemmkernels.Entries(), func(entry string) bool {
		return slices.ContainsFunc(want, func(base string) bool { return strings.HasPrefix(entry, base+"_") })
	})
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the tiers give the entries\n%s\nand the family has\n%s", strings.Join(want, " "), strings.Join(got, " "))
	}
}

// The tables of every promised architecture use every tier of f32 and no other.
func TestTablesUseEveryTier(t *testing.T) {
	for _, arch := range []int{75, 86, 90} {
		table, ok := gemmkernels.Tiers("gemm", arch)
		if !ok || table.Arch != arch {
			t.Errorf("there is no table for sm_%d", arch)
			continue
		}
		used := map[Tier]bool{}
		for _, row := range table.Tiers {
			tier, reason, err := pick(table, int(row.From), 1<<20)
			if err != nil || tier.Kernel != row.Kernel || checkTier[float32](tier) != nil || !strings.Contains(reason, tier.String()) {
				t.Errorf("sm_%d from %g: picked %v because %q, error %v", arch, row.From, tier, reason, err)
			}
			used[tier] = true
		}
		for _, tier := range Tiers[float32]() {
			if !used[tier] {
				t.Errorf("the table for sm_%d never picks %v", arch, tier)
			}
		}
	}
}

func TestPick(t *testing.T) {
	table := manifest.TierTable{
		Operator: "gemm", Arch: 90, By: "smaller of rows and columns", Source: "a test",
		Tiers: []manifest.Tier{{From: 0, Kernel: cellKernel}, {From: 64, Kernel: tileKernel, Types: map[string]string{"H": "64"}}},
	}
	for _, c := range []struct {
		m, n int
		want Tier
	}{
		{0, 0, Tier{cellKernel, 0}}, {63, 1000, Tier{cellKernel, 0}}, {1000, 63, Tier{cellKernel, 0}},
		{64, 64, Tier{tileKernel, 64}}, {64, 1 << 40, Tier{tileKernel, 64}},
	} {
		got, reason, err := pick(table, c.m, c.n)
		if err != nil || got != c.want || !strings.Contains(reason, fmt.Sprint(min(c.m, c.n))) {
			t.Errorf("%d x %d: picked %v because %q, error %v; want %v", c.m, c.n, got, reason, err, c.want)
		}
	}
	table.Tiers = table.Tiers[1:]
	if _, _, err := pick(table, 3, 3); err == nil || !strings.Contains(err.Error(), "of 3") {
		t.Errorf("a table that begins at 64 served 3: %v", err)
	}
	table.Tiers[0].Types["H"] = "many"
	if _, _, err := pick(table, 64, 64); err == nil || !strings.Contains(err.Error(), "many") {
		t.Errorf("a tile of many cells was picked: %v", err)
	}
}

func TestOnlyKernel(t *testing.T) {
	dev := opened(t)
	got, reason, err := choose[float64](dev, 90, 4096, 4096)
	if err != nil || got.Kernel != cellKernel || !strings.Contains(reason, "f64") {
		t.Errorf("f64: %v because %q, error %v", got, reason, err)
	}
	if got, reason, err := choose[float32](dev, 61, 4096, 4096); err != nil || got.Kernel != cellKernel || !strings.Contains(reason, "sm_61") {
		t.Errorf("an architecture without a table: %v because %q, error %v", got, reason, err)
	}
}

// A C that is too tall for the fastest tier gets one that holds it, if there is one.
func TestTall(t *testing.T) {
	dev := opened(t)
	cell, tile32, tile64, tile128 := Tier{cellKernel, 0}, Tier{tileKernel, 32}, Tier{tileKernel, 64}, Tier{tileKernel, 128}
	for _, c := range []struct {
		arch, m int
		want    Tier
		tall    bool
	}{
		{90, 1048560, cell, false}, {90, 1048561, tile32, true}, {90, 2097120, tile32, true}, {90, 2097121, tile64, true}, {90, 4194240, tile64, true}, {90, 4194241, tile128, true},
		{90, 8388480, tile128, true}, {90, 8388481, cell, false}, {0, 1048561, tile32, true},
	} {
		got, reason, err := choose[float32](dev, c.arch, c.m, 3)
		if err != nil || got != c.want || strings.Contains(reason, fmt.Sprintf("its grid has no room for %d rows, that of gemm_tile", c.m)) != c.tall {
			t.Errorf("%d rows on sm_%d: %v because %q, error %v; want %v", c.m, c.arch, got, reason, err, c.want)
		}
	}
	if got, _, err := choose[float64](dev, 90, 1048561, 3); err != nil || got != cell {
		t.Errorf("f64: %v, error %v", got, err)
	}
}

// Reports have tiers in them: the names are those of JSON.
func TestTierAsJSON(t *testing.T) {
	got, err := json.Marshal([]Tier{{cellKernel, 0}, {tileKernel, 64}})
	if want := `[{"kernel":"gemm_cell"},{"kernel":"gemm_tile","rows":64}]`; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
