// Package slides makes the deck of a lecture from the figures that the notebooks have.
package slides

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
)

//go:embed deck.html
var deck string

// Figure finds a figure: the PNG of that notebook whose description begins with those words, and
// the whole description.
type Figure func(notebook, words string) (png []byte, alt string, err error)

// Page returns the deck as one page of HTML that needs no other file. A browser shows one slide
// at a time, in the theme of its reader, and prints each on a page. The error is that of a figure.
func Page(find Figure) ([]byte, error) {
	figure := func(notebook, words string) (template.HTML, error) {
		png, alt, err := find(notebook, words)
		if err != nil {
			return "", fmt.Errorf("the figure %q of %s: %w", words, notebook, err)
		}
		return template.HTML(fmt.Sprintf(`<figure><img src="data:image/png;base64,%s" alt="%s"><figcaption>notebook %s</figcaption></figure>`,
			base64.StdEncoding.EncodeToString(png), template.HTMLEscapeString(alt), template.HTMLEscapeString(notebook))), nil
	}
	page, err := template.New("deck").Funcs(template.FuncMap{"figure": figure}).Parse(deck)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, nil)
	return out.Bytes(), err
}
