// Package numtest compares a kernel's result with float64 ground truth under a
// bound that was derived for each element, not chosen.
//
// Check needs no testing package, so programs use it to say how right they are.
// Compare is Check for tests. A comparison passes only if every element's error
// is at most its bound, which NaN never is.
package numtest

import (
	"fmt"
	"math"
	"strings"

	"github.com/warpwright/warpwright/go/dtype"
)

// MaxOffenders is how many offending elements a Result keeps.
const MaxOffenders = 8

// Element is one compared element.
type Element struct {
	Index      int
	Got, Want  float64
	Err, Bound float64 // Err is NaN if got and want are of different classes
}

// Scaled returns the error as a share of its bound: at most 1 in a right
// result. Without any error it is 0, whatever the bound.
func (e Element) Scaled() float64 {
	if e.Err == 0 {
		return 0
	}
	return e.Err / e.Bound
}

// String says where and by how much.
func (e Element) String() string {
	return fmt.Sprintf("[%d] got %v, want %v, error %.3g, bound %.3g", e.Index, e.Got, e.Want, e.Err, e.Bound)
}

// Result is the outcome of a comparison.
type Result struct {
	Type       dtype.Type
	Len        int       // elements compared
	Failures   int       // elements whose error is not within their bound
	Classes    int       // failures where one side is a NaN or an infinity and the other is not the same
	Largest    Element   // the largest absolute error
	Worst      Element   // the largest error as a share of its bound
	MaxULP     float64   // the largest error in units in the last place of the wanted value
	Offenders  []Element // the first failures
	Mismatched error     // the slices differ in length, so nothing was compared
}

// Check compares got with want. bound holds the largest absolute error that
// each element may have.
//
// A wanted NaN must be a NaN and a wanted infinity the same infinity. Where T
// cannot hold numbers as large as |want|+bound, an infinity of that sign is
// right too. A bound must be finite and not negative where want is finite:
// under any other bound the element fails.
func Check[T dtype.Float](got []T, want, bound []float64) Result {
	r := Result{Type: dtype.Of[T](), Len: len(got)}
	if len(got) != len(want) || len(got) != len(bound) {
		r.Mismatched = fmt.Errorf("numtest: %d results, %d wanted values, %d bounds: the lengths differ", len(got), len(want), len(bound))
		return r
	}
	for i := range got {
		r.add(compare(i, got[i], want[i], bound[i]))
	}
	return r
}

// compare sets Err to NaN for different classes, since a NaN is within no bound.
func compare[T dtype.Float](i int, got T, want, bound float64) Element {
	e := Element{Index: i, Got: dtype.ToFloat64(got), Want: want, Bound: bound}
	switch {
	case math.IsNaN(want):
		e.Err = match(math.IsNaN(e.Got))
	case math.IsInf(want, 0):
		e.Err = match(e.Got == want)
	case math.IsInf(e.Got, 0):
		reach := dtype.FromFloat64[T](math.Copysign(math.Abs(want)+bound, want))
		e.Err = match(bound <= math.MaxFloat64 && dtype.ToFloat64(reach) == e.Got)
	default:
		e.Err = math.Abs(e.Got - want)
	}
	return e
}

func match(same bool) float64 {
	if same {
		return 0
	}
	return math.NaN()
}

func (r *Result) add(e Element) {
	special := math.IsNaN(e.Want) || math.IsInf(e.Want, 0)
	usable := special || e.Bound >= 0 && e.Bound <= math.MaxFloat64
	if !usable || !(e.Err <= e.Bound) && !(special && e.Err == 0) {
		r.Failures++
		if math.IsNaN(e.Err) {
			r.Classes++
		}
		if len(r.Offenders) < MaxOffenders {
			r.Offenders = append(r.Offenders, e)
		}
	}
	if worse(e.Err, r.Largest.Err) {
		r.Largest = e
	}
	if worse(e.Scaled(), r.Worst.Scaled()) {
		r.Worst = e
	}
	if ulps := e.Err / ulp(r.Type, e.Want); worse(ulps, r.MaxULP) {
		r.MaxULP = ulps
	}
}

// worse reports whether a is a larger error than b; a NaN is the largest.
func worse(a, b float64) bool {
	return a > b || math.IsNaN(a) && !math.IsNaN(b)
}

// ulp returns the distance between the numbers of type t around v.
func ulp(t dtype.Type, v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return t.Tiny()
	}
	_, exp := math.Frexp(v) // v = f 2^exp with f in [1/2, 1)
	return max(math.Ldexp(t.Eps(), exp), t.Tiny())
}

// OK reports whether every element is within its bound.
func (r Result) OK() bool { return r.Mismatched == nil && r.Failures == 0 }

// Err returns nil if the result is right, else an error that names the first
// offenders.
func (r Result) Err() error {
	if r.Mismatched != nil {
		return r.Mismatched
	}
	if r.Failures == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "numtest: %d of %d %v elements are not within their bound", r.Failures, r.Len, r.Type)
	if r.Classes > 0 {
		fmt.Fprintf(&b, ", %d of them a NaN or an infinity on one side only", r.Classes)
	}
	fmt.Fprintf(&b, "\n  worst: %v (%.3g of the bound)", r.Worst, r.Worst.Scaled())
	for _, e := range r.Offenders {
		fmt.Fprintf(&b, "\n  %v", e)
	}
	if more := r.Failures - len(r.Offenders); more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return fmt.Errorf("%s", b.String())
}

// String sums the result up in one line: the largest error and the bound it had
// to stay under, the largest share of a bound, and ULPs.
func (r Result) String() string {
	if r.Mismatched != nil {
		return r.Mismatched.Error()
	}
	verdict := "within bounds"
	if r.Failures > 0 {
		verdict = fmt.Sprintf("%d NOT within bounds", r.Failures)
	}
	return fmt.Sprintf("%d %v elements %s: largest error %.3g under the bound %.3g; at most %.3g of a bound, %.3g ulp",
		r.Len, r.Type, verdict, r.Largest.Err, r.Largest.Bound, r.Worst.Scaled(), r.MaxULP)
}

// TB is the part of testing.TB that Compare needs.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Compare checks got and fails the test if it is not right. On success it logs
// how close it came, so that a bound that has become loose is seen.
func Compare[T dtype.Float](tb TB, name string, got []T, want, bound []float64) Result {
	tb.Helper()
	r := Check(got, want, bound)
	if err := r.Err(); err != nil {
		tb.Errorf("%s: %v", name, err)
	} else {
		tb.Logf("%s: %v", name, r)
	}
	return r
}

// Different is the first place where two slices are not the same bits, or where one has ended; -1 if there is none.
func Different[T dtype.Element](a, b []T) int {
	for i := range min(len(a), len(b)) {
		if dtype.Bits(a[i]) != dtype.Bits(b[i]) {
			return i
		}
	}
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	return -1
}
