//go:build unix && long

package browser

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayescpace/notebooks/internal/runner"
	"bayescpace/notebooks/internal/runnertest"
)

// firstCell is the cell that the README shows first.
func firstCell(t *testing.T, s *runner.Session) string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(s.Root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(readme), "## A first cell\n")
	_, after, _ = strings.Cut(after, "```go\n")
	cell, _, found := strings.Cut(after, "\n```")
	if !found {
		t.Fatal("the README has no first cell")
	}
	return cell
}

// ownNotebook is a notebook that a person writes with the keyboard alone.
type ownNotebook struct {
	page
	cells int
}

// write writes a cell below the others and leaves the cursor at its end.
func (n *ownNotebook) write(source string) {
	n.T.Helper()
	if n.cells > 0 {
		n.Key("Escape", 27, 0)
		n.Key("b", 66, 0) // inserts a cell below
	}
	n.cells++
	n.Wait("a new cell", fmt.Sprintf(`document.querySelectorAll('.jp-CodeCell').length == %d`, n.cells))
	n.Key("Enter", 13, 0)
	n.Wait("the cursor in the cell", fmt.Sprintf(`document.querySelectorAll('.jp-CodeCell')[%d].contains(document.activeElement)`, n.cells-1))
	n.Type(source)
}

// run runs the cell that was written last and waits for its end.
func (n *ownNotebook) run() {
	n.T.Helper()
	n.begin()
	n.wait(n.cells - 1)
}

func (n *ownNotebook) begin() { n.T.Helper(); n.Key("Enter", 13, ctrl) }

// wait waits until a cell, counted from 0, has run.
func (n *ownNotebook) wait(cell int) {
	n.T.Helper()
	n.Wait(fmt.Sprintf("cell %d has run", cell+1), fmt.Sprintf(`/\[\d+\]/.test(document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')[%d].innerText)`, cell))
}

// output is the text that a cell shows below it.
func (n *ownNotebook) output(cell int) string {
	n.T.Helper()
	var text string
	n.Eval(fmt.Sprintf(`document.querySelectorAll('.jp-CodeCell')[%d].querySelector('.jp-OutputArea').innerText`, cell), &text)
	return strings.TrimSpace(text)
}

// A person opens JupyterLab on an empty folder and works in a notebook of their own,
// with the keyboard alone: what the README shows first, and what goes wrong first.
func TestFirstHour(t *testing.T) {
	s := labSession(t)
	b := startBrowser(t)
	dir := t.TempDir() // outside of the clone
	port := runnertest.FreePort(t)
	busy, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)) // JupyterLab then takes another
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	base, token := startLab(t, s, dir, port)
	p := page{b.Open(fmt.Sprintf("%s/workspaces/test-hour?reset&token=%s", base, token), 1280, 1000)}
	const card = `document.querySelector('.jp-LauncherCard[data-category="Notebook"][title*="Bayes-CPACE"]')`
	p.Wait("the launcher offers the kernel", card)
	var offer struct{ First, Menu string }
	p.Eval(`({first: document.querySelector('.jp-LauncherCard[data-category="Notebook"]').title, menu: document.querySelector('#jp-menu-panel, #jp-top-panel').innerText})`, &offer)
	if !strings.Contains(offer.First, "Bayes-CPACE") || strings.Contains(offer.Menu, "Nbgrader") || !strings.Contains(offer.Menu, "Kernel") {
		t.Errorf("the launcher begins with %q, and the menu is %q", offer.First, offer.Menu)
	}
	p.Shot("launcher")
	p.Eval(card+`.focus()`, nil)
	p.Key("Enter", 13, 0)
	p.Wait("the kernel of the new notebook is ready", `document.querySelector('.jp-CodeCell .cm-content') && /\| Idle/.test(document.querySelector('#jp-bottom-panel').innerText)`)
	n := &ownNotebook{page: p}

	// The first Tab of all, in a cell that has not been run.
	n.write("import \"bayescpace/viz\"\n\n%%\nviz.")
	const offered = `[...document.querySelectorAll('.jp-Completer .jp-Completer-item')].filter(e => e.getClientRects().length).map(e => e.innerText).join(' ')`
	for begin := time.Now(); ; {
		n.Key("Tab", 9, 0)
		n.Wait("something is offered", offered+` != ''`)
		var names string
		if n.Eval(offered, &names); strings.Contains(names, "BeliefTrajectories") {
			if !strings.Contains(names, "class") || !strings.Contains(names, "func(") {
				t.Errorf("beside the names stands no kind: %.300q", names)
			}
			break
		}
		if !strings.Contains(names, "completion is") {
			t.Fatalf("names are offered, and it is not said that more come: %.300q", names)
		}
		if time.Since(begin) > runnertest.Patience {
			t.Fatal("no names are offered")
		}
		n.Key("Escape", 27, 0)
		n.Wait("nothing is offered any more", offered+` == ''`)
	}
	n.Shot("completion")
	n.Key("Escape", 27, 0)
	n.Type("QOverBelief{")
	n.Key("Tab", 9, shift)
	n.Wait("there is help on a line half written", `/QOverBelief/.test(document.querySelector('.jp-Tooltip')?.innerText ?? '')`)
	n.Shot("help")
	var help string
	n.Eval(`document.querySelector('.jp-Tooltip').innerText`, &help)
	if strings.Contains(help, "gopls") || strings.Contains(help, "pkg.go.dev") {
		t.Errorf("help shows what is inside: %q", help)
	}
	n.Key("Escape", 27, 0)

	n.write(firstCell(t, s))
	n.run()
	const figures = `[...document.querySelectorAll('.jp-OutputArea-output img')].filter(e => e.complete && e.naturalWidth > 0)`
	n.Wait("the README's first cell shows its figure", figures+`.length > 0`)
	n.Shot("figure")
	n.chooseTheme("JupyterLab Dark", false)
	n.Zoom(640, 500, 2)
	n.Wait("the figure fits into the page at 200 %", figures+`.every(e => e.getBoundingClientRect().right <= innerWidth)`)
	n.Eval(figures+`[0].scrollIntoView()`, nil)
	n.Shot("dark-200-percent")
	n.Zoom(1280, 1000, 1)
	n.chooseTheme("JupyterLab Light", true)
	n.Click("the last cell", `[...document.querySelectorAll('.jp-CodeCell .cm-content')].at(-1)`)

	for _, c := range []struct{ cell, message string }{
		{"%%\nfmt.Printn(tiger)", "undefined: fmt.Printn"},
		{"%%\nnb.Show(nb.Explore(tiger, cpace.Solver{Epsilon: -1}))", "Epsilon is -1"},
		{"x := 5", "line 1: declared and not used: x"},
	} {
		n.write(c.cell)
		n.run()
		said := n.output(n.cells - 1)
		first, _, _ := strings.Cut(said, "\n")
		if !strings.Contains(first, c.message) || strings.Count(said, "exit status") > 1 {
			t.Errorf("after %q stands %q, want the first line to say %q", c.cell, said, c.message)
		}
	}
	if said := n.output(n.cells - 1); !strings.Contains(said, "end the cell with a line x") {
		t.Errorf("after a variable that nothing uses stands %q, want advice", said)
	}
	n.Shot("errors")

	n.write("import \"bayescpace/bcpace/nb\"\n\n%%\nfmt.Println(\"has begun\")\n<-nb.Context().Done()\nfmt.Println(\"has saved\")")
	stopped := n.cells - 1
	n.begin()
	n.Wait("the cell waits", `document.querySelector('.jp-Notebook').innerText.split('\n').includes('has begun')`)
	n.Key("Escape", 27, 0)
	n.Key("i", 73, 0)
	n.Key("i", 73, 0) // twice: interrupt
	n.wait(stopped)
	if said := n.output(stopped); !strings.Contains(said, "has saved") {
		t.Errorf("the interrupted cell shows %q", said)
	}

	n.write("%%\nfor {\n\ttime.Sleep(time.Millisecond)\n}")
	plain := n.cells - 1
	n.begin()
	n.Wait("the kernel is busy", `/\| Busy/.test(document.querySelector('#jp-bottom-panel').innerText)`)
	n.Key("Escape", 27, 0)
	n.Key("i", 73, 0)
	n.Key("i", 73, 0)
	n.wait(plain)
	if said := n.output(plain); strings.Count(said, "signal: interrupt") > 1 {
		t.Errorf("the interrupted loop shows %q", said)
	}

	n.write("%%\nfmt.Println(\"is alive\")")
	last := n.cells - 1
	n.run()
	if said := n.output(last); said != "is alive" {
		t.Errorf("the cell after the interrupted one shows %q", said)
	}
	var before, after string
	prompt := fmt.Sprintf(`document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')[%d].innerText`, last)
	n.Eval(prompt, &before)
	n.menu("Run", "runmenu:run-all") // the first cell does not compile
	n.Wait("nothing runs any more", `![...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].some(e => e.innerText.includes('*'))`)
	if n.Eval(prompt, &after); after == before || strings.ContainsAny(after, "0123456789") {
		t.Errorf("Run All went on after a cell that fails: the last cell's number was %s and is %s", before, after)
	}
	n.Shot("run-all")
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) { // JupyterLab saves the notebook by itself
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range files {
			if f.Name() != ".ipynb_checkpoints" {
				names = append(names, f.Name())
			}
		}
		if len(names) == 1 && names[0] == "Untitled.ipynb" {
			return
		}
		if time.Since(begin) > runnertest.Patience {
			t.Fatalf("the folder holds %q, want the notebook alone", names)
		}
	}
}
