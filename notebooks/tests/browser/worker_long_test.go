//go:build unix && long

package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// openWith opens a page whose workers run a script of the test too, after their own, and
// waits until it has answered or has said what is wrong. In it, workers counts them from 1,
// and instead(f) puts f(question, the solver's answer) in the place of answers.
func openWith(t *testing.T, name, script string) livePage {
	t.Helper()
	built(t)
	p := blank(t, 1280, 1000)
	p.Before(fmt.Sprintf(`window.workers = 0;
let script; // of the page's worker
const url = URL.createObjectURL;
URL.createObjectURL = blob => url(script = blob);
window.Worker = class extends Worker {
	constructor() {
		super(url(new Blob([script, "const workers = " + ++workers + ";", %s])));
	}
}`, quoteJS(`
const instead = f => {
	let solver;
	Object.defineProperty(globalThis, "answer", {set: given => solver = given, get: () => (page, question) => f(JSON.parse(question), () => solver(page, question))});
};
`+script)))
	p.Navigate(fromDisk(name))
	p.idle()
	return p
}

// words is what the page says.
func (p livePage) words() (text string) {
	p.T.Helper()
	p.Eval(`document.getElementById("words").textContent`, &text)
	return text
}

// A solver that ends without an answer, as Go does after a panic, is said to have ended, and
// a new one answers the next question.
func TestSolverThatEnds(t *testing.T) {
	p := openWith(t, "tiger", `instead((q, answer) => q.Penalty == 13 ? undefined : answer());`)
	p.set(map[string]float64{"penalty": 13})
	if text := p.words(); !strings.Contains(text, "The solver has ended") {
		t.Errorf("without an answer the page says %q", text)
	}
	p.set(map[string]float64{"penalty": 14})
	p.shown()
	var workers int
	if p.Eval(`workers`, &workers); workers != 2 {
		t.Errorf("%d workers, want a second one after the first has ended", workers)
	}
	p.well()
}

// A worker that does not run is said to, and the next question starts another one.
func TestWorkerThatDoesNotRun(t *testing.T) {
	p := openWith(t, "tiger", `if (workers == 1) throw new Error("broken on purpose");`)
	if text := p.words(); !strings.Contains(text, "broken on purpose") {
		t.Errorf("the page says %q", text)
	}
	p.set(map[string]float64{"penalty": 14})
	p.shown()
}

// A question that the page itself cannot make, or an answer that it cannot show, leaves the
// page ready for the next one.
func TestPageThatFails(t *testing.T) {
	p := openWith(t, "tiger", `instead((q, answer) => q.Penalty == 13 ? {text: "{}"} : answer());`)
	p.set(map[string]float64{"penalty": 13})
	if text := p.words(); !strings.Contains(text, "undefined") {
		t.Errorf("with an answer that it cannot show the page says %q", text)
	}
	p.set(map[string]float64{"penalty": 14})
	p.shown()
	p.Eval(`document.forms.controls.elements.penalty.name = ""`, nil) // JSON leaves it out
	p.set(map[string]float64{"accuracy": 0.7})
	if text := p.words(); !strings.Contains(text, "Penalty") {
		t.Errorf("with a question that lacks a number the page says %q", text)
	}
}

// A question that takes without end makes way for a newer one.
func TestNewerQuestion(t *testing.T) {
	p := openWith(t, "tiger", `instead((q, answer) => { while (q.Penalty == 13); return answer(); });`)
	move := func(to int) {
		p.Eval(fmt.Sprintf(`(e => { e.value = %d; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.forms.controls.elements.penalty)`, to), nil)
	}
	move(13)
	p.Wait("the page asks", `document.body.hasAttribute("aria-busy")`)
	move(14)
	move(15)
	p.idle()
	p.shown()
	var q struct{ Penalty int }
	if p.asked(&q); q.Penalty != 15 {
		t.Errorf("the page answers the question with penalty %d, want the newest one, 15", q.Penalty)
	}
	p.well()
}

// The pages say where a search ended at its limit, and where its bounds prove no decimal.
func TestLimitIsSaid(t *testing.T) {
	for _, name := range []string{"tiger", "room", "simplex"} {
		p := openWith(t, name, `instead((q, answer) => ({text: answer().text.replace('"Limited":false', '"Limited":true').replace(/"Digits":\d/, '"Digits":0')}));`)
		if text := p.words(); !strings.Contains(text, "The search ended at its limit") || name == "tiger" && !strings.Contains(text, "open left from 0 to about 0.0") {
			t.Errorf("%s says %q", name, text)
		}
		p.well()
	}
}

// Whatever is pressed before the first answer does no harm.
func TestBeforeTheFirstAnswer(t *testing.T) {
	built(t)
	for _, name := range names {
		held := make(chan struct{})
		files := http.FileServer(http.Dir(folder))
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/solver.js") {
				<-held
			}
			files.ServeHTTP(w, r)
		}))
		p := blank(t, 1280, 1000)
		p.Navigate(server.URL + "/live/" + name + ".html")
		p.Wait("the page is there", `typeof live == "object" && document.querySelector("script[src]")`)
		var drawings []string
		p.Eval(`[...document.querySelectorAll(".drawn")].map(e => "#" + e.id)`, &drawings)
		for _, d := range drawings {
			element := `document.querySelector("` + d + `")`
			p.Drag(element, false, [2]float64{0.5, 0.5}, [2]float64{0.4, 0.4})
			p.Eval(element+`.focus()`, nil)
			p.Key("ArrowRight", 39, 0)
			p.Key("Enter", 13, 0)
		}
		p.Eval(`document.querySelectorAll("button").forEach(b => b.getClientRects().length && b.click())`, nil)
		p.Eval(`document.querySelectorAll("select").forEach(`+choose+`)`, nil)
		close(held)
		p.idle()
		p.well()
		server.Close()
	}
}
