package emutest

import (
	"context"
	"math"
	"testing"

	"github.com/warpwright/warpwright/go/device/emu"
)

// BenchmarkThreads says how many CUDA threads a second run: a kernel whose warps shuffle (a CSR row a warp,
// 64 entries a row), one with nine barriers, and one that never waits.
func BenchmarkThreads(b *testing.B) {
	for _, p := range []struct{ name, path string }{{"asan", asanProgram}, {"tsan", tsanProgram}} {
		const rows, each, sums, long = 4096, 64, 256, 1 << 20
		raw, err := emu.Open(context.Background(), emu.Options{Path: p.path})
		if err != nil {
			b.Fatal(err)
		}
		defer raw.Close()
		d := device{raw, b}
		offsets, columns := make([]int32, rows+1), make([]int32, rows*each)
		for i := range rows {
			offsets[i+1] = int32((i + 1) * each)
		}
		for e := range columns {
			columns[e] = int32(uint32(e) * 2654435761 >> 8 % rows)
		}
		ones := upload(d, fill(long, float32(1)))
		y := upload(d, make([]float32, long))
		po, pc := upload(d, offsets), upload(d, columns)

		for _, k := range []struct {
			name           string
			threads        int
			blocks, shared uint32
			args           []uint64
		}{
			{"spmv_warp", rows * 32, rows * 32 / 256, 0, []uint64{rows, po.Addr(), pc.Addr(), ones.Addr(), ones.Addr(), y.Addr()}},
			{"block_sum", sums * 256, sums, 256 * 4, []uint64{ones.Addr(), y.Addr()}},
			{"axpy", long, long / 256, 0, []uint64{long, uint64(math.Float32bits(2)), ones.Addr(), y.Addr()}},
		} {
			b.Run(p.name+"/"+k.name, func(b *testing.B) {
				for b.Loop() {
					if err := d.launch(k.name, line(k.blocks, 256, k.shared), k.args...); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(k.threads)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mthreads/s")
			})
		}
	}
}
