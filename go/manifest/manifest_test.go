package manifest

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// sample is a manifest of one kernel with two entries, one of them for sm_90
// alone by its own kernel.
func sample() *Manifest {
	sum := strings.Repeat("0123456789abcdef", 4)
	params := []EntryParam{{"m", "unsigned long long", 0, 8}, {"y", "float*", 8, 8}}
	return &Manifest{
		Schema: Schema,
		Spec: Spec{
			Schema: SpecSchema,
			Family: "f",
			Kernels: []Kernel{
				{Name: "k", Block: [3]uint32{64, 1, 1}, Types: []TypeParam{{"W", "dtype", []string{"f32", "f64"}}}, Relations: []string{"len(y) >= M && M < K"}, Hash: "1"},
				{Name: "late", Block: [3]uint32{64, 1, 1}, Archs: []string{"sm_90"}, Relations: []string{}, Hash: "2"},
			},
			Entries: []Entry{
				{"k_f32", "k", map[string]string{"W": "f32"}, "", params},
				{"late", "late", nil, "", nil},
			},
			Tiers: []TierTable{{"op", 90, "length", "nobody", []Tier{{0, "k", nil}}}},
		},
		Images: []Image{{"elf", 75, 10, sum}, {"elf", 90, 10, sum}, {"ptx", 75, 10, sum}},
		Facts:  []Facts{{Entry: "k_f32", Arch: 75}, {Entry: "k_f32", Arch: 90}, {Entry: "late", Arch: 90}},
	}
}

func TestRoundTrip(t *testing.T) {
	first, err := sample().Write()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Read(first)
	if err != nil {
		t.Fatal(err)
	}
	second, err := m.Write()
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("%v\n%s\n%s", err, first, second)
	}
	if !bytes.Contains(first, []byte("len(y) >= M && M < K")) {
		t.Errorf("relations are escaped:\n%s", first)
	}
	if hash, ok := m.Hash("late"); !ok || hash != "2" {
		t.Errorf("the hash of late is %q, %v", hash, ok)
	}
	if _, ok := m.Hash("early"); ok {
		t.Error("there is a hash of a kernel that is not there")
	}

	spec, err := m.Spec.Write()
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Write(); err != nil || !bytes.Equal(spec, again) {
		t.Errorf("%v\n%s\n%s", err, spec, again)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault string
		plant func(m *Manifest)
		want  string
	}{
		{"no family", func(m *Manifest) { m.Spec.Family = "" }, "the family has no name"},
		{"a kernel twice", func(m *Manifest) { m.Spec.Kernels = append(m.Spec.Kernels, m.Spec.Kernels[0]) }, "kernel k is there twice"},
		{"no hash", func(m *Manifest) { m.Spec.Kernels[1].Hash = "" }, "kernel late has no contract hash"},
		{"a raw kernel among others", func(m *Manifest) { m.Spec.Kernels[1].Raw = true }, "kernel late: raw is true, of the family's first it is false"},
		{"a raw kernel with another's hash", func(m *Manifest) { m.Spec.Kernels[0].Raw = true }, "kernel k: raw is true, but its hash is 1"},
		{"a kernel with a raw one's hash", func(m *Manifest) { m.Spec.Kernels[0].Hash = RawHash + "1" }, "kernel k: raw is false, but its hash is raw-1"},
		{"a raw kernel with relations", func(m *Manifest) { m.Spec.Kernels[0].Raw = true }, "kernel k is raw, so it has neither relations"},
		{"a token without a reason", func(m *Manifest) { m.Spec.Kernels[0].Params = []Param{{Name: "may", Kind: "token"}} }, `kernel k: has a token is true, but its reason for unchecked accesses is ""`},
		{"a reason without a token", func(m *Manifest) { m.Spec.Kernels[0].Unchecked = "why not" }, `kernel k: has a token is false, but its reason for unchecked accesses is "why not"`},
		{"an entry twice", func(m *Manifest) { m.Spec.Entries = append(m.Spec.Entries, m.Spec.Entries[0]) }, "entry k_f32: is there twice"},
		{"no kernel", func(m *Manifest) { m.Spec.Entries[0].Kernel = "j" }, `entry k_f32: is of kernel "j", which the spec does not have`},
		{"no value", func(m *Manifest) { m.Spec.Entries[0].Types = nil }, "entry k_f32: has no value for W of kernel k"},
		{"another value", func(m *Manifest) { m.Spec.Entries[0].Types["W"] = "f16" }, "entry k_f32: has W = f16; kernel k is declared for f32 f64"},
		{"one more value", func(m *Manifest) { m.Spec.Entries[0].Types["X"] = "f16" }, "entry k_f32: has values for 2 type parameters; kernel k has 1"},
		{"an empty parameter", func(m *Manifest) { m.Spec.Entries[0].Params[1].Size = 0 }, "entry k_f32: parameter 1 (y) has 0 bytes"},
		{"parameters that overlap", func(m *Manifest) { m.Spec.Entries[0].Params[1].Offset = 4 }, "entry k_f32: parameter 1 (y) begins at 4, before the end of the one before, 8"},
		{"a tier of no kernel", func(m *Manifest) { m.Spec.Tiers[0].Tiers[0].Kernel = "j" }, `image sm_90: the tiers of op name kernel "j"`},
		{"another kind", func(m *Manifest) { m.Images[2].Kind = "exe" }, `is of kind "exe", want elf or ptx`},
		{"an image twice", func(m *Manifest) { m.Images[1].Arch = 75 }, "image sm_75: is there twice"},
		{"no sum", func(m *Manifest) { m.Images[1].SHA256 = "00" }, `image sm_90: its SHA-256 is "00"`},
		{"an empty image", func(m *Manifest) { m.Images[2].Size = 0 }, "image compute_75: has 0 bytes"},
		{"facts missing", func(m *Manifest) { m.Facts = m.Facts[1:] }, "entry k_f32: image sm_75: there are no facts of it"},
		{"facts twice", func(m *Manifest) { m.Facts = append(m.Facts, m.Facts[0]) }, "entry k_f32: image sm_75: its facts are there twice"},
		{"facts of no entry", func(m *Manifest) { m.Facts[2].Entry = "l" }, "entry l: image sm_90: there are facts of it, but no such entry"},
		{"facts of no image", func(m *Manifest) { m.Facts[0].Arch = 86 }, "entry k_f32: image sm_86: there are facts of it"},
		{"facts of a chip that the kernel is not for", func(m *Manifest) { m.Facts = append(m.Facts, Facts{Entry: "late", Arch: 75}) }, "entry late: image sm_75: there are facts of it"},
	} {
		m := sample()
		c.plant(m)
		p, err := m.Write()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(p)
		var faults Faults
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), c.want) || got != nil {
			t.Errorf("%s: got %v, want %q", c.fault, err, c.want)
		}
	}
}

func TestSchema(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{`, "unexpected end"},
		{`{}`, "schema is 0, this program reads 1"},
		{`{"schema": 2, "future": true}`, "schema is 2, this program reads 1: rebuild the images"},
		{`{"schema": 1, "future": true}`, `unknown field "future"`},
		{`{"schema": 1, "spec": {"schema": 7}}`, "spec: schema is 7"},
		{`[]`, "cannot unmarshal"},
	} {
		if m, err := Read([]byte(c.text)); err == nil || m != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
	if s, err := ReadSpec([]byte(`{"schema": 3}`)); err == nil || s != nil || !strings.Contains(err.Error(), "spec: schema is 3") {
		t.Errorf("a spec of schema 3: %v", err)
	}
}

func TestManyFaults(t *testing.T) {
	var faults Faults
	if faults.Err() != nil {
		t.Error("no faults are an error")
	}
	for i := range maxFaults + 5 {
		faults.Add("e", "", "fault %d", i)
	}
	got := faults.Err().Error()
	if !strings.Contains(got, "25 faults") || !strings.Contains(got, "fault 19") || strings.Contains(got, "fault 20") || !strings.HasSuffix(got, "and 5 more") {
		t.Errorf("got %s", got)
	}
}
