package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// fresh returns an error, with the first difference, unless the file holds text.
func fresh(name string, text []byte) error {
	have, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if bytes.Equal(have, text) {
		return nil
	}
	was, now := strings.Split(string(have), "\n"), strings.Split(string(text), "\n")
	line := 0
	for line < len(was) && line < len(now) && was[line] == now[line] {
		line++
	}
	return fmt.Errorf("%s:%d: stale: the sources say otherwise\n  - %s\n  + %s\nrenew it: run the same command without --check", name, line+1, at(was, line), at(now, line))
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end of file)"
}
