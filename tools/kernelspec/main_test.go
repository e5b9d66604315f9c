package main

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/tools/internal/source"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/emit"
	"github.com/warpwright/warpwright/tools/kernelspec/internal/family"
)

var update = flag.Bool("update", false, "write the golden files anew: go test ./tools/kernelspec -update")

// golden compares text with a file.
func golden(t *testing.T, name string, text []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := fresh(name, text); err != nil {
		t.Errorf("%v\nor, once the difference is as it should be: go test ./tools/kernelspec -update", err)
	}
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The tiny family uses every part of the language; its outputs stand beside it, the launchers as
// a package that compiles and has tests of its own.
func TestTiny(t *testing.T) {
	dir := t.TempDir()
	outs := map[string]string{
		"entries":     "testdata/tiny.entries.cu",
		"emu":         "testdata/tiny.emu.cc",
		"launchers":   "internal/tinykernels/launchers.go",
		"spec":        "testdata/tiny.spec.json",
		"obligations": "testdata/tiny.obligations.json",
	}
	for run := range 2 { // the second run must give equal bytes
		args := []string{"--family", "tiny", "--include", "testdata/include", "--tiers", "testdata/tiers.json"}
		for out := range outs {
			args = append(args, "--out-"+out, filepath.Join(dir, out))
		}
		if err := Run(t, append(args, "testdata/tiny.cu")); err != nil {
			t.Fatalf("run %d: %v", run, err)
		}
		for out, name := range outs {
			golden(t, name, []byte(readFile(t, filepath.Join(dir, out))))
		}
	}
}

// Run runs the command and fails the test if it prints.
func Run(t *testing.T, args []string) error {
	t.Helper()
	var usage bytes.Buffer
	err := run(args, &usage)
	if usage.Len() > 0 {
		t.Errorf("it printed:\n%s", usage.String())
	}
	return err
}

func TestCheck(t *testing.T) {
	args := func(file string) []string {
		return []string{"--check", "--family", "tiny", "--include", "testdata/include", "--tiers", "testdata/tiers.json", "--out-launchers", file, "testdata/tiny.cu"}
	}
	if err := Run(t, args("internal/tinykernels/launchers.go")); err != nil {
		t.Error(err)
	}
	stale := filepath.Join(t.TempDir(), "launchers.go")
	text := strings.Replace(readFile(t, "internal/tinykernels/launchers.go"), "len(y) ", "len(x) ", 1)
	if err := os.WriteFile(stale, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	err := Run(t, args(stale))
	if err == nil || !strings.Contains(err.Error(), "stale") || !strings.Contains(err.Error(), `+ 		return 0, launch.Violated(a.entry(), "len(y) "`) {
		t.Errorf("got %v", err)
	}
	if readFile(t, stale) != text {
		t.Error("--check has written the file")
	}
	if err := Run(t, args(stale+".not")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestCommandLine(t *testing.T) {
	bare := filepath.Join(t.TempDir(), "bare.cu")
	if err := os.WriteFile(bare, []byte("using namespace ww;\nWW_DEV void tiny_lost() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"--family is missing":                {"testdata/tiny.cu"},
		"no kernel sources":                  {"--family", "tiny"},
		"no headers ww/*.h in any --include": {"--family", "tiny", "--include", "testdata", "testdata/tiny.cu"},
		"1:1: no kernel in this source":      {"--family", "tiny", "--include", "testdata/include", bare},
		"no such file":                       {"--family", "tiny", "--include", "testdata/include", "testdata/none.cu"},
		"launchers are those of all":         {"--family", "tiny", "--only", "tiny_axpy_f32", "--out-launchers", "x", "testdata/tiny.cu"},
		`no entry "tiny_axpy_f64"`:           {"--family", "tiny", "--include", "testdata/include", "--only", "tiny_axpy_f32,tiny_axpy_f64", "testdata/tiny.cu"},
	} {
		if err := Run(t, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", args, err, want)
		}
	}
	if err := run([]string{"--help"}, new(bytes.Buffer)); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help: got %v", err)
	}
}

// Some entries alone are what they are among all.
func TestOnly(t *testing.T) {
	out := filepath.Join(t.TempDir(), "spec.json")
	if err := Run(t, []string{"--family", "tiny", "--include", "testdata/include", "--only", "tiny_axpy_f16,tiny_cells_4", "--out-spec", out, "testdata/tiny.cu"}); err != nil {
		t.Fatal(err)
	}
	some, err := manifest.ReadSpec([]byte(readFile(t, out)))
	if err != nil {
		t.Fatal(err)
	}
	all, err := manifest.ReadSpec([]byte(readFile(t, "testdata/tiny.spec.json")))
	if err != nil {
		t.Fatal(err)
	}
	all.Kernels = slices.DeleteFunc(all.Kernels, func(k manifest.Kernel) bool { return k.Name != "tiny_axpy" && k.Name != "tiny_cells" })
	all.Entries = slices.DeleteFunc(all.Entries, func(e manifest.Entry) bool { return e.Name != "tiny_axpy_f16" && e.Name != "tiny_cells_4" })
	if !reflect.DeepEqual(some.Kernels, all.Kernels) || !reflect.DeepEqual(some.Entries, all.Entries) {
		t.Errorf("got %v and %v, want %v and %v", some.Kernels, some.Entries, all.Kernels, all.Entries)
	}
}

// generate runs everything on texts and returns the first error.
func generate(name, cu, header, tiers string) error {
	f, err := family.New(name, []*source.File{source.NewFile("tiny.cu", cu)}, []*source.File{source.NewFile("ww/view.h", header)})
	if err != nil {
		return err
	}
	if err := f.AddTiers("tiers.json", []byte(tiers)); err != nil {
		return err
	}
	if _, err := emit.Launchers(f, "tinykernels"); err != nil {
		return err
	}
	if _, err := emit.Spec(f); err != nil {
		return err
	}
	emit.Entries(f)
	emit.Emulator(f, "tiny.entries.cu")
	return nil
}

// TestRefusals spoils the tiny family one edit at a time; what kernelspec says of it stands in
// testdata/refused.txt.
func TestRefusals(t *testing.T) {
	cu, header, tiers := readFile(t, "testdata/tiny.cu"), readFile(t, "testdata/include/ww/view.h"), readFile(t, "testdata/tiers.json")
	var out bytes.Buffer
	record := func(name, old, new string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: %q for %q is accepted", name, new, old)
			return
		}
		out.WriteString("# " + name + "\n" + err.Error() + "\n\n")
	}
	edit := func(text, old, new string) string {
		t.Helper()
		if !strings.Contains(text, old) {
			t.Fatalf("nothing to edit: %q", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	for _, c := range [][3]string{
		{"unknown clause", "block(128), ", "block(128), blocks(2), "},
		{"clause twice", "block(128), ", "block(128), block(128), "},
		{"shared clause", "types(W: f32 f16))", "types(W: f32 f16), shared(64))"},
		{"no block", "block(128), ", ""},
		{"no grid", ", grid(M)", ""},
		{"block of names", "block(128)", "block(W)"},
		{"block too large", "block(16, 16)", "block(64, 32)"},
		{"block axis too large", "block(128)", "block(1, 1, 128)"},
		{"empty block", "block(128)", "block(0)"},
		{"four extents", "block(128)", "block(1, 2, 3, 4)"},
		{"block without an argument", "block(128)", "block()"},
		{"annotation without an end", "W: f32 f16))", "W: f32 f16)"},
		{"unknown name in grid", "cdiv(N, block)", "cdiv(Q, block)"},
		{"length in grid", "grid(min(cdiv(N, block)", "grid(min(cdiv(len(x), block)"},
		{"signed name in grid", "grid(M)", "grid(alpha)"},
		{"bad expression", "8 * sms", "8 * * sms"},
		{"unknown function", "8 * sms", "pow(8, sms)"},
		{"division by zero in an instance", "grid(cdiv(C, 16)", "grid(cdiv(C, T / 16)"},
		{"missing parameter in a relation", "len(a) <", "len(b) <"},
		{"unknown name in a relation", "seed != T", "seed != U"},
		{"two comparisons", "C >= 1", "C >= 1 >= 0"},
		{"predicate of no buffer", "disjoint(x, w)", "disjoint(x, n)"},
		{"predicate of an expression", "disjoint(x, w)", "disjoint(x, w + 1)"},
		{"compared predicate", "divides(S, N)", "divides(S, N) == 1"},
		{"predicate within an expression", "divides(S, N)", "1 == divides(S, N)"},
		{"unknown name in a predicate", "divides(S, N)", "divides(S, Q)"},
		{"aligned to nothing", "aligned(x, 4 * sizeof(x))", "aligned(x, 0)"},
		{"rounding a buffer", "aligned(x, 4 * sizeof(x))", "align(x, 16) == x"},
		{"shared memory that is never enough", "shared >= block.x * sizeof(tile)", "shared >= block.x * sizeof(tile) + 1"},
		{"division by zero in a relation", "seed % 2", "seed % (S - S)"},
		{"below zero in a relation", "N - S >= 1", "S - 2 >= 1"},
		{"the grid within itself", "grid(cdiv(N, 64 * S), S)", "grid(cdiv(N, 64 * S), grid.x)"},
		{"extent with a name of the launch", "template <class W, class N>", "template <class W, class sms>"},
		{"parameter with a name of the launch", "In<W, N> x", "In<W, N> shared"},
		{"no comparison", "C >= 1", "C + 1"},
		{"types of no template parameter", "W: f32 f16", "X: f32 f16"},
		{"types twice", "T: 8 16; W", "W: f64; W"},
		{"value twice", "T: 8 16", "T: 8 8"},
		{"unknown value", "W: f32 f16", "W: f32 f8"},
		{"unknown tag", "V: One Each", "V: One Some"},
		{"mixed values", "V: One Each", "V: One f32"},
		{"no number", "T: 8 16", "T: 8 wide"},
		{"zero", "T: 8 16", "T: 0 16"},
		{"no value", "T: 8 16", "T:"},
		{"BLOCK in types", "T: 8 16", "T: 8 16; BLOCK: 32"},
		{"int without values", "T: 8 16; ", ""},
		{"neither instance nor extent", "template <class W, class N>", "template <class W, class N, class Z>"},
		{"template parameter twice", "template <class W, class N>", "template <class W, class N, class N>"},
		{"template template parameter", "template <class W, class N>", "template <class W, class N, template <class> class Q>"},
		{"no template head", "template <class W, class N>\n", ""},
		{"no function", "WW_DEV void tiny_axpy", "struct tiny_axpy"},
		{"no WW_DEV", "WW_DEV void tiny_axpy", "void tiny_axpy"},
		{"no view", "In<W, N> x", "Inn<W, N> x"},
		{"pointer", "In<W, N> x", "const float* x"},
		{"view of too many", "In<W, N> x", "In<W, N, N> x"},
		{"no element", "In<W, N> x", "In<N, N> x"},
		{"accumulator of an accumulator", "Add<Acc<W>, R>", "Add<Acc<Acc<W>>, R>"},
		{"no extent", "In<W, N> x", "In<W, W> x"},
		{"number for an extent", "Dim<R> r", "Dim<128> r"},
		{"two tags", "class V, class F", "class V, class U, class F"},
		{"offsets of floats", "types(P: i32 i64; V", "types(P: i32 f32; V"},
		{"two permutations", "Order<K, N> order,", "Order<K, N> order, Order<K, N> other,"},
		{"columns of themselves", "In<W, N> x, InOut<W, N> y) {", "In<Col<N>, N> x, InOut<W, N> y) {"},
		{"rows of themselves", "In<W, N> x, InOut<W, N> y) {", "Rows<i32, N, N> x, InOut<W, N> y) {"},
		{"nothing gives the extent", "f64 value, Out<f64, N> out", "f64 value, Edges<f64, N> out"},
		{"two dims", "Dim<C> c,", "Dim<C> c, Dim<C> c2,"},
		{"stride without dim", "Dim<C> c, Matrix<W, R, C> a", "In<W, C> c, Matrix<W, R, C> a"},
		{"shared of an extent", "T * T + 1", "T * R + 1"},
		{"grid beside cells", "WW_KERNEL(block(32, 8), ", "WW_KERNEL(block(32, 8), grid(1), "},
		{"cells twice", "Cells<R, C> cells, ", "Cells<R, C> cells, Cells<C, R> other, "},
		{"cells of one extent", "Cells<R, C> cells,", "Dim<C> c, Cells<R, R> cells,"},
		{"no extent for cells", "Cells<R, C> cells, ", "Cells<R, 3> cells, "},
		{"tile larger than a step", "Tiles<M, C, 4, BLOCK_X>", "Tiles<M, C, 2048, BLOCK_X>"},
		{"tile of nothing", "Tiles<M, C, 4, BLOCK_X>", "Tiles<M, C, 4, BLOCK_X / 65>"},
		{"tile of an extent", "Tiles<M, C, 4, BLOCK_X>", "Tiles<M, C, 4, N>"},
		{"rows of nothing", "Const<T + 1>", "Const<T / 4>"},
		{"constant of an extent", "Const<T + 1>", "Const<R>"},
		{"axis of no block", "block.x * T >= C", "block.w * T >= C"},
		{"word of cells and a parameter", "Cells<R, C> cells, ", "Cells<R, C> cells, u32 cells_R, "},
		{"no shared memory", "BLOCK / 3", "BLOCK / 300"},
		{"too much shared memory", "T * T + 1", "T * 1000000000"},
		{"parameter twice", "InOut<W, N> y", "InOut<W, N> x"},
		{"parameter without a name", "InOut<W, N> y", "InOut<W, N>"},
		{"kernel twice", "tiny_fill", "tiny_axpy"},
		{"kernel of another family", "tiny_fill", "huge_fill"},
		{"name with capitals", "tiny_fill", "tiny_Fill"},
		{"entry twice", "tiny_fill", "tiny_axpy_f32"},
		{"raw kernel", "using namespace ww;", "__global__ void raw(float* p) { *p = 1; }"},
		{"raw kernel behind a macro", "using namespace ww;", "#define KERNEL __global__ void"},
		{"raw entry", "using namespace ww;", "extern \"C\" WW_GLOBAL(32) void raw(float* p) { *p = 1; }"},
		{"static shared memory", "if (true)", "__shared__ float s[32]; if (true)"},
		{"forged index", "if (true)", "Ix<N> i(Mint(), 5); if (true)"},
		{"forged view", "if (true)", "auto m = Entry::dim<N>(5); if (true)"},
		{"untested index", "if (true)", "auto i = *threads(n).begin(); if (true)"},
		{"index that claims an owner", "if (true)", "static_cast<ThreadIx<N> const&>(1); if (true)"},
		{"value that claims to be uniform", "if (true)", "put(Uniform<f64, N>(value)); if (true)"},
		{"private part of a view", "using namespace ww;", "template <auto p> struct Rob; template struct Rob<Out<int, int>::p_>;"},
		{"data outside a launch", "using namespace ww;", "static int count;"},
		{"cast past a view", "if (true)", "(*reinterpret_cast<float**>(&y))[5] = 1; if (true)"},
		{"cast to a pointer", "if (true)", "*(float*)(5) = 1; if (true)"},
		{"cast to a reference", "if (true)", "auto i = (const Own&)n; if (true)"},
		{"cast by name to a pointer", "if (true)", "*static_cast<float*>(nullptr) = 1; if (true)"},
		{"address", "if (true)", "auto p = &value; if (true)"},
		{"address of an argument", "if (true)", "write(1, &value); if (true)"},
		{"array", "if (true)", "f32 sums[4]; if (true)"},
		{"array of a template's type", "if (true)", "Acc<f32> sums[4]; if (true)"},
		{"array behind a comma", "if (true)", "f32 sum = max(1, 2), sums[4] = {}; if (true)"},
		{"array by another name", "if (true)", "using Four = f32[4]; if (true)"},
		{"array of a parameter by another name", "if (true)", "using Four = W[4]; if (true)"},
		{"array of a class behind a comma", "using namespace ww;", "struct Sums { f32 a, b[4]; };"},
		{"pointer", "if (true)", "f32* p = nullptr; if (true)"},
		{"pointer to a view", "if (true)", "Out<W, N>* p = nullptr; if (true)"},
		{"pointer to a parameter's type", "if (true)", "W* p = nullptr; if (true)"},
		{"pointer to what a string is", "if (true)", "auto* p = \"abc\"; if (true)"},
		{"token from nothing", "if (true)", "Unchecked* may = nullptr; if (true)"},
		{"token by another name", "using namespace ww;", "using May = Unchecked;"},
		{"untested index by a function", "if (true)", "auto i = *std::cbegin(threads(n)); if (true)"},
		{"owner of no lanes", "Out<f64, N> out", "Out<f64, N, ByGroup<1 / 0>> out"},
		{"atomic", "if (true)", "atomicAdd(&x[i], 1); if (true)"},
		{"vocabulary by its namespace", "(Dim<N> n,", "(ww::Dim<N> n,"},
		{"index from itself", "if (true)", "Ix<N> i = i; if (true)"},
		{"extent from itself", "if (true)", "Dim<N> more(more); if (true)"},
		{"indices from each other", "if (true)", "Pair<Ix<N>, Ix<N>> i{i.second, i.first}; if (true)"},
		{"index from a function of itself", "if (true)", "const auto i = same(i); if (true)"},
		{"indices by name from each other", "if (true)", "Two i{.a = i.b, .b = i.a}; if (true)"},
		{"member from itself", "using namespace ww;", "struct Two { Ix<int> a, b; WW_MEM Two() : a(b), b(a) {} };"},
		{"member with a value", "using namespace ww;", "template <class N> struct Two { Ix<N> a = b, b = a; };"},
		{"token from itself", "if (true)", "const Unchecked& may = may; if (true)"},
		{"inside the library's namespace", "using namespace ww;", "namespace std { template <class T> constexpr bool is_same_v<int, T> = true; }"},
		{"specialised library", "using namespace ww;", "template <class T> constexpr bool std::is_same_v<int, T> = true;"},
		{"specialised class of the library", "using namespace ww;", "template <> struct std::is_same<int, f32> {};"},
		{"library by another name", "using namespace ww;", "namespace s = std;"},
		{"two strips in one place", "Shared<u8, BLOCK / 3> flags) {", "Shared<u8, BLOCK / 3> flags) { pipeline(1, f(r, [](int i) { return tile.of(i); }), tile.rows(a), flags.cols(b), tile.cols(b));"},
		{"written in a term", "Shared<u8, BLOCK / 3> flags) {", "Shared<u8, BLOCK / 3> flags) { f(a).sum(f(0), [=](auto e) { sums.add(e, f(e)); return 1; });"},
		{"written in a term by another name", "Shared<u8, BLOCK / 3> flags) {", "Shared<u8, BLOCK / 3> flags) { const auto& of = sums; auto more(of); f(a).sum(f(0), [=](auto e) { more.add(e, f(e)); return 1; });"},
		{"reference in a term", "Shared<u8, BLOCK / 3> flags) {", "Shared<u8, BLOCK / 3> flags) { f(a).sum(f(0), [&](auto e) { return f(count++); });"},
		{"one reference in a term", "Shared<u8, BLOCK / 3> flags) {", "Shared<u8, BLOCK / 3> flags) { f(a).sum(f(0), [=, &count](auto e) { return f(count++); });"},
		{"reference of a function in a term", "Shared<u8, BLOCK / 3> flags) {", "Shared<u8, BLOCK / 3> flags) { const auto next = [=, &count](auto e) { return count++; }; f(a).sum(f(0), [=](auto e) { return next(e); });"},
		{"mutable term", "Shared<u8, BLOCK / 3> flags) {", "Shared<u8, BLOCK / 3> flags) { f(a).sum(f(0), [=](auto e) mutable { return f(count++); });"},
		{"term of another name", "Shared<u8, BLOCK / 3> flags) {", "Shared<u8, BLOCK / 3> flags) { f(a).sum(f(0), term);"},
		{"array of the library", "using namespace ww;", "using Four = std::array<float, 4>;"},
		{"neighbour of an object", "using namespace ww;", "struct Sum { float v; WW_MEM float next() { return this[1].v; } };"},
		{"element of a string", "if (true)", "auto c = \"abc\"[7]; if (true)"},
		{"private parts made public", "using namespace ww;", "#define private public"},
		{"heap", "if (true)", "auto p = new f32; if (true)"},
		{"shuffle", "if (true)", "__shfl_xor_sync(0xffffffffu, 1, 2); if (true)"},
		{"barrier", "if (true)", "__syncthreads(); if (true)"},
		{"inside the vocabulary's namespace", "using namespace ww;", "namespace ww { struct Fake {}; }"},
		{"specialised vocabulary", "using namespace ww;", "template <> class ww::In<int, int> {};"},
		{"part of the vocabulary", "if (true)", "Collective::sum(1, 2); if (true)"},
		{"word made by a macro", "using namespace ww;", "#define CAST(a, b) a##b"},
		{"word in two halves", "if (true)", "reinterpret_\\\ncast<int>(1); if (true)"},
		{"word in two halves of a macro", "using namespace ww;", "#define CAST reinterpret_\\\ncast"},
		{"copy past the views", "if (true)", "copy_beside<16>(x, y); if (true)"},
		{"instruction past the views", "if (true)", "cp_async<16>(x, y, 16); if (true)"},
		{"shared memory past a view", "if (true)", "auto all = dynamic_shared(); if (true)"},
		{"view in a source", "using namespace ww;", "WW_VIEW(Dim<D>, dim(D));"},
		{"kernel in a macro", "using namespace ww;", "#define MORE WW_KERNEL(block(32), grid(1))"},
		{"kernel in a kernel", "if (true)", "WW_KERNEL(block(32), grid(1)) if (true)"},
		{"body without an end", "if (true) { }", "if (true) {"},
		{"no body", ") {}", ");"},
		{"unknown architecture", "archs(sm_90)", "archs(sm_42)"},
		{"architecture twice", "archs(sm_90)", "archs(sm_90, sm_90)"},
		{"exception without a reason", "except(one-warp-block, \"sixteen rows of threads are one block of eight warps\")", "except(one-warp-block)"},
		{"exception twice", "types(T", "except(one-warp-block, \"first\"), types(T"},
		{"token without a reason", ", unchecked(\"the permutation is its own inverse\")", ""},
		{"reason without a token", "Unchecked may, ", ""},
		{"two tokens", "Unchecked may, ", "Unchecked may, Unchecked might, "},
		{"unchecked without a reason", "unchecked(\"the permutation is its own inverse\")", "unchecked()"},
		{"unchecked for no reason", "the permutation is its own inverse", " "},
		{"unchecked twice", "types(W: f32 f64; S: 1 2)", "unchecked(\"first\"), types(W: f32 f64; S: 1 2)"},
		{"alignment that is no power of two", "S: 1 2", "S: 1 3"},
		{"alignment beyond a device's", "2 * S", "256 * S"},
		{"alignment by an extent", "2 * S", "2 * N"},
		{"comment without an end", "// Counts", "/* Counts"},
		{"string without an end", "\"} \\\" {\"", "\"} \\\" {"},
		{"prefer without a name", "prefer(full: ", "prefer("},
		{"prefer without a fact", "prefer(once: once(N, block / S), fits32(N))", "prefer(once:)"},
		{"prefer without an end", "prefer(once: once(N, block / S), fits32(N))", "prefer(once: once(N"},
		{"three variants", "prefer(once: once(N, block / S), fits32(N))", "prefer(once: once(N, block / S), fits32(N)), prefer(even: N % 2 == 0)"},
		{"two variants of one name", "prefer(once: once(N, block", "prefer(full: once(N, block"},
		{"variant with capitals", "prefer(once: once(N, block", "prefer(Once: once(N, block"},
		{"variant that is an instance", "prefer(full: exact", "prefer(4: exact"},
		{"variant with the name of an entry", "void tiny_fill", "void tiny_facts_f32_1_once"},
		{"unknown fact", "N % (2 * max(S, 1)) == 0", "even(N)"},
		{"fact that is a relation", "N % (2 * max(S, 1)) == 0", "N >= 2"},
		{"fact of a rest", "N % (2 * max(S, 1)) == 0", "N % (2 * S) == 1"},
		{"fact of no comparison", "N % (2 * max(S, 1)) == 0", "N % 2"},
		{"fact of an unknown extent", "N % (2 * max(S, 1)) == 0", "Q % 2 == 0"},
		{"fact of an expression", "N % (2 * max(S, 1)) == 0", "(N + 1) % 2 == 0"},
		{"fact with a number of the launch", "N % (2 * max(S, 1)) == 0", "N % sms == 0"},
		{"fact of a division by zero", "N % (2 * max(S, 1)) == 0", "N % (2 / (S - 1)) == 0"},
		{"fact that no number keeps", "N % (2 * max(S, 1)) == 0", "N % (S - S) == 0"},
		{"fact that every number keeps", "N % (2 * max(S, 1)) == 0", "N % (S / S) == 0"},
		{"multiple of too much", "N % (2 * max(S, 1)) == 0", "N % 3000000000 == 0"},
		{"multiples of too much", "N % (2 * max(S, 1)) == 0", "N % 1000000007 == 0"},
		{"multiples that no 64 bits hold", "N % (2 * max(S, 1)) == 0", "N % 2147480009 == 0, N % 2147480011 == 0, N % 2147480018 == 0, N % 2147480027 == 0"},
		{"fact twice", "N % (2 * max(S, 1)) == 0", "fits32(N)"},
		{"fact with too many arguments", "fits32(N), N %", "fits32(N, S), N %"},
		{"32 bits of an unknown extent", "fits32(N), N %", "fits32(Q), N %"},
		{"32 bits of an expression", "fits32(N), N %", "fits32(N * S), N %"},
		{"32 bits of what has them", "prefer(once: once(M, block), N % 2 == 0, fits32(K))", "prefer(once: once(M, block), fits32(N))"},
		{"aligned to no power of two", "aligned(4 * S)", "aligned(3 * S)"},
		{"aligned beyond a device's", "aligned(4 * S)", "aligned(512)"},
		{"aligned to any byte", "aligned(4 * S)", "aligned(1)"},
		{"aligned by an extent", "aligned(4 * S)", "aligned(N)"},
		{"one round of an unknown extent", "once(N, block / S)", "once(Q, block / S)"},
		{"one round of no loop", "prefer(once: once(M, block), N", "prefer(once: once(N, block), N"},
		{"one round of what takes less", "once(N, block / S)", "once(N, 2 * block / S)"},
		{"all of what takes more", "exact(N, block / S)", "exact(N, 1)"},
		{"all of two grids", "N % (2 * max(S, 1)) == 0", "exact(N, 64)"},
		{"no indices a block", "once(N, block / S)", "once(N, S - S)"},
		{"weaker variant first", "prefer(full: exact(N, block / S), fits32(N), N % (2 * max(S, 1)) == 0, N % S == 0, aligned(4 * S))", "prefer(full: fits32(N))"},
		{"lesser multiple first", "prefer(once: once(M, block), N % 2 == 0, fits32(K))", "prefer(even: N % 2 == 0), prefer(once: once(M, block), N % block == 0, fits32(K))"},
		{"one round before an exact one", "prefer(once: once(M, block), N % 2 == 0, fits32(K))", "prefer(once: once(M, block)), prefer(full: exact(M, block), N % 2 == 0)"},
		{"field and method", "f64 value", "f64 config"},
		{"field without a capital", "f64 value", "f64 _7"},
		{"two fields of one name", "Dim<R> r", "Dim<R> t"},
		{"int that is no field", "int T", "int t"},
		{"two Go names", "tiny_fill", "tiny_v"},
		{"kernel with a package's name", "tiny_fill", "tiny_load"},
		{"value of two tags", "V: One Each; F: f32", "V: One Each; F: One"},
	} {
		text := edit(cu, c[1], c[2])
		switch c[0] {
		case "two tags":
			text = edit(edit(text, "V: One Each", "V: One Each; U: One"), "Weights<V, F, N>", "Weights<V, U, N>")
		case "int that is no field":
			text = edit(edit(edit(text, "T: 8", "t: 8"), "seed != T", "seed != t"), "T * T", "t * t")
			tiers := strings.ReplaceAll(tiers, `"T"`, `"t"`)
			record(c[0], c[1], c[2], generate("tiny", text, header, tiers))
			continue
		case "value of two tags":
			text = edit(text, "Weights<V, F, N>", "Weights<V, f32, N>")
		}
		record(c[0], c[1], c[2], generate("tiny", text, header, tiers))
	}
	for _, c := range [][3]string{
		{"view without a kind", "dim(D));", "len(D));"},
		{"view of two kinds", "dim(D));", "dim(D), pointer(const D));"},
		{"view with an unknown attribute", "len(D), in)", "len(D), inn)"},
		{"view with two directions", "len(D), in)", "len(D), in, out)"},
		{"view without direction", "pointer(const T), len(D), in)", "pointer(const T), len(D))"},
		{"view without length", "pointer(const T), len(D), in)", "pointer(const T), in)"},
		{"input that is not const", "pointer(const T), len(D), in)", "pointer(T), len(D), in)"},
		{"length of a stranger", "len(M + 1)", "len(Q + 1)"},
		{"stride of a stranger", "stride(C)", "stride(Z)"},
		{"cells without a count", "cells(R: block.y, C: block.x)", "cells(R, C)"},
		{"cells of a stranger", "cells(R: block.y, C: block.x)", "cells(R: block.y, Z: block.x)"},
		{"cells of no axis", "cells(R: block.y, C: block.x)", "cells(R: block.q, C: block.x)"},
		{"cells of nothing", "cells(R: block.y, C: block.x)", "cells"},
		{"cells of four axes", "cells(R: block.y, C: block.x)", "cells(R: 1, C: 1, R: 1, C: 1)"},
		{"cells that are written", "cells(R: block.y, C: block.x)", "out, cells(R: block.y, C: block.x)"},
		{"validated by nobody", "validated(columns)", "validated(columnz)"},
		{"carries one", "carries(K, N)", "carries(K)"},
		{"carries without a proof", "validated(columns), ", ""},
		{"alignment of a stranger", "align(V * sizeof(T))", "align(Z * sizeof(T))"},
		{"alignment that is no product", "align(V * sizeof(T))", "align(V + sizeof(T))"},
		{"alignment by another size", "align(V * sizeof(T))", "align(V * sizeof(D))"},
		{"alignment of no pointer", "dim(D));", "dim(D), align(D));"},
		{"token with a length", "WW_VIEW(Unchecked, token)", "WW_VIEW(Unchecked, token, len(1))"},
		{"token that is a pointer", "WW_VIEW(Unchecked, token)", "WW_VIEW(Unchecked, token, pointer(Unchecked))"},
		{"index without a type", "index(K: i32)", "index(K)"},
		{"index of floats", "index(K: i32)", "index(K: f32)"},
		{"view twice", "WW_TAG(One);", "WW_VIEW(In<T, D>, pointer(const T), len(D), in);"},
		{"rivals", "WW_TAG(One);", "WW_TAG(One); WW_VIEW(In<X, Y>, pointer(const X), len(Y), in);"},
		{"tag without a name", "WW_TAG(One)", "WW_TAG()"},
		{"lengths in two directions", "WW_VIEW(Weights<Each, W, N>, pointer(const W), len(N), in);", "WW_VIEW(Weights<Each, W, N>, pointer(W), len(N), out);"},
	} {
		record(c[0], c[1], c[2], generate("tiny", cu, edit(header, c[1], c[2]), tiers))
	}
	for _, c := range [][3]string{
		{"tier of no kernel", "\"kernel\": \"tiny_row_sums\"", "\"kernel\": \"tiny_rows\""},
		{"tier of no value", "\"T\": \"8\"", "\"T\": \"9\""},
		{"tier of no parameter", "\"T\": \"8\"", "\"S\": \"8\""},
		{"tiers that do not rise", "12.5", "0"},
		{"tiers that do not begin at 0", "\"from\": 0", "\"from\": 1"},
		{"tiers of no architecture", "90", "91"},
		{"tiers from nobody", "made up", ""},
		{"tiers with an unknown field", "\"by\"", "\"bye\""},
	} {
		record(c[0], c[1], c[2], generate("tiny", cu, header, edit(tiers, c[1], c[2])))
	}
	record("tiers twice", "", "", generate("tiny", cu, header, strings.Replace(tiers, "[", "["+strings.TrimSuffix(strings.TrimSpace(tiers[1:]), "]")+",", 1)))
	golden(t, "testdata/refused.txt", out.Bytes())
}

// What no source may contain, no header of the family's own may either.
func TestHeader(t *testing.T) {
	header := func(text string) error {
		t.Helper()
		name := filepath.Join(t.TempDir(), "own.h")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return Run(t, []string{"--family", "tiny", "--include", "testdata/include", "--tiers", "testdata/tiers.json", "--header", name, "testdata/tiny.cu"})
	}
	const fine = `#pragma once
#include "ww/ww.h"
using namespace ww;
// A helper: auto& and [&] are no addresses, a && b is none, x[i] is no array.
template <class W, class X, class I>
WW_DEV W twice(const X& x, I i, W& sum, bool a, bool b) {
  auto f = [&](W v, auto& w) { return v * w; };
  using namespace std;
  using Same = std::is_same<W, std::int32_t>;
  constexpr std::size_t n = std::is_same_v<W, X> ? std::size_t(1) : 2;
  const auto [p, q] = f;
  struct Two {
    W a, b;
    WW_MEM auto sum() const { const auto c = a + b; return c; }
    template <int N = 2> WW_MEM void operator=(W v) { a = b = N * v; }
  };
  const auto w = [&](auto w) { return w; };
  const Two two{.a = p, .b = q};
  const W more = x.more + i.more(two.a == two.b);
  sum += x.all(i).sum(W(0), [=](auto e) { return x[e]; }) + two.sum();
  if (a && b & 1) return x[i];
  else x[i];
  return sum * x[i] > x[i];
}
`
	if err := header(fine); err != nil {
		t.Error(err)
	}
	for _, c := range [][2]string{
		{"__global__ void raw();", "own.h:25:1: __global__ in a kernel source"},
		{"extern \"C\" WW_GLOBAL(32) void raw();", "own.h:25:12: WW_GLOBAL in a kernel source"},
		{"WW_KERNEL(block(32), grid(1))", "own.h:25:1: WW_KERNEL in a header: kernels stand in .cu files"},
		{"#define RAW __global__", "own.h:25:13: __global__ in a kernel source"},
		{"struct ww::Entry {};", "own.h:25:8: ww in a kernel source"},
		{"auto p = (f32*)5;", "own.h:25:14: *) in a kernel source: a cast to a pointer"},
	} {
		err := header(fine + c[0] + "\n")
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: got %v, want %s", c[0], err, c[1])
		}
	}
}

// The hash is of what a launcher relies on: annotation, signature and views, each by its tokens.
func TestHash(t *testing.T) {
	hash := func(cu, header string) string {
		t.Helper()
		f, err := family.New("tiny", []*source.File{source.NewFile("tiny.cu", cu)}, []*source.File{source.NewFile("ww/view.h", header)})
		if err != nil {
			t.Fatal(err)
		}
		return f.Kernels[0].Hash
	}
	cu, header := readFile(t, "testdata/tiny.cu"), readFile(t, "testdata/include/ww/view.h")
	want := hash(cu, header)
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{"y[i] = round_to", "y[i] = 2 * round_to", true},
		{"// y = alpha x + y.", "// Another doc.", true},
		{"block(128), ", "block( 128 ),\n  /* a remark */ ", true},
		{"template <class W, class N>", "template <\n    class W, class N>", true},
		{"tiny_fill", "tiny_full", true}, // another kernel
		{"block(128)", "block(64)", false},
		{"8 * sms", "9 * sms", false},
		{"W: f32 f16", "W: f16 f32", false},
		{"In<W, N> x", "In<f32, N> x", false},
		{"Acc<W> alpha", "f32 alpha", false},
	} {
		if got := hash(strings.Replace(cu, c.old, c.new, 1), header); (got == want) != c.same || !strings.Contains(cu, c.old) {
			t.Errorf("%q for %q: same hash is %v, want %v", c.new, c.old, got == want, c.same)
		}
	}
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{"len(D), inout)", "len(D + 1), inout)", false},
		{"len(D), inout)", "len( D ), /* both */ inout)", true},
		{"len(M + 1)", "len(M + 2)", true}, // a view of other kernels
	} {
		if got := hash(cu, strings.Replace(header, c.old, c.new, 1)); (got == want) != c.same || !strings.Contains(header, c.old) {
			t.Errorf("%q for %q: same hash is %v, want %v", c.new, c.old, got == want, c.same)
		}
	}
}

// mutate makes some small edits, most of them of the language's own words.
func mutate(r *rand.Rand, text string) string {
	words := []string{"WW_KERNEL", "template", "<", ">", "(", ")", "{", "}", ",", ";", ":", "\"", "'", "/*", "//", "\\\n", "#", "R\"(", "class", "int", "In<", "Acc<",
		"block(", "len(", "prefer(", "once(", "N % 4 == 0", "exact(N, block)", "18446744073709551615", "0", "BLOCK", "W", "__global__", "\x00", "é", "\xff"}
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(text)+1), r.IntN(len(text)+1)
		if i > j {
			i, j = j, i
		}
		j = min(j, i+r.IntN(40))
		switch r.IntN(4) {
		case 0:
			text = text[:i] + text[j:]
		case 1:
			text = text[:i] + words[r.IntN(len(words))] + text[i:]
		case 2:
			text = text[:i] + words[r.IntN(len(words))] + text[j:]
		default:
			text = text[:i] + text[i:j] + text[i:]
		}
	}
	return text
}

// robust says that any source gives a file or an error that points into it.
func robust(t *testing.T, cu, header, tiers string) {
	err := generate("tiny", cu, header, tiers)
	if err == nil {
		return
	}
	var at *source.Error
	if errors.As(err, &at) && (at.Offset < 0 || at.Offset > len(at.File.Text)) {
		t.Fatalf("the error points outside the file: %d", at.Offset)
	}
	if err.Error() == "" {
		t.Fatal("an error without words")
	}
}

func TestMutations(t *testing.T) {
	cu, header, tiers := readFile(t, "testdata/tiny.cu"), readFile(t, "testdata/include/ww/view.h"), readFile(t, "testdata/tiers.json")
	r := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		robust(t, mutate(r, cu), header, tiers)
		robust(t, cu, mutate(r, header), tiers)
	}
}

func FuzzSource(f *testing.F) {
	header, tiers := readFile(f, "testdata/include/ww/view.h"), readFile(f, "testdata/tiers.json")
	f.Add(readFile(f, "testdata/tiny.cu"))
	f.Fuzz(func(t *testing.T, cu string) { robust(t, cu, header, tiers) })
}
