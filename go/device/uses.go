package device

import (
	"strings"

	"github.com/warpwright/warpwright/go/device/backend"
	"github.com/warpwright/warpwright/go/manifest"
)

// uses asks the kernel itself how it uses its parameters, else the manifest.
func uses(k backend.Kernel, e *manifest.Entry) []backend.Use {
	if t, ok := k.(backend.UseTeller); ok {
		return t.Uses()
	}
	if e == nil {
		return nil
	}
	out := make([]backend.Use, len(e.Params))
	for i := range out {
		switch t := e.Params[i].Type; {
		case !strings.HasSuffix(t, "*"):
		case strings.HasPrefix(t, "const "):
			out[i] = backend.Reads
		default:
			out[i] = backend.Writes
		}
	}
	return out
}

// pointsTo calls f for each open buffer that a pointer among the words of a launch points into.
func (k *Kernel) pointsTo(slots []uint64, f func(b *buffer, use backend.Use)) {
	for i, v := range slots {
		use := backend.Writes // what is not known is taken for the worst
		if i < len(k.uses) {
			use = k.uses[i]
		}
		if use == backend.Word {
			continue
		}
		if b := k.dev.live.find(v); b != nil {
			f(b, use)
		}
	}
}

// note marks what a launch that was written by hand writes, and keeps for the stream's graph what a
// captured one uses.
func (k *Kernel) note(s *Stream, slots []uint64) {
	capturing := s.capturing()
	if k.marked && !capturing {
		return
	}
	k.pointsTo(slots, func(b *buffer, use backend.Use) {
		write := use == backend.Writes
		if write && !k.marked {
			b.touch()
		}
		switch {
		case !capturing:
		case write:
			s.rec.Load().write(b)
		default:
			s.rec.Load().reads(b)
		}
	})
}
