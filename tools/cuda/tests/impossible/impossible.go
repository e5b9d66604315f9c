// Package impossible launches a kernel whose contract no launch keeps: a planted fault.
package impossible

import "github.com/warpwright/warpwright/go/device"

// Copy finds the entry.
func Copy(d *device.Device) (*device.Kernel, error) { return d.Kernel("impossible_copy_f32") }
