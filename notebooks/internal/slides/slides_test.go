package slides_test

import (
	"errors"
	"strings"
	"testing"

	"bayescpace/notebooks/internal/slides"
)

func TestPage(t *testing.T) {
	page, err := slides.Page(func(notebook, words string) ([]byte, string, error) {
		return []byte("figure"), words + ` "quoted" <b>`, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	html := string(page)
	if n, figures := strings.Count(html, "<section>"), strings.Count(html, "<figure>"); n != 15 || figures != n {
		t.Errorf("%d slides with %d figures, want 15 with a figure each", n, figures)
	}
	if strings.Contains(html, "<b>") || !strings.Contains(html, "&#34;quoted&#34; &lt;b&gt;") {
		t.Error("the description of a figure is not escaped")
	}
	if strings.Contains(html, "http://") || strings.Contains(html, "https://") {
		t.Error("the page needs the network")
	}
}

func TestPageWithoutFigure(t *testing.T) {
	missing := errors.New("there is none")
	if _, err := slides.Page(func(string, string) ([]byte, string, error) { return nil, "", missing }); !errors.Is(err, missing) {
		t.Errorf("error %v, want %v", err, missing)
	}
}
