package workshop

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Toolkit is the programs that make and read images. Fatbinary, which not all that is done here needs, is empty where it is missing.
type Toolkit struct{ NVCC, PTXAS, NVDisasm, Fatbinary string }

// FindToolkit is the toolkit in a folder's bin, if one is named; else the programs that the environment names, as Bazel does, in
// variables of a prefix and the program's name; else those on PATH.
func FindToolkit(folder, prefix string) (*Toolkit, error) {
	return find(func(name string) (string, error) {
		if folder != "" {
			path := filepath.Join(folder, "bin", name)
			_, err := os.Stat(path)
			return path, err
		}
		if path := os.Getenv(prefix + strings.ToUpper(name)); path != "" {
			return filepath.Abs(path)
		}
		return exec.LookPath(name)
	})
}

func find(look func(name string) (string, error)) (*Toolkit, error) {
	t := &Toolkit{}
	for name, at := range map[string]*string{"nvcc": &t.NVCC, "ptxas": &t.PTXAS, "nvdisasm": &t.NVDisasm, "fatbinary": &t.Fatbinary} {
		path, err := look(name)
		switch {
		case err == nil:
			*at = path
		case name != "fatbinary":
			return nil, fmt.Errorf("no CUDA toolkit: %w", err)
		}
	}
	return t, nil
}

// Image is a family compiled for one architecture, sm_90, as files in a folder.
type Image struct{ PTX, Cubin, Log, SASS string }

// Image compiles entries in a folder as a build does, for sm_90. Headers are looked for there before those of root. What it says
// where it fails is the compiler's finding.
func (t *Toolkit) Image(ctx context.Context, dir, root, entries, name string) (im Image, says string, failed bool, err error) {
	im = Image{PTX: name + ".ptx", Cubin: name + ".cubin", Log: name + ".log", SASS: name + ".sass"}
	says, failed, err = Attempt(ctx, dir, exec.Command(t.NVCC, "-std=c++20", "-O3", "-ptx", "-lineinfo", "-arch=compute_90", "-I.", "-Icuda/include",
		"-I"+root, "-I"+filepath.Join(root, "cuda", "include"), "-o", im.PTX, entries))
	if err != nil || failed {
		return im, says, failed, err
	}
	log, failed, err := Attempt(ctx, dir, exec.Command(t.PTXAS, "-O3", "-v", "-arch=sm_90", "-o", im.Cubin, im.PTX))
	if err != nil || failed {
		return im, log, failed, err
	}
	sass, err := Command(ctx, dir, t.NVDisasm, "-c", im.Cubin)
	if err != nil {
		return im, "", false, err
	}
	for file, text := range map[string]string{im.Log: log, im.SASS: sass} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			return im, "", false, err
		}
	}
	return im, "", false, nil
}
