package talk

import (
	"fmt"
	"io"

	"github.com/warpwright/warpwright/bench"
	"github.com/warpwright/warpwright/go/device"
)

// Ratios writes what the ladder's checks cost on products of every size that was measured, a line each, with our best beside
// cuBLAS where that is there.
func Ratios(w io.Writer, r *bench.GemmReport) error {
	fmt.Fprintf(w, "\ntimes of launches as multiples of each other (%s)\n", seed)
	if r.Device.Kind != string(device.GPU) {
		fmt.Fprintln(w, "there is no GPU here: times mean nothing")
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		every, okEvery := c.Way("checked_gemm_f32")
		thread, okThread := c.Way("once_gemm_f32")
		launch, okLaunch := c.Way("twin_gemm_f32")
		never, okNever := c.Way("raw_gemm_f32")
		if !okEvery || !okThread || !okLaunch || !okNever {
			return fmt.Errorf("talk: %d a side: a rung of the ladder was not measured", c.Side)
		}
		fmt.Fprintf(w, "%5d a side: every access %.3f, once a thread %.3f, never %.3f of once a launch", c.Side,
			every.Median/launch.Median, thread.Median/launch.Median, never.Median/launch.Median)
		best, ok := c.Best(bench.GemmOurs)
		if ok {
			fmt.Fprintf(w, "; best %s %.0f GFLOP/s", best.Name, best.Rate/1e9)
		}
		if peer, there := c.Best(bench.GemmPeer); ok && there {
			fmt.Fprintf(w, ", %.1f %% of %s", 100*peer.Median/best.Median, peer.Name)
		}
		fmt.Fprintln(w)
	}
	return nil
}
