package runner

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
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

func TestGalleryLeadsToTheLivePages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.html")
	for _, live := range []bool{false, true} {
		if err := writeGallery(path, live, map[string]exhibit{"00_tour.ipynb": {Title: "A tour", Page: "00_tour.html"}}); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), `<a href="00_tour.html">A tour</a>`) || strings.Contains(string(page), `href="live/index.html"`) != live {
			t.Errorf("with live pages %v the gallery is\n%s", live, page)
		}
	}
}

// Live pages that cannot be made, as where their program does not compile, cost nothing of
// what was executed.
func TestGalleryWithoutItsLivePages(t *testing.T) {
	root := t.TempDir()
	if err := writeFile(filepath.Join(root, "go.mod"), []byte("module nothing\n")); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	s, out := NewSession(Place{Root: root}, &said), filepath.Join(root, "out")
	err := s.gallery(t.Context(), out, true, map[string]exhibit{"00_tour.ipynb": {Title: "A tour", Page: "00_tour.html"}})
	if err == nil || !strings.Contains(err.Error(), "building the solver of the live pages") {
		t.Errorf("no program: %v", err)
	}
	page, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil || !strings.Contains(string(page), `<a href="00_tour.html">A tour</a>`) || strings.Contains(string(page), "live/index.html") {
		t.Errorf("the gallery is %q, %v; want the notebook and no live pages", page, err)
	}
	if !strings.Contains(said.String(), "index.html, without the live pages") {
		t.Errorf("it says %q", &said)
	}
}
