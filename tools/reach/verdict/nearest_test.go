package verdict

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "", 3}, {"", "ab", 2}, {"warp", "warp", 0},
		{"warp", "wrap", 1}, // neighbours swapped
		{"warp", "warps", 1}, {"warp", "wasp", 1}, {"csr_mv", "mv", 4}, {"kitten", "sitting", 3},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"csr_mv_block", "csr_mv_thread", "csr_mv_warp"}
	for name, want := range map[string]string{
		"csr_mv_wrap":   "csr_mv_warp",
		"csr_mv_treads": "csr_mv_thread",
		"relu":          "",
		"":              "",
	} {
		if got := nearest(name, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
