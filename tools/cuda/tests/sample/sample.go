// Package sample launches the family that the CUDA rules' own tests compile.
package sample

import "github.com/warpwright/warpwright/go/device"

// Scale finds the entry of y = a x on a device.
func Scale(d *device.Device) (*device.Kernel, error) { return d.Kernel("sample_scale_f32") }
