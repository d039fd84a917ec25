package cmd

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	progressEvery = 200 * time.Millisecond
	progressWidth = 79 // columns: a longer line would wrap, and not be replaced
)

// progressLine is a line on a terminal that tells how far the work has come.
// Elsewhere it is silent. It may be used from any goroutine.
type progressLine struct {
	w    io.Writer // nil for silence
	now  func() time.Time
	mu   sync.Mutex
	last time.Time
	cols int // columns drawn
}

// progress returns the line of standard error, silent where that is not a terminal
// or a program reads the output.
func (p program) progress(asJSON bool) *progressLine {
	l := &progressLine{now: time.Now, last: time.Now()}
	if !asJSON && isTerminal(p.stderr) {
		l.w = p.stderr
	}
	return l
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// show replaces the line, unless it was replaced just before.
func (l *progressLine) show(format string, args ...any) {
	if l.w == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if now.Sub(l.last) < progressEvery {
		return
	}
	l.last = now
	l.draw(fmt.Sprintf(format, args...))
}

// clear takes the line away.
func (l *progressLine) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cols > 0 {
		l.draw("")
		fmt.Fprint(l.w, "\r")
	}
}

func (l *progressLine) draw(line string) {
	if r := []rune(line); len(r) > progressWidth {
		line = string(r[:progressWidth-1]) + "…"
	}
	n := utf8.RuneCountInString(line)
	fmt.Fprint(l.w, "\r"+line+strings.Repeat(" ", max(0, l.cols-n)))
	l.cols = n
}
