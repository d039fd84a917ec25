//go:build unix

package front

import (
	"bytes"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A cell that is compiled for long says so, to a person who waits for it: in a display that goes when the cell shows
// something or ends, so that nothing of it stays in the notebook. Programs that execute notebooks, which let no cell
// ask for input, are told nothing.

const (
	// untold is how long a cell is compiled before it says so.
	untold = 5 * time.Second
	// lookEvery is how often is looked whether it still is.
	lookEvery = time.Second
)

// waiting is what the person sees who waits for a cell.
type waiting struct {
	cell  *message // nil where nobody is told
	since time.Time
	shown bool
}

// wait begins to watch a cell.
func (f *front) wait(m *message) {
	f.waiting = waiting{}
	if how := m.says(); how.Asks && !how.Silent {
		f.waiting = waiting{cell: m, since: time.Now()}
	}
}

// look looks whether the running cell is compiled, if a person has waited for it long, and sends an interrupt
// again whose cell still runs: GoNB loses one that comes before the program has begun. It hands a program
// one interrupt at most.
func (f *front) look() {
	w := f.waiting
	if !f.opening.done && len(f.queue) > 0 {
		if w.cell != f.queue[0] {
			f.wait(f.queue[0])
		}
		f.sayWaiting("The kernel is starting")
		return
	}
	m := f.current
	waits := w.cell != nil && w.cell == m && time.Since(w.since) >= f.untold
	if waits && f.compiles != nil {
		go func() {
			compiles := f.compiles()
			f.do <- func() {
				if f.current == m && f.waiting.cell == m {
					f.tell(m, compiles)
				}
			}
		}()
	}
	if m != nil && f.interrupted == m {
		f.sendInterrupt()
	}
}

// tell tells who waits for a cell that it is compiled.
func (f *front) tell(m *message, compiles bool) {
	switch {
	case compiles && f.interrupted == m:
		f.sayWaiting("Interrupted; the cell ends when it is compiled")
	case compiles:
		f.sayWaiting("Compiling; the first cell that imports a package takes the longest")
	default:
		f.shows(m.header.ID, false)
	}
}

// sayWaiting shows what the cell waits for, and how long it has.
func (f *front) sayWaiting(what string) {
	w := &f.waiting
	took := time.Since(w.since)
	if w.cell == nil || took < f.untold {
		return
	}
	kind := "update_display_data"
	if !w.shown {
		kind, w.shown = "display_data", true
	}
	f.publish(w.cell, kind, map[string]any{
		"data":      map[string]any{"text/plain": fmt.Sprintf("%s … %d s", what, int(took.Seconds()))},
		"metadata":  map[string]any{},
		"transient": map[string]any{"display_id": "waiting-" + w.cell.header.ID},
	})
}

// shows takes away what was said to who waits for a cell, as that shows something of its own or ends; for good, where over.
func (f *front) shows(cell string, over bool) {
	w := &f.waiting
	if w.cell == nil || w.cell.header.ID != cell {
		return
	}
	if w.shown {
		f.publish(w.cell, "clear_output", map[string]any{"wait": false})
		w.shown = false
	}
	if over {
		w.cell = nil
	}
}

// outputs are the types of messages that show something of a cell.
var outputs = []string{"stream", "display_data", "update_display_data", "execute_result", "error", "clear_output", "comm_open"}

// compilers are the programs of the go command that compile a cell.
var compilers = []string{"go", "compile", "link", "asm", "cgo", "vet", "goimports"}

// compiling reports whether a program of a process group compiles.
func compiling(group int) bool {
	out, err := exec.Command("ps", "-A", "-o", "pgid=,comm=").Output()
	if err != nil {
		return false
	}
	for line := range bytes.Lines(out) {
		number, name, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if id, err := strconv.Atoi(number); err == nil && id == group && slices.Contains(compilers, path.Base(strings.TrimSpace(name))) {
			return true
		}
	}
	return false
}
