package gemm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
)

// Host is a matrix in host memory: the cells of row r stand at r*Cols to (r+1)*Cols.
type Host[W dtype.Float] struct {
	Rows, Cols int
	Cells      []W
}

// Multiply returns A B for matrices in host memory: it uploads both, multiplies and brings C back. ctx ends the
// waiting, not the work.
func Multiply[W dtype.Float](ctx context.Context, d *device.Device, a, b Host[W]) (Host[W], error) {
	c, err := multiply(ctx, d, a, b)
	if err != nil {
		return Host[W]{}, fmt.Errorf("gemm: (%s) * (%s): %w", shape(a.Rows, a.Cols), shape(b.Rows, b.Cols), err)
	}
	return c, nil
}

func multiply[W dtype.Float](ctx context.Context, d *device.Device, a, b Host[W]) (c Host[W], err error) {
	if err := errors.Join(
		checkCells(operator, "a.Cells", a.Rows, a.Cols, len(a.Cells)),
		checkCells(operator, "b.Cells", b.Rows, b.Cols, len(b.Cells)),
	); err != nil {
		return c, err
	}
	if a.Cols != b.Rows {
		return c, &contract.ArgError{Kernel: operator, Param: "b", Rule: fmt.Sprintf("must have as many rows as a has columns: a is %s, b is %s",
			shape(a.Rows, a.Cols), shape(b.Rows, b.Cols))}
	}
	over, cells := bits.Mul64(uint64(a.Rows), uint64(b.Cols))
	if over != 0 || cells > math.MaxInt { // of factors without cells, a product may have more than can be counted
		return c, &contract.ArgError{Kernel: operator, Param: "c", Rule: fmt.Sprintf("must have fewer than 2^63 cells: it is %s", shape(a.Rows, b.Cols))}
	}
	p, err := newPlan[W](d, a.Rows, b.Cols, a.Cols, nil)
	if err != nil {
		return c, err
	}
	var open []io.Closer
	defer func() {
		for _, o := range open {
			err = errors.Join(err, o.Close())
		}
	}()
	s, err := d.NewStream()
	if err != nil {
		return c, err
	}
	open = append(open, s)
	buffers := make([]*device.Buffer[W], 3)
	for i, n := range []int{len(a.Cells), len(b.Cells), int(cells)} {
		if buffers[i], err = device.Alloc[W](d, n); err != nil {
			return c, err
		}
		open = append(open, buffers[i])
	}
	if err := errors.Join(buffers[0].Write(s, 0, a.Cells), buffers[1].Write(s, 0, b.Cells)); err != nil {
		return c, err
	}
	if err := p.run(s, 1, buffers[0].All(), buffers[1].All(), 0, buffers[2].All()); err != nil {
		return c, err
	}
	if err := s.Wait(ctx); err != nil {
		return c, err
	}
	product, err := buffers[2].Host(s)
	return Host[W]{a.Rows, b.Cols, product}, err
}
