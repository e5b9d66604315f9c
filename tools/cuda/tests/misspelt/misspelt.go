// Package misspelt launches its family's kernel, and one whose name is wrong: a planted fault.
package misspelt

import "github.com/warpwright/warpwright/go/device"

// Copy finds the entry of y = x on a device.
func Copy(d *device.Device) (*device.Kernel, error) { return d.Kernel("misspelt_copy_f32") }

// CopyTypo asks for an entry that no image has.
func CopyTypo(d *device.Device) (*device.Kernel, error) { return d.Kernel("misspelt_cpoy_f32") }
