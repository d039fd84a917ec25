//go:build unix

package front

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
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

// delimiter stands between the routing of a message and the message.
var delimiter = []byte("<IDS|MSG>")

// protocol is the version of Jupyter's protocol that the front's own messages follow.
const protocol = "5.4"

var errSignature = errors.New("a message whose signature is not made with the connection's key")

// parse reads the frames of a message. A key that is not empty must have signed it.
func parse(frames [][]byte, key []byte) (*message, error) {
	at := 0
	for at < len(frames) && !bytes.Equal(frames[at], delimiter) {
		at++
	}
	if len(frames) < at+6 {
		return nil, fmt.Errorf("a message of %d frames, %d of them after the delimiter %s; want a signature and four parts there", len(frames), max(0, len(frames)-at-1), delimiter)
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
	out := make([][]byte, 0, len(m.routing)+6+len(m.buffers))
	out = append(out, m.routing...)
	out = append(out, delimiter, signature)
	out = append(out, parts...)
	return append(out, m.buffers...)
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
