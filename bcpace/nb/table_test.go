package nb

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"bayescpace/bcpace"
)

const small = `<div style="overflow-x:auto"><table style="border-collapse:collapse;table-layout:auto;margin:0;font-variant-numeric:tabular-nums"><caption style="caption-side:top;text-align:left;padding:0.3em 0.6em;color:inherit;font-weight:600">two rows</caption>
<thead><tr><th scope="col" align="left" style="text-align:left;border-bottom:1px solid var(--jp-border-color1,#9e9e9e)">action</th><th scope="col" align="right" style="text-align:right;border-bottom:1px solid var(--jp-border-color1,#9e9e9e)">n</th><th scope="col" align="right" style="text-align:right;border-bottom:1px solid var(--jp-border-color1,#9e9e9e)">Q</th></tr></thead>
<tbody>
<tr><td align="left" style="text-align:left">listen</td><td align="right">1,024</td><td align="right">-1.00</td></tr>
<tr><td align="left" style="text-align:left">open</td><td align="right">7</td><td align="right">0.25</td></tr>
</tbody></table></div>`

func TestTable(t *testing.T) {
	m := render1(Table{Title: "two rows", Header: []string{"action", "n", "Q"}, Rows: [][]any{{"listen", 1024, -1.0}, {"open", 7, 0.25}}}, limits{})
	if m.html != small {
		t.Errorf("html is\n%s\nwant\n%s", m.html, small)
	}
	want := "two rows\n" +
		"action      n      Q\n" +
		"listen  1,024  -1.00\n" +
		"open        7   0.25"
	if m.plain != want {
		t.Errorf("plain is\n%s\nwant\n%s", m.plain, want)
	}
}

// hostile are strings that a careless table would let into the page.
var hostile = []string{
	"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "'\"&<>", "&lt;b&gt;", "</td></table>",
	"a\x00b\x1b[31mred\a", "\u202Eevil\u2066", "שלום <b>", "\xff\xfe<", "$<i>x</i>$", `\(<u>\)`, "$$\\unicode{<}$$",
	strings.Repeat("<long>", 1000), "line\nbreak\r\n\ttab", "]]>", "<!--", "javascript:alert(1)", "\u2028<\u2029",
}

func TestHostileStrings(t *testing.T) {
	for _, s := range hostile {
		checkEscaped(t, s)
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(checkEscaped)
}

// checkEscaped shows s in every place of a table and reads the table as XML:
// text of s that came through as markup would change its elements.
func checkEscaped(t *testing.T, s string) {
	t.Helper()
	elements := func(s string, sortable int) []string {
		m := render1(Table{Title: s, Header: []string{s, "b"}, Rows: [][]any{{s, 1}, {errors.New(s), s}, {[]string{s}, named(s)}, {}, {}, {}}}, Limit(sortFrom-1+sortable, 0).(limits))
		for _, r := range m.html + m.plain {
			if r == 0 || r == '\x1b' || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%q: character %U got through", s, r)
			}
		}
		var seen []string
		d := xml.NewDecoder(strings.NewReader(m.html))
		for {
			token, err := d.Token()
			if err == io.EOF {
				return seen
			}
			if err != nil {
				t.Fatalf("%q: %v in\n%s", s, err, m.html)
			}
			if e, ok := token.(xml.StartElement); ok {
				allowed := []string{"title", "style", "align", "scope", "data-v"}
				switch e.Name.Local {
				case "thead":
					allowed = []string{"data-lm-suppress-shortcuts", "onmouseover", "onclick", "onkeydown"}
				case "span":
					allowed = []string{"class", "role", "tabindex", "style", "data-rest"}
				}
				for _, a := range e.Attr {
					if !slices.Contains(allowed, a.Name.Local) || a.Name.Local == "onclick" && a.Value != sortRows || a.Name.Local == "onkeydown" && a.Value != pressKey || a.Name.Local == "onmouseover" && a.Value != invite("sort") {
						t.Fatalf("%q: attribute %s got through", s, a.Name.Local)
					}
				}
				if e.Name.Local != "span" && e.Name.Local != "caption" { // which some strings have and others not
					seen = append(seen, e.Name.Local)
				}
			}
		}
	}
	for sortable := range 2 {
		if got, want := fmt.Sprint(elements(s, sortable)), fmt.Sprint(elements("x", sortable)); got != want {
			t.Errorf("%q: elements are %s, want %s", s, got, want)
		}
	}
}

type named string

func (n named) String() string { return string(n) }

func TestLimits(t *testing.T) {
	big := Table{Header: make([]string, 40)}
	for i := range 4332 {
		row := make([]any, 40)
		for j := range row {
			row[j] = i * j
		}
		big.Rows = append(big.Rows, row)
	}
	for j := range big.Header {
		big.Header[j] = fmt.Sprintf("c%d", j)
	}
	for _, c := range []struct {
		limit      any
		rows, cols int
		more       string
	}{
		{Limit(0, 0), 20, 16, "… 4,312 more rows, 24 more columns (c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31,…)"},
		{Limit(5, 38), 5, 38, "… 4,327 more rows, 2 more columns (c38, c39)"},
		{Limit(5, 39), 5, 40, "… 4,327 more rows"}, // the last column takes no more room than the note
		{Limit(4331, All), 4332, 40, ""},
		{Limit(All, All), 4332, 40, ""},
	} {
		s, _ := tabular(big)
		g := layout(s, c.limit.(limits))
		if len(g.rows) != c.rows || len(g.rows[0]) != c.cols || g.more() != c.more {
			t.Errorf("limit %v: %d rows, %d columns, %q; want %d, %d, %q", c.limit, len(g.rows), len(g.rows[0]), g.more(), c.rows, c.cols, c.more)
		}
	}
	ms, err := render([]any{big, Limit(3, 2)})
	if err != nil || len(ms) != 1 || strings.Count(ms[0].html, "<tr>") != 4 {
		t.Errorf("Show(big, Limit(3, 2)): %d messages, %d rows, %v; want 1, 4, none", len(ms), strings.Count(ms[0].html, "<tr>"), err)
	}
}

func TestLongCell(t *testing.T) {
	long := strings.Repeat("é", 5000)
	m := render1(Table{Rows: [][]any{{long}}}, limits{})
	if want := ">" + strings.Repeat("é", maxCell-1) + "…<"; !strings.Contains(m.html, want) {
		t.Errorf("the cell is not cut to %d characters", maxCell)
	}
	if want := `title="` + strings.Repeat("é", maxTitle-1) + `…"`; !strings.Contains(m.html, want) {
		t.Errorf("the title is not cut to %d characters", maxTitle)
	}
	if n := width(m.plain); n != maxCell {
		t.Errorf("plain is %d wide, want %d", n, maxCell)
	}
}

type point struct {
	X, Y   float64
	Name   string
	hidden int
}

func TestValues(t *testing.T) {
	p := point{1, 0.5, "a", 3}
	var none *point
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "nil"},
		{"text\nof two lines", "text\nof two lines"},
		{42, "42"},
		{-0.333333, "-0.3333"},
		{uint8(7), "7"},
		{true, "true"},
		{errors.New("no <such> thing"), "error: no <such> thing"},
		{3 * time.Second, "3s"},
		{bcpace.Redrawn, "redrawn"},
		{p, "X     1\nY     0.5\nName  a"},
		{&p, "X     1\nY     0.5\nName  a"},
		{none, "nil"},
		{[]point{p, {2, 0.25, "b", 0}}, "X     Y  Name\n1  0.50  a\n2  0.25  b"},
		{[]*point{&p, nil}, "X    Y  Name\n1  0.5  a\n"},
		{map[string]int{"b": 2, "a": 1000}, "a  1,000\nb      2"},
		{map[int]string{10: "ten", 9: "nine"}, " 9  nine\n10  ten"},
		{map[string]point{"k": p}, "   X    Y  Name\nk  1  0.5  a"},
		{[]float64{1, 0.5, 1e-9}, "[1, 0.5, 1e-9]"},
		{[]string{"a", "b"}, "[a, b]"},
		{[][]float64{{1, 2}, {0.5}}, "1.0  2\n0.5"},
		{[]byte("<"), "[60]"},
		{bcpace.Belief{0.25, 0.75}, "latent     b\n     0  0.25\n     1  0.75"},
		{struct{}{}, "{}"},
		{Table{Header: []string{"a"}}, "a\nno rows"},
		{Table{}, ""},
	} {
		if got := render1(c.v, limits{}).plain; got != c.want {
			t.Errorf("%T %v is shown as\n%s\nwant\n%s", c.v, c.v, got, c.want)
		}
	}
	_ = p.hidden
}

// A sentence is shown in full, beside texts that are cut.
func TestSentence(t *testing.T) {
	long := strings.Repeat("word ", 30)
	ms, err := render([]any{Table{Rows: [][]any{{long, Sentence(long + "end")}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{ms[0].plain, ms[0].html} {
		if !strings.Contains(s, "word end") || !strings.Contains(s, "wor…") && !strings.Contains(s, "word…") {
			t.Errorf("got %s", s)
		}
	}
}
