//go:build unix && long

package browser

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"bayescpace/notebooks/internal/host"
	"bayescpace/notebooks/internal/runner"
	"bayescpace/notebooks/internal/runnertest"
)

// labURL is how JupyterLab tells where it is.
var labURL = regexp.MustCompile(`http://127\.0\.0\.1:\d+/lab\?token=[0-9a-f]+`)

// startLab starts JupyterLab as "go run ./notebooks lab" does, on a folder, and returns its
// address and token. It ends with the test, which fails if it does not end well.
func startLab(t *testing.T, s *runner.Session, dir string, port int) (base, token string) {
	t.Helper()
	cmd := exec.Command(runnertest.Program(t, s), "lab", "--no-browser", "--dir", dir, "--port", fmt.Sprint(port))
	// A store of its own, so that the exploration takes time and shows its progress.
	cmd.Env = runner.CurrentEnviron().With("BAYESCPACE_STORE", t.TempDir()).List()
	host.OwnGroup(cmd)
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
		late := time.AfterFunc(runnertest.Patience, func() {
			t.Error("JupyterLab does not end on SIGTERM")
			host.KillGroup(cmd)
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
	case <-time.After(runnertest.Patience):
		t.Fatal("JupyterLab did not tell its address")
	}
	return "", ""
}

// page is a page of JupyterLab, or one with what it shows.
type page struct{ *Page }

// openNotebook opens a notebook in a workspace of its own, as JupyterLab would
// otherwise restore what another test had open, and waits for its kernel.
func openNotebook(b *Browser, base, token, path string, height int) page {
	b.T.Helper()
	workspace := "test-" + runner.Title(path)
	p := page{b.Open(fmt.Sprintf("%s/workspaces/%s/tree/%s?reset&token=%s", base, workspace, path, token), 1280, height)}
	p.Wait("the kernel of "+path+" is ready", `document.querySelector('.jp-CodeCell .cm-content') && /\| Idle/.test(document.querySelector('#jp-bottom-panel').innerText)`)
	return p
}

// menu chooses a command of JupyterLab's menus.
func (p page) menu(name, command string) {
	p.T.Helper()
	p.Click("the menu "+name, fmt.Sprintf(`[...document.querySelectorAll('#jp-MainMenu .lm-MenuBar-item')].find(e => e.innerText.trim() == %s)`, quoteJS(name)))
	p.Click(command+" in the menu "+name, fmt.Sprintf(`document.querySelector('.lm-Menu-item[data-command=%s]:not(.lm-mod-disabled)')`, quoteJS(command)))
}

// checkExport looks at what File > Save and Export makes of a notebook on disk:
// each of its figures has a description as a page, and slides are still slides.
func (p page) checkExport(path, token string, figures int) {
	p.T.Helper()
	var alts []string
	p.Eval(fmt.Sprintf(`fetch('/nbconvert/html/%s?token=%s').then(r => r.text()).then(text => [...new DOMParser().parseFromString(text, 'text/html').images].map(e => e.alt))`, path, token), &alts)
	if len(alts) != figures {
		p.T.Errorf("the export of %s has %d figures, want %d", path, len(alts), figures)
	}
	for _, alt := range alts {
		if alt == "" || strings.HasPrefix(alt, "No description") {
			p.T.Errorf("a figure in the export of %s is described as %q", path, alt)
		}
	}
	var slides bool
	p.Eval(fmt.Sprintf(`fetch('/nbconvert/slides/%s?token=%s').then(r => r.text()).then(text => text.includes('class="reveal"'))`, path, token), &slides)
	if !slides {
		p.T.Errorf("the slides of %s are none", path)
	}
}

// allRan holds when every code cell has been executed.
const allRan = `(p => p.length > 0 && p.every(e => /\[\d+\]/.test(e.innerText)))([...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')])`

// labSession is a session that JupyterLab is set up for, or a skipped test.
func labSession(t *testing.T) *runner.Session {
	t.Helper()
	s := runnertest.Kernel(t, "")
	t.Cleanup(func() {
		// What JupyterLab remembers of the windows of tests.
		left, _ := filepath.Glob(filepath.Join(s.Private, "config", "lab", "workspaces", "*", "*test-*.jupyterlab-workspace"))
		for _, path := range left {
			os.Remove(path)
			os.Remove(filepath.Dir(path)) // once it is empty
		}
	})
	return s
}

// A person opens the tour, runs all cells and looks at what comes.
func TestLabTour(t *testing.T) {
	s := labSession(t)
	b := startBrowser(t)
	path := filepath.Join(s.Root, "notebooks", "00_tour.ipynb")
	tour, err := runner.ReadNotebook(path)
	if err != nil {
		t.Fatal(err)
	}
	figures := 0
	for _, c := range tour.CodeCells() {
		for _, o := range c.Displays() {
			if data, _ := o["data"].(map[string]any); data["image/png"] != nil || data["image/svg+xml"] != nil {
				figures++
			}
		}
	}
	dir := runnertest.Folder(t, s)
	copyTo(t, dir, map[string]*runner.Notebook{"00_tour.ipynb": tour})
	if shown, err := os.ReadFile(path); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(filepath.Join(dir, "shown.ipynb"), shown, 0o644); err != nil {
		t.Fatal(err)
	}
	base, token := startLab(t, s, dir, runnertest.FreePort(t))
	// So high that no cell is left out of the page, as JupyterLab does with those far off.
	p := openNotebook(b, base, token, "00_tour.ipynb", 9000)
	p.checkExport("shown.ipynb", token, figures)
	p.Eval(`window.progress = []; new MutationObserver(() => document.querySelectorAll('.jp-OutputArea progress').forEach(e => window.progress.push(e.parentElement.innerText))).observe(document.body, {subtree: true, childList: true, attributes: true}); true`, nil)
	p.menu("Run", "runmenu:run-all")
	p.Wait("all cells have run", allRan)
	p.Wait("the figures are there", fmt.Sprintf(`[...document.querySelectorAll('.jp-OutputArea-output img')].filter(e => e.complete && e.naturalWidth > 0).length == %d`, figures))
	p.Shot("tour")

	var seen struct {
		Images   []struct{ Width, Height, Natural float64 }
		Tables   []string
		Progress []string
		Errors   []string
	}
	p.Eval(`({
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
