package emu

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/warpwright/warpwright/go/device/backend"
)

// find resolves the program's path. A relative one may be a Bazel rootpath, which holds in the runfiles
// and not in a test's working directory.
func find(path string) (string, error) {
	from := "option"
	if path == "" {
		from, path = "WW_EMU", os.Getenv("WW_EMU")
	}
	if path == "" {
		from, path = "default", filepath.Join("cuda", "emulator")
	}
	candidates := []string{path}
	if !filepath.IsAbs(path) {
		for _, root := range runfiles() {
			candidates = append(candidates, filepath.Join(root, path))
		}
	}
	for _, c := range candidates {
		if st, err := os.Stat(c); err == nil && st.Mode().IsRegular() {
			return filepath.Abs(c)
		}
	}
	return "", fmt.Errorf("emu: %w: no emulator program at %s (by %s; set WW_EMU to the program that //cuda:emulator builds)",
		backend.ErrNoDevice, strings.Join(candidates, ", "), from)
}

// runfiles are the folders that rootpaths may be relative to.
func runfiles() []string {
	var roots []string
	if dir, workspace := os.Getenv("TEST_SRCDIR"), os.Getenv("TEST_WORKSPACE"); dir != "" && workspace != "" {
		roots = append(roots, filepath.Join(dir, workspace))
	}
	if dir := os.Getenv("RUNFILES_DIR"); dir != "" {
		roots = append(roots, filepath.Join(dir, "_main"), filepath.Join(dir, "warpwright"))
	}
	if exe, err := os.Executable(); err == nil {
		roots = append(roots, filepath.Join(exe+".runfiles", "_main"), filepath.Join(exe+".runfiles", "warpwright"))
	}
	return roots
}
