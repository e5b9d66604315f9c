package dtype

import (
	"encoding/json"
	"math"
	"testing"
	"unsafe"
)

func checkOf[T Element](t *testing.T, want Type, name string) {
	t.Helper()
	if got := Of[T](); got != want {
		t.Errorf("Of gives %v, want %v", got, want)
	}
	var z T
	if got := want.Size(); got != int(unsafe.Sizeof(z)) {
		t.Errorf("%v.Size() = %d, want %d", want, got, unsafe.Sizeof(z))
	}
	if got := want.String(); got != name {
		t.Errorf("String() = %q, want %q", got, name)
	}
	if n := testing.AllocsPerRun(100, func() { _ = Of[T]() }); n != 0 {
		t.Errorf("Of[%s] allocates %v times", name, n)
	}
}

func TestOf(t *testing.T) {
	checkOf[float32](t, F32, "f32")
	checkOf[float64](t, F64, "f64")
	checkOf[Float16](t, F16, "f16")
	checkOf[BFloat16](t, BF16, "bf16")
	checkOf[int32](t, I32, "i32")
	checkOf[int64](t, I64, "i64")
	checkOf[uint32](t, U32, "u32")
	checkOf[uint64](t, U64, "u64")
	checkOf[uint8](t, U8, "u8")
}

func TestParse(t *testing.T) {
	for _, want := range Types() {
		got, err := Parse(want.String())
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v", want.String(), got, err)
		}
	}
	for _, name := range []string{"", "f8", "F32", "float", "Type(0)"} {
		if got, err := Parse(name); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", name, got)
		}
	}
}

func TestJSON(t *testing.T) {
	out, err := json.Marshal([]Type{F32, BF16})
	if err != nil || string(out) != `["f32","bf16"]` {
		t.Errorf("Marshal gives %s, %v", out, err)
	}
	var back []Type
	if err := json.Unmarshal(out, &back); err != nil || len(back) != 2 || back[1] != BF16 {
		t.Errorf("Unmarshal gives %v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`["f33"]`), &back); err == nil {
		t.Error(`Unmarshal accepts "f33"`)
	}
	if _, err := json.Marshal(Type(0)); err == nil {
		t.Error("Marshal accepts the zero Type")
	}
}

func TestInvalidType(t *testing.T) {
	for _, bad := range []Type{0, U8 + 1, 255} {
		if bad.Valid() || bad.Size() != 0 || bad.Eps() != 0 || bad.Tiny() != 0 || bad.Max() != 0 || bad.IsFloat() {
			t.Errorf("%v passes for a type", bad)
		}
	}
}

// checkLimits derives the facts from the conversions themselves.
func checkLimits[T Float](t *testing.T) {
	t.Helper()
	d := Of[T]()
	if !d.IsFloat() {
		t.Errorf("%v is a float", d)
	}
	if got := ToFloat64(FromFloat64[T](1 + d.Eps())); got != 1 { // a tie, to even
		t.Errorf("%v: 1+eps rounds to %v", d, got)
	}
	if got := ToFloat64(FromFloat64[T](1 + 3*d.Eps())); got != 1+4*d.Eps() {
		t.Errorf("%v: 1+3eps rounds to %v", d, got)
	}
	if got := ToFloat64(FromFloat64[T](d.Tiny())); got != d.Tiny() {
		t.Errorf("%v: the smallest number %v reads back as %v", d, d.Tiny(), got)
	}
	if got := ToFloat64(FromFloat64[T](d.Tiny() / 2)); got != 0 {
		t.Errorf("%v: half of the smallest number reads back as %v", d, got)
	}
	if got := ToFloat64(FromFloat64[T](d.Max())); got != d.Max() {
		t.Errorf("%v: the largest number %v reads back as %v", d, d.Max(), got)
	}
	if got := ToFloat64(FromFloat64[T](d.Max() * (1 + 2*d.Eps()))); !math.IsInf(got, 1) {
		t.Errorf("%v: more than the largest number reads back as %v", d, got)
	}
}

func TestLimits(t *testing.T) {
	checkLimits[float32](t)
	checkLimits[float64](t)
	checkLimits[Float16](t)
	checkLimits[BFloat16](t)
}

func TestIntegersDoNotRound(t *testing.T) {
	for d, max := range map[Type]float64{I32: math.MaxInt32, I64: math.MaxInt64, U32: math.MaxUint32, U64: math.MaxUint64, U8: math.MaxUint8} {
		if d.IsFloat() || d.Eps() != 0 || d.Tiny() != 1 || d.Max() != max {
			t.Errorf("%v: float %v, eps %v, tiny %v, max %v", d, d.IsFloat(), d.Eps(), d.Tiny(), d.Max())
		}
	}
}

func TestAccumulator(t *testing.T) {
	for _, d := range Types() {
		want := F32
		if d == F64 {
			want = F64
		}
		if got := d.Accumulator(); got != want {
			t.Errorf("%v accumulates in %v, want %v", d, got, want)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if Of[BFloat16]() != BF16 {
			b.Fatal("wrong type")
		}
	}
}
