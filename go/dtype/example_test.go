package dtype_test

import (
	"fmt"

	"github.com/warpwright/warpwright/go/dtype"
)

// A third in each type, and the bound on what its rounding lost.
func ExampleFromFloat64() {
	h := dtype.FromFloat64[dtype.Float16](1.0 / 3)
	b := dtype.FromFloat64[dtype.BFloat16](1.0 / 3)
	fmt.Printf("%v %#04x %.7f\n", dtype.Of[dtype.Float16](), uint16(h), dtype.ToFloat64(h))
	fmt.Printf("%v %#04x %.7f\n", dtype.Of[dtype.BFloat16](), uint16(b), dtype.ToFloat64(b))
	fmt.Println(dtype.F16.Eps() == 1.0/2048)
	// Output:
	// f16 0x3555 0.3332520
	// bf16 0x3eab 0.3339844
	// true
}

func ExampleParse() {
	t, err := dtype.Parse("bf16")
	fmt.Println(t, t.Size(), t.Accumulator(), err)
	_, err = dtype.Parse("float")
	fmt.Println(err)
	// Output:
	// bf16 2 f32 <nil>
	// dtype: "float" is no element type (f32 f64 f16 bf16 i32 i64 u32 u64 u8 are)
}
