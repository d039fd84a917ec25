package runner

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// exhibit is a notebook in the gallery.
type exhibit struct {
	Title    template.HTML // of its first heading
	Sentence template.HTML // how it begins
	Page     string        // address of its page, relative to the gallery
	Picture  template.URL  // its first figure, or ""
	Alt      string        // what the figure shows
	Words    string        // all of its text, for the search
	Failed   string        // why its execution stopped, or ""
}

// exhibitOf makes the exhibit of a notebook whose page is at path. The driver
// renders the markdown, with formulas as MathML and HTML escaped.
func (d *driver) exhibitOf(ctx context.Context, e Executed, path string, pages []string) (exhibit, error) {
	x := exhibit{Page: url.PathEscape(filepath.Base(path))}
	heading, sentence := opening(e.Notebook)
	if heading == "" {
		heading = "`` " + Title(e.Path) + " ``"
	}
	answer, err := d.ask(ctx, map[string]any{"inline": []string{heading, sentence}, "pages": pages}, nil)
	if err == nil && len(answer.HTML) != 2 {
		err = fmt.Errorf("execute.py rendered %d texts of 2", len(answer.HTML))
	}
	if err != nil {
		return x, fmt.Errorf("describing %s: %w", d.s.short(e.Path), err)
	}
	x.Words = searched(e.Notebook)
	x.Title, x.Sentence = template.HTML(answer.HTML[0]), template.HTML(answer.HTML[1])
	if e.failure != nil {
		x.Failed = fmt.Sprintf("Stopped at code cell %d.", e.failure.Cell)
	}
	if figures := e.Notebook.figures(); len(figures) > 0 {
		x.Picture, x.Alt = template.URL("data:image/png;base64,"+figures[0].png), figures[0].alt
	}
	return x, nil
}

// linkTarget is where a link of markdown leads.
var linkTarget = regexp.MustCompile(`\]\([^)]*\)`)

// searched returns the text of a notebook for the search.
func searched(nb *Notebook) string {
	var words []string
	for _, c := range nb.Cells() {
		if c["cell_type"] == "markdown" {
			words = append(words, strings.Fields(strings.ToLower(linkTarget.ReplaceAllString(c.Source(), "]")))...)
		}
	}
	return strings.Join(words, " ")
}

// way is a way into the book for a kind of reader.
type way struct {
	Who, What string
	Chapters  []string // titles
}

var ways = []way{
	{"a student", "how the algorithm works, line by line", []string{"00_tour", "01_by_hand", "02_build_a_bamdp", "03_tiger", "04_chain", "20_glossary"}},
	{"a teacher", "what to show in a lecture, and what to discuss", []string{"00_tour", "03_tiger", "05_light_dark_tiger", "08_covering_numbers", "10_pac_audit"}},
	{"a researcher", "what is proved, what is earned, and a study of your own", []string{"06_certified", "07_benchmark", "10_pac_audit", "10a_proof", "15_online", "19_research"}},
	{"an engineer", "a problem of your own, from an equation to a policy", []string{"12_your_own_problem", "13_continuous_actions", "14_unknown_dynamics", "21_hidden_vectors", "22_priors_costs_risk"}},
}

// waysTo returns the ways with the chapters that are there.
func waysTo(exhibits map[string]exhibit) (list []way) {
	there := make(map[string]bool)
	for path := range exhibits {
		there[Title(path)] = true
	}
	for _, w := range ways {
		w.Chapters = slices.DeleteFunc(slices.Clone(w.Chapters), func(title string) bool { return !there[title] })
		if len(w.Chapters) > 0 {
			list = append(list, w)
		}
	}
	return list
}

// headingLine is a heading of the first order.
var headingLine = regexp.MustCompile(`(?m)^# +(\S.*)$`)

// opening returns the notebook's first heading and how the paragraph below it
// begins, as markdown.
func opening(nb *Notebook) (heading, sentence string) {
	for _, c := range nb.Cells() {
		source := c.Source()
		at := headingLine.FindStringSubmatchIndex(source)
		if c["cell_type"] != "markdown" || at == nil {
			continue
		}
		paragraph := regexp.MustCompile(`\n\s*\n`).Split(strings.TrimSpace(source[at[1]:]), 2)[0]
		sentence = strings.Join(strings.Fields(paragraph), " ")
		return strings.TrimSpace(source[at[2]:at[3]]), firstSentences(sentence)
	}
	return "", ""
}

// enough is the length from which on a description needs no further sentence.
const enough = 100

// firstSentences returns the sentences of p up to one that makes them long enough.
func firstSentences(p string) string {
	for _, end := range regexp.MustCompile(`[.!?]\s`).FindAllStringIndex(p, -1) {
		if end[0] >= enough && strings.Count(p[:end[0]], "$")%2 == 0 {
			return p[:end[0]+1]
		}
	}
	return p
}

// pages are templates of pages of HTML that load nothing but what they link to.
//
//go:embed deck.html gallery.html
var pages embed.FS

// pageOf makes the page of a template.
func pageOf(name string, funcs template.FuncMap, data any) ([]byte, error) {
	t, err := template.New(name).Funcs(funcs).ParseFS(pages, name)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err = t.Execute(&page, data)
	return page.Bytes(), err
}

// gallery writes the gallery into the folder out, and the live pages if it is to lead to
// them. Where these cannot be made, it is written without them before their error is
// returned: notebooks take longer to execute.
func (s *Session) gallery(ctx context.Context, out string, live bool, exhibits map[string]exhibit) error {
	var failed error
	if live {
		failed = s.writeLive(ctx, out)
	}
	index := filepath.Join(out, "index.html")
	if err := writeGallery(index, live && failed == nil, exhibits); err != nil {
		return errors.Join(failed, err)
	}
	note := ""
	if failed != nil {
		note = ", without the live pages, which could not be made"
	}
	s.line("the gallery is %s%s", s.short(index), note)
	return failed
}

// writeGallery writes the page of all exhibits, in the order of their notebooks, with a
// link to the live pages beside it if live says that these are there.
func writeGallery(path string, live bool, exhibits map[string]exhibit) error {
	page, err := pageOf("gallery.html", nil, map[string]any{"Live": live, "Ways": waysTo(exhibits), "Exhibits": exhibits})
	if err != nil {
		return fmt.Errorf("writing the gallery: %w", err)
	}
	return writeFile(path, page)
}

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
	return pageOf("deck.html", template.FuncMap{"figure": figure}, nil)
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
