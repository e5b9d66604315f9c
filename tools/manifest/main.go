// Command manifest joins what a kernel family's sources declare with what its
// compiled images say, and refuses the two if they differ.
//
//	manifest --spec csr.spec.json --cubin 75=F --ptxas-log 75=F ... --fatbin F --out csr.manifest.json
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/manifest/join"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("manifest", flag.ContinueOnError)
	flags.SetOutput(stderr)
	spec := flags.String("spec", "", "the family's `spec.json`")
	fatbin := flags.String("fatbin", "", "the family's `fatbin`")
	out := flags.String("out", "", "the manifest to write")
	cubins, logs := perArch{}, perArch{}
	flags.Var(cubins, "cubin", "`ARCH=FILE`, such as 90=csr.sm_90.cubin; once for each image of machine code")
	flags.Var(logs, "ptxas-log", "`ARCH=FILE`: what ptxas -v printed when it made that cubin")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *spec == "" || *fatbin == "" || *out == "" || len(cubins) == 0 || flags.NArg() > 0 {
		return errors.New("manifest: want --spec, --fatbin, --out and at least one --cubin, and no other arguments")
	}

	in := join.Input{Cubins: map[int][]byte{}, Logs: map[int]string{}}
	p, err := os.ReadFile(*spec)
	if err != nil {
		return fmt.Errorf("manifest: --spec: %w", err)
	}
	if in.Spec, err = manifest.ReadSpec(p); err != nil {
		return fmt.Errorf("manifest: %s: %w", *spec, err)
	}
	if in.Fatbin, err = os.ReadFile(*fatbin); err != nil {
		return fmt.Errorf("manifest: --fatbin: %w", err)
	}
	for arch, file := range cubins {
		if in.Cubins[arch], err = os.ReadFile(file); err != nil {
			return fmt.Errorf("manifest: --cubin: %w", err)
		}
	}
	for arch, file := range logs {
		p, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("manifest: --ptxas-log: %w", err)
		}
		in.Logs[arch] = string(p)
	}
	m, err := join.Join(in)
	if err != nil {
		return fmt.Errorf("family %s: %w", in.Spec.Family, err)
	}
	if p, err = m.Write(); err != nil {
		return err
	}
	return os.WriteFile(*out, p, 0o666)
}

// perArch is a flag whose value is ARCH=FILE and which may be repeated.
type perArch map[int]string

// String makes perArch a flag.Value.
func (p perArch) String() string { return "" }

// Set adds ARCH=FILE.
func (p perArch) Set(value string) error {
	name, file, ok := strings.Cut(value, "=")
	arch, err := strconv.Atoi(name)
	if !ok || file == "" || err != nil {
		return errors.New("want ARCH=FILE, such as 90=csr.cubin")
	}
	if before, ok := p[arch]; ok {
		return fmt.Errorf("%d is given twice: %s and %s", arch, before, file)
	}
	p[arch] = file
	return nil
}
