package runner

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"bayescpace/notebooks/internal/slides"
)

// slidesVerb is the verb slides: it writes the deck, whose figures are those that the notebooks have.
func (s *Session) slidesVerb(opt Options) error {
	out := opt.out
	if out == "" {
		out = s.out()
	}
	page, err := slides.Page(s.figure)
	if err != nil {
		return fmt.Errorf("making the slides: %w", err)
	}
	path, err := filepath.Abs(filepath.Join(out, "slides.html"))
	if err != nil {
		return fmt.Errorf("--out %s: %w", opt.out, err)
	}
	if err := writeFile(path, page); err != nil {
		return err
	}
	s.line("the slides are %s (arrow keys turn them; print them to a PDF from the browser)", s.short(path))
	return nil
}

// figure is a slides.Figure.
func (s *Session) figure(title, words string) (png []byte, alt string, err error) {
	nb, err := ReadNotebook(filepath.Join(s.Notebooks, title+".ipynb"))
	if err != nil {
		return nil, "", err
	}
	for _, c := range nb.CodeCells() {
		for _, o := range c.Displays() {
			data, _ := o["data"].(map[string]any)
			alt := Text(data["text/plain"])
			if png, err := decodeBase64(Text(data["image/png"])); err == nil && len(png) > 0 && strings.HasPrefix(alt, words) {
				return png, alt, nil
			}
		}
	}
	return nil, "", errors.New("no figure has a description that begins so")
}
