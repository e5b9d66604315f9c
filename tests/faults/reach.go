package faults

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/warpwright/warpwright/tools/workshop"
)

// reach judges whether the variant's exported Go functions launch every kernel. Variants without Go files are kernels
// alone, of which it has nothing to say.
func (v *variant) reach() ([]Finding, error) {
	names := goFiles(v.sources)
	if len(names) == 0 || v.spec == nil {
		return nil, nil
	}
	refs := []string{"refs", "--root", operatorPath, "--out", "refs.json", "--src", launchersPath + "=" + launchersFile}
	for _, name := range names {
		refs = append(refs, "--src", operatorPath+"="+name)
	}
	device, err := sourcesOf(filepath.Join(v.root, "go", "device"))
	if err != nil {
		return nil, err
	}
	for _, name := range device {
		refs = append(refs, "--src", module+"/go/device="+filepath.Join(v.root, "go", "device", name))
	}
	if _, err := workshop.Command(context.Background(), v.dir, v.reachProgram, refs...); err != nil {
		return nil, err
	}
	says, failed, err := workshop.Attempt(context.Background(), v.dir, exec.Command(v.reachProgram, "verdict", "--spec", "museum.spec.json", "--refs", "refs.json",
		"--label", "//museum", "--out", "reach.ok"))
	if err != nil || !failed {
		return nil, err
	}
	return finding(Reach, strings.ReplaceAll(says, v.root, "")), nil
}
