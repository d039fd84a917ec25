//go:build unix && long

// Package browser looks through a browser: at JupyterLab, at the gallery, and at the live pages from disk.
package browser

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace/cpace"
	"bayescpace/notebooks/internal/runnertest"
	"bayescpace/notebooks/live/answer"
)

var folder string // of the pages, "" before the first test that needs them

func TestMain(m *testing.M) {
	m.Run()
	endBrowser()
	if folder != "" {
		os.RemoveAll(folder)
	}
}

// livePage is a live page in a browser.
type livePage struct{ *Page }

// built makes the pages once.
func built(t *testing.T) {
	t.Helper()
	if testing.Short() {
		runnertest.Lacks(t, "this looks at pages in a browser, which -short leaves out")
	}
	if folder != "" {
		return
	}
	// The go command runs a test again where a file has changed that it has looked at.
	if _, err := os.Stat(filepath.Join("..", "..", "live", "main.go")); err != nil {
		t.Fatal(err)
	}
	made, err := os.MkdirTemp("", "live-")
	if err != nil {
		t.Fatal(err)
	}
	// As if one notebook had been executed.
	if err := os.WriteFile(filepath.Join(made, "03_tiger.html"), []byte("<!doctype html><title>Tiger</title>"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-race") // of the user, which WebAssembly does not take
	if code, said, stderr := runnertest.Call(t.Context(), "live", "--out", made); code != 0 {
		os.RemoveAll(made)
		t.Fatalf("status %d\n%s%s", code, said, stderr)
	} else {
		t.Log(said)
	}
	folder = made
}

// watch notes what goes wrong in a page.
const watch = `window.wrong = [];
addEventListener("error", e => wrong.push("error: " + (e.message || e.target.src)), true);
addEventListener("unhandledrejection", e => wrong.push("rejection: " + e.reason));
for (const kind of ["error", "warn"]) console[kind] = (...a) => wrong.push(kind + ": " + a.join(" "));`

// open opens a page and waits until it has computed.
func open(t *testing.T, name string, width, height int) livePage {
	t.Helper()
	built(t)
	p := blank(t, width, height)
	p.Navigate(fromDisk(name))
	p.idle()
	return p
}

// blank opens a window, in which watch notes what goes wrong.
func blank(t *testing.T, width, height int) livePage {
	t.Helper()
	p := livePage{startBrowser(t).Open("about:blank", width, height)}
	p.Before(watch)
	return p
}

// fromDisk is the address of a page.
func fromDisk(name string) string {
	return "file://" + (&url.URL{Path: filepath.Join(folder, "live", name+".html")}).EscapedPath()
}

// idle waits until the page has shown the answer to its last question.
func (p livePage) idle() {
	p.T.Helper()
	p.Wait("the page has computed", `new Promise(shown => {
		const look = () => document.body?.dataset.ready && !document.body.hasAttribute("aria-busy") ? shown(true) : setTimeout(look, 5);
		look();
	})`)
}

// well wants nothing to have gone wrong in the page, and nothing to have come from elsewhere.
func (p livePage) well() {
	p.T.Helper()
	var seen struct{ Wrong, Loaded []string }
	p.Eval(`({
		wrong: [...wrong, ...[...document.querySelectorAll(".alarm")].map(e => e.textContent)],
		loaded: performance.getEntriesByType("resource").map(e => e.name).filter(s => !/^(data:|blob:)/.test(s) && !s.endsWith("/live/solver.js")),
	})`, &seen)
	if len(seen.Wrong) > 0 || len(seen.Loaded) > 0 {
		p.T.Errorf("what went wrong: %q; what was loaded: %q", seen.Wrong, seen.Loaded)
	}
}

// shown is all that the page shows: drawings, words and what controls say.
func (p livePage) shown() (s string) {
	p.T.Helper()
	p.Eval(`[...document.querySelectorAll("figure, #words, .explained")].map(e => e.innerHTML).join("\n")`, &s)
	var wrong string
	if p.Eval(`(e => e ? e.textContent + " " + live.last?.question : "")(document.querySelector(".alarm"))`, &wrong); wrong != "" {
		p.T.Fatal(wrong)
	}
	return s
}

// names are those of the pages.
var names = []string{"tiger", "room", "simplex", "algorithm", "covers"}

// Every control is reached by the Tab key, has a name, and changes by keys what is shown.
func TestEveryControlMovesSomething(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p := open(t, name, 1280, 1000)
			var ready float64
			p.Eval(`Number(document.body.dataset.ready)`, &ready)
			t.Logf("interactive %.0f ms after its start", ready)

			var controls []string // the ids that the test gives them
			p.Eval(`[...document.querySelectorAll("form input, form select, form button, figure [tabindex='0']")].map((e, i) => e.dataset.control = "control " + i)`, &controls)
			for left := controls; len(left) > 0; {
				var there []string
				p.Eval(`[...document.querySelectorAll("[data-control]")].filter(e => e.getClientRects().length).map(e => e.dataset.control)`, &there)
				there = slices.DeleteFunc(there, func(id string) bool { return !slices.Contains(left, id) })
				if len(there) == 0 { // what is left belongs to the other choice of the first list
					p.Eval(choose+`(document.querySelector("form select"))`, nil)
					p.idle()
					if len(left) == len(controls) {
						t.Fatalf("these are never there: %q", left)
					}
					controls = left
					continue
				}
				reached := p.tabs(len(there) + 20)
				for _, id := range there {
					p.press(id, reached)
				}
				left = slices.DeleteFunc(left, func(id string) bool { return slices.Contains(there, id) })
			}
			p.well()
		})
	}
}

// choose is a function that makes the next choice in a list, which is a window of the
// system's.
const choose = `(e => { e.selectedIndex = (e.selectedIndex + 1) % e.length; e.dispatchEvent(new Event("input", {bubbles: true})); })`

// tabs returns the controls that so many presses of the Tab key reach from the top.
func (p livePage) tabs(presses int) map[string]bool {
	p.T.Helper()
	p.Eval(`document.activeElement.blur(), scrollTo(0, 0)`, nil)
	reached := make(map[string]bool)
	for range presses {
		p.Key("Tab", 9, 0)
		var at string
		p.Eval(`document.activeElement.dataset.control ?? ""`, &at)
		reached[at] = true
	}
	return reached
}

// press moves a control by keys and wants that to change what is shown, and the Tab key to
// reach it. A control that has gone meanwhile is left out.
func (p livePage) press(id string, reached map[string]bool) {
	p.T.Helper()
	element := fmt.Sprintf(`document.querySelector("[data-control='%s']")`, id)
	var control struct {
		Name, Kind                 string
		Disabled, Unlisted, Hidden bool
	}
	p.Eval(fmt.Sprintf(`(e => ({
		name: (e.ariaLabel ?? e.labels?.[0]?.textContent ?? e.textContent).trim(), kind: e.type ?? "drawing", disabled: !!e.disabled,
		unlisted: e.type == "radio" && !e.checked, hidden: !e.getClientRects().length,
	}))(%s)`, element), &control)
	if control.Hidden {
		return
	}
	if control.Name == "" {
		p.T.Errorf("a %s has no name", control.Kind)
	}
	if !reached[id] && !control.Disabled && !control.Unlisted {
		p.T.Errorf("the Tab key does not reach %q", control.Name)
	}
	before := p.shown()
	p.Eval(element+`.focus()`, nil)
	for range 2 { // a range may be at its end, and a choice may be what is there already
		switch control.Kind {
		case "button", "checkbox", "radio":
			p.Key(" ", 32, 0)
		case "select-one":
			p.Eval(choose+`(`+element+`)`, nil)
		default:
			p.Key("ArrowRight", 39, 0)
		}
		p.Eval(`new Promise(requestAnimationFrame)`, nil)
		p.idle()
		if p.shown() != before {
			return
		}
		if control.Kind == "range" || control.Kind == "radio" {
			p.Key("ArrowLeft", 37, 0)
			p.idle()
			if p.shown() != before {
				return
			}
		}
	}
	p.T.Errorf("%s %q changes nothing", control.Kind, control.Name)
}

// asked is the last question of the page.
func (p livePage) asked(v any) {
	p.T.Helper()
	p.Eval(`new Promise(requestAnimationFrame)`, nil)
	p.idle()
	p.Eval(`JSON.parse(live.last.question)`, v)
}

// The room is drawn, and beliefs are moved, with a mouse and with a finger.
func TestPointers(t *testing.T) {
	for name, finger := range map[string]bool{"mouse": false, "finger": true} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "room", 1280, 1000)
			var room answer.RoomQuestion
			cell := func(x, y int) [2]float64 { return [2]float64{(float64(x) + 0.5) / 9, (float64(y) + 0.5) / 7} }
			p.Drag(`document.querySelector("#grid")`, finger, cell(6, 1), cell(6, 2), cell(6, 3), cell(7, 3))
			p.asked(&room)
			if want := []string{"*.......A", "*.....#..", "*...#.#..", "*...S.##.", "*...#....", "*........", "*.......B"}; !slices.Equal(room.Rows, want) {
				t.Errorf("drawing makes the room\n%s\nwant\n%s", strings.Join(room.Rows, "\n"), strings.Join(want, "\n"))
			}
			p.Drag(`document.querySelector("#grid")`, finger, cell(6, 3), cell(6, 2))
			p.asked(&room)
			if want := "*...S..#."; room.Rows[3] != want || room.Rows[2] != "*...#...." {
				t.Errorf("drawing over walls makes the room\n%s", strings.Join(room.Rows, "\n"))
			}
			p.Click("the tool for goal A", `document.querySelector("[value=A]")`)
			p.Drag(`document.querySelector("#grid")`, finger, cell(8, 6))
			p.asked(&room)
			if room.Rows[0] != "*.......B" || room.Rows[6] != "*.......A" {
				t.Errorf("goal A put upon goal B does not change places with it:\n%s", strings.Join(room.Rows, "\n"))
			}
			p.well()

			p = open(t, "simplex", 1280, 1000)
			var simplex answer.SimplexQuestion
			p.Drag(`document.querySelector("#triangle")`, finger, [2]float64{0.5, 0.5}, [2]float64{0.5, 0.2}, [2]float64{0.5, 0})
			p.asked(&simplex)
			if b := simplex.Belief; math.Abs(b[2]-1) > 1e-9 {
				t.Errorf("a belief moved above the triangle is %v, want its upper corner", b)
			}
			p.well()

			p = open(t, "algorithm", 1280, 1000)
			var algorithm answer.AlgorithmQuestion
			p.Drag(`document.querySelector("#estimates")`, finger, [2]float64{0.5, 0.5}, [2]float64{0.9, 0.5}, [2]float64{1, 0.5})
			p.asked(&algorithm)
			if algorithm.Left != 1 {
				t.Errorf("the belief moved to the right end is %v", algorithm.Left)
			}
			p.well()
		})
	}
}

// What the agent sees moves the belief by the model that is shown: pressed while another model
// is computed, or again before the first has been answered, it does nothing.
func TestOutcomesAreOfTheModelShown(t *testing.T) {
	p := open(t, "simplex", 1280, 1000)
	const press = `document.querySelector("#outcomes button").click();`
	var once, twice, other answer.SimplexQuestion
	p.Eval(press, nil)
	p.asked(&once)
	if once.Belief[0] <= once.Belief[1] {
		t.Fatalf("what is seen moves the even belief to %v", once.Belief)
	}
	p.Click("back to the even belief", `document.querySelector("#even")`)
	p.idle()
	p.Eval(press+press, nil)
	p.asked(&twice)
	if twice.Belief != once.Belief {
		t.Errorf("two presses at once move the belief to %v, want %v as one press does", twice.Belief, once.Belief)
	}
	p.Eval(`(e => {
		e.value = "chain";
		e.dispatchEvent(new Event("input", {bubbles: true}));
		`+press+`
	})(document.querySelector("[name=model]"))`, nil)
	p.asked(&other)
	if other.Chain == nil || other.Belief != once.Belief {
		t.Errorf("what is seen of the boxes moves the belief of chain %+v from %v to %v", other.Chain, once.Belief, other.Belief)
	}
	p.well()
}

// looks finds what is wrong with how a page is laid out.
const looks = `(() => {
	const found = [], root = document.documentElement;
	if (root.scrollWidth > innerWidth) found.push("the page is " + root.scrollWidth + " wide, more than its window");
	for (const e of document.querySelectorAll("body *")) {
		if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()) || !e.getClientRects().length) continue;
		if (parseFloat(getComputedStyle(e).fontSize) < 12) found.push("small: " + e.textContent.trim());
	}
	for (const svg of document.querySelectorAll("figure svg")) {
		const box = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll("text")].map(e => [e.textContent, e.getBoundingClientRect()]);
		for (const [i, [text, r]] of texts.entries()) {
			if (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 2 || r.bottom > box.bottom + 2) found.push("cut off: " + text);
			for (const [other, q] of texts.slice(i + 1))
				if (Math.min(r.right, q.right) - Math.max(r.left, q.left) > 1 && Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top) > 3) found.push("overlap: " + text + " and " + other);
		}
	}
	for (const e of document.querySelectorAll("figure > svg")) if (!e.ariaLabel) found.push("a drawing without a description");
	return found;
})()`

// drawn waits until the page has been drawn twice: drawings follow the width of the window.
const drawn = `new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))`

// On a telephone the first figure is on the screen when a page opens, and what it follows comes right behind it.
func TestPhone(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p := open(t, name, 390, 844)
			p.Eval(drawn, nil)
			var seen struct{ Figure, Form, Text float64 }
			p.Eval(`(() => { const top = e => document.querySelector(e).getBoundingClientRect().top;
				const f = document.querySelector("figure").getBoundingClientRect();
				return {figure: f.top, form: top("form") - f.bottom, text: top("main > p") - document.querySelector(".lab").getBoundingClientRect().bottom}; })()`, &seen)
			p.Shot(name + "-phone")
			if seen.Figure > 844/2 || seen.Form < 0 || seen.Form > 60 || seen.Text < 0 {
				t.Errorf("the figure begins at %v of 844, the controls %v below it and the text %v below all that", seen.Figure, seen.Form, seen.Text)
			}
			p.well()
		})
	}
}

// The pages can be read in both themes, in a wide window and on a telephone.
func TestLooks(t *testing.T) {
	for _, name := range append([]string{"index"}, names...) {
		t.Run(name, func(t *testing.T) {
			ground := make(map[string]bool)
			built(t)
			p := blank(t, 1280, 1000)
			p.Navigate(fromDisk(name))
			if name == "index" {
				p.Wait("the page is there", `document.readyState == "complete" && document.querySelector("h1")`)
			} else {
				p.idle()
			}
			for _, theme := range []string{"light", "dark"} {
				for _, width := range []int{1280, 375} {
					p.Prefer(theme)
					p.Zoom(width, 1000, 1)
					p.Eval(drawn, nil)
					var height int
					p.Eval(`document.documentElement.scrollHeight`, &height)
					p.Zoom(width, max(height, 600), 1)
					p.Eval(drawn, nil)
					what := fmt.Sprintf("%s-%s-%d", name, theme, width)
					p.Shot(what)
					var found []string
					p.Eval(looks, &found)
					if len(found) > 0 {
						t.Errorf("%s:\n%s", what, strings.Join(found, "\n"))
					}
					p.CheckContrasts(what, "body")
					var colour string
					p.Eval(`getComputedStyle(document.body).backgroundColor`, &colour)
					ground[colour] = true
					p.well()
				}
			}
			if len(ground) != 2 {
				t.Errorf("both themes are %v", ground)
			}
		})
	}
}

// questions draws questions of each page.
var questions = map[string]func(rng *rand.Rand) any{
	"algorithm": func(rng *rand.Rand) any {
		bounds := []cpace.Bound{cpace.BoundConstant, cpace.BoundBestCase, cpace.BoundQMDP}
		return answer.AlgorithmQuestion{Accuracy: 0.6 + 0.39*rng.Float64(), Epsilon: 1 + 49*rng.Float64(), LipQ: 5 + 195*rng.Float64(), K: 1 + rng.IntN(20),
			Bound: bounds[rng.IntN(3)], Seed: rng.Uint64N(50), Samples: rng.IntN(40), Left: rng.Float64(), Action: rng.IntN(3)}
	},
	"covers": func(rng *rand.Rand) any {
		q := answer.CoversQuestion{Epsilon: 0.1 + 1.9*rng.Float64(), Cover: []string{"farthest-first", "smallest", "largest"}[rng.IntN(3)]}
		if rng.IntN(2) == 0 {
			q.Even = &answer.Even{Parts: 4 + rng.IntN(13)}
		} else {
			q.Reached = &answer.ChainBeliefs{Steps: 1 + rng.IntN(20)}
		}
		return q
	},
	"room": func(rng *rand.Rand) any {
		return answer.RoomQuestion{Rows: randomRoom(rng), Tiger: float64(rng.IntN(11)) / 10, Truth: 0.7 + 0.3*rng.Float64(), Discount: 0.5 + 0.48*rng.Float64()}
	},
	"simplex": func(rng *rand.Rand) any {
		x, y := rng.Float64(), rng.Float64()
		q := answer.SimplexQuestion{Belief: [3]float64{1 - max(x, y), math.Abs(x - y), min(x, y)}}
		if discount := 0.5 + 0.45*rng.Float64(); rng.IntN(2) == 0 {
			q.Boxes = &answer.Boxes{Accuracy: 0.5 + 0.48*rng.Float64(), Cost: 30 * rng.Float64(), Discount: discount}
		} else {
			q.Chain = &answer.SlipChain{State: 1 + rng.IntN(5), Spread: 0.2 + 0.25*rng.Float64(), Discount: discount}
		}
		return q
	},
	"tiger": func(rng *rand.Rand) any {
		return answer.TigerQuestion{Accuracy: 0.6 + 0.39*rng.Float64(), Discount: 0.5 + 0.48*rng.Float64(), Penalty: 1 + 199*rng.Float64(), Trials: 1 + rng.IntN(60)}
	},
}

// randomRoom draws the rows of a room.
func randomRoom(rng *rand.Rand) (rows []string) {
	width, height := 2+rng.IntN(8), 2+rng.IntN(8)
	cells := []byte("ABS")
	for range width*height - len(cells) {
		cells = append(cells, "....*#"[rng.IntN(6)])
	}
	rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
	for row := range slices.Chunk(cells, width) {
		rows = append(rows, string(row))
	}
	return rows
}

// unsettled are parts of answers that are not compared. Algorithm 1 takes one of what is
// equally good by the last bits of numbers, which platforms round otherwise, so that a whole
// exploration may end elsewhere.
var unsettled = map[string][]string{"algorithm": {"Total", "Converged"}}

// The program in the browser answers as this one does.
func TestAnswersAreTheNativeOnes(t *testing.T) {
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			p := open(t, name, 1280, 1000)
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			numbers, worst := 0, 0.0
			for range 8 {
				question, err := json.Marshal(questions[name](rng))
				if err != nil {
					t.Fatal(err)
				}
				native, err := answer.To(name, question)
				if err != nil {
					t.Fatalf("%s: %v", question, err)
				}
				var there string
				p.Eval(`live.ask(`+quoteJS(string(question))+`)`, &there)
				var got, want any
				if err := json.Unmarshal([]byte(there), &got); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(native, &want); err != nil {
					t.Fatal(err)
				}
				for _, x := range []any{got, want} {
					for _, key := range unsettled[name] {
						delete(x.(map[string]any), key)
					}
				}
				if where, difference := differ(got, want, &numbers); !(difference <= 1e-9) {
					t.Errorf("%s: the browser's answer differs by %v at %s", question, difference, where)
				} else {
					worst = max(worst, difference)
				}
			}
			t.Logf("%d numbers, which differ by %.2g at most", numbers, worst)

			var refused string
			p.Eval(`live.ask("{}").then(() => "", e => e.message)`, &refused)
			if _, err := answer.To(name, []byte("{}")); err == nil || refused != err.Error() {
				t.Errorf("an empty question: the browser says %q, and a native program %v", refused, err)
			}
		})
	}
}

// differ returns where two values of JSON differ most, and by how much: relative to the
// number where that is above 1, and by +Inf where it is no number. It counts the numbers.
func differ(got, want any, numbers *int) (where string, by float64) {
	each := func(at string, x, y any) {
		if w, d := differ(x, y, numbers); d > by {
			where, by = at+w, d
		}
	}
	switch want := want.(type) {
	case float64:
		*numbers++
		if x, ok := got.(float64); ok {
			return "", math.Abs(x-want) / max(1, math.Abs(want))
		}
	case []any:
		if x, ok := got.([]any); ok && len(x) == len(want) {
			for i := range want {
				each(fmt.Sprintf("[%d]", i), x[i], want[i])
			}
			return where, by
		}
	case map[string]any:
		if x, ok := got.(map[string]any); ok && len(x) == len(want) {
			for key := range want {
				each("."+key, x[key], want[key])
			}
			return where, by
		}
	default:
		if got == want {
			return "", 0
		}
	}
	return "", math.Inf(1)
}

// The index leads to every page.
func TestIndex(t *testing.T) {
	built(t)
	p := livePage{startBrowser(t).Open(fromDisk("index"), 1280, 1000)}
	p.Wait("the index is there", `document.readyState == "complete" && document.querySelectorAll("li").length > 0`)
	var links []string
	p.Eval(`[...document.querySelectorAll("li a")].map(e => e.getAttribute("href").replace(".html", ""))`, &links)
	if !slices.Equal(links, names) {
		t.Errorf("the index leads to %q, want %q", links, names)
	}
	p.Click("the first page", `document.querySelector("li a")`)
	p.idle()
}

// The browser lets no page speak to the network, and runs no script that comes into it.
func TestNoNetwork(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	defer server.Close()
	for _, name := range names {
		p := open(t, name, 1280, 1000)
		for _, way := range []string{
			`fetch(%s, {mode: "no-cors"}).then(() => "an answer", () => "")`,
			`new Promise(r => { const e = new Image(); e.onload = () => r("a picture"); e.onerror = () => r(""); e.src = %s; })`,
			`new Promise(r => {
				const e = document.createElement("script");
				e.textContent = "window.ran = " + JSON.stringify(%s);
				document.body.append(e);
				r(window.ran ? "a script" : "");
			})`,
			`new Promise(r => {
				document.addEventListener("securitypolicyviolation", () => r(""), {once: true});
				const e = document.createElement("form");
				e.action = %s;
				document.body.append(e);
				e.submit();
			})`,
			`new Promise(r => { const e = new WebSocket(%s.replace("http", "ws")); e.onopen = () => r("a connection"); e.onerror = () => r(""); })`,
		} {
			var got string
			if p.Eval(fmt.Sprintf(way, quoteJS(server.URL)), &got); got != "" {
				t.Errorf("%s has got %s from the network", name, got)
			}
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the network was asked %d times", n)
	}
}

// The pages work from a web server as well.
func TestFromAServer(t *testing.T) {
	built(t)
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer server.Close()
	p := blank(t, 1280, 1000)
	p.Navigate(server.URL + "/live/tiger.html")
	p.idle()
	p.well()
}

// A page without the solver beside it says what is missing.
func TestPageAlone(t *testing.T) {
	built(t)
	page, err := os.ReadFile(filepath.Join(folder, "live", "tiger.html"))
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "tiger.html")
	if err := os.WriteFile(alone, page, 0o644); err != nil {
		t.Fatal(err)
	}
	p := startBrowser(t).Open("file://"+(&url.URL{Path: alone}).EscapedPath(), 1280, 1000)
	p.Wait("the page says that solver.js is missing", `document.querySelector(".alarm")?.textContent.includes("solver.js")`)
}

// A page names notebooks that there are, and leads to those whose pages lie beside it.
func TestNotebooksAreNamed(t *testing.T) {
	built(t)
	named := regexp.MustCompile(`\b[0-9]{2}_[a-z_]+`)
	for _, name := range names {
		page, err := os.ReadFile(filepath.Join(folder, "live", name+".html"))
		if err != nil {
			t.Fatal(err)
		}
		list := named.FindAllString(string(page), -1)
		if len(list) == 0 {
			t.Errorf("%s names no notebook", name)
		}
		for _, notebook := range list {
			if _, err := os.Stat(filepath.Join("..", "..", notebook+".ipynb")); err != nil {
				t.Errorf("%s names a notebook that is not there: %v", name, err)
			}
			link := strings.Contains(string(page), `<a href="../`+notebook+`.html">`+notebook+`</a>`)
			if _, err := os.Stat(filepath.Join(folder, notebook+".html")); (err == nil) != link {
				t.Errorf("%s leads to the page of %s: %v, and there is one: %v", name, notebook, link, err == nil)
			}
		}
	}
}

// set moves ranges of the form to values, and waits for the answer.
func (p livePage) set(values map[string]float64) {
	p.T.Helper()
	for name, v := range values {
		p.Eval(fmt.Sprintf(`(e => { e.value = %v; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.forms.controls.elements[%q])`, v, name), nil)
	}
	p.Eval(drawn, nil)
	p.idle()
}

// The words of the pages, which have no other test, say what there is to say.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		name, page     string
		set            map[string]float64
		wants, neither []string
	}{
		{"a bracket", "tiger", nil, []string{"the value at the even belief lies between", "open left from 0 to 0.04, listen from 0.04 to 0.96, open right from 0.96 to 1.", "100 units", "below it"}, []string{"less 0.15"}},
		{"a value in one trial", "tiger", map[string]float64{"penalty": 1, "discount": 0.98},
			[]string{"After 1 trial of 1 the value at the even belief is 225.00 reward units.", "open left from 0 to 0.5000, open right from 0.5000 to 1.", "1 unit"}, []string{"1 units", "value at the even belief lies"}},
		{"light that is right", "room", nil, []string{"With the tiger in A, the agent enters B"}, []string{"happens"}},
		{"light that may be wrong", "room", map[string]float64{"truth": 0.9}, []string{"With the tiger in A, and where the light happens to show the truth at every step, the agent"}, nil},
		{"boxes", "simplex", nil, []string{"20 units"}, []string{"unitss"}},
		{"covers", "covers", nil, []string{"the size of the largest minimal cover", "N_min: smallest cover", "N_net: smallest net", "N_sep: largest separated set", "N_Γ: largest minimal cover"}, []string{"γ", "α"}},
		{"presses", "algorithm", nil, []string{"Presses"}, []string{"Steps", "Next step"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, c.page, 1280, 1000)
			p.set(c.set)
			// What is spoken comes half a second after what is shown.
			p.Wait("the page speaks what it shows", `new Promise(same => {
				const words = document.querySelector("#words"), spoken = document.querySelector(".spoken");
				const look = () => !words || spoken?.textContent === words.textContent ? same(true) : setTimeout(look, 20);
				look();
			})`)
			var said string
			p.Eval(`(e => { e.querySelectorAll("script, noscript").forEach(s => s.remove()); return e.textContent.replace(/\s+/g, " "); })(document.body.cloneNode(true))`, &said)
			for _, want := range c.wants {
				if !strings.Contains(said, want) {
					t.Errorf("the page does not say %q:\n%s", want, said)
				}
			}
			for _, bad := range c.neither {
				if strings.Contains(said, bad) {
					t.Errorf("the page says %q:\n%s", bad, said)
				}
			}
			var found []string
			if p.Eval(looks, &found); len(found) > 0 {
				t.Error(strings.Join(found, "\n"))
			}
			p.Shot(c.name)
			p.well()
		})
	}
}
