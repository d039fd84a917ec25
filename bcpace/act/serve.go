package act

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// Request is a line that Serve reads.
type Request struct {
	Ask    string   `json:"ask,omitempty"`   // "hello"
	State  []Value  `json:"state,omitempty"` // where an episode begins
	Action *Value   `json:"action,omitempty"`
	Reward *float64 `json:"reward,omitempty"`
	Next   []Value  `json:"next,omitempty"`
}

// Hello says what requests hold, as the answer to {"ask": "hello"}.
type Hello struct {
	Takes   string      `json:"takes"` // "states" of a model, or "observations" of a POMDP, whose belief over what is hidden is kept here
	State   []SeenEntry `json:"state"` // what the list of a first state holds, in this order
	Next    []SeenEntry `json:"next"`  // and that of what follows an action
	Actions []string    `json:"actions"`
	Latents []string    `json:"latents"` // those that a belief is over, in its order
}

// SeenEntry is an entry of such a list: a number, or one of the values, where it has values. These stand for the whole numbers from Min on.
type SeenEntry struct {
	Name   string   `json:"name"`
	Values []string `json:"values,omitempty"`
	Min    *float64 `json:"min,omitempty"` // where there is one
	Max    *float64 `json:"max,omitempty"`
}

func seen(name string, values []string, low, high float64) SeenEntry {
	s := SeenEntry{Name: name, Values: values}
	if !math.IsInf(low, 0) {
		s.Min = &low
	}
	if !math.IsInf(high, 0) {
		s.Max = &high
	}
	return s
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

// String writes a value as an error shows it.
func (v Value) String() string {
	if v.Text != "" {
		return strconv.Quote(v.Text)
	}
	return fmt.Sprint(v.Number)
}

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
		var answer any
		if long {
			err = bcpace.In("request").Bad("the line", "too long", fmt.Sprintf("one of up to %d bytes", longest))
		} else {
			answer, err = a.answerTo(ctx, line)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			answer = map[string]string{"error": err.Error()}
		}
		if err := w.Encode(answer); err != nil {
			return fmt.Errorf("writing an answer: %w", err)
		}
	}
	return ctx.Err()
}

// answerTo answers a line with a Choice or with a Hello.
func (a *Agent) answerTo(ctx context.Context, line []byte) (any, error) {
	var r Request
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(&r)
	if err == nil && d.More() {
		err = errors.New("there is more on the line")
	}
	if err == nil {
		err = numtext.Keys(line, true)
	}
	if err != nil {
		return nil, fmt.Errorf("a request is a line such as {\"state\": [0]} or {\"reward\": 0, \"next\": [0]}: %w", err)
	}
	bad := bcpace.In("request").Bad
	switch {
	case r.Ask != "" && (r.Ask != "hello" || r.State != nil || r.Next != nil || r.Reward != nil || r.Action != nil):
		return nil, bad("ask", string(line), `"hello", and nothing beside it`)
	case r.Ask != "":
		return a.hello, nil
	case r.State != nil && (r.Next != nil || r.Reward != nil || r.Action != nil):
		return nil, bad("state", "beside next, reward or action", "one or the other")
	case r.State != nil:
		s, err := numbers("state", r.State, a.hello.State)
		if err != nil {
			return nil, err
		}
		return a.Begin(ctx, s)
	case r.Next == nil || r.Reward == nil:
		return nil, bad("the request", string(line), "a state, or a reward and the next state")
	}
	next, err := numbers("next", r.Next, a.hello.Next)
	if err != nil {
		return nil, err
	}
	action, err := a.action(r.Action)
	if err != nil {
		return nil, err
	}
	return a.Observe(ctx, action, *r.Reward, next)
}

// numbers returns the numbers that values of a list stand for.
func numbers(what string, values []Value, of []SeenEntry) ([]float64, error) {
	s := make([]float64, len(values))
	for i, v := range values {
		if s[i] = v.Number; v.Text == "" {
			continue
		}
		if i >= len(of) {
			break
		}
		k := slices.Index(of[i].Values, v.Text)
		if k < 0 {
			return nil, bcpace.In("request").Bad(fmt.Sprintf("%s[%d]", what, i), v, fmt.Sprintf("a number or a label of axis %q: %q", of[i].Name, of[i].Values))
		}
		if s[i] = float64(k); of[i].Min != nil {
			s[i] += *of[i].Min
		}
	}
	return s, nil
}

// action returns the id of an action, that of the last answer for nil.
func (a *Agent) action(v *Value) (int, error) {
	if v == nil {
		return a.last, nil
	}
	id := int(v.Number)
	if v.Text != "" {
		id = a.own.ActionIndex(v.Text)
	} else if float64(id) != v.Number {
		id = -1
	}
	if !a.own.IsAction(id) || id >= len(a.own.Actions) {
		var names []string
		for i := range a.own.Actions {
			if a.own.IsAction(i) {
				names = append(names, a.own.Actions[i].Name)
			}
		}
		want := fmt.Sprintf("the name or the number of one of %q", names)
		if len(names) < len(a.own.Actions) {
			want += ", which are the actions without controls, or none for the last answer"
		}
		return 0, bcpace.In("request").Bad("action", v, want)
	}
	return id, nil
}
