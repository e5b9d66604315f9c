package gemm_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/contract"
	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/gemm"
)

// Factors without a cell may name a product with more cells than can be counted.
func TestMultiplyUncountable(t *testing.T) {
	ctx := context.Background()
	dev, err := device.Open(ctx, device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for rows, cols := range map[int]int{1 << 33: 1 << 30, 1 << 32: 1 << 32, 1 << 62: 4} {
		_, err := gemm.Multiply(ctx, dev, gemm.Host[float32]{Rows: rows}, gemm.Host[float32]{Cols: cols})
		if !errors.Is(err, contract.ErrContract) || !strings.Contains(err.Error(), "argument c must have fewer than 2^63 cells: it is ") {
			t.Errorf("%d x 0 times 0 x %d: %v", rows, cols, err)
		}
	}
}

// A C taller than one kernel's grid is computed all the same, and one taller than every grid is refused.
func TestMultiplyTall(t *testing.T) {
	ctx := context.Background()
	dev, err := device.Open(ctx, device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	a := gemm.Host[float32]{Rows: 1048561, Cols: 1, Cells: make([]float32, 1048561)}
	a.Cells[1048560] = 3
	c, err := gemm.Multiply(ctx, dev, a, gemm.Host[float32]{Rows: 1, Cols: 1, Cells: []float32{2}})
	if err != nil || c.Cells[0] != 0 || c.Cells[1048560] != 6 {
		t.Errorf("1048561 rows: %v", err)
	}
	_, err = gemm.Multiply(ctx, dev, gemm.Host[float32]{Rows: 8388481}, gemm.Host[float32]{Cols: 1})
	if !errors.Is(err, contract.ErrContract) || !strings.Contains(err.Error(), "requires cdiv(M, block.y) <= 65535: left side is 524281, right side is 65535") {
		t.Errorf("8388481 rows: %v", err)
	}
}

func TestPlanOfClosedDevice(t *testing.T) {
	dev, err := device.Open(context.Background(), device.WithKind("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := gemm.NewPlan[float32](dev, 1, 1, 1); !errors.Is(err, device.ErrClosed) || !errors.Is(err, contract.ErrContract) {
		t.Errorf("a plan on a closed device: %v", err)
	}
}
