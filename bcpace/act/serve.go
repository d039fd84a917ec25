package act

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"bayescpace/bcpace"
)

// Request is a line that Serve reads.
type Request struct {
	State  []Value  `json:"state,omitempty"` // where an episode begins
	Action *Value   `json:"action,omitempty"`
	Reward *float64 `json:"reward,omitempty"`
	Next   []Value  `json:"next,omitempty"`
}

// Value is a number, or a label or name that stands for one.
type Value struct {
	Number float64
	Text   string
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Value) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte{'"'}) {
		return json.Unmarshal(text, &v.Text)
	}
	if bytes.Equal(text, []byte("null")) {
		return errors.New("a value is null, want a number or a label")
	}
	return json.Unmarshal(text, &v.Number)
}

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.Text != "" {
		return json.Marshal(v.Text)
	}
	return json.Marshal(v.Number)
}

// longest is the size of the longest line that is read.
const longest = 1 << 20

// Serve answers requests from in, one a line, on out, until in ends or ctx does. The error is that of ctx, of in or of out.
func (a *Agent) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, longest)
	w := json.NewEncoder(out)
	for ctx.Err() == nil {
		line, more, err := lines.ReadLine()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		long := more
		for more && err == nil { // the rest of a line that is too long
			_, more, err = lines.ReadLine()
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var c Choice
		if long {
			err = bcpace.In("request").Bad("the line", "too long", fmt.Sprintf("one of up to %d bytes", longest))
		} else {
			c, err = a.answer(ctx, line)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var answer any = c
		if err != nil {
			answer = struct {
				Error string `json:"error"`
			}{err.Error()}
		}
		if err := w.Encode(answer); err != nil {
			return fmt.Errorf("writing an answer: %w", err)
		}
	}
	return ctx.Err()
}

// answer answers a line.
func (a *Agent) answer(ctx context.Context, line []byte) (Choice, error) {
	var r Request
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(&r)
	if err == nil && d.More() {
		err = errors.New("there is more on the line")
	}
	if err != nil {
		return Choice{}, fmt.Errorf("a request is a line such as {\"state\": [0]} or {\"reward\": 0, \"next\": [0]}: %w", err)
	}
	bad := bcpace.In("request").Bad
	switch {
	case r.State != nil && (r.Next != nil || r.Reward != nil || r.Action != nil):
		return Choice{}, bad("state", "beside next, reward or action", "one or the other")
	case r.State != nil:
		s, err := a.numbers("state", r.State)
		if err != nil {
			return Choice{}, err
		}
		return a.Begin(ctx, s)
	case r.Next == nil || r.Reward == nil:
		return Choice{}, bad("the request", string(line), "a state, or a reward and the next state")
	}
	next, err := a.numbers("next", r.Next)
	if err != nil {
		return Choice{}, err
	}
	action := a.last
	if r.Action != nil {
		if action, err = a.action(*r.Action); err != nil {
			return Choice{}, err
		}
	}
	return a.Observe(ctx, action, *r.Reward, next)
}

// numbers returns the state that values stand for.
func (a *Agent) numbers(what string, values []Value) ([]float64, error) {
	s := make([]float64, len(values))
	for i, v := range values {
		if s[i] = v.Number; v.Text == "" {
			continue
		}
		if i >= len(a.spec.Axes) {
			break
		}
		axis, found := a.spec.Axes[i], false
		for k, label := range axis.Labels {
			if label == v.Text {
				s[i], found = axis.Min+float64(k), true
			}
		}
		if !found {
			return nil, bcpace.In("request").Bad(fmt.Sprintf("%s[%d]", what, i), strconv.Quote(v.Text), fmt.Sprintf("a number or a label of axis %q: %q", axis.Name, axis.Labels))
		}
	}
	return s, nil
}

// action returns the id of an action.
func (a *Agent) action(v Value) (int, error) {
	id := int(v.Number)
	if v.Text != "" {
		id = a.own.ActionIndex(v.Text)
	} else if float64(id) != v.Number {
		id = -1
	}
	if !a.own.IsAction(id) || id >= len(a.own.Actions) {
		got := strconv.Quote(v.Text)
		if v.Text == "" {
			got = fmt.Sprint(v.Number)
		}
		return 0, bcpace.In("request").Bad("action", got, "the name or the number of an action without controls: "+a.own.WantAction())
	}
	return id, nil
}
