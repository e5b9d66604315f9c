// Reach decides whether every kernel is launched from an exported Go function.
//
//	reach refs    --root IMPORTPATH... --src IMPORTPATH=FILE... --out refs.json
//	reach verdict --spec spec.json --refs refs.json... --label LABEL --out stamp
//	reach report  --refs refs.json... [--spec spec.json]
//
// An argument @FILE, unless it is the value of a flag, is replaced by FILE's lines. Exit codes: 0 fine, 1 findings, 2 wrong use or input.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/reach/graph"
	"github.com/warpwright/warpwright/tools/reach/refs"
	"github.com/warpwright/warpwright/tools/reach/report"
	"github.com/warpwright/warpwright/tools/reach/source"
	"github.com/warpwright/warpwright/tools/reach/verdict"
)

func main() {
	// A run lives for a moment and keeps what it allocates: collecting would cost a third of its time.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(1 << 30)
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

const usage = `usage:
  reach refs    --root IMPORTPATH... --src IMPORTPATH=FILE... --out refs.json
  reach verdict --spec spec.json [--manifest m.json] --refs refs.json... --label LABEL
                [--launchers LABEL...] [--family NAME...] [--unlaunched NAME=REASON...] --out stamp
  reach report  --refs refs.json... [--spec spec.json]
Repeated values repeat the flag. An argument @FILE, unless it is the value of a flag, is replaced by FILE's lines.
`

// errFindings ends a run whose findings have been printed.
var errFindings = errors.New("findings")

func run(args []string, stdout, stderr io.Writer) int {
	args, err := expand(args)
	if err == nil {
		err = dispatch(args, stdout, stderr)
	}
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errFindings):
		return 1
	}
	fmt.Fprintf(stderr, "reach: error: %v\n", err)
	return 2
}

func dispatch(args []string, stdout, stderr io.Writer) error {
	verb := ""
	if len(args) > 0 {
		verb = args[0]
	}
	switch verb {
	case "refs":
		return runRefs(args[1:], stderr)
	case "verdict":
		return runVerdict(args[1:], stderr)
	case "report":
		return runReport(args[1:], stdout, stderr)
	case "help", "-h", "--help":
		fmt.Fprint(stdout, usage)
		return nil
	}
	return fmt.Errorf("unknown command %q: want refs, verdict or report\n%s", verb, usage)
}

// expand replaces every @FILE by the file's lines. The value of a flag is none: labels begin with @, too.
func expand(args []string) ([]string, error) {
	var out []string
	for i, a := range args {
		name, ok := strings.CutPrefix(a, "@")
		isValue := i > 0 && strings.HasPrefix(args[i-1], "-") && !strings.Contains(args[i-1], "=")
		if !ok || isValue {
			out = append(out, a)
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				out = append(out, line)
			}
		}
	}
	return out, nil
}

// list is a flag that may be given several times.
type list []string

func (l *list) String() string { return strings.Join(*l, " ") }

func (l *list) Set(v string) error {
	*l = append(*l, v)
	return nil
}

// flags makes a flag set that reports errors instead of exiting.
func flags(verb string, stderr io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet("reach "+verb, flag.ContinueOnError)
	f.SetOutput(stderr)
	return f
}

// parse parses args and insists on the named flags.
func parse(f *flag.FlagSet, args []string, required ...string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%s: unexpected argument %q: every value needs its flag", f.Name(), f.Arg(0))
	}
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, name := range required {
		if !given[name] {
			return fmt.Errorf("%s: --%s is missing\n%s", f.Name(), name, usage)
		}
	}
	return nil
}

func runRefs(args []string, stderr io.Writer) error {
	var roots, srcs, tags list
	f := flags("refs", stderr)
	f.Var(&roots, "root", "import `path` of a package whose exported declarations count")
	f.Var(&srcs, "src", "`IMPORTPATH=FILE`: a source file of the roots or of what they import")
	f.Var(&tags, "tag", "build `tag` that holds beside gpu, which always does")
	goos := f.String("goos", "linux", "operating system that build constraints see")
	goarch := f.String("goarch", "amd64", "architecture that build constraints see")
	out := f.String("out", "", "`file` to write")
	if err := parse(f, args, "root", "src", "out"); err != nil {
		return err
	}
	specs := make([]source.Spec, len(srcs))
	for i, s := range srcs {
		path, file, ok := strings.Cut(s, "=")
		if !ok || path == "" || file == "" {
			return fmt.Errorf("--src %q: want IMPORTPATH=FILE", s)
		}
		specs[i] = source.Spec{ImportPath: path, File: file}
	}
	program, err := source.Load(source.Config{
		ReadFile: os.ReadFile,
		GOOS:     *goos,
		GOARCH:   *goarch,
		Tags:     append(list{"gpu"}, tags...), // what the build compiles
		Fake:     graph.FakeDevice,
	}, specs)
	if err != nil {
		return err
	}
	g, err := graph.New(program, roots)
	if err != nil {
		return err
	}
	text, err := g.Refs().Encode()
	if err != nil {
		return err
	}
	return os.WriteFile(*out, text, 0o666)
}

func runVerdict(args []string, stderr io.Writer) error {
	var refFiles, launchers, families, unlaunched list
	f := flags("verdict", stderr)
	specFile := f.String("spec", "", "the family's spec, a `file`")
	manifestFile := f.String("manifest", "", "the family's manifest, a `file`")
	f.Var(&refFiles, "refs", "a `file` that reach refs wrote")
	label := f.String("label", "", "the target that messages name")
	f.Var(&launchers, "launchers", "a launchers target, as messages name it; import paths if absent")
	f.Var(&families, "family", "another `family` that launches may name")
	f.Var(&unlaunched, "unlaunched", "`NAME=REASON`: a kernel or entry that is not launched, on purpose")
	out := f.String("out", "", "`file` to write when all is well")
	if err := parse(f, args, "spec", "refs", "label", "out"); err != nil {
		return err
	}
	in := verdict.Input{Launchers: launchers, Families: families}
	var err error
	if in.Spec, err = read(*specFile, manifest.DecodeSpec); err != nil {
		return err
	}
	if *manifestFile != "" {
		if in.Manifest, err = read(*manifestFile, manifest.Decode); err != nil {
			return err
		}
	}
	if in.Refs, err = readRefs(refFiles); err != nil {
		return err
	}
	for _, u := range unlaunched {
		name, reason, _ := strings.Cut(u, "=")
		in.Unlaunched = append(in.Unlaunched, verdict.Exception{Name: name, Reason: reason})
	}
	findings := verdict.Check(in)
	for _, finding := range findings {
		fmt.Fprint(stderr, finding.Format(*label))
	}
	if len(findings) > 0 {
		return errFindings
	}
	stamp := fmt.Sprintf("%s: %d kernels, %d entries, %d listed as unlaunched: every other one is launched from an exported function\n",
		*label, len(in.Spec.Kernels), len(in.Spec.Entries), len(in.Unlaunched))
	return os.WriteFile(*out, []byte(stamp), 0o666)
}

func runReport(args []string, stdout, stderr io.Writer) error {
	var refFiles list
	f := flags("report", stderr)
	f.Var(&refFiles, "refs", "a `file` that reach refs wrote")
	specFile := f.String("spec", "", "the family's spec, a `file`")
	if err := parse(f, args, "refs"); err != nil {
		return err
	}
	all, err := readRefs(refFiles)
	if err != nil {
		return err
	}
	var spec *manifest.Spec
	if *specFile != "" {
		if spec, err = read(*specFile, manifest.DecodeSpec); err != nil {
			return err
		}
	}
	return report.Write(stdout, spec, all)
}

func readRefs(names []string) ([]*refs.Refs, error) {
	var all []*refs.Refs
	for _, name := range names {
		r, err := read(name, refs.Read)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// read parses a file and names it in errors.
func read[T any](name string, parse func([]byte) (*T, error)) (*T, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	v, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}
