package faults

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// toolkit is the programs that make and read images.
type toolkit struct{ nvcc, ptxas, fatbinary, nvdisasm string }

// envToolkit names the folder of a CUDA toolkit, with nvdisasm in its bin. Bazel names each program instead.
const envToolkit = "FAULTS_TOOLKIT"

// errNoToolkit says what an audit needs.
var errNoToolkit = errors.New("no CUDA toolkit here: name the folder of one in " + envToolkit + ", with nvcc, ptxas, fatbinary and nvdisasm in its bin; Bazel brings its own")

// findToolkit finds the programs by the environment, or on PATH; nil if one is missing.
func (w *Workshop) findToolkit() (*toolkit, error) {
	t := &toolkit{}
	for name, at := range map[string]*string{"nvcc": &t.nvcc, "ptxas": &t.ptxas, "fatbinary": &t.fatbinary, "nvdisasm": &t.nvdisasm} {
		if path := os.Getenv("FAULTS_" + strings.ToUpper(name)); path != "" {
			*at = w.named(path)
			continue
		}
		if dir := os.Getenv(envToolkit); dir != "" {
			*at = filepath.Join(dir, "bin", name)
			if _, err := os.Stat(*at); err != nil {
				return nil, fmt.Errorf("%s=%s: %w", envToolkit, dir, err)
			}
			continue
		}
		path, err := exec.LookPath(name)
		if err != nil {
			return nil, nil
		}
		*at = path
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
	entries := "museum.entries.cu"
	include := filepath.Join(b.root, "cuda", "include")
	says, failed, err := attempt(b.dir, exec.Command(b.toolkit.nvcc, "-std=c++20", "-O3", "-ptx", "-lineinfo", "-arch=compute_90", "-I.", "-I"+include, "-o", "museum.ptx", entries))
	if err != nil || failed {
		return finding(Compile, says), err
	}
	log, failed, err := attempt(b.dir, exec.Command(b.toolkit.ptxas, "-O3", "-v", "-arch=sm_90", "-o", "museum.cubin", "museum.ptx"))
	if err != nil || failed {
		return finding(Compile, log), err
	}
	if err := os.WriteFile(filepath.Join(b.dir, "museum.log"), []byte(log), 0o666); err != nil {
		return nil, err
	}
	sass, err := command(b.dir, b.toolkit.nvdisasm, "-c", "museum.cubin")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(b.dir, "museum.sass"), []byte(sass), 0o666); err != nil {
		return nil, err
	}
	if _, err := command(b.dir, b.toolkit.fatbinary, "--64", "--compress-mode=none", "--create=museum.fatbin", "--image3=kind=elf,sm=90,file=museum.cubin"); err != nil {
		return nil, err
	}
	if b.files[rawFile] != "" {
		return nil, nil
	}
	says, failed, err = attempt(b.dir, exec.Command(b.manifestProgram, "--spec", "museum.spec.json", "--fatbin", "museum.fatbin",
		"--cubin", "90=museum.cubin", "--ptxas-log", "90=museum.log", "--out", "museum.manifest.json"))
	if err != nil || failed {
		return finding(Manifest, says), err
	}
	return nil, nil
}

// judge audits a family.
func (b *build) judge() ([]Finding, error) {
	if _, err := command(b.dir, b.auditProgram, "table", "--narrow", "--manifest", "museum.manifest.json",
		"--ptx", "90=museum.ptx", "--lines", "museum.ptx", "--sass", "90=museum.sass", "--out", "museum.audit.json"); err != nil {
		return nil, err
	}
	says, failed, err := attempt(b.dir, exec.Command(b.auditProgram, "verdict", "--table", "museum.audit.json", "--out", "museum.audit.ok"))
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
		says, failed, err := attempt(v.dir, cmd)
		if err != nil {
			return nil, err
		}
		if failed && !slices.ContainsFunc(found, func(f Finding) bool { return f.Says == says }) {
			found = append(found, finding(Audit, stdout.String()+says)...)
		}
	}
	return found, nil
}
