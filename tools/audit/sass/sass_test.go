package sass

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/forms.txt anew")

func parseFile(t *testing.T, name string) []*Function {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	functions, err := Parse(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return functions
}

// TestForms holds what is read of real listings against a file that a person can read beside the source.
func TestForms(t *testing.T) {
	var got bytes.Buffer
	for _, arch := range []string{"75", "86", "90"} {
		for _, f := range parseFile(t, filepath.Join("testdata", "forms.sm_"+arch+".sass")) {
			describe(&got, arch, f)
		}
	}
	golden := filepath.Join("testdata", "forms.txt")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got); renew with -update:\n%s", golden, diff)
	}
}

func describe(w *bytes.Buffer, arch string, f *Function) {
	loops, reducible := f.Loops()
	fmt.Fprintf(w, "sm_%s %s", arch, f.Name)
	if !f.Entry() {
		fmt.Fprintf(w, " in %s", f.Kernel)
	}
	fmt.Fprintf(w, ": %d instructions, %d in detours, %d blocks, %d branches, %d calls, %d traps, %d local, reducible %v\n",
		len(f.Body()), len(f.All())-len(f.Body()), len(f.Blocks), len(f.Branches()), len(f.Calls()), len(f.Traps()), len(f.Locals()), reducible)
	var accesses []string
	for a, n := range Count(f.All()) {
		accesses = append(accesses, fmt.Sprintf("\t%d %s\n", n, a))
	}
	sort.Strings(accesses)
	fmt.Fprint(w, strings.Join(accesses, ""))
	for _, l := range loops {
		var inside []Instruction
		for _, b := range l.Nodes {
			inside = append(inside, f.Blocks[b].Instructions...)
		}
		fmt.Fprintf(w, "\tloop at %#x in %d: %d blocks, %d instructions\n", f.Blocks[l.Header].Instructions[0].Address, l.Parent, len(l.Nodes), len(inside))
	}
}

// listing is that of one function with these lines for its code; addresses are written into it.
func listing(code ...string) string {
	var s strings.Builder
	s.WriteString("\t.target\tsm_90\n\t.section\t.text.k,\"ax\",@progbits\n\t.type k,@function\nk:\n.text.k:\n")
	at := 0
	for _, line := range code {
		if strings.HasSuffix(line, ":") {
			s.WriteString(line + "\n")
			continue
		}
		fmt.Fprintf(&s, "        /*%04x*/                   %s ;\n", at, line)
		at += step
	}
	return s.String()
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "no .target line"},
		{"another tool's text", "hello\n", `line 1: neither an instruction nor a label nor a directive: "hello"`},
		{"an architecture", "\t.target\tsm_61\n", "line 1: architecture sm_61 is not one of sm_75 to sm_90"},
		{"data", "\t.target\tsm_90\n\t.section\t.nv.info,\"\"\n", "line 2: section .nv.info is no code"},
		{"a directive", "\t.target\tsm_90\n\t.twist\t1\n", "line 2: directive .twist is not known"},
		{"an opcode", listing("FROB R1, R2", "EXIT"), `k: line 6: opcode FROB is not known`},
		{"a far jump", listing("JMX R2", "EXIT"), "where JMX leads is not known"},
		{"a branch into nowhere", listing("BRA `(.L_x_9)"), "label .L_x_9 is not in this function"},
		{"a branch without a label", listing("BRA 0x40", "EXIT"), "a branch with 0 labels"},
		{"a table without its labels", listing("BRX R4 -0x100", "EXIT"), "a branch with 0 labels"},
		{"a label where none is known", listing("MOV R1, `(.L_x_1)", ".L_x_1:", "EXIT"), "a label where none is known"},
		{"code that ends without an exit", listing("MOV R1, R2"), "control runs out of the function"},
		{"a conditional exit at the end", listing("@P0 EXIT"), "control runs out of the function"},
		{"a label twice", listing(".L_x_1:", "EXIT", ".L_x_1:"), "label .L_x_1 stands twice"},
		{"a function that is not declared", listing("EXIT", "other:", "EXIT"), "label other is neither a function's nor a place in one"},
		{"a barrier that nothing opened", listing("BSYNC B0", "EXIT"), "no BSSY B0 has the next address as its label"},
		{"a barrier that leads elsewhere", listing("BSSY B0, `(.L_x_1)", "BSYNC B0", "NOP", ".L_x_1:", "EXIT"), "no BSSY B0 has the next address"},
		{"a hole in the addresses", strings.Replace(listing("NOP", "EXIT"), "/*0010*/", "/*0020*/", 1), "address 0x20, expected 0x10"},
		{"a width", listing("LDG.E.256 R4, desc[UR4][R2.64]", "EXIT"), "LDG.E.256: the modifier 256 is no width known here"},
		{"a bracket", listing("LDG.E R4, desc[UR4][R2.64", "EXIT"), "a bracket stays open"},
		{"code before a function", "\t.target\tsm_90\n\t.section\t.text.k,\"ax\"\n        /*0000*/  EXIT ;\n", "an instruction outside a function"},
		{"a guard that is no predicate", listing("@R1 EXIT"), "not an instruction"},
	} {
		_, err := Parse(strings.NewReader(c.text))
		if err == nil {
			t.Errorf("%s: not refused", c.name)
			continue
		}
		if want := strings.TrimPrefix(c.want, "k: "); !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %q, want %q in it", c.name, err, want)
		}
		var line *Error
		if c.text != "" && !errors.As(err, &line) {
			t.Errorf("%s: %q has no line", c.name, err)
		}
	}
}

func TestInstruction(t *testing.T) {
	functions, err := Parse(strings.NewReader(listing(
		"@!P0 LDG.E.64.CONSTANT R4, desc[UR4][R2.64+0x8]",
		"IADD3.X R7, R3.reuse, UR5, RZ, P0, !PT",
		"@!PT LDS RZ, [RZ]",
		"LDGSTS.E.BYPASS.128 [R7], desc[UR4][R2.64]",
		"BRA.DIV UR7, `(.L_x_1)",
		"@!PT BRA `(.L_x_1)",
		"@P0 BPT.TRAP 0x1",
		"EXIT",
		".L_x_1:",
		"@P1 CALL.REL.NOINC `(.L_x_2)",
		"BRA P0, `(.L_x_1)",
		".L_x_2:",
		"EXIT",
		".L_x_3:",
		"BRA `(.L_x_3)",
	)))
	if err != nil {
		t.Fatal(err)
	}
	f := functions[0]
	all := f.All()
	if got, want := all[0].String(), "@!P0 LDG.E.64.CONSTANT R4, desc[UR4][R2.64+0x8]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := strings.Join(all[1].Operands, "|"), "R7|R3|UR5|RZ|P0|!PT"; got != want {
		t.Errorf("operands: got %s, want %s", got, want)
	}
	if len(all[2].Accesses()) != 0 {
		t.Error("an instruction that never runs has an access")
	}
	if got, want := fmt.Sprint(all[3].Accesses()), "[load.global.16 BYPASS store.shared.16 BYPASS]"; got != want {
		t.Errorf("a copy: got %s, want %s", got, want)
	}
	if got, want := len(f.Body()), 8; got != want {
		t.Errorf("without detours: got %d instructions, want %d", got, want)
	}
	if got, want := len(all), 11; got != want {
		t.Errorf("with detours: got %d instructions, want %d (the padding is none)", got, want)
	}
	if got, want := len(f.Branches()), 0; got != want {
		t.Errorf("got %d branches, want %d: the detours and what leads to them do not count", got, want)
	}
}
