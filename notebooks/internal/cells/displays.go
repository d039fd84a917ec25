package cells

import (
	"encoding/base64"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

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
	if d.forth.reader, d.forth.writer, err = os.Pipe(); err != nil {
		return nil, fmt.Errorf("making a pipe for what a cell displays: %w", err)
	}
	if d.back.reader, d.back.writer, err = os.Pipe(); err != nil {
		d.forth.close()
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
	for name, value := range m.Metadata {
		metadata[name] = value
	}
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
