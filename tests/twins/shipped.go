package twins

import (
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/kernels/csrkernels"
	"github.com/warpwright/warpwright/go/kernels/launch"
)

// shipped is a launcher of the family csr.
type shipped struct {
	csrLauncher
	on *csrkernels.Kernels
}

type csrLauncher interface {
	Check(d *device.Device) error
	Chosen(d *device.Device) (launch.Choice, error)
	Launch(on *csrkernels.Kernels, s *device.Stream) error
}

func (l shipped) Launch(s *device.Stream) error { return l.csrLauncher.Launch(l.on, s) }

// shipped sets what launches the safe way, a kernel of go/csr.
func (b *builder) shipped(l csrLauncher) {
	on, err := csrkernels.Load(b.d)
	if b.err == nil {
		b.err = err
	}
	b.p.safe = shipped{l, on}
}

func mvThread(b *builder, shape []int) {
	gather(b, shape, 256, func(o gathered) {
		b.shipped(&csrkernels.MvThread[float32, int32]{V: csrkernels.Each, Rows: o.rows, Cols: o.cols, Weights: o.weights, X: o.x, Y: o.y})
	})
}

// mvGroup gives each row so many lanes.
func mvGroup(lanes int) func(b *builder, shape []int) {
	return func(b *builder, shape []int) {
		gather(b, shape, 256/lanes, func(o gathered) {
			b.shipped(&csrkernels.MvGroup[float32, int32]{V: csrkernels.Each, S: lanes, Rows: o.rows, Cols: o.cols, Weights: o.weights, X: o.x, Y: o.y})
		})
	}
}
