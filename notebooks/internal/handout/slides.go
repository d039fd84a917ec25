package handout

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"
)

//go:embed deck.html
var deck string

// Slides returns the deck, with figures of the notebooks in dir, as one page of HTML that needs no other
// file. A browser shows one slide at a time, in the theme of its reader, and prints each on a page.
// The error names the figure that is missing.
func Slides(dir string) ([]byte, error) {
	figure := func(notebook, words string) (template.HTML, error) {
		png, alt, err := find(filepath.Join(dir, notebook+".ipynb"), words)
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

// lines are a text of a notebook: one string, or a list of lines.
type lines string

// UnmarshalJSON implements json.Unmarshaler.
func (l *lines) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(l))
}

// find returns the PNG of a notebook whose description begins with those words, in base64, and all of the
// description.
func find(path, words string) (png, alt string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	var notebook struct {
		Cells []struct {
			Outputs []struct {
				Data struct {
					PNG lines `json:"image/png"`
					Alt lines `json:"text/plain"`
				}
			}
		}
	}
	if err := json.Unmarshal(data, &notebook); err != nil {
		return "", "", err
	}
	for _, c := range notebook.Cells {
		for _, o := range c.Outputs {
			png := strings.Join(strings.Fields(string(o.Data.PNG)), "")
			if _, err := base64.StdEncoding.DecodeString(png); err == nil && png != "" && strings.HasPrefix(string(o.Data.Alt), words) {
				return png, string(o.Data.Alt), nil
			}
		}
	}
	return "", "", errors.New("no figure has a description that begins so")
}
