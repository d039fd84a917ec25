package runner

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestOpening(t *testing.T) {
	long := strings.Repeat("word ", enough/5)
	for _, c := range []struct{ markdown, heading, sentence string }{
		{"# A *tour*\n\nShort. " + long + "end. Left out.", "A *tour*", "Short. " + long + "end."},
		{"Before.\n\n#  Heading \n\n\n\nOne\nline.\n\nAnother paragraph.", "Heading", "One line."},
		{"# H\n\n" + long + "$a. b$ goes on. No more.", "H", long + "$a. b$ goes on."},
		{"# Alone", "Alone", ""},
		{"## Second order\n\nText.", "", ""},
		{"", "", ""},
	} {
		source, _ := json.Marshal(c.markdown)
		nb := parseNotebook(t, code(stdout("# no heading")), `{"cell_type": "markdown", "metadata": {}, "source": `+string(source)+`}`)
		if heading, sentence := opening(nb); heading != c.heading || sentence != c.sentence {
			t.Errorf("%q: %q, %q; want %q, %q", c.markdown, heading, sentence, c.heading, c.sentence)
		}
	}
}
