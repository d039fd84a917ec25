package runner

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// progress writes lines that stay, and while something is under way a live line below them that
// tells what that is. Where there is no terminal, the live line is a plain line now and then.
type progress struct {
	w   io.Writer
	tty bool

	mu     sync.Mutex
	active map[string]activity // what is under way, by its name
	live   bool                // the live line is on the screen of a terminal
}

// activity is how far something has come, and when it began.
type activity struct {
	where string
	since time.Time
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, active: make(map[string]activity)}
	if f, ok := w.(*os.File); ok && os.Getenv("TERM") != "dumb" {
		info, err := f.Stat()
		p.tty = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// clear is what a terminal takes to begin the line of the cursor anew.
const clear = "\r\x1b[K"

// line prints a line that stays.
func (p *progress) line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live {
		fmt.Fprint(p.w, clear)
	}
	fmt.Fprintf(p.w, format+"\n", args...)
}

// at says how far something has come, which begins with the first call and ends with end.
func (p *progress) at(what, where string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, ok := p.active[what]
	if a.where = where; !ok {
		a.since = time.Now()
	}
	p.active[what] = a
}

func (p *progress) end(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.active, what)
}

// during shows the live line until the returned function is called.
func (p *progress) during() (stop func()) {
	wait, every := time.Second, 10*time.Second
	if p.tty {
		wait, every = 0, 200*time.Millisecond
	}
	done := make(chan struct{})
	var clock sync.WaitGroup
	clock.Go(func() {
		for ; ; wait = every {
			select {
			case <-done:
				return
			case <-time.After(wait):
			}
			p.mu.Lock()
			if p.live = p.tty; p.live {
				fmt.Fprint(p.w, clear+p.text())
			} else if len(p.active) > 0 {
				fmt.Fprintln(p.w, p.text())
			}
			p.mu.Unlock()
		}
	})
	return func() {
		close(done)
		clock.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.live {
			fmt.Fprint(p.w, clear)
			p.live = false
		}
	}
}

// widest keeps the live line on one row of an ordinary terminal.
const widest = 78

// text is the live line, as much of it as fits on a terminal.
func (p *progress) text() string {
	var now []string
	for _, what := range slices.Sorted(maps.Keys(p.active)) {
		a := p.active[what]
		now = append(now, strings.TrimSpace(what+"  "+a.where)+"  "+seconds(time.Since(a.since)))
	}
	text := []rune("  … " + strings.Join(now, "; "))
	if p.tty && len(text) > widest {
		text = append(text[:widest-1], '…')
	}
	return string(text)
}

// seconds prints a duration as people say it.
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
}
