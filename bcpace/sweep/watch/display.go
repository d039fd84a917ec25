package watch

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

const (
	width      = 79 // columns: a longer line would wrap, and not be replaced
	maxWorkers = 12 // that are shown
)

// show writes the state to the display.
func (f *follower) show(s State) error {
	w := f.watch.Display
	switch {
	case w == nil:
		return nil
	case f.watch.Terminal:
		lines := s.lines()
		var text strings.Builder
		if f.lines > 0 {
			fmt.Fprintf(&text, "\x1b[%dA", f.lines) // up to the first of them
		}
		for _, l := range lines {
			text.WriteString("\r\x1b[K" + l + "\n") // cleared to its end
		}
		text.WriteString("\x1b[J") // what is below
		f.lines = len(lines)
		_, err := io.WriteString(w, text.String())
		return err
	}
	line := s.counts() + fmt.Sprintf(", %d running on %d workers", s.Running, len(s.Workers))
	if line == f.last {
		return nil
	}
	f.last = line
	_, err := fmt.Fprintln(w, line+s.paceText())
	return err
}

// counts says how far the sweep has come.
func (s State) counts() string {
	return fmt.Sprintf("%s: %d of %d done, %d failed", clean(s.Name), s.Done, s.Trials, s.Failed)
}

// paceText says how fast it is, where that is known.
func (s State) paceText() (text string) {
	if s.Rate > 0 {
		text = fmt.Sprintf(", %.3g trials/s", s.Rate)
	}
	if s.Left > 0 {
		text += fmt.Sprintf(", %v left", s.Left.Round(time.Second))
	}
	return text
}

// lines are what a terminal shows.
func (s State) lines() (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, cut(clean(fmt.Sprintf(format, args...)))) }
	add("%s", s.counts()+s.paceText())
	if len(s.Workers) == 0 && s.Done < s.Trials {
		add("no process computes it, as far as the folder says")
	}
	for i, w := range s.Workers {
		if i == maxWorkers {
			add("  and %d workers more", len(s.Workers)-i)
			break
		}
		add("  %s: %d running, %d done", w.Name, w.Has, w.Done)
	}
	for _, f := range s.Faults {
		add("  %s", f)
	}
	if n := s.Failed - len(s.Faults); n > 0 {
		add("  and %d faults more", n)
	}
	return lines
}

// clean keeps what a fault or a name quotes from moving the cursor.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// cut shortens a line to the width.
func cut(line string) string {
	if r := []rune(line); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return line
}
