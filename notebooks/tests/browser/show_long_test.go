//go:build unix && long

package browser

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"bayescpace/notebooks/internal/runner"
	"bayescpace/notebooks/internal/runnertest"
)

// hardRows are rows that are hard to sort by what is shown of them: a number
// each that others look like, text, and one of either.
func hardRows() [][3]any {
	rows := [][3]any{
		{0.1, "b", 2}, {math.NaN(), "", "two"}, {0.10001, "B", 1.5}, {math.Nextafter(0.1, 1), "a\u0301", nil}, {nil, nil, math.NaN()},
		{math.Inf(1), "z", math.Inf(-1)}, {math.Inf(-1), "ä", "1.5"}, {int64(math.MaxInt64), "10", 1.50001}, {int64(math.MaxInt64 - 1), "9", "NaN"},
		{float64(1 << 62), "1,000", -3}, {1e300, "<b>", "<b>"}, {1e-300, strings.Repeat("long ", 40) + "b", 2.0}, {-1e-300, strings.Repeat("long ", 40) + "a", 1},
		{0, "NaN", "two"}, {math.Copysign(0, -1), "\U0001F600", "\uFFFD"}, {1000, "\uFFFD", 10}, {999.96, "$x$", 9}, {1000.04, "b", "B"}, {12345.6, "a", -0.5}, {-1234, "", "$x$"},
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		rows = append(rows, [3]any{float64(random.IntN(8)) + float64(random.IntN(3))*1e-6, string(rune('a' + random.IntN(5))), random.IntN(5)})
	}
	return rows
}

// literal writes a value of hardRows as Go.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case float64:
		return fmt.Sprintf("math.Float64frombits(%#x)", math.Float64bits(v))
	case string:
		return strconv.QuoteToASCII(v)
	}
	return fmt.Sprintf("%T(%v)", v, v)
}

// sorted is the order of rows by a column: numbers by their exact values, then
// text by its code units, then NaN and what is empty; the other way round but
// for the last where down; equal ones as they stand.
func sorted(rows [][3]any, column int, down bool) []int {
	class := func(v any) int {
		switch v := v.(type) {
		case nil:
			return 2
		case float64:
			if math.IsNaN(v) {
				return 2
			}
		case string:
			if v == "" || v == "NaN" {
				return 2
			}
			return 1
		}
		return 0
	}
	exact := func(v any) *big.Float {
		switch v := v.(type) {
		case int:
			return new(big.Float).SetInt64(int64(v))
		case int64:
			return new(big.Float).SetInt64(v)
		}
		return big.NewFloat(v.(float64))
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := rows[i][column], rows[j][column]
		c := cmp.Compare(class(a), class(b))
		if c == 0 {
			switch class(a) {
			case 0:
				c = exact(a).Cmp(exact(b))
			case 1:
				c = slices.Compare(utf16.Encode([]rune(a.(string))), utf16.Encode([]rune(b.(string))))
			}
		}
		if down && class(a) < 2 && class(b) < 2 {
			c = -c
		}
		return c
	})
	return order
}

// showCells are cells that show one of each, the last of which fails.
func showCells() []string {
	var rows strings.Builder
	for i, r := range hardRows() {
		fmt.Fprintf(&rows, "\t{%d, %s, %s, %s},\n", i, literal(r[0]), literal(r[1]), literal(r[2]))
	}
	return []string{`import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/frame"
	"bayescpace/bcpace/nb"
	"bayescpace/envs"
	"bayescpace/viz"
)

var hard = [][]any{
` + rows.String() + `}

func means() (c eval.Comparison) {
	c.Set("tiger", "qmdp", 16.5, 0.8)
	c.Set("tiger", "sarsop", 18, 1.4)
	return c
}

func tiger(samples int) *runs.Run {
	return nb.Explore(envs.Tiger{Accuracy: 0.85}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 5, Batch: 20, MaxSamples: samples, CertificateEpisodes: -1})
}
%%
nb.Show(nb.Table{Title: "hard cases", Header: []string{"row", "number", "text", "either"}, Rows: hard}, nb.Limit(nb.All, 0))
nb.Show(frame.Samples(tiger(0)), tiger(0), means())
nb.Show(nb.Slider("samples", []int{20, 60, 400}, func(n int) any { return []any{viz.QOverBelief{Run: tiger(n)}, fmt.Sprint("at most ", n)} }))
nb.Show(nb.Animate("step", "frame a", "frame b", "frame c"))
nb.Show(viz.QOverBelief{Run: tiger(0)}, viz.QOverBelief{Run: tiger(20)})`, `import "errors"

func waiting() { // a progress display that is not closed is left to be seen
	p := nb.NewProgress("waiting")
	time.Sleep(400 * time.Millisecond)
	p.Count(3, 10)
}
%%
waiting()
os.Stderr.WriteString(errors.New("error: this is how an error looks").Error() + "\n")
os.Exit(1)`}
}

// outputs are the displays of a page.
const outputs = `.jp-OutputArea-output`

// tableOf is the table with a given text, in JavaScript.
func tableOf(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('%s table')].find(e => e.innerText.includes(%s))`, outputs, quoteJS(text))
}

// checkAligned wants numbers to stand to the right, and text to the left.
func (p page) checkAligned(where string) {
	p.T.Helper()
	var seen []string
	p.Eval(`[...(`+tableOf("hard cases")+`).rows].map(r => [...r.cells].map(c => getComputedStyle(c).textAlign).join(' '))`, &seen)
	for i, got := range seen {
		if got != "right right left left" {
			p.T.Errorf("%s: row %d is aligned %s", where, i, got)
		}
	}
}

// checkSorting clicks and presses the names of columns of the tables that
// showCells shows.
func (p page) checkSorting(where string) {
	p.T.Helper()
	rows := hardRows()
	table := tableOf("hard cases")
	order := func() (ids []int) {
		p.T.Helper()
		p.Eval(`[...(`+table+`).tBodies[0].rows].map(r => Number(r.cells[0].textContent))`, &ids)
		return ids
	}
	given := order()
	if len(given) != len(rows) || !slices.IsSorted(given) {
		p.T.Fatalf("%s: the rows are %v at first", where, given)
	}
	var others, after string
	const othersShown = `[...document.querySelectorAll('` + outputs + ` table')].slice(1).map(e => e.innerText).join('')`
	p.Eval(othersShown, &others)
	heads := []string{"row", "number", "text", "either"}
	for column := range 3 {
		head := fmt.Sprintf(`(%s).tHead.rows[0].cells[%d]`, table, column+1)
		for _, step := range []struct {
			want       []int
			aria, name string
		}{
			{sorted(rows, column, false), "ascending", heads[column+1] + "▲"},
			{sorted(rows, column, true), "descending", heads[column+1] + "▼"},
			{given, "", heads[column+1]},
		} {
			p.Click("the name of a column", head+`.querySelector('[role=button]')`)
			if got := order(); !slices.Equal(got, step.want) {
				p.T.Errorf("%s: by %s %s the rows are\n%v, want\n%v", where, heads[column+1], step.aria, got, step.want)
			}
			var seen [3]string
			p.Eval(fmt.Sprintf(`[%s.getAttribute('aria-sort') || '', %s.textContent, String((%s).querySelectorAll('[aria-sort]').length)]`, head, head, table), &seen)
			marked := "1"
			if step.aria == "" {
				marked = "0"
			}
			if seen != [3]string{step.aria, step.name, marked} {
				p.T.Errorf("%s: the column says %q, want %q, %q, %s marked", where, seen, step.aria, step.name, marked)
			}
		}
	}
	if p.Eval(othersShown, &after); after != others {
		p.T.Errorf("%s: sorting one table has changed another", where)
	}

	// By keys: Tab goes from name to name, Enter and the space bar sort, and
	// nothing else happens.
	p.Eval(`(`+table+`).tHead.querySelector('[role=button]').focus()`, nil)
	p.Key("Tab", 9, 0)
	for i, want := range [][]int{sorted(rows, 0, false), sorted(rows, 0, true)} {
		if i == 0 {
			p.Key("Enter", 13, 0)
		} else {
			p.Key(" ", 32, 0)
		}
		if got := order(); !slices.Equal(got, want) {
			p.T.Errorf("%s: by key %d the rows are\n%v, want\n%v", where, i+1, got, want)
		}
	}
	var focus struct {
		Name, Outline string
		Width         float64
	}
	p.Eval(`(e => ({name: e.textContent, outline: getComputedStyle(e).outlineStyle, width: parseFloat(getComputedStyle(e).outlineWidth)}))(document.activeElement)`, &focus)
	if focus.Name != "number▼" || focus.Outline == "none" || focus.Width < 1 {
		p.T.Errorf("%s: the focus is at %q with an outline %s of %v, want number▼ and one to be seen", where, focus.Name, focus.Outline, focus.Width)
	}

	// The table of samples says that not all of its rows are sorted.
	samples := tableOf("episode")
	var rest [2]string
	said := `(` + samples + `).nextElementSibling.innerText`
	p.Eval(said, &rest[0])
	p.Click("a column of the samples", fmt.Sprintf(`[...(%s).tHead.querySelectorAll('[role=button]')].find(e => e.textContent == 'Q')`, samples))
	p.Eval(said, &rest[1])
	if !strings.Contains(rest[0], "more rows") || rest[1] != rest[0]+"; only the rows above are sorted" {
		p.T.Errorf("%s: the table of samples says %q, and when sorted %q", where, rest[0], rest[1])
	}
	var q []float64
	var title string
	p.Eval(`(`+samples+`).tHead.title`, &title)
	if !strings.HasPrefix(title, "sort these 20 rows, not the ") {
		p.T.Errorf("%s: the names of the samples' columns say %q", where, title)
	}
	p.Eval(`(e => [...e.tBodies[0].rows].map(r => Number(r.cells[[...e.tHead.rows[0].cells].findIndex(h => h.textContent == 'Q▲')].textContent)))(`+samples+`)`, &q)
	if len(q) != 20 || !slices.IsSorted(q) || q[0] == q[len(q)-1] {
		p.T.Errorf("%s: the samples are sorted as %v", where, q)
	}
}

// checkSlider moves the slider of showCells by keys.
func (p page) checkSlider(where string) {
	p.T.Helper()
	const slider = `document.querySelector('` + outputs + ` input[type=range]')`
	p.Wait(where+": the strip is there", `(e => e && e.closest('div').querySelector('img').naturalWidth > 1000)(`+slider+`)`)
	p.Click("the frame", slider+`.closest('div').querySelector('p')`) // to have it in view
	p.Eval(slider+`.focus()`, nil)
	var above bool
	p.Eval(`(e => { const box = e.closest('div'), top = box.querySelector('img').parentElement.getBoundingClientRect().y; return [e, box.querySelector('p')].every(x => x.getBoundingClientRect().bottom <= top + 1); })(`+slider+`)`, &above)
	if !above {
		p.T.Errorf("%s: the slider and its value do not stand above the figure", where)
	}
	values := []string{"20", "60", "400"}
	for i, step := range []struct {
		key  string
		code int
		at   int
	}{{"", 0, 0}, {"ArrowRight", 39, 1}, {"End", 35, 2}, {"ArrowLeft", 37, 1}, {"ArrowDown", 40, 0}} {
		if step.key != "" {
			p.Key(step.key, step.code, 0)
		}
		var seen struct {
			At       string
			Said     []string
			Text     string
			Alt      string
			X, Width float64
			Value    string
			Twice    int
		}
		p.Eval(`(e => { const box = e.closest('div'), strip = box.querySelector('img'), s = strip.getBoundingClientRect(), w = strip.parentElement.getBoundingClientRect();
			return {at: e.value, said: [...box.querySelectorAll('p')].map(x => x.innerText.trim()), text: box.querySelector('pre').innerText, alt: strip.alt, x: (w.x - s.x) / w.width, width: s.width / w.width, value: e.getAttribute('aria-valuetext'),
				twice: [...document.querySelectorAll('`+outputs+`')].filter(x => x.getClientRects().length && x.innerText.trim() == 'at most 400').length}; })(`+slider+`)`, &seen)
		want := "samples: " + values[step.at]
		if seen.At != fmt.Sprint(step.at) || !slices.Equal(seen.Said, []string{want}) || seen.Text != "at most "+values[step.at] || !strings.HasPrefix(seen.Alt, want+". Optimistic value") || seen.Value != want ||
			math.Abs(seen.X-float64(step.at)) > 0.01 || math.Abs(seen.Width-3) > 0.01 || seen.Twice > 0 {
			p.T.Errorf("%s: after key %d the slider shows %+v, want %d of 3", where, i, seen, step.at)
		}
	}
}

// checkPlay plays the frames of showCells by the button and by keys.
func (p page) checkPlay(where string) {
	p.T.Helper()
	const slider = `[...document.querySelectorAll('` + outputs + ` input[type=range]')].at(-1)`
	const button = slider + `.closest('div').querySelector('button')`
	const said = `(e => e.value + ' ' + e.closest('div').querySelector('button').textContent + ' ' + e.closest('div').querySelector('pre').innerText)(` + slider + `)`
	// want does something and looks in the same turn of the page, in which no frame goes on.
	want := func(what, do, want string) {
		p.T.Helper()
		var got string
		if p.Eval(`(() => { `+do+`; return `+said+`; })()`, &got); got != want {
			p.T.Errorf("%s: %s the frames are at %q, want %q", where, what, got, want)
		}
	}
	p.Wait(where+": the frames are there", slider+`?.closest('div').querySelector('button')`)
	want("at first", "", "0 Play frame a")
	want("when played from the end", `(e => { e.value = 2; e.dispatchEvent(new Event('input')); })(`+slider+`); `+button+`.click()`, "0 Pause frame a")
	want("when moved by hand", `(e => { e.value = 1; e.dispatchEvent(new Event('input')); })(`+slider+`)`, "1 Play frame b")
	p.Eval(button+`.focus()`, nil)
	p.Key(" ", 32, 0)
	p.Wait(where+": the frames have been played", said+` == '2 Play frame c'`)
	// A key comes from outside of the page: what it does is noted as it happens.
	p.Eval(button+`.addEventListener('click', () => { window.playedByKey = `+said+`; }, {once: true})`, nil)
	p.Key(" ", 32, 0)
	p.Wait(where+": a key has played the frames", `window.playedByKey`)
	var played string
	if p.Eval(`window.playedByKey`, &played); played != "0 Pause frame a" {
		p.T.Errorf("%s: when played by a key the frames are at %q, want the first one", where, played)
	}
	want("when played and paused", `(e => { e.value = 1; e.dispatchEvent(new Event('input')); })(`+slider+`); `+button+`.click(); `+button+`.click()`, "1 Play frame b")
}

// checkSaving saves the two figures that showCells shows side by side by their buttons,
// which a mouse above the figure or Tab brings to be seen.
func (p page) checkSaving(where string) {
	p.T.Helper()
	const figure = `[...document.querySelectorAll('.bayescpace-figure')].filter(e => e.getClientRects().length).at(-1)`
	p.Wait(where+": a figure has its buttons", figure)
	p.Click("the figure", figure)
	var saved struct {
		Alt, Names, Types, Hidden string
		PNG, SVG                  string
	}
	p.Eval(`(async e => {
		const blobs = [], names = [], url = URL.createObjectURL, click = HTMLAnchorElement.prototype.click;
		URL.createObjectURL = b => { blobs.push(b); return url.call(URL, b); };
		HTMLAnchorElement.prototype.click = function () { names.push(this.download); };
		try {
			for (const b of e.querySelectorAll('button')) { b.focus(); await b.onclick(); }
			return {alt: e.querySelector('img').alt, names: names.join(' '), types: blobs.map(b => b.type).join(' '), hidden: getComputedStyle(e.querySelector('.bayescpace-save')).clipPath,
				png: [...new Uint8Array(await blobs[0].slice(0, 8).arrayBuffer())].join(' '), svg: blobs[1] ? await blobs[1].text() : ''};
		} finally { URL.createObjectURL = url; HTMLAnchorElement.prototype.click = click; }
	})(`+figure+`)`, &saved)
	if !strings.HasPrefix(saved.Alt, "Optimistic value Q of tiger") || saved.Types != "image/png image/svg+xml" || saved.Hidden != "none" ||
		saved.PNG != "137 80 78 71 13 10 26 10" || strings.Count(saved.SVG, "<svg") != 3 || !strings.HasSuffix(saved.SVG, "</svg>\n") ||
		!regexp.MustCompile(`^Optimistic-value-Q-[\w-]+\.png Optimistic-value-Q-[\w-]+\.svg$`).MatchString(saved.Names) {
		p.T.Errorf("%s: saving a figure gives %+.500v", where, saved)
	}
	var shown string
	p.Eval(`(async svg => { const img = new Image(); img.src = URL.createObjectURL(new Blob([svg], {type: 'image/svg+xml'})); await img.decode(); return img.naturalWidth + ' × ' + img.naturalHeight; })(`+quoteJS(saved.SVG)+`)`, &shown)
	if shown != "836 × 409" {
		p.T.Errorf("%s: the SVG image is %s", where, shown)
	}
}

// chooseTheme chooses one of JupyterLab's themes in its menu.
func (p page) chooseTheme(name string, light bool) {
	p.T.Helper()
	p.Click("the menu Settings", `[...document.querySelectorAll('#jp-MainMenu .lm-MenuBar-item')].find(e => e.innerText.trim() == 'Settings')`)
	p.Click("themes in the menu Settings", `[...document.querySelectorAll('.lm-Menu-item[data-type=submenu]')].find(e => e.innerText.trim() == 'Theme')`)
	p.Click("the theme "+name, fmt.Sprintf(`[...document.querySelectorAll('.lm-Menu-item[data-command="apputils:change-theme"]')].find(e => e.innerText.trim() == %s)`, quoteJS(name)))
	p.Wait("the theme is "+name, fmt.Sprintf(`document.body.dataset.jpThemeLight == '%v' && document.body.dataset.jpThemeName == %s && !document.querySelector('#jupyterlab-splash')`, light, quoteJS(name)))
}

// TestShow looks at what nb.Show shows as its readers do: in an exported page
// opened from disk, in JupyterLab before and after it trusts the notebook, and
// in light and dark.
func TestShow(t *testing.T) {
	s := labSession(t)
	b := startBrowser(t)
	dir := runnertest.Folder(t, s)
	copyTo(t, dir, map[string]*runner.Notebook{"00_show.ipynb": cellsOf(t, showCells()...)})
	out := t.TempDir()
	if code, said, stderr := runnertest.Call(t.Context(), "run", "all", "--gallery", "--dir", dir, "--out", out); code != 1 || !strings.Contains(said, "00_show, cell 2: failed") {
		t.Fatalf("status %d\n%s%s", code, said, stderr)
	}

	p := page{b.Open("file://"+(&url.URL{Path: filepath.Join(out, "00_show.html")}).EscapedPath(), 1280, 1400)}
	p.Wait("the page is there", `document.readyState == "complete" && document.querySelector("`+outputs+` table")`)
	p.checkAligned("page")
	p.checkSorting("page")
	p.checkSlider("page")
	p.checkPlay("page")
	p.checkSaving("page")
	p.Prefer("dark")
	p.CheckContrasts("page, dark preferred", outputs)
	p.Prefer("light")
	p.CheckContrasts("page", outputs)
	p.Shot("show-page")
	for _, theme := range []string{"light", "dark"} {
		p.Prefer(theme)
		p.Navigate("file://" + (&url.URL{Path: filepath.Join(out, "index.html")}).EscapedPath())
		p.Wait("the gallery is there", `document.readyState == "complete" && document.images.length == 1 && document.images[0].naturalWidth > 100`)
		p.CheckContrasts("gallery, "+theme, "body")
		p.Shot("show-gallery-" + theme)
	}

	// JupyterLab takes scripts and some styles out of what it did not execute.
	executed, err := os.ReadFile(filepath.Join(out, "00_show.ipynb"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "00_show.ipynb"), executed, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	chosen := filepath.Join(s.Private, "config", "lab", "user-settings", "@jupyterlab", "apputils-extension", "themes.jupyterlab-settings")
	before, err := os.ReadFile(chosen)
	t.Cleanup(func() {
		if err != nil {
			os.Remove(chosen)
		} else {
			os.WriteFile(chosen, before, 0o644)
		}
	})
	base, token := startLab(t, s, dir, runnertest.FreePort(t))
	p = openNotebook(b, base, token, "00_show.ipynb", 5000)
	p.Wait("what was executed before is there", tableOf("hard cases"))
	var seen struct {
		Scripts, Names, Said []string
		Alts                 []string
	}
	p.Eval(`({
		scripts: [...document.querySelectorAll('`+outputs+` [role=button], `+outputs+` [tabindex], `+outputs+` [onclick], `+outputs+` [oninput], `+outputs+` input, `+outputs+` thead [title]')].map(e => e.outerHTML.slice(0, 100)),
		names: [...(`+tableOf("hard cases")+`).tHead.rows[0].cells].map(e => e.innerText),
		said: [...document.querySelectorAll('`+outputs+` p, `+outputs+` pre')].filter(e => e.getClientRects().length).map(e => e.innerText.trim()),
		alts: [...document.querySelectorAll('`+outputs+` img')].filter(e => e.getClientRects().length).map(e => e.alt.slice(0, 27)),
	})`, &seen)
	if len(seen.Scripts) > 0 || !slices.Equal(seen.Names, []string{"row", "number", "text", "either"}) || !slices.Equal(seen.Alts, []string{"Optimistic value Q of tiger", "Optimistic value Q of tiger"}) ||
		!slices.ContainsFunc(seen.Said, func(s string) bool { return strings.HasPrefix(s, "samples: 400 (3 of 3; ") }) || !slices.Contains(seen.Said, "at most 400") {
		t.Errorf("a notebook that is not trusted shows %+v", seen)
	}
	p.checkSaving("not trusted")
	p.checkAligned("not trusted")
	p.CheckContrasts("not trusted", outputs)
	p.Shot("show-untrusted")

	p.menu("Run", "runmenu:run-all")
	p.Wait("all cells have run", allRan+` && [...document.querySelectorAll('`+outputs+`')].some(e => e.innerText.includes('how an error looks')) && (`+tableOf("hard cases")+`)?.querySelector('[role=button]')`)
	for _, theme := range []string{"Light", "Dark"} {
		p.chooseTheme("JupyterLab "+theme, theme == "Light")
		p.CheckContrasts("JupyterLab "+theme, outputs)
		if theme == "Light" {
			p.checkSorting("JupyterLab")
			p.checkSlider("JupyterLab")
			p.checkPlay("JupyterLab")
			p.checkSaving("JupyterLab")
		}
		p.Shot("show-lab-" + strings.ToLower(theme))
	}
}
