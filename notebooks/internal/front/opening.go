//go:build unix

package front

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// opening is what passes between the front and GoNB before the first cell: what
// GoNB is, and a cell of the front's own that makes the module known.
type opening struct {
	infos      []string // requests for what GoNB is
	subscribed bool     // whether what GoNB publishes arrives
	cell       string   // the request of the front's cell

	stdout, stderr strings.Builder // of that cell
	replied, idle  bool

	done    bool
	trouble string              // why cells may not find the module, until it is told
	made    func(folder string) // is told where GoNB compiles
}

// openingCell makes a workspace of GoNB's folder and the module, whatever was there,
// and prints the folder. Nothing is fetched behind the user's back, which a workspace
// could not, and programs are linked without what only a debugger reads.
const openingCell = `!*rm -f go.work go.work.sum; go work init . "$` + rootVariable + `" && pwd
%noautoget
%goflags -ldflags=-s
`

// rootVariable tells GoNB and its cells where the module is.
const rootVariable = "BAYESCPACE_ROOT"

func (o *opening) owns(id string) bool {
	return id != "" && (slices.Contains(o.infos, id) || id == o.cell)
}

// knock asks GoNB what it is. Who subscribes gets nothing of what was published a
// moment before, so GoNB is asked until something arrives.
func (f *front) knock() {
	m := newMessage("kernel_info_request", nil, map[string]any{})
	f.opening.infos = append(f.opening.infos, m.header.ID)
	f.kernel.shell.send(m.frames(f.key))
}

// onOpeningReply takes GoNB's answers to the front itself.
func (f *front) onOpeningReply(m *message) {
	o := &f.opening
	switch m.header.Type {
	case "kernel_info_reply":
		if f.info == nil {
			f.info = m.content
			for _, r := range f.asked {
				f.answer(r, "kernel_info_reply", f.info)
			}
			f.asked = nil
		}
	case "execute_reply":
		if reply := m.says(); reply.Status != "ok" {
			o.stderr.WriteString(reply.EValue)
		}
		o.replied = true
		f.opened()
	}
}

// onOpeningPublished takes what GoNB publishes of the front's own requests.
func (f *front) onOpeningPublished(m *message) {
	o := &f.opening
	if !o.subscribed {
		o.subscribed = true
		cell := newMessage("execute_request", nil, map[string]any{
			"code": openingCell, "silent": true, "store_history": false, "allow_stdin": false, "stop_on_error": false, "user_expressions": map[string]any{},
		})
		o.cell = cell.header.ID
		f.kernel.shell.send(cell.frames(f.key))
	}
	if m.parent.ID != o.cell {
		return
	}
	switch m.header.Type {
	case "stream":
		if stream := m.says(); stream.Name == "stdout" {
			o.stdout.WriteString(stream.Text)
		} else {
			o.stderr.WriteString(stream.Text)
		}
	case "status":
		o.idle = o.idle || m.says().State == "idle"
		f.opened()
	}
}

// opened lets the cells in once the front's own has ended and all it printed is here.
func (f *front) opened() {
	o := &f.opening
	if o.done || !o.replied || !o.idle {
		return
	}
	o.done = true
	folder, _, _ := strings.Cut(o.stdout.String(), "\n")
	_, err := os.Stat(filepath.Join(folder, "go.work"))
	if err == nil && strings.HasPrefix(filepath.Base(folder), "gonb_") {
		o.made(folder)
	} else {
		o.trouble = fmt.Sprintf("Cells cannot import the packages of %s: making them known to this kernel failed.\n%s\n", f.root, strings.TrimSpace(o.stderr.String()))
	}
	f.publish(nil, "status", map[string]any{"execution_state": "idle"})
	f.next()
}

// tellTrouble tells the first cell what went wrong before it.
func (f *front) tellTrouble() {
	if f.opening.trouble != "" {
		f.publish(f.current, "stream", map[string]any{"name": "stderr", "text": f.opening.trouble})
		f.opening.trouble = ""
	}
}
