package runner

import (
	"bytes"
	"context"
	_ "embed"
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

// galleryPage is one file: it loads nothing but what it links to.
var galleryPage = template.Must(template.New("gallery").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bayes-CPACE notebooks</title>
<style>
:root { color-scheme: light dark; --page: #f6f6f4; --card: #fff; --text: #222; --soft: #595959; --line: #dcdcd8; --link: #00589c; --bad: #a3280f; }
@media (prefers-color-scheme: dark) {
  :root { --page: #17181a; --card: #222427; --text: #e6e6e6; --soft: #b0b0b0; --line: #3a3d41; --link: #7cc0f5; --bad: #ff9d87; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.25rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 1.5rem; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 1.25rem; list-style: none; margin: 0; padding: 0; }
li[hidden] { display: none; }
li { display: flex; flex-direction: column; background: var(--card); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
li img { width: 100%; height: 13rem; object-fit: contain; background: #fff; border-bottom: 1px solid var(--line); padding: 0.5rem; }
li div { padding: 0.9rem 1rem 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0 0 0.4rem; }
p { margin: 0; color: var(--soft); }
a { color: var(--link); }
.live, .ways { margin-bottom: 1.25rem; }
.ways p { margin-bottom: 0.3rem; }
input { width: min(24rem, 100%); padding: 0.5rem 0.7rem; margin-bottom: 1.25rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
.failed { color: var(--bad); margin-top: 0.4rem; }
</style>
</head>
<body>
<h1>Bayes-CPACE notebooks</h1>
{{if .Live}}<p class="live"><a href="live/index.html">Live pages</a> compute in your browser what you change.</p>
{{end}}<div class="ways">
{{range .Ways}}<p>You are {{.Who}} and want to see {{.What}}: {{range $i, $c := .Chapters}}{{if $i}}, {{end}}<a href="{{$c}}.html">{{$c}}</a>{{end}}</p>
{{end}}</div>
<input type="search" placeholder="Search all chapters" aria-label="Search all chapters">
<ul>
{{range .Exhibits}}<li data-words="{{.Words}}">
{{if .Picture}}<a href="{{.Page}}" tabindex="-1"><img src="{{.Picture}}" alt="{{.Alt}}"></a>
{{end}}<div><h2><a href="{{.Page}}">{{.Title}}</a></h2>
<p>{{.Sentence}}</p>
{{if .Failed}}<p class="failed">{{.Failed}}</p>
{{end}}</div>
</li>
{{end}}</ul>
<script>
document.querySelector('input').addEventListener('input', event => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const item of document.querySelectorAll('li')) item.hidden = !words.every(word => item.dataset.words.includes(word));
});
</script>
</body>
</html>
`))

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
	var b bytes.Buffer
	if err := galleryPage.Execute(&b, map[string]any{"Live": live, "Ways": waysTo(exhibits), "Exhibits": exhibits}); err != nil {
		return fmt.Errorf("writing the gallery: %w", err)
	}
	return writeFile(path, b.Bytes())
}

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
