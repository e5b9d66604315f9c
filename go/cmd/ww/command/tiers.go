package command

import (
	"io"

	"github.com/warpwright/warpwright/bench"
	"github.com/warpwright/warpwright/go/manifest"
)

// tierTables is what `ww tune` prints: in either form a tier table's file.
type tierTables []manifest.TierTable

func (t tierTables) text(w io.Writer) error { return bench.WriteTiers(w, t) }
