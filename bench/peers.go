package bench

import (
	"errors"
	"fmt"

	"github.com/warpwright/warpwright/bench/peer"
	"github.com/warpwright/warpwright/go/device"
)

// openPeer opens a device where peers run. Where they do not, p is nil and absent says why, as reports do.
func openPeer(dev *device.Device, unwanted bool) (p *peer.Peer, absent string, err error) {
	info := dev.Info()
	switch {
	case unwanted:
		return nil, "none: not asked for", nil
	case info.Kind != device.GPU:
		return nil, fmt.Sprintf("none: peers run on a GPU, this is %s", info.Name), nil
	}
	p, err = peer.Open(info.Index)
	if errors.Is(err, peer.ErrAbsent) {
		return nil, "none: " + err.Error(), nil
	}
	return p, "", err
}

// failures are what peers did wrong in a run. One that fails takes nothing of ours with it.
type failures []error

// note puts what a peer did not do into a report's notes, and among the failures unless the peer merely cannot do it.
func (f *failures) note(notes *[]string, err error) {
	*notes = append(*notes, err.Error())
	if !errors.Is(err, peer.ErrUnsupported) {
		*f = append(*f, err)
	}
}

// err is with what the run fails in the end, if it does.
func (f failures) err() error {
	if err := errors.Join(f...); err != nil {
		return fmt.Errorf("bench: a peer failed: %w", err)
	}
	return nil
}
