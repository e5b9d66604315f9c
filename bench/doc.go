// Package bench measures the kernels beside their peers: every tier of every direction and of dense products, checked
// against float64, in one run and with one way of timing for all.
//
// Device time is taken between two events around each call. Calls go through several sets of inputs
// in rotation, together larger than any cache, so that what should come from memory does. A memset of
// some hundred microseconds goes first, behind which the host enqueues all calls: times hold no
// waiting for the host. Reported is the median.
//
// Products of dense matrices (Gemm) take the same matrices each time: they do enough with what they have loaded.
//
// It is used by `ww bench`, `ww tune` and the GPU bundle.
package bench
