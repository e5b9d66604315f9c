package document

import "testing"

type paper struct {
	Schema int    `json:"schema"`
	Text   string `json:"text"`
}

func TestRoundTrip(t *testing.T) {
	text, err := Write("paper", paper{3, "a < b && c > d"})
	if want := "{\n  \"schema\": 3,\n  \"text\": \"a < b && c > d\"\n}\n"; err != nil || string(text) != want {
		t.Fatalf("got %s, %v; want %s", text, err, want)
	}
	var back paper
	if err := Read(text, "paper", 3, &back); err != nil || back.Text != "a < b && c > d" {
		t.Errorf("got %v, %v", back, err)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "paper: unexpected end of JSON input"},
		{`{}`, "paper: schema is 0, this program reads 3: rebuild the images or take matching ones"},
		{`{"schema": 4, "future": 1}`, "paper: schema is 4, this program reads 3: rebuild the images or take matching ones"},
		{`{"schema": 3, "future": 1}`, `paper: json: unknown field "future"`},
		{`{"schema": 3} {"schema": 3}`, "paper: invalid character '{' after top-level value"},
	} {
		var p paper
		if err := Read([]byte(c.text), "paper", 3, &p); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.text, err, c.want)
		}
	}
	if err := Decode([]byte(`{"future": 1}`), "note", &paper{}); err == nil || err.Error() != `note: json: unknown field "future"` {
		t.Errorf("got %v", err)
	}
	if _, err := Write("paper", func() {}); err == nil || err.Error() != "paper: json: unsupported type: func()" {
		t.Errorf("got %v", err)
	}
}
