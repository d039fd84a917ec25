//go:build unix && long

package browser

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayescpace/notebooks/internal/runnertest"
)

// A condition that a navigation interrupts is asked again on the next page.
func TestWaitAcrossPages(t *testing.T) {
	runnertest.Kernel(t, "")
	dir := t.TempDir()
	for _, name := range []string{"first.html", "next.html"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("<!doctype html><title>"+name+"</title>"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := startBrowser(t).Open("file://"+filepath.ToSlash(dir)+"/first.html", 300, 300)
	p.Wait("the next page is there", `document.title == "next.html" || new Promise(() => { location.href = "next.html" })`)
}

// The gallery and its pages are looked at in a browser, from disk.
func TestGallery(t *testing.T) {
	s := runnertest.Kernel(t, "")
	hostile := map[string]string{
		"00_<img src=x onerror=hacked()>\"'&.ipynb": "no heading",
		"01_script.ipynb":                             "# <script>hacked()</script> & `<b>`\n\n<img src=x onerror=hacked()> [go](javascript:hacked()) \\(<u>\\) and $\\text{</mtext><img/src=x>} < \\color{red\" onclick=\"hacked()}{x}$.",
		"02_`tick`.ipynb":                             "# </h2></div><h1>\n\n- no list, *but* $b'(\\varphi) \\propto \\frac{1}{2}$.",
		"03_#fragment?query.ipynb":                    "# \"quoted\" onclick=\"hacked()\"\n\n> # no quotation",
		"04_" + strings.Repeat("long", 40) + ".ipynb": "#  \n\n# " + strings.Repeat("Unbroken", 40),
	}
	dir := runnertest.Folder(t, s)
	for name, source := range hostile {
		text, _ := json.Marshal(source)
		nb := notebookOf(t, `{"cell_type": "markdown", "metadata": {}, "source": `+string(text)+`}`)
		if err := nb.Write(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"passing/00_pass.ipynb": "05_pass.ipynb", "failing/00_error.ipynb": "06_error.ipynb"} {
		data, err := os.ReadFile(filepath.Join(s.Root, "notebooks", "testdata", from))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "a folder")
	if code, said, stderr := runnertest.Call(t.Context(), "run", "all", "--gallery", "--dir", dir, "--out", out); code != 1 || !strings.Contains(said, "1 notebook(s) failed") || !strings.Contains(said, "the gallery is ") {
		t.Fatalf("status %d\n%s%s", code, said, stderr)
	}

	b := startBrowser(t)
	p := page{b.Open("file://"+(&url.URL{Path: filepath.Join(out, "index.html")}).EscapedPath(), 1280, 1400)}
	p.Wait("the gallery is there", `document.readyState == "complete" && document.querySelectorAll("li").length == 7`)
	p.Wait("its picture is there", `[...document.images].length == 1 && document.images[0].naturalWidth > 100`)
	var seen struct {
		Titles, Links, Alts, Elements, Loaded []string
		Formulas                              int
		Failed                                string
	}
	p.Eval(`({
		titles: [...document.querySelectorAll("h2")].map(e => e.innerText),
		links: [...document.querySelectorAll("h2 a")].map(e => decodeURIComponent(e.href.slice(e.href.lastIndexOf("/") + 1))),
		alts: [...document.images].map(e => e.alt),
		elements: [...document.querySelectorAll("li script, h1, u, li img:not([src^=data]), [onerror], [onclick], a[href^=javascript], ol, blockquote")].map(e => e.outerHTML),
		loaded: performance.getEntriesByType("resource").map(e => e.name).filter(s => !s.startsWith("data:")),
		formulas: [...document.querySelectorAll("math")].filter(e => e.getBoundingClientRect().width > 10).length,
		failed: document.querySelector(".failed").innerText,
	})`, &seen)
	for i, want := range []string{"00_<img src=x onerror=hacked()>\"'&", "<script>hacked()</script> & <b>", "</h2></div><h1>", `"quoted" onclick="hacked()"`, "Unbroken"} {
		if !strings.HasPrefix(seen.Titles[i], want) {
			t.Errorf("title %d is %q, want %q", i, seen.Titles[i], want)
		}
	}
	for _, link := range seen.Links {
		if _, err := os.Stat(filepath.Join(out, link)); err != nil {
			t.Errorf("a link leads nowhere: %v", err)
		}
	}
	if len(seen.Elements) != 1 || seen.Elements[0] != "<h1>Bayes-CPACE notebooks</h1>" {
		t.Errorf("markup of a notebook came through: %q", seen.Elements)
	}
	if len(seen.Loaded) > 0 {
		t.Errorf("the gallery loads %q", seen.Loaded)
	}
	if seen.Formulas < 2 || seen.Failed == "" || !slices.Equal(seen.Alts, []string{"A line rising to 19.4 at belief 0.5 & falling <again>"}) {
		t.Errorf("formulas %d, failed %q, alt texts %q", seen.Formulas, seen.Failed, seen.Alts)
	}
	ground := make(map[string]bool)
	for _, theme := range []string{"light", "dark"} {
		p.Prefer(theme)
		var colour string
		p.Eval(`getComputedStyle(document.body).backgroundColor`, &colour)
		ground[colour] = true
		p.CheckContrasts("the gallery, "+theme, "body")
		p.Shot("gallery-" + theme)
	}
	if len(ground) != 2 {
		t.Errorf("both themes are %v", ground)
	}

	p.Click("a picture", `document.querySelector("li img")`)
	p.Wait("the page of the notebook is there", `document.readyState == "complete" && location.href.endsWith("/05_pass.html")`)
	var page struct {
		Formulas, Without int
		Loaded            []string
	}
	p.Eval(`({
		formulas: [...document.querySelectorAll("math")].filter(e => e.getBoundingClientRect().width > 10).length,
		without: [...document.images].filter(e => !e.alt.trim() || !e.naturalWidth).length,
		loaded: performance.getEntriesByType("resource").map(e => e.name).filter(s => !s.startsWith("data:")),
	})`, &page)
	p.Shot("page")
	if page.Formulas != 2 || page.Without > 0 || len(page.Loaded) > 0 {
		t.Errorf("the page has %d formulas of 2, %d pictures without a description or broken, and loads %q", page.Formulas, page.Without, page.Loaded)
	}
}
