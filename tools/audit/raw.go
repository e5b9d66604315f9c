package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/audit"
	"github.com/warpwright/warpwright/tools/audit/ptx"
	"github.com/warpwright/warpwright/tools/audit/rules"
	"github.com/warpwright/warpwright/tools/audit/sass"
	"github.com/warpwright/warpwright/tools/internal/verdict"
	"github.com/warpwright/warpwright/tools/manifest/ptxas"
)

// runRaw audits entries that have no contract.
func runRaw(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("audit raw", flag.ContinueOnError)
	flags.SetOutput(stderr)
	ptxFile := flags.String("ptx", "", "the `file` that nvcc -ptx wrote; with -lineinfo findings name lines of the source")
	logFile := flags.String("ptxas-log", "", "the `file` with what ptxas -v printed, for spills and local memory")
	sassFile := flags.String("sass", "", "the `file` with what nvdisasm -c printed, for local memory and traps")
	block := flags.String("block", "", "the `shape` of a block in every launch: 256 or 16,16 or 8,8,4")
	grid := flags.String("grid", "", "the largest `shape` of a grid; as many blocks as 2^31-1 threads along an axis if not given")
	only := flags.String("rules", "", "these `rules` alone, with commas between them: "+strings.Join(rules.Names, ","))
	asJSON := flags.Bool("json", false, "print the findings as JSON, by entry")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *ptxFile == "" || *block == "" {
		return errors.New("audit raw: want --ptx and --block")
	}
	wanted, err := list(*only, rules.Names)
	if err != nil {
		return fmt.Errorf("audit raw: --rules: %w", err)
	}
	launch := &rules.Launch{}
	if launch.Block, err = shape(*block); err != nil {
		return fmt.Errorf("audit raw: --block: %w", err)
	}
	if n := launch.Threads(); n > 1024 {
		return fmt.Errorf("audit raw: --block: %s is %d threads; a block has at most 1024", *block, n)
	}
	launch.Blocks = rules.AnyGrid(launch.Block)
	if *grid != "" {
		g, err := shape(*grid)
		if err != nil {
			return fmt.Errorf("audit raw: --grid: %w", err)
		}
		launch.Blocks = [3]int64{int64(g[0]), int64(g[1]), int64(g[2])}
	}
	found, err := auditRaw(*ptxFile, *logFile, *sassFile, launch, flags.Args())
	if err != nil {
		return fmt.Errorf("audit raw: %w", err)
	}
	return show(found, wanted, *asJSON, stdout)
}

// rawEntry is one entry's findings.
type rawEntry struct {
	Entry    string          `json:"entry"`
	Findings []audit.Finding `json:"findings"`
}

func auditRaw(ptxFile, logFile, sassFile string, launch *rules.Launch, names []string) ([]rawEntry, error) {
	text, err := os.ReadFile(ptxFile)
	if err != nil {
		return nil, err
	}
	m, err := ptx.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ptxFile, err)
	}
	usages := map[string]*ptxas.Usage{}
	if logFile != "" {
		log, err := os.ReadFile(logFile)
		if err != nil {
			return nil, err
		}
		if usages, err = ptxas.Parse(string(log)); err != nil {
			return nil, fmt.Errorf("%s: %w", logFile, err)
		}
	}
	code := map[string][]*sass.Function{}
	if sassFile != "" {
		functions, err := sass.ReadFile(sassFile)
		if err != nil {
			return nil, err
		}
		for _, f := range functions {
			code[f.Kernel] = append(code[f.Kernel], f)
		}
	}
	var out []rawEntry
	var have []string
	for _, f := range m.Funcs {
		if !f.Entry {
			continue
		}
		have = append(have, f.Name)
		if len(names) > 0 && !slices.Contains(names, f.Name) {
			continue
		}
		one := rawEntry{Entry: f.Name}
		if one.Findings, err = rules.PTX(f, launch); err != nil {
			return nil, err
		}
		var usage rules.Usage
		if u := usages[f.Name]; u != nil {
			usage = rules.Usage{Stack: u.Stack, SpillStores: u.SpillStores, SpillLoads: u.SpillLoads}
		} else if logFile != "" {
			return nil, fmt.Errorf("%s: there is no report of entry %s", logFile, f.Name)
		}
		if code[f.Name] == nil && sassFile != "" {
			return nil, fmt.Errorf("%s: there is no code of entry %s", sassFile, f.Name)
		}
		one.Findings = append(one.Findings, rules.Code(usage, code[f.Name])...)
		out = append(out, one)
	}
	for _, name := range names {
		if !slices.Contains(have, name) {
			return nil, fmt.Errorf("%s: there is no entry %s; there are %s", ptxFile, name, strings.Join(have, ", "))
		}
	}
	return out, nil
}

// show prints the findings of the wanted rules and says whether there are any.
func show(found []rawEntry, wanted []string, asJSON bool, stdout io.Writer) error {
	n := 0
	for i := range found {
		found[i].Findings = slices.DeleteFunc(found[i].Findings, func(f audit.Finding) bool { return !slices.Contains(wanted, f.Rule) })
		n += len(found[i].Findings)
	}
	if asJSON {
		e := json.NewEncoder(stdout)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(found); err != nil {
			return err
		}
	} else {
		for _, one := range found {
			for _, f := range one.Findings {
				fmt.Fprintf(stdout, "%s: %s\n", one.Entry, &f)
			}
		}
	}
	if n > 0 {
		return verdict.ErrOpen
	}
	return nil
}

// shape reads one to three numbers with commas between them.
func shape(text string) ([3]int, error) {
	out := [3]int{1, 1, 1}
	parts := strings.Split(text, ",")
	if len(parts) > 3 {
		return out, fmt.Errorf("%q has %d numbers, want up to 3", text, len(parts))
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > 1<<31-1 {
			return out, fmt.Errorf("%q: want whole numbers above 0", text)
		}
		out[i] = n
	}
	return out, nil
}
