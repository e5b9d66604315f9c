//go:build !(gpu && cgo)

package gpu

import (
	"fmt"

	"github.com/warpwright/warpwright/go/device/backend"
)

// Open returns an error: this program was built without the driver.
func Open(int) (backend.Device, error) { return nil, errBuiltWithout() }

// List returns an error: this program was built without the driver.
func List() ([]backend.Info, error) { return nil, errBuiltWithout() }

func errBuiltWithout() error {
	return fmt.Errorf("%w: this program was built without the driver: Bazel builds those that have it", backend.ErrNoDriver)
}
