package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/manifest"
)

func args(out string) []string {
	return []string{
		"--spec", "testdata/pair.spec.json", "--fatbin=testdata/pair.fatbin", "--out", out,
		"--cubin=90=testdata/pair.90.cubin", "--ptxas-log=90=testdata/pair.90.log",
		"--cubin", "75=testdata/pair.75.cubin", "--ptxas-log", "75=testdata/pair.75.log",
	}
}

func TestGolden(t *testing.T) {
	out := filepath.Join(t.TempDir(), "pair.manifest.json")
	if err := run(args(out), &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/pair.manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("testdata/pair.manifest.json differs; testdata/README.md says how to renew it. Now:\n%s", got)
	}
	m, err := manifest.Read(got)
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.Write()
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("reading and writing changes the manifest: %v\n%s", err, again)
	}
}

func TestArguments(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.json")
	good := args(out)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "want --spec"},
		{good[2:], "want --spec"},
		{append(slices.Clone(good), "more"), "no other arguments"},
		{append(slices.Clone(good), "--cubin=90=again"), "90 is given twice"},
		{append(slices.Clone(good), "--cubin=sm_90=x"), "want ARCH=FILE"},
		{append(slices.Clone(good), "--cubin=86="), "want ARCH=FILE"},
		{append(slices.Clone(good), "--cubin=86=testdata/nowhere"), "--cubin: open testdata/nowhere"},
		{append(slices.Clone(good), "--spec=testdata/pair.cu"), "testdata/pair.cu: spec: invalid character"},
		{append(slices.Clone(good), "--fatbin=testdata/pair.cu"), "magic is"},
		{append(slices.Clone(good), "--cubin=86=testdata/pair.cu"), "image sm_86: cubin: at byte 0x0"},
	} {
		err := run(c.args, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.args, err, c.want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a run that failed has written a manifest")
	}
}
