package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// The build's list of architectures and this package's are one.
func TestArchsAreTheBuilds(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "tools", "cuda", "private", "archs.bzl"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^DEFAULT_ARCHS = .*$`).Find(text)
	var build, here []string
	for _, m := range regexp.MustCompile(`"(sm_\d+)"`).FindAllSubmatch(line, -1) {
		build = append(build, string(m[1]))
	}
	for _, a := range Archs() {
		here = append(here, fmt.Sprintf("sm_%d", a))
	}
	if !slices.Equal(build, here) {
		t.Errorf("the build compiles for %q, this package says %q", build, here)
	}
}
