package containment

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/tests/twins"
)

// envChild makes this program a child: it names the launch.
const envChild = "WW_CONTAINMENT_CHILD"

func TestMain(m *testing.M) {
	arg := os.Getenv(envChild)
	if arg == "" {
		os.Exit(m.Run())
	}
	l, err := Parse(arg)
	if err == nil {
		err = Child(context.Background(), l, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child is this program with another environment. On the driver for tests, in whose process kernels run, a fault
// of a kernel is what the driver is told to answer.
func child(t *testing.T, more ...string) Command {
	return func(ctx context.Context, l Launch) *exec.Cmd {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(append(os.Environ(), envChild+"="+l.Arg()), more...)
		if os.Getenv("WW_LIBCUDA") != "" {
			switch l.Variant {
			case twins.Raw:
				cmd.Env = append(cmd.Env, "FAKE_CUDA_FAIL=kernel:700")
			case twins.Checked:
				cmd.Env = append(cmd.Env, "FAKE_CUDA_FAIL=kernel:715")
			}
		}
		return cmd
	}
}

func TestContainment(t *testing.T) {
	var out bytes.Buffer
	err := Run(t.Context(), &out, child(t))
	t.Logf("\n%s", &out)
	if kind := os.Getenv(device.EnvDevice); kind == "" || kind == "cpu" { // plain go test has nothing to launch on
		if err == nil || strings.Count(err.Error(), "launches nothing") != len(Launches()) {
			t.Errorf("got %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "safe: 2 refused") || strings.Count(out.String(), "requires len(x) >= N: left side is 1024, right side is") != 2 {
		t.Errorf("the safe launches do not say why they were refused")
	}
}

// TestJudge plants outcomes that must not pass.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		what string
		l    Launch
		o    Outcome
		ok   bool
	}{
		{"a refused launch", Launch{twins.Safe, Near}, Outcome{Bad: "short", Violation: true}, true},
		{"a safe launch that went through", Launch{twins.Safe, Near}, Outcome{}, false},
		{"a safe launch that failed on the device", Launch{twins.Safe, Near}, Outcome{Bad: "700", Sticky: true}, false},
		{"a refused launch that wrote all the same", Launch{twins.Safe, Near}, Outcome{Bad: "short", Violation: true, Corrupted: 1}, false},
		{"a refused launch after which nothing works", Launch{twins.Safe, Near}, Outcome{Bad: "short", Violation: true, Next: "700"}, false},
		{"a refused launch that lost arrays", Launch{twins.Safe, Near}, Outcome{Bad: "short", Violation: true, Lost: 9}, false},
		{"corruption", Launch{twins.Raw, Near}, Outcome{Corrupted: 5}, true},
		{"a poisoned context", Launch{twins.Raw, Far}, Outcome{Bad: "700", Sticky: true, Next: "700", Lost: 9}, true},
		{"an emulator's report", Launch{twins.Raw, Far}, Outcome{Bad: "overrun", Reported: true}, true},
		{"no damage", Launch{twins.Raw, Near}, Outcome{}, false},
		{"a sticky error that went away", Launch{twins.Raw, Far}, Outcome{Bad: "700", Sticky: true}, false},
		{"a raw launch that was refused", Launch{twins.Raw, Far}, Outcome{Bad: "short", Violation: true}, false},
		{"a trap", Launch{twins.Checked, Near}, Outcome{Bad: "trap", Sticky: true, Next: "trap"}, true},
		{"a check that is gone", Launch{twins.Checked, Near}, Outcome{}, false},
		{"a check that came too late", Launch{twins.Checked, Near}, Outcome{Bad: "trap", Corrupted: 3}, false},
	} {
		if err := c.l.Judge(c.o); (err == nil) != c.ok {
			t.Errorf("%s: got %v", c.what, err)
		}
	}
}

// TestBrokenChild: a process that dies, or says nothing, is a failure and no outcome.
func TestBrokenChild(t *testing.T) {
	for _, program := range []string{"/bin/false", "/bin/true"} {
		err := Run(t.Context(), new(bytes.Buffer), func(ctx context.Context, _ Launch) *exec.Cmd { return exec.CommandContext(ctx, program) })
		if err == nil || !strings.Contains(err.Error(), "its process") {
			t.Errorf("%s: got %v", program, err)
		}
	}
}

func TestParse(t *testing.T) {
	for _, l := range Launches() {
		if got, err := Parse(l.Arg()); err != nil || got != l {
			t.Errorf("%v: got %v, %v", l, got, err)
		}
	}
	if _, err := Parse("raw"); err == nil {
		t.Error("a launch without a number is accepted")
	}
}
