//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// freePort is a port that nobody listened on a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// labURL is how JupyterLab tells where it is.
var labURL = regexp.MustCompile(`http://127\.0\.0\.1:\d+/lab\?token=[0-9a-f]+`)

// startLab starts JupyterLab as "go run ./notebooks lab" does, and returns its
// address and token. It ends with the test, which fails if it does not end well.
func startLab(t *testing.T, env environ, port int) (base, token string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "notebooks")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "lab", "--no-browser", "--port", fmt.Sprint(port))
	cmd.Env = env.list()
	ownGroup(cmd)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	read := make(chan string, 1)
	go func() {
		var log strings.Builder
		in := bufio.NewScanner(out)
		for in.Scan() {
			log.WriteString(in.Text() + "\n")
			if url := labURL.FindString(in.Text()); url != "" {
				select {
				case address <- url:
				default:
				}
			}
		}
		io.Copy(io.Discard, out)
		read <- log.String()
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(20*time.Second, func() {
			t.Error("JupyterLab does not end on SIGTERM")
			killGroup(cmd)
		})
		log := <-read
		cmd.Wait()
		late.Stop()
		if t.Failed() {
			t.Logf("JupyterLab printed\n%s", log)
		}
	})
	select {
	case url := <-address:
		base, token, _ = strings.Cut(url, "?token=")
		return base, token
	case log := <-read:
		read <- log
		t.Fatal("JupyterLab ended before it told its address")
	case <-time.After(5 * time.Minute): // the set-up may be part of it
		t.Fatal("JupyterLab did not tell its address")
	}
	return "", ""
}

// labCopy makes a folder of notebooks in the clone, where their first cell
// finds the module, and returns its path below the notebooks.
func labCopy(t *testing.T, root string, notebooks map[string]*notebook) string {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Join(root, "notebooks", "testdata"), "lab-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for name, nb := range notebooks {
		for _, c := range nb.codeCells() {
			c["outputs"], c["execution_count"] = []any{}, nil
		}
		if err := nb.write(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return "testdata/" + filepath.Base(dir)
}

// cellsOf makes a notebook of code cells.
func cellsOf(t *testing.T, sources ...string) *notebook {
	t.Helper()
	cells := make([]string, len(sources))
	for i, source := range sources {
		text, _ := json.Marshal(source)
		cells[i] = `{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": ` + string(text) + `}`
	}
	nb := parseNotebook(t, cells...)
	nb.normalise(func(s string) string { return s })
	return nb
}

// openNotebook opens a notebook in a workspace of its own, as JupyterLab would
// otherwise restore what another test had open, and waits for its kernel.
func openNotebook(b *browser, base, token, path string, height int) *page {
	b.t.Helper()
	workspace := "test-" + title(path)
	p := b.open(fmt.Sprintf("%s/workspaces/%s/tree/%s?reset&token=%s", base, workspace, path, token), 1280, height)
	p.wait("the kernel of "+path+" is ready", `document.querySelector('.jp-CodeCell .cm-content') && /\| Idle/.test(document.querySelector('#jp-bottom-panel').innerText)`, time.Minute)
	return p
}

// menu chooses a command of JupyterLab's menus.
func (p *page) menu(name, command string) {
	p.t.Helper()
	p.click("the menu "+name, fmt.Sprintf(`[...document.querySelectorAll('#jp-MainMenu .lm-MenuBar-item')].find(e => e.innerText.trim() == %s)`, quoteJS(name)))
	p.click(command+" in the menu "+name, fmt.Sprintf(`document.querySelector('.lm-Menu-item[data-command=%s]:not(.lm-mod-disabled)')`, quoteJS(command)))
}

// allRan holds when every code cell has been executed.
const allRan = `(p => p.length > 0 && p.every(e => /\[\d+\]/.test(e.innerText)))([...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')])`

// labSession is a session that JupyterLab is set up for, or a skipped test.
func labSession(t *testing.T) (s *session, env environ) {
	t.Helper()
	s = kernel(t, "")
	if err := s.setup(t.Context(), profileLab); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// What JupyterLab remembers of the windows of tests.
		left, _ := filepath.Glob(filepath.Join(s.private, "config", "lab", "workspaces", "*test-*.jupyterlab-workspace"))
		for _, path := range left {
			os.Remove(path)
		}
	})
	// A store of its own, so that the exploration takes time and shows its progress.
	return s, currentEnviron().with("BAYESCPACE_STORE", t.TempDir())
}

// A person opens the tour, runs all cells and looks at what comes.
func TestLabTour(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a browser and the kernel, which -short leaves out; CI runs these without -short")
	}
	b := startBrowser(t)
	s, env := labSession(t)
	tour, err := readNotebook(filepath.Join(s.root, "notebooks", "00_tour.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	figures := 0
	for _, c := range tour.codeCells() {
		for _, o := range c.displays() {
			if data, _ := o["data"].(map[string]any); data["image/png"] != nil || data["image/svg+xml"] != nil {
				figures++
			}
		}
	}
	dir := labCopy(t, s.root, map[string]*notebook{"00_tour.ipynb": tour})
	base, token := startLab(t, env, freePort(t))
	// So high that no cell is left out of the page, as JupyterLab does with those far off.
	p := openNotebook(b, base, token, dir+"/00_tour.ipynb", 9000)
	p.eval(`window.progress = []; new MutationObserver(() => document.querySelectorAll('.jp-OutputArea progress').forEach(e => window.progress.push(e.parentElement.innerText))).observe(document.body, {subtree: true, childList: true, attributes: true}); true`, nil)
	p.menu("Run", "runmenu:run-all")
	p.wait("all cells have run", allRan, 3*time.Minute)
	p.wait("the figures are there", fmt.Sprintf(`[...document.querySelectorAll('.jp-OutputArea-output img')].filter(e => e.complete && e.naturalWidth > 0).length == %d`, figures), 20*time.Second)
	p.shot("tour")

	var seen struct {
		Images   []struct{ Width, Height, Natural float64 }
		Tables   []string
		Progress []string
		Errors   []string
	}
	p.eval(`({
		images: [...document.querySelectorAll('.jp-OutputArea-output img')].map(e => ({width: e.getBoundingClientRect().width, height: e.getBoundingClientRect().height, natural: e.naturalWidth})),
		tables: [...document.querySelectorAll('.jp-OutputArea-output table')].map(e => e.rows.length + " rows: " + e.rows[0].innerText),
		progress: [...new Set(window.progress)],
		errors: [...document.querySelectorAll('[data-mime-type="application/vnd.jupyter.error"], [data-mime-type="application/vnd.jupyter.stderr"]')].map(e => e.innerText),
	})`, &seen)
	if len(seen.Errors) > 0 {
		t.Errorf("errors are shown: %q", seen.Errors)
	}
	for _, m := range seen.Images {
		if m.Width < 300 || m.Height < 200 || m.Natural < m.Width {
			t.Errorf("a figure is %v × %v, from %v pixels", m.Width, m.Height, m.Natural)
		}
	}
	if all := strings.Join(seen.Tables, "\n"); !regexp.MustCompile(`(?m)^\d+ rows: episode\s+time\s.*action.*\sQ$`).MatchString(all) {
		t.Errorf("the DataFrame is not among the tables:\n%s", all)
	}
	if len(seen.Progress) < 2 {
		t.Errorf("the progress display showed %q; want it to move", seen.Progress)
	}
}

// A person interrupts a cell, goes on with the same kernel, and asks what
// viz has.
func TestLabInterruptAndCompletion(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a browser and the kernel, which -short leaves out; CI runs these without -short")
	}
	b := startBrowser(t)
	s, env := labSession(t)
	tour, err := readNotebook(filepath.Join(s.root, "notebooks", "00_tour.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	dir := labCopy(t, s.root, map[string]*notebook{"01_wait.ipynb": cellsOf(t,
		tour.codeCells()[0].source(),
		"import \"bayescpace/bcpace/nb\"\n\n%%\nfmt.Println(\"has begun\")\n<-nb.Context().Done()\nfmt.Println(\"has saved\")",
		"import \"bayescpace/viz\"\n\n%%\nfmt.Println(\"is alive\")\nvar _ viz.Figure",
		"%%\nviz.",
	)})
	port := freePort(t)
	busy, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)) // JupyterLab then takes another
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	base, token := startLab(t, env, port)
	p := openNotebook(b, base, token, dir+"/01_wait.ipynb", 1000)
	shows := func(text string) string {
		return fmt.Sprintf(`document.querySelector('.jp-Notebook').innerText.split('\n').includes(%s)`, quoteJS(text))
	}
	run := func(cell int) { // counted from 0
		p.click("a cell", fmt.Sprintf(`document.querySelectorAll('.jp-CodeCell .cm-content')[%d]`, cell))
		p.key("Enter", 13, shift)
	}
	ran := func(cell int) string {
		return fmt.Sprintf(`/\[\d+\]/.test(document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')[%d].innerText)`, cell)
	}
	run(0)
	p.wait("the first cell has run", ran(0), time.Minute)
	run(1)
	p.wait("the cell waits", shows("has begun"), time.Minute)
	p.menu("Kernel", "kernelmenu:interrupt")
	p.wait("the interrupted cell has saved", shows("has saved"), 20*time.Second)
	p.wait("the interrupted cell has ended", ran(1), 20*time.Second)
	run(2)
	p.wait("the next cell has run in the same kernel", shows("is alive"), time.Minute)
	p.shot("interrupted")

	const matches = `[...document.querySelectorAll('.jp-Completer .jp-Completer-item')].map(e => e.innerText.split('\n').find(s => s.length > 1))`
	p.click("the last cell", `document.querySelectorAll('.jp-CodeCell .cm-content')[3]`)
	p.key("End", 35, ctrl)
	for range 12 { // gopls may still be reading the packages
		p.key("Tab", 9, 0)
		offered := false
		for begin := time.Now(); !offered && time.Since(begin) < 4*time.Second; time.Sleep(50 * time.Millisecond) {
			p.eval(matches+`.length > 5`, &offered)
		}
		if offered {
			break
		}
	}
	var names []string
	p.eval(matches, &names)
	p.shot("completion")
	if all := strings.Join(names, " "); !strings.Contains(all, "BeliefTrajectories") {
		t.Errorf("after viz. are offered: %s", all)
	}
	if left, _ := filepath.Glob(filepath.Join(s.root, "notebooks", dir, "go.*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
