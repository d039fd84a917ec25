//go:build unix && long

package browser

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bayescpace/notebooks/internal/host"
	"bayescpace/notebooks/internal/runnertest"
)

// browsers are the names of browsers that speak the DevTools protocol.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// chromium is a Chromium without a window. It is driven by the DevTools
// protocol over a pipe: JSON messages with a zero byte behind each.
type chromium struct {
	in  *os.File
	end func()

	mu     sync.Mutex
	next   int
	wanted map[int]chan reply
}

// running is the one that the tests of a package share, which look at it one after the
// other; nil before the first of them.
var running *chromium

// Browser is a test's hold on the browser: what fails there fails the test.
type Browser struct {
	T *testing.T
	*chromium
}

// reply answers the call with the same number.
type reply struct {
	ID     int
	Result json.RawMessage
	Error  *refusal
}

// refusal is why the browser did not carry out a command.
type refusal struct{ Message string }

func (r *refusal) Error() string { return r.Message }

// navigated are refusals of a script because its page made way for another one.
var navigated = []string{"Inspected target navigated or closed", "Cannot find context with specified id", "Execution context was destroyed"}

// interrupted reports whether a script did not end because its page made way for another.
func interrupted(err error) bool {
	var r *refusal
	return errors.As(err, &r) && slices.ContainsFunc(navigated, func(s string) bool { return strings.Contains(r.Message, s) })
}

// startBrowser starts a browser, or returns the one that an earlier test has started; the
// package's TestMain calls endBrowser. Without one the test is skipped, except in CI, where
// that is a failure.
func startBrowser(t *testing.T) *Browser {
	t.Helper()
	if running == nil {
		running = startChromium(t)
	}
	return &Browser{t, running}
}

// endBrowser ends the browser, if a test has started one.
func endBrowser() {
	if running != nil {
		running.end()
		running = nil
	}
}

func startChromium(t *testing.T) *chromium {
	t.Helper()
	path := ""
	for _, name := range browsers {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		runnertest.Lacks(t, "no Chromium is on PATH: install one to run this test (Debian and Ubuntu: apt install chromium; macOS: brew install chromium)")
	}
	profile, err := os.MkdirTemp("", "browser-")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--window-size=1280,1000", "--hide-scrollbars",
		"--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		// JavaScript's clock and drawing continue where no window is in front.
		"--disable-background-timer-throttling", "--disable-renderer-backgrounding"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.Command(path, append(args, "about:blank")...)
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4, as the protocol has it
	host.OwnGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	c := &chromium{in: in, wanted: make(map[int]chan reply)}
	c.end = func() {
		host.KillGroup(cmd)
		cmd.Wait()
		in.Close()
		out.Close()
		for range 1200 { // processes of the group may still be writing
			if os.RemoveAll(profile) == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	go func() {
		r := bufio.NewReader(out)
		for {
			message, err := r.ReadBytes(0)
			if err != nil {
				c.mu.Lock()
				defer c.mu.Unlock()
				for _, w := range c.wanted {
					close(w)
				}
				c.wanted = nil
				return
			}
			var answer reply
			if json.Unmarshal(message[:len(message)-1], &answer) != nil || answer.ID == 0 {
				continue // an event
			}
			c.mu.Lock()
			if w, ok := c.wanted[answer.ID]; ok {
				delete(c.wanted, answer.ID)
				w <- answer
			}
			c.mu.Unlock()
		}
	}()
	return c
}

// call sends a command and reads its result into one, which may be nil.
func (b *Browser) call(session, method string, params any, result any) {
	b.T.Helper()
	if err := b.try(session, method, params, result); err != nil {
		b.T.Fatal(err)
	}
}

// try is call for a command that the browser may refuse, which it returns.
func (b *Browser) try(session, method string, params any, result any) error {
	b.T.Helper()
	answered := make(chan reply, 1)
	b.mu.Lock()
	if b.wanted == nil {
		b.mu.Unlock()
		b.T.Fatalf("%s: the browser has ended", method)
	}
	b.next++
	id := b.next
	b.wanted[id] = answered
	b.mu.Unlock()
	message := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	data, err := json.Marshal(message)
	if err != nil {
		b.T.Fatal(err)
	}
	if _, err := b.in.Write(append(data, 0)); err != nil {
		b.T.Fatalf("%s: %v", method, err)
	}
	select {
	case answer, ok := <-answered:
		switch {
		case !ok:
			b.T.Fatalf("%s: the browser has ended", method)
		case answer.Error != nil:
			return fmt.Errorf("%s: %w", method, answer.Error)
		case result != nil:
			if err := json.Unmarshal(answer.Result, result); err != nil {
				b.T.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(runnertest.Patience):
		b.T.Fatalf("%s: no answer from the browser", method)
	}
	return nil
}

// Page is one page in a browser, which is closed with the test.
type Page struct {
	*Browser
	session string
	shots   string // folder for pictures
}

// Open opens a page of the given size in CSS pixels.
func (b *Browser) Open(url string, width, height int) *Page {
	b.T.Helper()
	var target struct{ TargetID string }
	b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.T.Cleanup(func() { b.call("", "Target.closeTarget", map[string]any{"targetId": target.TargetID}, nil) })
	var attached struct{ SessionID string }
	b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p := &Page{b, attached.SessionID, b.T.ArtifactDir()}
	p.resize(width, height)
	// JupyterLab puts off what a page that nobody looks at need not show.
	p.call(p.session, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	p.call(p.session, "Page.bringToFront", map[string]any{}, nil)
	p.Navigate(url)
	return p
}

// Navigate goes to another address.
func (p *Page) Navigate(url string) {
	p.T.Helper()
	p.call(p.session, "Page.navigate", map[string]any{"url": url}, nil)
}

// Before runs a script in every page that is navigated to from now on, before the page's
// own.
func (p *Page) Before(script string) {
	p.T.Helper()
	p.call(p.session, "Page.enable", map[string]any{}, nil)
	p.call(p.session, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": script}, nil)
}

func (p *Page) resize(width, height int) { p.Zoom(width, height, 1) }

// Zoom gives the page a window of the given size in CSS pixels, each as many pixels of
// the screen as zoom says.
func (p *Page) Zoom(width, height int, zoom float64) {
	p.T.Helper()
	p.call(p.session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": zoom, "mobile": false}, nil)
}

// Eval evaluates JavaScript, and reads its value into v where that is not nil.
func (p *Page) Eval(script string, v any) {
	p.T.Helper()
	if err := p.tryEval(script, v); err != nil {
		p.T.Fatalf("%s: %v", script, err)
	}
}

// tryEval is Eval for a script that the browser may refuse, which it returns.
func (p *Page) tryEval(script string, v any) error {
	p.T.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	if err := p.try(p.session, "Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &answer); err != nil {
		return err
	}
	if answer.ExceptionDetails != nil {
		return errors.New(answer.ExceptionDetails.Exception.Description)
	}
	if v == nil {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, v)
}

// Wait waits until a condition in JavaScript, or one that it promises, holds. While the
// page makes way for another one, it does not hold yet.
func (p *Page) Wait(what, condition string) {
	p.T.Helper()
	begin := time.Now()
	// To look costs the page a layout: the longer it takes, the rarer it is looked at.
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 320*time.Millisecond) {
		var holds bool
		if err := p.tryEval("Promise.resolve("+condition+").then(Boolean)", &holds); err != nil && !interrupted(err) {
			p.T.Fatalf("%s: %v", condition, err)
		}
		if holds {
			return
		}
		if time.Since(begin) > runnertest.Patience {
			shot := p.Shot("failed")
			var text string
			p.Eval("document.body.innerText.slice(0, 2000)", &text)
			p.T.Fatalf("after %v still not: %s (picture %s; keep it with -artifacts)\n%s", runnertest.Patience, what, shot, text)
		}
		time.Sleep(pause)
	}
}

// Click clicks into the middle of the element that JavaScript returns, once it is there.
func (p *Page) Click(what, element string) {
	p.T.Helper()
	p.Wait(what, fmt.Sprintf("(e => e && e.getBoundingClientRect().width > 0)(%s)", element))
	var at struct{ X, Y float64 }
	p.Eval(fmt.Sprintf("(e => { e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })(%s)", element), &at)
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		p.call(p.session, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
}

// Drag presses the mouse or a finger within the element that JavaScript returns, moves it and
// lifts it. Places are shares of the element's width and height.
func (p *Page) Drag(element string, finger bool, path ...[2]float64) {
	p.T.Helper()
	var box struct{ X, Y, Width, Height float64 }
	p.Eval(fmt.Sprintf("(e => { e.scrollIntoView({block: 'center'}); return e.getBoundingClientRect().toJSON(); })(%s)", element), &box)
	send := func(kind string, at [2]float64) {
		x, y := box.X+at[0]*box.Width, box.Y+at[1]*box.Height
		if finger {
			points := []map[string]float64{{"x": x, "y": y}}
			if kind == "touchEnd" {
				points = []map[string]float64{}
			}
			p.call(p.session, "Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": points}, nil)
			return
		}
		p.call(p.session, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}, nil)
	}
	press, move, lift := "mousePressed", "mouseMoved", "mouseReleased"
	if finger {
		press, move, lift = "touchStart", "touchMove", "touchEnd"
	}
	send(press, path[0])
	for _, at := range path[1:] {
		send(move, at)
	}
	send(lift, path[len(path)-1])
}

// Modifiers of keys.
const (
	ctrl  = 2
	shift = 8
)

// Key presses a key that is no letter.
func (p *Page) Key(name string, code, modifiers int) {
	p.T.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		p.call(p.session, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code, "modifiers": modifiers}, nil)
	}
}

// Type writes text where the cursor is, as if it were pasted.
func (p *Page) Type(text string) {
	p.T.Helper()
	p.call(p.session, "Input.insertText", map[string]any{"text": text}, nil)
}

// Prefer makes the page's reader one who prefers a light or a dark theme.
func (p *Page) Prefer(theme string) {
	p.T.Helper()
	p.call(p.session, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": theme}}}, nil)
}

// Shot takes a picture of what the page shows, and returns its path.
func (p *Page) Shot(name string) string {
	p.T.Helper()
	var taken struct{ Data string }
	p.call(p.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &taken)
	data, err := base64.StdEncoding.DecodeString(taken.Data)
	if err != nil {
		p.T.Fatal(err)
	}
	path := filepath.Join(p.shots, name+".png")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		p.T.Fatal(err)
	}
	return path
}

// quoteJS writes a string as JavaScript.
func quoteJS(s string) string { return strconv.QuoteToASCII(s) }
