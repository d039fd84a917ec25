package nb

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"

	"bayescpace/bcpace/eval"
)

func TestComparison(t *testing.T) {
	var c eval.Comparison
	c.Set("tiger", "qmdp", 16.5, 0.8)
	c.Set("tiger", "sarsop", 18, 1.4)
	for _, v := range []any{c, &c} {
		m := render1(v, limits{})
		if m.plain != c.String() {
			t.Errorf("%T: plain is\n%s\nwant\n%s", v, m.plain, c.String())
		}
		if !strings.Contains(m.html, "<td>16.50 ± 0.80</td><td><b>18.0 ± 1.4</b></td>") {
			t.Errorf("%T: html is\n%s", v, m.html)
		}
	}
	if got := render1((*eval.Comparison)(nil), limits{}); got.html != "" {
		t.Errorf("a nil comparison is shown as %s", got.html)
	}
}

// Names of problems and algorithms cannot change the page around them.
func TestHostileComparison(t *testing.T) {
	for _, s := range hostile {
		var c eval.Comparison
		c.Set(s, s, 1, 0.1)
		m := render1(&c, limits{})
		for _, r := range m.html + m.plain {
			if r == 0 || r == '\x1b' || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%q: character %U got through", s, r)
			}
		}
		elements := 0
		for d := xml.NewDecoder(strings.NewReader(m.html)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v in\n%s", s, err, m.html)
			}
			if _, ok := token.(xml.StartElement); ok {
				elements++
			}
		}
		if want := 11; elements != want {
			t.Errorf("%q: %d elements, want %d in\n%s", s, elements, want, m.html)
		}
	}
}
