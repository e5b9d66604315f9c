package connectome

import (
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const file = `{"nodes": ["A", "B", "M"], "summary": "ignored",
		"connections": {"Generic_CS": [[0, 3.0, 1.0], [2.0, 0, 0], [0, 0, 0]], "Generic_GJ": [[0,0,0],[0,0,0],[0,0,0]]}}`
	c, err := Read(strings.NewReader(file), "Generic_CS")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"A", "B", "M"}; !slices.Equal(c.Cells, want) {
		t.Errorf("cells %q, want %q", c.Cells, want)
	}
	if want := []Entry{{0, 1, 3}, {0, 2, 1}, {1, 0, 2}}; !slices.Equal(c.Entries, want) {
		t.Errorf("entries %v, want %v", c.Entries, want)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, one := range []struct{ name, file, want string }{
		{"no JSON", `{"nodes": [`, "unexpected EOF"},
		{"class", `{"nodes": ["A"], "connections": {"GJ": [[0]]}}`, `no connections of class "CS"`},
		{"rows", `{"nodes": ["A", "B"], "connections": {"CS": [[0, 1]]}}`, "CS has 1 rows for 2 cells"},
		{"columns", `{"nodes": ["A", "B"], "connections": {"CS": [[0, 1], [1]]}}`, "row 1 (B) of CS has 1 columns for 2 cells"},
		{"fraction", `{"nodes": ["A", "B"], "connections": {"CS": [[0, 1.5], [1, 0]]}}`, "A onto B in CS: 1.5 is no number"},
		{"negative", `{"nodes": ["A", "B"], "connections": {"CS": [[0, 1], [-1, 0]]}}`, "B onto A in CS: -1 is no number"},
		{"twice", `{"nodes": ["A", "A"], "connections": {"CS": [[0, 1], [1, 0]]}}`, `cells 0 and 1 are both called "A"`},
	} {
		t.Run(one.name, func(t *testing.T) {
			if _, err := Read(strings.NewReader(one.file), "CS"); err == nil || !strings.Contains(err.Error(), one.want) {
				t.Errorf("got %v, want an error that contains %q", err, one.want)
			}
		})
	}
}
