package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/warpwright/warpwright/tools/workshop"
)

// envToolkit names the folder of a CUDA toolkit, with nvdisasm in its bin. Bazel names each program instead.
const envToolkit = "FAULTS_TOOLKIT"

// errNoToolkit says what an audit needs.
var errNoToolkit = errors.New("no CUDA toolkit here: name the folder of one in " + envToolkit + ", with nvcc, ptxas, fatbinary and nvdisasm in its bin; Bazel brings its own")

// findToolkit finds the programs by the environment, or on PATH; nil if one is missing.
func (w *Workshop) findToolkit() (*workshop.Toolkit, error) {
	dir := os.Getenv(envToolkit)
	t, err := workshop.FindToolkit(dir, "FAULTS_")
	switch {
	case err != nil && dir != "":
		return nil, fmt.Errorf("%s=%s: %w", envToolkit, dir, err)
	case err != nil, t.Fatbinary == "":
		return nil, nil // the pieces that need one say so
	}
	return t, nil
}

// images compiles the kernels for one GPU as a build does, joins what is known of them and audits the code.
func (v *variant) images() ([]Finding, error) {
	if v.spec == nil || !v.audited {
		return nil, nil
	}
	if v.toolkit == nil {
		return nil, errNoToolkit
	}
	found, err := v.imaged.make(v.makeImages)
	if err != nil || found != nil {
		return found, err
	}
	if v.files[rawFile] != "" {
		return v.auditRaw() // by the script's launches, so for each variant
	}
	return v.judged.make(v.judge)
}

func (b *build) makeImages() ([]Finding, error) {
	_, says, failed, err := b.toolkit.Image(context.Background(), b.dir, b.root, "museum.entries.cu", family)
	if err != nil || failed {
		return finding(Compile, says), err
	}
	if _, err := workshop.Command(context.Background(), b.dir, b.toolkit.Fatbinary, "--64", "--compress-mode=none", "--create=museum.fatbin", "--image3=kind=elf,sm=90,file=museum.cubin"); err != nil {
		return nil, err
	}
	if b.files[rawFile] != "" {
		return nil, nil
	}
	says, failed, err = workshop.Attempt(context.Background(), b.dir, exec.Command(b.manifestProgram, "--spec", "museum.spec.json", "--fatbin", "museum.fatbin",
		"--cubin", "90=museum.cubin", "--ptxas-log", "90=museum.log", "--out", "museum.manifest.json"))
	if err != nil || failed {
		return finding(Manifest, says), err
	}
	return nil, nil
}

// judge audits a family.
func (b *build) judge() ([]Finding, error) {
	if _, err := workshop.Command(context.Background(), b.dir, b.auditProgram, "table", "--narrow", "--manifest", "museum.manifest.json",
		"--ptx", "90=museum.ptx", "--lines", "museum.ptx", "--sass", "90=museum.sass", "--out", "museum.audit.json"); err != nil {
		return nil, err
	}
	says, failed, err := workshop.Attempt(context.Background(), b.dir, exec.Command(b.auditProgram, "verdict", "--table", "museum.audit.json", "--out", "museum.audit.ok"))
	if err != nil || !failed {
		return nil, err
	}
	return finding(Audit, says), nil
}

// auditRaw audits kernels without a contract, in the blocks that the script launches.
func (v *variant) auditRaw() ([]Finding, error) {
	s, err := readScript(v.sources[launchFile])
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, st := range s.steps {
		if st.verb != "launch" {
			continue
		}
		cmd := exec.Command(v.auditProgram, "raw", "--ptx", "museum.ptx", "--ptxas-log", "museum.log", "--sass", "museum.sass",
			"--block", st.given["block"], st.name)
		var stdout strings.Builder
		cmd.Stdout = &stdout
		says, failed, err := workshop.Attempt(context.Background(), v.dir, cmd)
		if err != nil {
			return nil, err
		}
		if failed && !slices.ContainsFunc(found, func(f Finding) bool { return f.Says == says }) {
			found = append(found, finding(Audit, stdout.String()+says)...)
		}
	}
	return found, nil
}
