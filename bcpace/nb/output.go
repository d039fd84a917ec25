package nb

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// message is one output of a cell. Every message has a plain form, which
// terminals, diffs and screen readers get.
type message struct {
	plain         string
	html          string // "" for none
	png           []byte // nil for none
	width, height int    // of the png, in CSS pixels
}

// screen is where messages go.
type screen interface {
	// send shows a message; with an id, in place of the message before it that
	// had the same id.
	send(m message, id string)
	// flush returns when everything sent has arrived.
	flush()
}

// syncTimeout bounds the wait for a kernel that has gone away.
const syncTimeout = 10 * time.Second

// notebook shows messages in a GoNB notebook.
type notebook struct{}

func (notebook) send(m message, id string) {
	data := map[protocol.MIMEType]any{protocol.MIMETextPlain: m.plain}
	d := &protocol.DisplayData{Data: data, DisplayID: id}
	if m.html != "" {
		data[protocol.MIMETextHTML] = m.html
	}
	if m.png != nil {
		data[protocol.MIMEImagePNG] = m.png
		d.Metadata = map[string]any{string(protocol.MIMEImagePNG): map[string]int{"width": m.width, "height": m.height}}
	}
	gonbui.SendData(d)
}

func (notebook) flush() {
	done := make(chan struct{})
	go func() {
		gonbui.Sync() // waits for ever where the kernel does not answer
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(syncTimeout):
	}
}

// terminal writes the plain form of messages.
type terminal struct{ w io.Writer }

func (t terminal) send(m message, id string) {
	if id == "" || m.plain != "" {
		fmt.Fprintln(t.w, m.plain)
	}
}

func (terminal) flush() {}

// stdout writes to what os.Stdout is at the time.
type stdout struct{}

func (stdout) Write(b []byte) (int, error) { return os.Stdout.Write(b) }

// output is the screen of this process, and the place on it that a finished
// progress display has left free.
type output struct {
	mu     sync.Mutex
	screen screen
	free   string         // id of an empty output that the next message may fill
	open   []*ProgressBar // progress displays to be seen
	slider *ProgressBar   // of a slider whose values are being computed; nil without one
	// live tells how progress is displayed: in place, as a line, or not.
	live liveness
}

type liveness int

const (
	silent  liveness = iota // a file or a pipe: no progress
	line                    // a terminal: one line, rewritten
	inPlace                 // a notebook: one output, replaced
)

// standard is made at the first call rather than at start-up, because a
// program may import nb and never show anything.
var standard = sync.OnceValue(func() *output {
	if gonbui.IsNotebook && gonbui.Open() == nil {
		return &output{screen: notebook{}, live: inPlace}
	}
	o := &output{screen: terminal{stdout{}}}
	if info, err := os.Stdout.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		o.live = line
	}
	return o
})

// interruptible computes what a cell asks for: an interrupt ends ctx, and an error ends the cell.
func interruptible[T any](compute func(ctx context.Context, out *output) (T, error)) T {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	v, err := compute(ctx, standard())
	Check(err)
	return v
}

// within says that the displays that are to come are of parts of the work of p, or of
// none.
func (o *output) within(p *ProgressBar) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.slider = p
}

// closeProgress takes away what an unfinished computation has left.
func (o *output) closeProgress() {
	o.mu.Lock()
	open := slices.Clone(o.open)
	o.mu.Unlock()
	for _, p := range open {
		p.Close()
	}
}

// show sends messages and waits until they have arrived. The first one takes
// the place of a finished progress display: the notebook is then saved as if
// there had been none, whether the result was computed or came from the store.
func (o *output) show(ms ...message) {
	if len(ms) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range ms {
		id := o.free
		o.free = ""
		o.screen.send(m, id)
	}
	o.screen.flush()
}
