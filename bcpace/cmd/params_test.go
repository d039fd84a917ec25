package cmd

import (
	"strings"
	"testing"
	"unicode"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

func TestParseParam(t *testing.T) {
	for text, want := range map[string]bcpace.Param{
		"accuracy=0.85": {Key: "accuracy", Value: "0.85"},
		" start = 2,2 ": {Key: "start", Value: "2,2"},
		"slips=0.2,0.5": {Key: "slips", Value: "0.2,0.5"},
		"a=b=c":         {Key: "a", Value: "b=c"},
		"a=":            {Key: "a"},
	} {
		if got, err := parseParam(text); err != nil || got != want {
			t.Errorf("%q: %+v, error %v", text, got, err)
		}
	}
	for _, text := range []string{"", "=", "=1", " =1", "accuracy", "accuracy:1"} {
		if got, err := parseParam(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

// FuzzParam expects any text to be refused or to become a parameter that reads
// back, and no environment to panic at it or to take it for another one.
func FuzzParam(f *testing.F) {
	for _, e := range envs.List() {
		for _, p := range e.Params {
			f.Add(p.Key + "=" + p.Default)
			f.Add(p.Key + "=-1e999")
			f.Add(p.Key + "=,")
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parseParam(text)
		if err != nil {
			return
		}
		if p.Key == "" || strings.Contains(p.Key, "=") || strings.TrimFunc(p.Key, unicode.IsSpace) != p.Key {
			t.Fatalf("%q has key %q", text, p.Key)
		}
		if again, err := parseParam(p.Key + "=" + p.Value); err != nil || again != p {
			t.Fatalf("%q is read as %+v, and that as %+v (error %v)", text, p, again, err)
		}
		for _, e := range envs.List() {
			m, err := envs.New(e.Name, []bcpace.Param{p})
			if err != nil {
				continue
			}
			if _, err := envs.New(m.Spec().Name, m.Spec().Params); err != nil {
				t.Fatalf("%q makes %s, which cannot be made again: %v", text, e.Name, err)
			}
		}
	})
}
