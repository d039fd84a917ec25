package cells

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"bayescpace/notebooks/internal/host"
)

// Display is one output of a code cell, as a notebook keeps it.
type Display = map[string]any

// Options is where programs are linked and how they run.
type Options struct {
	Module string   // the folder of the module that cells import
	Dir    string   // where cells run: the notebooks' folder
	Env    []string // of the go command and of cells
}

// Linked are the programs of notebooks.
type Linked struct {
	settings Options
	folder   string
	faults   map[string]*CellError // by the notebook's name
}

// cellVariable tells a program in its environment which cell it is to execute.
const cellVariable = "BAYESCPACE_CELL"

// module is the module of the programs. Its name is like that of GoNB's.
const module = "gonb_cells"

// Link compiles and links the programs of notebooks, the sources of their code cells by their titles, side by side, into a folder of its
// own, which Close removes. A notebook that does not compile does not keep the others from
// it: Fault tells why. The error is that of the go command itself.
func Link(ctx context.Context, s Options, notebooks map[string][]string) (*Linked, error) {
	folder, err := os.MkdirTemp("", "bayescpace-cells-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the programs of notebooks: %w", err)
	}
	l := &Linked{settings: s, folder: folder, faults: make(map[string]*CellError)}
	if err := l.link(ctx, notebooks); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Close removes the programs.
func (l *Linked) Close() error { return os.RemoveAll(l.folder) }

func (l *Linked) link(ctx context.Context, notebooks map[string][]string) error {
	for title, sources := range notebooks {
		p, fault := compose(sources)
		if fault != nil {
			l.faults[title] = fault
			continue
		}
		err := os.Mkdir(filepath.Join(l.folder, title), 0o755)
		for name, content := range p {
			if err == nil {
				err = os.WriteFile(filepath.Join(l.folder, title, name), []byte(content), 0o644)
			}
		}
		if err != nil {
			return fmt.Errorf("writing the programs of notebooks: %w", err)
		}
	}
	// As GoNB and the front before it do.
	for _, args := range [][]string{{"mod", "init", module}, {"work", "init", ".", l.settings.Module}} {
		if said, err := l.goCommand(ctx, args...); err != nil {
			return fmt.Errorf("making the module known to cells: %w: %s", err, said)
		}
	}
	said, err := l.goCommand(ctx, "build", "-ldflags=-s", "-o", l.bin()+string(filepath.Separator), "./...")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	found := l.sort(said)
	if err != nil && !found {
		return fmt.Errorf("linking the programs of notebooks: %w: %s", err, said)
	}
	return nil
}

func (l *Linked) bin() string { return filepath.Join(l.folder, "bin") }

// goCommand runs go in the folder of the programs, and returns what it said.
func (l *Linked) goCommand(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = l.folder, l.settings.Env, &said, &said
	err := host.Run(cmd)
	return strings.TrimSpace(said.String()), err
}

var (
	section = regexp.MustCompile(`(?m)^# ` + module + `/(\S+)$`)
	// place is where the compiler found an error: the cell, and the line of the file, which
	// is one more than the cell's.
	place = regexp.MustCompile(`(?m)^(?:\S*/)?cell(\d+)\.go:(\d+)(?::\d+)?: `)
)

// sort gives each notebook what the compiler said of it, and tells whether there was any.
func (l *Linked) sort(said string) (found bool) {
	at := section.FindAllStringSubmatchIndex(said, -1)
	for i, m := range at {
		end := len(said)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		l.faults[said[m[2]:m[3]]] = faultOf(strings.TrimSpace(said[m[1]:end]))
	}
	return len(at) > 0
}

// faultOf makes a fault of what the compiler said of a program: of its first cell with an
// error.
func faultOf(said string) *CellError {
	fault := &CellError{Cell: 1, Text: said}
	for i, m := range slices.Backward(place.FindAllStringSubmatchIndex(said, -1)) {
		cell, _ := strconv.Atoi(said[m[2]:m[3]])
		line, _ := strconv.Atoi(said[m[4]:m[5]])
		fault.Text = fault.Text[:m[0]] + fmt.Sprintf("cell %d, line %d: ", cell, line-1) + fault.Text[m[1]:]
		if i == 0 {
			fault.Cell = cell
		}
	}
	return fault
}

// Fault tells why a notebook has no program: a cell that does not compile, or one that needs
// the kernel. It is nil for a notebook whose cells can be executed.
func (l *Linked) Fault(name string) *CellError { return l.faults[name] }

// Execute runs one cell of a notebook, counted from 1, and returns its outputs. The error
// is that of the cell: it ended with another status than 0, or the context ended it.
func (l *Linked) Execute(ctx context.Context, name string, cell int, env ...string) (outputs []Display, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(l.bin(), name))
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = l.settings.Dir, &stdout, &stderr
	cmd.Env = slices.Concat(l.settings.Env, env, []string{fmt.Sprintf("%s=%d", cellVariable, cell), protocol.GONB_DIR_ENV + "=" + l.settings.Dir})
	d, err := listen(cmd, cancel)
	if err != nil {
		return nil, err
	}
	ended := host.Run(cmd)
	shown, err := d.end()
	for _, stream := range [][2]string{{"stdout", stdout.String()}, {"stderr", stderr.String()}} {
		if stream[1] != "" {
			outputs = append(outputs, Display{"output_type": "stream", "name": stream[0], "text": stream[1]})
		}
	}
	return append(outputs, shown...), cmp.Or(err, ended)
}

func init() {
	// As GoNB does, beyond what package protocol registers.
	gob.Register(map[string]any{})
	gob.Register([]any{})
}

// displays listens to one run of a program as GoNB does: what the program displays comes by
// one pipe, and by the other goes the word that it has arrived.
type displays struct {
	forth, back ends
	outputs     []Display
	ids         map[string]Display // outputs that may be replaced
	failed      error
	fail        func() // ends the program, which would wait for an answer
	read        sync.WaitGroup
}

// ends are those of a pipe.
type ends struct{ reader, writer *os.File }

func (e ends) close() { e.reader.Close(); e.writer.Close() }

// listen gives a command the pipes and the settings that lead a program to them. It calls
// fail when it cannot understand the program.
func listen(cmd *exec.Cmd, fail func()) (d *displays, err error) {
	d = &displays{ids: make(map[string]Display), fail: fail}
	if d.forth.reader, d.forth.writer, err = os.Pipe(); err == nil {
		if d.back.reader, d.back.writer, err = os.Pipe(); err != nil {
			d.forth.close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("making a pipe for what a cell displays: %w", err)
	}
	// The program opens paths, and finds the pipes it was started with behind them.
	cmd.ExtraFiles = []*os.File{d.forth.writer, d.back.reader}
	cmd.Env = append(cmd.Env, protocol.GONB_PIPE_ENV+"=/dev/fd/3", protocol.GONB_PIPE_BACK_ENV+"=/dev/fd/4")
	d.read.Go(d.receive)
	return d, nil
}

// receive takes messages until the last writer has closed its end.
func (d *displays) receive() {
	in, out := gob.NewDecoder(d.forth.reader), gob.NewEncoder(d.back.writer)
	for {
		var m protocol.DisplayData
		if err := in.Decode(&m); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			d.failed = fmt.Errorf("reading what the cell displays: %w", err)
			d.fail()
			return
		}
		if request, ok := m.Data[protocol.MIMECommValue].(protocol.CommValue); ok && request.Address == protocol.GonbuiSyncAddress {
			out.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: request.Value})
			continue
		}
		for _, kind := range []protocol.MIMEType{protocol.MIMECommValue, protocol.MIMECommSubscribe, protocol.MIMEJupyterInput} {
			if _, ok := m.Data[kind]; ok {
				d.failed = fmt.Errorf("the cell asks the reader (%s), which needs the kernel", kind)
				d.fail()
				return
			}
		}
		d.add(m)
	}
}

// add adds a display, or replaces the one of the same name.
func (d *displays) add(m protocol.DisplayData) {
	data, metadata := make(map[string]any), make(map[string]any)
	for kind, value := range m.Data {
		if raw, ok := value.([]byte); ok { // as JSON has bytes
			value = base64.StdEncoding.EncodeToString(raw)
		}
		data[string(kind)] = value
	}
	maps.Copy(metadata, m.Metadata)
	if old, ok := d.ids[m.DisplayID]; ok {
		old["data"], old["metadata"] = data, metadata
		return
	}
	o := Display{"output_type": "display_data", "data": data, "metadata": metadata}
	if m.DisplayID != "" {
		d.ids[m.DisplayID] = o
	}
	d.outputs = append(d.outputs, o)
}

// end waits for all that the program, which has ended, has sent.
func (d *displays) end() ([]Display, error) {
	d.forth.writer.Close()
	d.read.Wait()
	d.forth.reader.Close()
	d.back.close()
	return d.outputs, d.failed
}
