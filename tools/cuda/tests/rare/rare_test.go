package rare

import (
	"os"
	"testing"

	"github.com/warpwright/warpwright/go/proof"
)

// The solver does not find a launch that keeps the contract, so the build has looked at the corners of its sizes, in the action that this
// table comes from.
func TestDecided(t *testing.T) {
	p, err := os.ReadFile("rare.proof.json")
	if err != nil {
		t.Fatal(err)
	}
	table, err := proof.Read(p)
	if err != nil {
		t.Fatal(err)
	}
	if open := table.Open(); open != nil || len(table.Rows) != 1 || table.Rows[0].Entry != "rare_copy_f32" || table.Rows[0].Verdict != proof.Proved {
		t.Errorf("%v: %+v", open, table.Rows)
	}
}
