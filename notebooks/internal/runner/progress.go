package runner

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// progress writes lines that stay, and on a terminal below them one live line
// that tells what is going on. Elsewhere the live line becomes a plain line
// when it has not changed the subject for a while.
type progress struct {
	w   io.Writer
	tty bool

	mu    sync.Mutex
	live  func() string // nil when nothing is going on
	drawn bool          // a live line is on the screen
	done  chan struct{} // closed to end the live line's clock
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
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

// plainFirst and plainEvery are the times before the first plain line of a piece of
// work and between two of them.
const plainFirst, plainEvery = time.Second, 10 * time.Second

// during shows the line that text returns until the returned function is called.
func (p *progress) during(text func() string) (stop func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live, p.done = text, make(chan struct{})
	p.draw()
	first, every := plainFirst, plainEvery
	if p.tty {
		first, every = 200*time.Millisecond, 200*time.Millisecond
	}
	var clock sync.WaitGroup
	clock.Add(1)
	go func() {
		defer clock.Done()
		tick := time.NewTicker(first)
		defer tick.Stop()
		for {
			select {
			case <-p.done:
				return
			case <-tick.C:
				tick.Reset(every)
				p.mu.Lock()
				if p.tty {
					p.draw()
				} else {
					fmt.Fprintf(p.w, "  … %s\n", p.live())
				}
				p.mu.Unlock()
			}
		}
	}()
	return func() {
		close(p.done)
		clock.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.erase()
		p.live = nil
	}
}

// widest keeps the live line on one row of an ordinary terminal.
const widest = 78

func (p *progress) draw() {
	if !p.tty || p.live == nil {
		return
	}
	text := []rune("  … " + strings.ReplaceAll(p.live(), "\n", " "))
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
