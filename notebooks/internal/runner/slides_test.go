package runner

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSlides makes the deck of the notebooks as they are: each figure that it asks for is there.
func TestSlides(t *testing.T) {
	where, err := FindPlace(".")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	var said bytes.Buffer
	if err := NewSession(where, &said).slidesVerb(Options{out: out}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(out, "slides.html"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(page), `<img src="data:image/png;base64,iVBOR`); n != 15 {
		t.Errorf("%d figures, want 15", n)
	}
	if !strings.Contains(said.String(), "slides.html") {
		t.Errorf("it says %q, want where the slides are", said.String())
	}
}
