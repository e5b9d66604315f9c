// Command machinecode writes what the talk shows of machine code: for each entry whose name has "gemm" in it, its size, its
// branches and traps, and the loop in which it spends its time.
//
//	machinecode -out FILE FAMILY.sm_90.sass ...
//
// A listing is what nvdisasm -c prints; its name says for which architecture.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/examples/gemm/talk"
	"github.com/warpwright/warpwright/tools/audit/sass"
	"github.com/warpwright/warpwright/tools/audit/twin"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "machinecode: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	f := flag.NewFlagSet("machinecode", flag.ContinueOnError)
	out := f.String("out", "", "write the table to `FILE`")
	if err := f.Parse(args); err != nil {
		return err
	}
	var code []talk.Code
	for _, name := range f.Args() {
		more, err := read(name)
		if err != nil {
			return err
		}
		code = append(code, more...)
	}
	if len(code) == 0 {
		return errors.New("there is no product among the listings")
	}
	text, err := json.MarshalIndent(code, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(*out, append(text, '\n'), 0o666)
}

// read looks at the products of a listing.
func read(name string) ([]talk.Code, error) {
	arch, err := archOf(name)
	if err != nil {
		return nil, err
	}
	functions, err := sass.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var code []talk.Code
	for _, f := range functions {
		if !f.Entry() || !strings.Contains(f.Name, "gemm") {
			continue
		}
		m, err := twin.Of(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c := talk.Code{Entry: f.Name, Arch: arch, Instructions: m.Instructions, Branches: m.Branches, Traps: m.Traps}
		for _, l := range m.Loops {
			if l.Fused > c.Loop.Products {
				c.Loop = talk.Loop{Products: l.Fused, Instructions: l.Instructions, Branches: l.Branches}
			}
		}
		if c.Loop.Products == 0 {
			return nil, fmt.Errorf("%s: %s has no loop that multiplies and adds", name, f.Name)
		}
		code = append(code, c)
	}
	return code, nil
}

// archOf is 90 for gemm.sm_90.sass.
func archOf(name string) (int, error) {
	parts := strings.Split(filepath.Base(name), ".")
	if len(parts) == 3 && parts[2] == "sass" {
		if number, ok := strings.CutPrefix(parts[1], "sm_"); ok {
			return strconv.Atoi(number)
		}
	}
	return 0, fmt.Errorf("%s: the name of a listing is FAMILY.sm_NUMBER.sass", name)
}
