package workshop

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// GoTool builds one of the repository's tools in a folder.
func GoTool(ctx context.Context, root, dir, tool string) (program string, err error) {
	program = filepath.Join(dir, tool)
	_, err = Command(ctx, root, "go", "build", "-o", program, "./tools/"+tool)
	return program, err
}

// Kernelspec is what GoTool builds kernelspec of, for Inputs.
func Kernelspec() []string {
	return []string{"tools/kernelspec/*.go", "tools/kernelspec/internal/*/*.go", "tools/internal/*/*.go"}
}

// Inputs reads what only other programs would read: go test takes a result from its cache unless a file that the test itself has
// read is another one.
func Inputs(root string, patterns ...string) error {
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err == nil && len(names) == 0 {
			err = fmt.Errorf("there is no %s in %s", pattern, root)
		}
		if err != nil {
			return err
		}
		for _, name := range names {
			if _, err := os.ReadFile(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Specify has kernelspec, started in the folder from which args name headers and sources, write what an emulator is made of into another folder:
// FAMILY.entries.cu, FAMILY.emu.cc, and the spec, whose path it returns.
func Specify(ctx context.Context, at, kernelspec, dir, family string, args ...string) (spec string, err error) {
	out := func(suffix string) string { return filepath.Join(dir, family+suffix) }
	_, err = Command(ctx, at, kernelspec, append([]string{"--family", family, "--entries-as", family + ".entries.cu",
		"--out-entries", out(".entries.cu"), "--out-emu", out(".emu.cc"), "--out-spec", out(".spec.json")}, args...)...)
	return out(".spec.json"), err
}

// Family makes the emulator and the spec of a family as a build would, in a folder, for go test in a checkout.
func Family(ctx context.Context, root, dir, family string, sources ...string) (program, spec string, err error) {
	if root, err = filepath.Abs(root); err != nil {
		return "", "", err
	}
	if err := Inputs(root, append(append(Kernelspec(), "cuda/include/ww/*.h", "emu/*.h", "emu/*.cc"), sources...)...); err != nil {
		return "", "", err
	}
	kernelspec, err := GoTool(ctx, root, dir, "kernelspec")
	if err != nil {
		return "", "", err
	}
	if spec, err = Specify(ctx, root, kernelspec, dir, family, append([]string{"--include", "cuda/include"}, sources...)...); err != nil {
		return "", "", err
	}
	e, s := &Emulators{Root: root, CXX: "g++"}, ASan()
	if err := e.CompileRuntime(ctx, dir); err != nil {
		return "", "", err
	}
	header, err := e.Precompile(ctx, s, filepath.Join(dir, "headers"), "ww/ww.h", "emu/table.h")
	if err != nil {
		return "", "", err
	}
	says, failed, err := e.Compile(ctx, dir, s, header, family+".emu.cc")
	if err == nil && failed {
		err = fmt.Errorf("%s does not compile:\n%s", family, says)
	}
	if err == nil {
		err = e.Link(ctx, dir, s)
	}
	return filepath.Join(dir, s.Program), spec, err
}
