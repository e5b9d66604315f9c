//go:build gpu && cgo

package gpu

import (
	"fmt"

	"github.com/warpwright/warpwright/go/device/backend"
	"gorgonia.org/cu"
)

// List describes the GPUs that Open takes by index. It makes no context on any of them.
func List() ([]backend.Info, error) {
	n, err := count()
	if err != nil {
		return nil, fmt.Errorf("gpu: %w", err)
	}
	infos := make([]backend.Info, n)
	for i := range infos {
		if _, infos[i], err = look(i); err != nil {
			return nil, fmt.Errorf("gpu:%d: %w", i, err)
		}
	}
	return infos, nil
}

// sharedOptIn is CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, which cu does not name.
const sharedOptIn cu.DeviceAttribute = 97

// look reads a device's facts.
func look(index int) (cu.Device, backend.Info, error) {
	in := backend.Info{Kind: backend.GPU, Index: index}
	dev, err := cu.GetDevice(index)
	if err != nil {
		return dev, in, wrap("cuDeviceGet", err)
	}
	if in.Name, err = dev.Name(); err != nil {
		return dev, in, wrap("cuDeviceGetName", err)
	}
	if in.MemoryBytes, err = dev.TotalMem(); err != nil {
		return dev, in, wrap("cuDeviceTotalMem", err)
	}
	var major, minor, x, y, z int
	for _, a := range []struct {
		to   *int
		what cu.DeviceAttribute
	}{
		{&major, cu.ComputeCapabilityMajor}, {&minor, cu.ComputeCapabilityMinor},
		{&in.Multiprocessors, cu.MultiprocessorCount},
		{&in.MaxThreadsPerBlock, cu.MaxThreadsPerBlock},
		{&x, cu.MaxGridDimX}, {&y, cu.MaxGridDimY}, {&z, cu.MaxGridDimZ},
		{&in.SharedPerBlock, cu.MaxSharedMemoryPerBlock}, {&in.SharedPerBlockMax, sharedOptIn},
	} {
		if *a.to, err = dev.Attribute(a.what); err != nil {
			return dev, in, wrap(fmt.Sprintf("cuDeviceGetAttribute(%d)", a.what), err)
		}
	}
	in.Arch = 10*major + minor
	in.MaxGrid = backend.Dim3{X: uint32(x), Y: uint32(y), Z: uint32(z)}
	// Chips without the opt-in answer with a smaller number.
	in.SharedPerBlockMax = max(in.SharedPerBlockMax, in.SharedPerBlock)
	v := cu.Version()
	in.Driver = fmt.Sprintf("CUDA driver API %d.%d", v/1000, v%1000/10)
	return dev, in, nil
}
