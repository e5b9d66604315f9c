package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/examples/gemm/talk"
)

// A loop that loads and multiplies, with a test that may stop the kernel; and a kernel that is none of ours.
const listing = `	.target	sm_90

	.elftype	@"ET_EXEC"

//--------------------- .text.one_gemm_f32      --------------------------
	.section	.text.one_gemm_f32,"ax",@progbits
	.align	128
        .global         one_gemm_f32
        .type           one_gemm_f32,@function
        .size           one_gemm_f32,(.L_x_9 - one_gemm_f32)
        .other          one_gemm_f32,@"STO_CUDA_ENTRY STV_DEFAULT"
one_gemm_f32:
.text.one_gemm_f32:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   LDG.E.CONSTANT R4, desc[UR4][R2.64] ;
        /*0020*/                   ISETP.GE.U32.AND P1, PT, R6, c[0x0][0x218], PT ;
        /*0030*/               @P1 BPT.TRAP 0x1 ;
        /*0040*/                   FFMA R5, R4, R4, R5 ;
        /*0050*/                   ISETP.GE.AND P0, PT, R7, c[0x0][0x210], PT ;
        /*0060*/              @!P0 BRA ` + "`(.L_x_1)" + ` ;
        /*0070*/                   EXIT ;
.L_x_9:
`

func TestRun(t *testing.T) {
	dir := t.TempDir()
	name, out := filepath.Join(dir, "one.sm_90.sass"), filepath.Join(dir, "code.json")
	write(t, name, listing)
	if err := run([]string{"-out", out, name}); err != nil {
		t.Fatal(err)
	}
	code, err := talk.ReadCode(out)
	if err != nil {
		t.Fatal(err)
	}
	want := talk.Code{Entry: "one_gemm_f32", Arch: 90, Instructions: 8, Branches: 1, Traps: 1, Loop: talk.Loop{Products: 1, Instructions: 6, Branches: 1}}
	if len(code) != 1 || code[0] != want {
		t.Errorf("got %+v, want %+v", code, want)
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"one.sass":       {listing, "FAMILY.sm_NUMBER.sass"},
		"one.sm_x.sass":  {listing, "invalid syntax"},
		"two.sm_90.sass": {strings.ReplaceAll(listing, "gemm", "saxpy"), "no product"},
		"cut.sm_90.sass": {strings.ReplaceAll(listing, "FFMA", "IMAD"), "no loop that multiplies and adds"},
	} {
		file := filepath.Join(dir, name)
		write(t, file, c.text)
		if err := run([]string{"-out", filepath.Join(dir, "out"), file}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
	if err := run([]string{"-out", filepath.Join(dir, "out")}); err == nil {
		t.Error("no listings gave no error")
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
