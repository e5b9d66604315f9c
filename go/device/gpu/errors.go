//go:build gpu && cgo

package gpu

import (
	"fmt"
	"reflect"

	"github.com/warpwright/warpwright/go/device/backend"
	"gorgonia.org/cu"
)

// failed turns a code of the driver into an error that names the call; nil for success.
func failed(op string, code int) error {
	if code == success {
		return nil
	}
	name, text := describe(code)
	if name == "" {
		name, text = "CUDA_ERROR", "a code that the driver does not know"
	}
	return &backend.DriverError{Op: op, Code: code, Name: name, Text: text}
}

// wrap turns an error of gorgonia.org/cu into one that names the call. The type of cu's codes is
// unexported, so reflection reads the number.
func wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		return failed(op, int(v.Int()))
	}
	return fmt.Errorf("%s: %w", op, err)
}

// start finds the driver, once. Its error matches ErrNoDriver or ErrNoDevice where that is what is wrong.
func start() error {
	code, missing := initialize()
	switch {
	case missing != "":
		return fmt.Errorf("%w: %s", backend.ErrNoDriver, missing)
	case code == stubLibrary:
		return fmt.Errorf("%w: the libcuda found is the toolkit's stub: %w", backend.ErrNoDriver, failed("cuInit", code))
	}
	return failed("cuInit", code)
}

// count is the number of GPUs.
func count() (int, error) {
	if err := start(); err != nil {
		return 0, err
	}
	n, err := cu.NumDevices()
	if err == nil && n == 0 {
		return 0, fmt.Errorf("%w: the driver sees no GPU", backend.ErrNoDevice)
	}
	return n, wrap("cuDeviceGetCount", err)
}
