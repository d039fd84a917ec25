package numtext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"bayescpace/bcpace/numtext"
)

func TestKeys(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}],"d":"a"}`: "",
		`["a","a",{"a":"a"},["a"]]`:                         "",
		`{"a":{},"b":[],"c":1,"a":2}`:                       "key a stands",
		`{"a":{"b":[1,{"c":1,"\u0063":2}]}}`:                "key a.b.c stands",
		`{"a":"}{\"a\":","b":1}`:                            "",
		`{"Next":[]}`:                                       "key Next stands there, want",
		`"{"`:                                               "",
		` 1 `:                                               "",
	} {
		err := numtext.Keys([]byte(text), true)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if err := numtext.Keys([]byte(`{"A":1,"a":2}`), false); err != nil {
		t.Error(err)
	}
}

// FuzzKeys: no sound JSON brings it down, and what is written from a map has no key twice.
func FuzzKeys(f *testing.F) {
	for _, text := range []string{`{"a":[{"b":1},{}],"c":"\\\""}`, `[[[]]]`, `{"":{"":""}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		_ = numtext.Keys([]byte(text), true)
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := numtext.Keys(again, false); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
	})
}
