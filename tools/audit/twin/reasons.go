package twin

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Reason is why one safe kernel, or a loop of a variant, may have more instructions than its twin's and the bound allows.
type Reason struct {
	Pair, Arch string
	// Percent is how many there are more, exactly: a reason must not cover what comes later.
	Percent int
	Text    string
}

// ReadReasons reads lines of PAIR ARCH PERCENT% REASON. Empty lines and those that begin with # do not count. The name is for
// errors.
func ReadReasons(name string, r io.Reader) ([]Reason, error) {
	var reasons []Reason
	seen := map[string]bool{}
	in := bufio.NewScanner(r)
	for line := 1; in.Scan(); line++ {
		text := strings.TrimSpace(in.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		fields := strings.Fields(text)
		if len(fields) < 4 {
			return nil, fmt.Errorf("%s:%d: want PAIR ARCH PERCENT%% REASON", name, line)
		}
		number, isPercent := strings.CutSuffix(fields[2], "%")
		percent, err := strconv.Atoi(number)
		if err != nil || !isPercent {
			return nil, fmt.Errorf("%s:%d: %q is no whole number with a %%", name, line, fields[2])
		}
		key := fields[0] + " " + fields[1]
		if seen[key] {
			return nil, fmt.Errorf("%s:%d: %s stands twice", name, line, key)
		}
		seen[key] = true
		reasons = append(reasons, Reason{Pair: fields[0], Arch: fields[1], Percent: percent, Text: strings.Join(fields[3:], " ")})
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return reasons, nil
}

// Excuse gives rows their reasons and returns what is wrong with the reasons.
func Excuse(rows []Row, reasons []Reason) (stale []string) {
	for _, r := range reasons {
		say := func(format string, args ...any) {
			stale = append(stale, fmt.Sprintf("%s %s: "+format, append([]any{r.Pair, r.Arch}, args...)...))
		}
		var row *Row
		for n := range rows {
			if rows[n].Pair == r.Pair && rows[n].Arch == r.Arch {
				row = &rows[n]
			}
		}
		if row == nil {
			say("there is no such pair")
			continue
		}
		switch more, allowed, _ := row.excusable(); {
		case more <= allowed:
			say("%d %% need no reason: delete it", more)
		case more > r.Percent:
			say("the reason allows %d %%, measured are %d: a new reason is needed", r.Percent, more)
		case more < r.Percent:
			say("the reason allows %d %%, measured are %d: write that", r.Percent, more)
		default:
			row.Reason = r.Text
		}
	}
	return stale
}
