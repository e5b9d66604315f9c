package dynamictest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"github.com/warpwright/warpwright/go/device"
	"github.com/warpwright/warpwright/go/dtype"
	"github.com/warpwright/warpwright/go/manifest"
	"github.com/warpwright/warpwright/go/valid"
)

// pool holds arguments by their Go type. Most are fine; some are closed, foreign, stale, missing, or parts
// of one buffer that overlap.
type pool struct {
	fine, bad map[reflect.Type][]reflect.Value
}

func newPool(t *testing.T, d, other *device.Device) *pool {
	t.Helper()
	p := &pool{map[reflect.Type][]reflect.Value{}, map[reflect.Type][]reflect.Value{}}
	slices[float32](t, p, d, other)
	slices[float64](t, p, d, other)
	slices[dtype.Float16](t, p, d, other)
	slices[dtype.BFloat16](t, p, d, other)
	slices[int32](t, p, d, other)
	slices[int64](t, p, d, other)
	slices[uint32](t, p, d, other)
	slices[uint64](t, p, d, other)
	slices[uint8](t, p, d, other)
	offsets[int32](t, p, d, other)
	offsets[int64](t, p, d, other)
	columns(t, p, d, other)
	permutations(t, p, d, other)
	return p
}

func add[T any](to map[reflect.Type][]reflect.Value, values ...T) {
	for _, v := range values {
		rv := reflect.ValueOf(v)
		to[rv.Type()] = append(to[rv.Type()], rv)
	}
}

// must returns v, or ends the test.
func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func slices[T dtype.Element](t *testing.T, p *pool, d, other *device.Device) {
	t.Helper()
	alloc := must[*device.Buffer[T]](t)
	part := must[device.Slice[T]](t)
	for _, n := range []int{1, 2, 3, 4, 5, 6, 8, 9, 12, 18, 24, 60, 200} {
		add(p.fine, alloc(device.Alloc[T](d, n)).All(), alloc(device.Alloc[T](d, n)).All())
	}
	for range 6 {
		add(p.fine, alloc(device.Alloc[T](d, beyond(d))).All())
	}
	one := alloc(device.Alloc[T](d, 100)).All()
	for _, s := range [][2]int{{0, 40}, {40, 100}} { // side by side
		add(p.fine, part(one.Slice(s[0], s[1])))
	}
	for first := range 4 { // long ones, aligned by chance
		add(p.fine, part(alloc(device.Alloc[T](d, 500)).All().Slice(1<<first>>1, 500)))
	}
	closed := alloc(device.Alloc[T](d, 100))
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	add(p.bad, device.Slice[T]{}, part(one.Slice(1, 100)), part(one.Slice(39, 90)), part(one.Slice(7, 7)), closed.All(), alloc(device.Alloc[T](other, 100)).All())
}

// beyond is an extent for which a grid of 32 blocks of 256 threads a multiprocessor is too small.
func beyond(d *device.Device) int { return 32*256*d.Info().Multiprocessors + 1 }

func offsets[P dtype.Offset](t *testing.T, p *pool, d, other *device.Device) {
	t.Helper()
	mint := must[*valid.Offsets[P]](t)
	for _, o := range [][]P{{0, 2, 5}, {0, 5}, {0, 1, 1, 4}, {0, 0, 4}, {0}} {
		add(p.fine, mint(valid.NewOffsets(d, o, int(o[len(o)-1]))))
	}
	many := make([]P, beyond(d)+1)
	many[beyond(d)] = 4
	add(p.fine, mint(valid.NewOffsets(d, many, 4)))
	stale, closed := mint(valid.NewOffsets(d, []P{0, 4}, 4)), mint(valid.NewOffsets(d, []P{0, 4}, 4))
	r := stale.Slice().Range()
	r.Touch()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	add[*valid.Offsets[P]](p.bad, nil, &valid.Offsets[P]{}, stale, closed, mint(valid.NewOffsets(other, []P{0, 4}, 4)))
}

func columns(t *testing.T, p *pool, d, other *device.Device) {
	t.Helper()
	mint := must[*valid.Columns](t)
	for _, n := range []int{0, 4, 4, 4, 5, 5} {
		add(p.fine, mint(valid.NewColumns(d, make([]int32, n), 2+n/2)))
	}
	closed := mint(valid.NewColumns(d, make([]int32, 4), 4))
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	add[*valid.Columns](p.bad, nil, &valid.Columns{}, closed,
		mint(valid.NewColumns(other, make([]int32, 4), 4)), mint(valid.NewColumns(d, make([]int32, 4), math.MaxInt32-1023)))
}

func permutations(t *testing.T, p *pool, d, other *device.Device) {
	t.Helper()
	mint := must[*valid.Permutation](t)
	for _, o := range [][]int32{{}, {0}, {1, 0}, {2, 0, 1}, {3, 2, 1, 0}} {
		add(p.fine, mint(valid.NewPermutation(d, o)))
	}
	stale := mint(valid.NewPermutation(d, []int32{0, 1}))
	r := stale.Slice().Range()
	r.Touch()
	add[*valid.Permutation](p.bad, nil, &valid.Permutation{}, stale, mint(valid.NewPermutation(other, []int32{1, 0})))
}

// fill sets the fields of a launcher's struct.
func (p *pool) fill(r *rand.Rand, k *manifest.Kernel, v reflect.Value) {
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if values := instances(k, name); values != nil {
			odd := r.IntN(40) == 0
			switch n := r.IntN(len(values)); {
			case f.Kind() == reflect.Int && odd:
				f.SetInt(7)
			case f.Kind() == reflect.Int:
				n, _ := strconv.Atoi(values[n])
				f.SetInt(int64(n))
			case odd:
				f.SetUint(uint64(len(values)))
			default:
				f.SetUint(uint64(n))
			}
			continue
		}
		switch f.Kind() {
		case reflect.Float32, reflect.Float64:
			f.SetFloat(r.Float64())
		case reflect.Int32, reflect.Int64:
			f.SetInt(int64(r.Int32()))
		case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			f.SetUint(number(r, f.Type().Bits()))
		default:
			from := p.fine[f.Type()]
			if r.IntN(16) == 0 {
				from = p.bad[f.Type()]
			}
			f.Set(from[r.IntN(len(from))])
		}
	}
}

// alias lets a field have the memory of another one, if their types allow it.
func alias(r *rand.Rand, v reflect.Value) {
	from, to := v.Field(r.IntN(v.NumField())), v.Field(r.IntN(v.NumField()))
	if from.Kind() == reflect.Pointer && !from.IsNil() {
		from = from.MethodByName("Slice").Call(nil)[0]
	}
	if from.Kind() == reflect.Struct && from.Type() == to.Type() {
		to.Set(from)
	}
}

// instances are the values of the instance parameter that a field is.
func instances(k *manifest.Kernel, field string) []string {
	for _, t := range k.Types {
		if t.Name == field && t.Kind != "dtype" {
			return t.Values
		}
	}
	return nil
}

// number is small as a rule, and at an edge now and then.
func number(r *rand.Rand, bits int) uint64 {
	edges := []uint64{1<<31 - 1024, 1 << 31, 1 << 32, 1<<63 - 1, math.MaxUint64}
	if r.IntN(16) == 0 {
		return edges[r.IntN(len(edges))] & (1<<bits - 1)
	}
	if r.IntN(4) == 0 { // a multiple, or just off one
		return (16*(1+r.Uint64N(25)) + r.Uint64N(3) - 1) & (1<<bits - 1)
	}
	return r.Uint64N(7)
}
