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
	live   bool
	drawn  bool // a live line is on the screen
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

// line prints a line that stays.
func (p *progress) line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	fmt.Fprintf(p.w, format+"\n", args...)
	p.draw()
}

// at says how far something has come, which begins with the first call and ends with end.
func (p *progress) at(what, where string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	since := time.Now()
	if a, ok := p.active[what]; ok {
		since = a.since
	}
	p.active[what] = activity{where, since}
}

func (p *progress) end(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.active, what)
}

// during shows the live line until the returned function is called.
func (p *progress) during() (stop func()) {
	p.mu.Lock()
	p.live = true
	p.mu.Unlock()
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
			if p.tty {
				p.draw()
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
		p.erase()
		p.live = false
	}
}

// text is the live line.
func (p *progress) text() string {
	var now []string
	for _, what := range slices.Sorted(maps.Keys(p.active)) {
		a := p.active[what]
		now = append(now, strings.TrimSpace(what+"  "+a.where)+"  "+seconds(time.Since(a.since)))
	}
	return "  … " + strings.Join(now, "; ")
}

// widest keeps the live line on one row of an ordinary terminal.
const widest = 78

func (p *progress) draw() {
	if !p.tty || !p.live {
		return
	}
	text := []rune(p.text())
	if len(text) > widest {
		text = append(text[:widest-1], '…')
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", string(text))
	p.drawn = true
}

func (p *progress) erase() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// seconds prints a duration as people say it.
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
}
