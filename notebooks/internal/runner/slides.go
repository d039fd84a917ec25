package runner

import (
	"cmp"
	"fmt"
	"path/filepath"

	"bayescpace/notebooks/internal/handout"
)

// slidesVerb is the verb slides: it writes the deck, whose figures are those that the notebooks have.
func (s *Session) slidesVerb(opt Options) error {
	path, err := filepath.Abs(filepath.Join(cmp.Or(opt.out, s.out()), "slides.html"))
	if err != nil {
		return fmt.Errorf("--out %s: %w", opt.out, err)
	}
	page, err := handout.Slides(s.Notebooks)
	if err == nil {
		err = writeFile(path, page)
	}
	if err != nil {
		return fmt.Errorf("making the slides: %w", err)
	}
	s.line("the slides are %s (arrow keys turn them; print them to a PDF from the browser)", s.short(path))
	return nil
}
