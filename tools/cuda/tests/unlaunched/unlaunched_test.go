package unlaunched_test

import "testing"

// TestNothing never runs: its target has the images as data, and so must not build.
func TestNothing(t *testing.T) {}
