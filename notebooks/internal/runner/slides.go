package runner

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"path/filepath"
	"strings"
)

//go:embed deck.html
var deck string

// slides returns the deck, with figures of the notebooks in dir, as one page of HTML that needs no other
// file. A browser shows one slide at a time, in the theme of its reader, and prints each on a page.
// The error names the figure that is missing.
func slides(dir string) ([]byte, error) {
	figure := func(notebook, words string) (template.HTML, error) {
		png, alt, err := findFigure(filepath.Join(dir, notebook+".ipynb"), words)
		if err != nil {
			return "", fmt.Errorf("the figure %q of %s: %w", words, notebook, err)
		}
		return template.HTML(fmt.Sprintf(`<figure><img src="data:image/png;base64,%s" alt="%s"><figcaption>notebook %s</figcaption></figure>`,
			png, template.HTMLEscapeString(alt), template.HTMLEscapeString(notebook))), nil
	}
	page, err := template.New("deck").Funcs(template.FuncMap{"figure": figure}).Parse(deck)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, nil)
	return out.Bytes(), err
}

// findFigure returns the figure of a notebook whose description begins with those words.
func findFigure(path, words string) (png, alt string, err error) {
	nb, err := ReadNotebook(path)
	if err != nil {
		return "", "", err
	}
	for _, f := range nb.figures() {
		if strings.HasPrefix(f.alt, words) {
			return f.png, f.alt, nil
		}
	}
	return "", "", errors.New("no figure has a description that begins so")
}

// figure is a picture in the outputs of a notebook.
type figure struct {
	png string // in base64
	alt string // its description
}

func (nb *Notebook) figures() (all []figure) {
	for _, c := range nb.CodeCells() {
		for _, o := range c.Displays() {
			content := Text(o.data()["image/png"])
			if png, err := decodeBase64(content); err == nil && len(png) > 0 {
				all = append(all, figure{strings.Join(strings.Fields(content), ""), Text(o.data()["text/plain"])})
			}
		}
	}
	return all
}
