// Package containment shows what a bad launch does to the process that makes it. The same launch, of far more
// elements than its arrays have, is made by hand (raw), by hand with a test at every access (checked) and
// through a launcher (safe), each in a process of its own, since the first two may take their device with
// them. It runs on a GPU from the bundle, and on the emulator.
package containment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/warpwright/warpwright/tests/twins"
)

// Launch is a bad launch: of Beyond elements more than its arrays have.
type Launch struct {
	Variant twins.Variant `json:"variant"`
	Beyond  uint64        `json:"beyond"`
}

// String says what the launch does.
func (l Launch) String() string {
	return fmt.Sprintf("%s, %d elements beyond the arrays", l.Variant, l.Beyond)
}

// Near stays among the neighbours of the arrays, which a GPU maps together; Far leaves all that is mapped.
const (
	Near = 4096
	Far  = 1 << 28
)

// Launches are all that are made.
func Launches() []Launch {
	var out []Launch
	for _, beyond := range []uint64{Near, Far} {
		for _, v := range []twins.Variant{twins.Raw, twins.Checked, twins.Safe} {
			out = append(out, Launch{v, beyond})
		}
	}
	return out
}

// Outcome is what the process of a bad launch has seen.
type Outcome struct {
	Bad       string `json:"bad,omitempty"`       // the error of the launch, at once or when it was waited for
	Violation bool   `json:"violation,omitempty"` // that error is a contract's
	Reported  bool   `json:"reported,omitempty"`  // it is the emulator's report
	Sticky    bool   `json:"sticky,omitempty"`    // it is the driver's and stays
	Corrupted int    `json:"corrupted,omitempty"` // elements of other arrays that have changed
	Lost      int    `json:"lost,omitempty"`      // other arrays that could not be read any more
	Next      string `json:"next,omitempty"`      // the error of a good launch after it; empty if the answer was right
}

// String is one line for people.
func (o Outcome) String() string {
	var parts []string
	switch {
	case o.Violation:
		parts = append(parts, "refused by its contract: "+o.Bad)
	case o.Bad != "":
		parts = append(parts, "failed: "+o.Bad)
	default:
		parts = append(parts, "no error")
	}
	if o.Corrupted > 0 {
		parts = append(parts, fmt.Sprintf("%d elements of other arrays overwritten", o.Corrupted))
	}
	if o.Lost > 0 {
		parts = append(parts, fmt.Sprintf("%d other arrays lost", o.Lost))
	}
	if o.Next != "" {
		parts = append(parts, "the next launch failed: "+o.Next)
	} else {
		parts = append(parts, "the next launch was right")
	}
	return strings.Join(parts, "; ")
}

// Judge returns an error unless the outcome is what the variant promises. Raw promises nothing, so there the
// damage must show: a demonstration without damage demonstrates nothing.
func (l Launch) Judge(o Outcome) error {
	switch l.Variant {
	case twins.Safe:
		if !o.Violation || o.Corrupted != 0 || o.Lost != 0 || o.Next != "" {
			return errors.New("a safe launch must be refused and must leave no trace")
		}
	case twins.Checked:
		if o.Bad == "" || o.Violation || o.Corrupted != 0 {
			return errors.New("a checked kernel must trap before it writes")
		}
	default:
		poisoned := o.Sticky && o.Next != ""
		if o.Violation || !poisoned && !o.Reported && o.Corrupted == 0 {
			return errors.New("a raw launch did no damage that could be seen")
		}
	}
	return nil
}

// Command starts the process of a launch: one that calls Child with it.
type Command func(ctx context.Context, l Launch) *exec.Cmd

// Run makes every launch in a process of its own and writes a line for each. The error says which did not
// end as it must.
func Run(ctx context.Context, w io.Writer, command Command) error {
	var failed []error
	seen := map[string]int{}
	for _, l := range Launches() {
		o, err := start(command(ctx, l))
		if err == nil {
			fmt.Fprintf(w, "%v: %v\n", l, o)
			err = l.Judge(o)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%v: %w", l, err))
			continue
		}
		seen[l.kind(o)]++
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	fmt.Fprintf(w, "safe: %d refused; raw: %d poisoned the device, %d corrupted other arrays, %d reported; checked: %d trapped\n",
		seen["refused"], seen["poisoned"], seen["corrupted"], seen["reported"], seen["trapped"])
	return nil
}

// kind counts an outcome.
func (l Launch) kind(o Outcome) string {
	switch {
	case l.Variant == twins.Safe:
		return "refused"
	case l.Variant == twins.Checked:
		return "trapped"
	case o.Reported:
		return "reported"
	case o.Sticky:
		return "poisoned"
	default:
		return "corrupted"
	}
}

func start(cmd *exec.Cmd) (Outcome, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var o Outcome
	if err := cmd.Run(); err != nil {
		return o, fmt.Errorf("its process: %w\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), &o); err != nil {
		return o, fmt.Errorf("its process says %q: %w", stdout.String(), err)
	}
	return o, nil
}
