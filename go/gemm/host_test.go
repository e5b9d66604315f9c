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
