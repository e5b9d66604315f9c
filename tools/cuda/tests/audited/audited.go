// Package audited launches kernels that break rules of the audits: planted faults.
package audited

import "github.com/warpwright/warpwright/go/device"

// Silent finds the entry of y = x that breaks a rule without saying why.
func Silent(d *device.Device) (*device.Kernel, error) { return d.Kernel("audited_silent_f32") }

// Excused finds the one that has a reason.
func Excused(d *device.Device) (*device.Kernel, error) { return d.Kernel("audited_excused_f32") }

// Stale finds the one that has a reason for what it does not do.
func Stale(d *device.Device) (*device.Kernel, error) { return d.Kernel("audited_stale_f32") }
