package nb

import (
	"errors"
	"strings"
	"testing"
)

func TestFrames(t *testing.T) {
	ms, err := render([]any{Frames{Along: "samples", Labels: []string{"10", "20"}, Figures: []any{red, chart{blue}}}})
	if err != nil || len(ms) != 1 {
		t.Fatalf("%d messages, %v, want 1", len(ms), err)
	}
	m := ms[0]
	if m.plain != "10: a red one\n20: a blue\none\uFFFD" {
		t.Errorf("plain is %q", m.plain)
	}
	for _, want := range []string{
		`samples <input type="range" min="0" max="1" value="1" oninput="`,
		`<figure style="margin:0;display:none"><img alt="a red one" width="300" height="200" src="data:image/png;base64,`,
		`<figure style="margin:0"><img alt="a blue`, `<figcaption>samples: 20</figcaption>`,
	} {
		if !strings.Contains(m.html, want) {
			t.Errorf("html has no %q", want)
		}
	}
}

func TestFramesThatCannotBe(t *testing.T) {
	for want, f := range map[string]Frames{
		"at least one":   {},
		"2 labels for 1": {Labels: []string{"a", "b"}, Figures: []any{red}},
		"Figures[1]":     {Figures: []any{red, "text"}},
		"no ink":         {Figures: []any{&square{W: 1, H: 1, Err: errors.New("no ink")}}},
		"Figures[0]":     {Figures: []any{(*square)(nil)}},
	} {
		if _, err := render([]any{f}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// Names and descriptions cannot change the page around them.
func TestHostileFrames(t *testing.T) {
	for _, s := range hostile {
		m, err := Frames{Along: s, Labels: []string{s}, Figures: []any{&square{W: 1, H: 1, Alt: s}}}.message()
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(m.html, "<"); n != 10 { // as many tags as with any other name
			t.Errorf("%q makes %d tags", s, n)
		}
		for _, r := range m.html + m.plain {
			if r == 0 || r == '\x1b' || turnsDirection(r) {
				t.Errorf("%q leaves %q", s, r)
			}
		}
	}
}
