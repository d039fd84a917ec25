package viz

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// drawnPieces returns the texts that are drawn for s, with the place of each.
func drawnPieces(s string, style text.Style) (texts []string, at []vg.Point) {
	var c recorder.Canvas
	style.Handler.Draw(&c, s, style, vg.Point{})
	for _, a := range c.Actions {
		if f, ok := a.(*recorder.FillString); ok {
			texts, at = append(texts, f.String), append(at, f.Point)
		}
	}
	return texts, at
}

// TestTypesetterIsPlain expects text of one size to be drawn as plot draws it.
func TestTypesetterIsPlain(t *testing.T) {
	for _, style := range []text.Style{titleStyle, tickStyle} {
		style.XAlign, style.YAlign, style.Rotation = text.XCenter, text.YTop, 0.3
		plain := style
		plain.Handler = style.Handler.(typesetter).Plain
		for _, s := range []string{"", "φ γ ‖b‖ ≤ ½", "AVAW. and\ntwo lines"} {
			got, at := drawnPieces(s, style)
			want, from := drawnPieces(s, plain)
			if !slices.Equal(got, want) {
				t.Fatalf("%q is drawn as %q, want %q", s, got, want)
			}
			for i := range at {
				if d := at[i].Sub(from[i]); math.Hypot(float64(d.X), float64(d.Y)) > 1e-9 {
					t.Errorf("%q stands at %v, want %v", got[i], at[i], from[i])
				}
			}
			if style.Width(s) != plain.Width(s) || style.Height(s) != plain.Height(s) {
				t.Errorf("%q is %v × %v, want %v × %v", s, style.Width(s), style.Height(s), plain.Width(s), plain.Height(s))
			}
		}
	}
}

// TestTypesetterComposes expects a mark in the middle above its letter, the higher
// the taller the letter, and scripts that are small, raised and lowered.
func TestTypesetterComposes(t *testing.T) {
	style := labelStyle
	w := style.Width
	for _, letter := range []string{"Q", "b", "s"} {
		texts, at := drawnPieces("L"+letter+"\u0303 = 1", style)
		if !slices.Equal(texts, []string{"L" + letter + " = 1", "˜"}) {
			t.Fatalf("drawn are %q", texts)
		}
		if got, want := at[1].X-at[0].X+w("˜")/2, w("L"+letter)-w(letter)/2; math.Abs(float64(got-want)) > 1e-9 {
			t.Errorf("the tilde of %s is at %v, want %v", letter, got, want)
		}
		if rise := at[1].Y - at[0].Y; (letter == "s") != (rise < 0.02*style.Font.Size) || rise > 0.25*style.Font.Size {
			t.Errorf("the tilde of %s is raised by %v", letter, rise)
		}
		if got, want := w(letter+"\u0303"), w(letter); got != want {
			t.Errorf("%s with a tilde is %v wide, want %v", letter, got, want)
		}
	}
	texts, at := drawnPieces("2·10⁻⁷ of φ₁", style)
	if !slices.Equal(texts, []string{"2·10", "−7", "of φ", "1"}) {
		t.Fatalf("drawn are %q", texts)
	}
	for i := range at {
		rise := float64(at[i].Y - at[0].Y)
		if want := []int{0, 1, 0, -1}[i]; rise*float64(want) < 0 || (want == 0) != (rise == 0) {
			t.Errorf("%q is raised by %v", texts[i], rise)
		}
	}
	small := style
	small.Font.Size *= scriptSize
	if got, want := at[2].X-at[0].X, w("2·10")+small.Width("−7")+w(" "); math.Abs(float64(got-want)) > 1e-9 {
		t.Errorf("what follows stands at %v, want %v", got, want)
	}
	if got, want := w("10⁹"), w("10")+small.Width("9"); got != want {
		t.Errorf("10⁹ is %v wide, want %v", got, want)
	}
	if drawn, _ := drawnPieces("\u0303", style); len(drawn) > 0 {
		t.Errorf("a mark of no letter is drawn as %q", drawn)
	}
}

func TestTypesetterLowersSubscripts(t *testing.T) {
	for s, want := range map[string][]string{
		"L_Q = 2":            {"L", "Q", "= 2"},
		"2·L_Q, R_max":       {"2·L", "Q", ", R", "max"},
		"Q̃_0":               {"Q", "0", "˜"},
		"‖b_t‖₁":             {"‖b", "t", "‖", "1"},
		"L_Q\u0303":          {"L", "Q", "˜"},
		"max_steps":          {"max_steps"},
		"a_b_c, _Q, L_, 2_x": {"a_b_c, _Q, L_, 2_x"},
		"_":                  {"_"},
	} {
		if got, _ := drawnPieces(s, labelStyle); !slices.Equal(got, want) {
			t.Errorf("%q is drawn as %q, want %q", s, got, want)
		}
	}
	_, at := drawnPieces("L_Q", labelStyle)
	small := labelStyle
	small.Font.Size *= scriptSize
	if at[1].Y >= at[0].Y || labelStyle.Width("L_Q") != labelStyle.Width("L")+small.Width("Q") {
		t.Errorf("the subscript stands at %v, and the whole is %v wide", at[1].Sub(at[0]), labelStyle.Width("L_Q"))
	}
}
