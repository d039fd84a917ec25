//go:build unix

package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// browsers are the names of browsers that speak the DevTools protocol.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// browser is a Chromium without a window. It is driven by the DevTools
// protocol over a pipe: JSON messages with a zero byte behind each.
type browser struct {
	t  *testing.T
	in *os.File

	mu     sync.Mutex
	next   int
	wanted map[int]chan reply
}

// reply answers the call with the same number.
type reply struct {
	ID     int
	Result json.RawMessage
	Error  *struct{ Message string }
}

// startBrowser starts a browser that ends with the test. Without one the test
// is skipped, except in CI, where that is a failure.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range browsers {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		const missing = "no Chromium is on PATH: install one to run this test (Debian and Ubuntu: apt install chromium; macOS: brew install chromium)"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	profile, err := os.MkdirTemp("", "browser-")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--window-size=1280,1000", "--hide-scrollbars",
		"--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		// JavaScript's clock and drawing go on where no window is in front.
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
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, in: in, wanted: make(map[int]chan reply)}
	t.Cleanup(func() {
		killGroup(cmd)
		cmd.Wait()
		in.Close()
		out.Close()
		for range 20 { // processes of the group may still be writing
			if os.RemoveAll(profile) == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	go func() {
		r := bufio.NewReader(out)
		for {
			message, err := r.ReadBytes(0)
			if err != nil {
				b.mu.Lock()
				defer b.mu.Unlock()
				for _, c := range b.wanted {
					close(c)
				}
				b.wanted = nil
				return
			}
			var answer reply
			if json.Unmarshal(message[:len(message)-1], &answer) != nil || answer.ID == 0 {
				continue // an event
			}
			b.mu.Lock()
			if c, ok := b.wanted[answer.ID]; ok {
				delete(b.wanted, answer.ID)
				c <- answer
			}
			b.mu.Unlock()
		}
	}()
	return b
}

// call sends a command and reads its result into one, which may be nil.
func (b *browser) call(session, method string, params any, result any) {
	b.t.Helper()
	answered := make(chan reply, 1)
	b.mu.Lock()
	if b.wanted == nil {
		b.mu.Unlock()
		b.t.Fatalf("%s: the browser has ended", method)
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
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(data, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	select {
	case answer, ok := <-answered:
		switch {
		case !ok:
			b.t.Fatalf("%s: the browser has ended", method)
		case answer.Error != nil:
			b.t.Fatalf("%s: %s", method, answer.Error.Message)
		case result != nil:
			if err := json.Unmarshal(answer.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(30 * time.Second):
		b.t.Fatalf("%s: no answer from the browser", method)
	}
}

// page is one page in a browser.
type page struct {
	*browser
	session string
	shots   string // folder for pictures
}

// open opens a page of the given size in CSS pixels.
func (b *browser) open(url string, width, height int) *page {
	b.t.Helper()
	var target struct{ TargetID string }
	b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p := &page{b, attached.SessionID, b.t.ArtifactDir()}
	p.resize(width, height)
	// JupyterLab puts off what a page that nobody looks at need not show.
	p.call(p.session, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	p.call(p.session, "Page.bringToFront", map[string]any{}, nil)
	p.call(p.session, "Page.navigate", map[string]any{"url": url}, nil)
	return p
}

func (p *page) resize(width, height int) {
	p.t.Helper()
	p.call(p.session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// eval evaluates JavaScript, and reads its value into v where that is not nil.
func (p *page) eval(script string, v any) {
	p.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	p.call(p.session, "Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", script, answer.ExceptionDetails.Exception.Description)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(answer.Result.Value, v); err != nil {
		p.t.Fatalf("%s: %v", script, err)
	}
}

// wait waits until a condition in JavaScript holds.
func (p *page) wait(what, condition string, longest time.Duration) {
	p.t.Helper()
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		var holds bool
		p.eval("Boolean("+condition+")", &holds)
		if holds {
			return
		}
		if time.Since(begin) > longest {
			shot := p.shot("failed")
			var text string
			p.eval("document.body.innerText.slice(0, 2000)", &text)
			p.t.Fatalf("after %v still not: %s (picture %s; keep it with -artifacts)\n%s", longest, what, shot, text)
		}
	}
}

// click clicks into the middle of the element that JavaScript returns, once it is there.
func (p *page) click(what, element string) {
	p.t.Helper()
	p.wait(what, fmt.Sprintf("(e => e && e.getBoundingClientRect().width > 0)(%s)", element), 20*time.Second)
	var at struct{ X, Y float64 }
	p.eval(fmt.Sprintf("(e => { e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })(%s)", element), &at)
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		p.call(p.session, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
}

// Modifiers of keys.
const (
	ctrl  = 2
	shift = 8
)

// key presses a key that is no letter.
func (p *page) key(name string, code, modifiers int) {
	p.t.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		p.call(p.session, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code, "modifiers": modifiers}, nil)
	}
}

// prefer makes the page's reader one who prefers a light or a dark theme.
func (p *page) prefer(theme string) {
	p.t.Helper()
	p.call(p.session, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": theme}}}, nil)
}

// shot takes a picture of what the page shows, and returns its path.
func (p *page) shot(name string) string {
	p.t.Helper()
	var taken struct{ Data string }
	p.call(p.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &taken)
	data, err := base64.StdEncoding.DecodeString(taken.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	path := filepath.Join(p.shots, name+".png")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// quoteJS writes a string as JavaScript.
func quoteJS(s string) string { return strconv.QuoteToASCII(s) }
