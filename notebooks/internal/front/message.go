//go:build unix

package front

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// header is a message's header, as Jupyter's protocol has it.
type header struct {
	ID       string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
}

// message is one message of Jupyter's protocol, on any socket.
type message struct {
	routing [][]byte // what stands before the delimiter: who it comes from or goes to, or its topic
	header  header
	parent  header
	content json.RawMessage

	head, parentHead, metadata []byte // as they came
	buffers                    [][]byte
}

// content has what the front reads of the contents of messages.
type content struct {
	Code        string
	Cursor      int    `json:"cursor_pos"` // in characters
	State       string `json:"execution_state"`
	Asks        bool   `json:"allow_stdin"`
	StopOnError *bool  `json:"stop_on_error"`
	Silent      bool
	Restart     bool

	Status, EValue, Name, Text string
}

// says reads the content of a message. What is not there, or is something else than it is to be, is the zero value.
func (m *message) says() (c content) {
	json.Unmarshal(m.content, &c)
	return c
}

// stopsOnError tells whether an error of a cell gives up those sent with it, as it does where nothing is said.
func (m *message) stopsOnError() bool {
	stops := m.says().StopOnError
	return stops == nil || *stops
}

// delimiter stands between the routing of a message and the message.
var delimiter = []byte("<IDS|MSG>")

// protocol is the version of Jupyter's protocol that the front's own messages follow.
const protocol = "5.4"

var errSignature = errors.New("a message whose signature is not made with the connection's key")

// parse reads the frames of a message. A key that is not empty must have signed it.
func parse(frames [][]byte, key []byte) (*message, error) {
	at := slices.IndexFunc(frames, func(f []byte) bool { return bytes.Equal(f, delimiter) })
	if at < 0 || len(frames) < at+6 {
		return nil, fmt.Errorf("a message of %d frames without the delimiter %s, or a signature and four parts behind it", len(frames), delimiter)
	}
	parts := frames[at+2 : at+6]
	if len(key) > 0 && !hmac.Equal(sign(key, parts), frames[at+1]) {
		return nil, errSignature
	}
	m := &message{
		routing: frames[:at], content: parts[3],
		head: parts[0], parentHead: parts[1], metadata: parts[2], buffers: frames[at+6:],
	}
	if err := json.Unmarshal(parts[0], &m.header); err != nil {
		return nil, fmt.Errorf("reading a message's header: %w", err)
	}
	if err := json.Unmarshal(parts[1], &m.parent); err != nil {
		return nil, fmt.Errorf("reading the header of the message that a %s answers: %w", m.header.Type, err)
	}
	return m, nil
}

// frames is the message as it goes over the wire, signed with the key.
func (m *message) frames(key []byte) [][]byte {
	parts := [][]byte{m.head, m.parentHead, m.metadata, m.content}
	var signature []byte
	if len(key) > 0 {
		signature = sign(key, parts)
	}
	return slices.Concat(m.routing, [][]byte{delimiter, signature}, parts, m.buffers)
}

func sign(key []byte, parts [][]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return hex.AppendEncode(nil, mac.Sum(nil))
}

// newMessage makes a message of the front's own. It answers parent, or nothing
// when that is nil.
func newMessage(kind string, parent *message, content any) *message {
	h := header{ID: rand.Text(), Date: time.Now().UTC().Format(time.RFC3339Nano), Type: kind, Version: protocol, Username: "kernel"}
	m := &message{parentHead: []byte("{}"), metadata: []byte("{}"), content: marshal(content)}
	if parent != nil {
		h.Session, h.Username = parent.header.Session, parent.header.Username
		m.routing, m.parent, m.parentHead = parent.routing, parent.header, parent.head
	}
	m.header, m.head = h, marshal(h)
	return m
}

// marshal is for values that have a JSON form.
func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("front: " + err.Error())
	}
	return data
}

// connection is what a connection file tells: where a kernel's sockets are, and
// the key that signs messages.
type connection struct {
	Transport       string `json:"transport"`
	IP              string `json:"ip"`
	Shell           int    `json:"shell_port"`
	Control         int    `json:"control_port"`
	Stdin           int    `json:"stdin_port"`
	IOPub           int    `json:"iopub_port"`
	Heartbeat       int    `json:"hb_port"`
	Key             string `json:"key"`
	SignatureScheme string `json:"signature_scheme"`
}

// readConnection reads a connection file.
func readConnection(path string) (c connection, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("reading the connection file: %w", err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("reading the connection file %s: %w", path, err)
	}
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return c, fmt.Errorf("the connection file %s has the transport %q; want tcp or ipc", path, c.Transport)
	}
	if c.Key != "" && c.SignatureScheme != "hmac-sha256" {
		return c, fmt.Errorf("the connection file %s has the signature scheme %q; want hmac-sha256", path, c.SignatureScheme)
	}
	return c, nil
}

func (c connection) address(port int) string {
	if c.Transport == "ipc" {
		return fmt.Sprintf("ipc://%s-%d", c.IP, port)
	}
	return fmt.Sprintf("tcp://%s:%d", c.IP, port)
}

// behind is the connection to the kernel behind the front: sockets in the folder,
// and the same key, so that messages pass as they are.
func (c connection) behind(folder string) connection {
	return connection{
		Transport: "ipc", IP: folder + "/k", Shell: 1, Control: 2, Stdin: 3, IOPub: 4, Heartbeat: 5,
		Key: c.Key, SignatureScheme: "hmac-sha256",
	}
}

// socket is a ZeroMQ socket that several goroutines may send on.
type socket struct {
	zmq4.Socket
	mu sync.Mutex
}

// send sends a message. An error means that the other side has gone, of which serve learns
// by itself, so that the front passes over it.
func (s *socket) send(frames [][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.SendMulti(zmq4.NewMsgFrom(frames...))
}

// sockets are those of one side. Heartbeat is nil towards the kernel behind.
type sockets struct {
	shell, control, stdin, iopub, heartbeat *socket
}

// quiet keeps the library from writing about connections that come and go.
var quiet = zmq4.WithLogger(log.New(io.Discard, "", 0))

// bind opens the sockets that Jupyter connects to.
func (c connection) bind(ctx context.Context) (*sockets, error) {
	s := &sockets{
		shell:     &socket{Socket: zmq4.NewRouter(ctx, quiet)},
		control:   &socket{Socket: zmq4.NewRouter(ctx, quiet)},
		stdin:     &socket{Socket: zmq4.NewRouter(ctx, quiet)},
		iopub:     &socket{Socket: zmq4.NewPub(ctx, quiet)},
		heartbeat: &socket{Socket: zmq4.NewRep(ctx, quiet)},
	}
	return s, c.open(s, zmq4.Socket.Listen)
}

// dial connects to the kernel behind, waiting until it has opened its sockets or
// ctx ends. One name on all of them lets it ask for input who sent it a request.
func (c connection) dial(ctx context.Context) (*sockets, error) {
	options := []zmq4.Option{
		quiet, zmq4.WithID(zmq4.SocketIdentity("front")),
		zmq4.WithDialerRetry(2 * time.Millisecond), zmq4.WithDialerMaxRetries(-1),
	}
	s := &sockets{
		shell:   &socket{Socket: zmq4.NewDealer(ctx, options...)},
		control: &socket{Socket: zmq4.NewDealer(ctx, options...)},
		stdin:   &socket{Socket: zmq4.NewDealer(ctx, options...)},
		iopub:   &socket{Socket: zmq4.NewSub(ctx, options...)},
	}
	if err := s.iopub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		return nil, fmt.Errorf("connecting to the kernel: %w", err)
	}
	return s, c.open(s, zmq4.Socket.Dial)
}

// open binds or dials the sockets that are there, first the one by which the kernel publishes.
func (c connection) open(s *sockets, how func(zmq4.Socket, string) error) error {
	for _, o := range []struct {
		*socket
		port int
	}{{s.iopub, c.IOPub}, {s.shell, c.Shell}, {s.control, c.Control}, {s.stdin, c.Stdin}, {s.heartbeat, c.Heartbeat}} {
		if o.socket == nil {
			continue
		}
		if err := how(o.Socket, c.address(o.port)); err != nil {
			return fmt.Errorf("opening a socket of the connection file: %w", err)
		}
	}
	return nil
}
