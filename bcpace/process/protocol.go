package process

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// Version is the version of the protocol, which the answer to hello must name.
const Version = 1

// kind is what a request asks for.
type kind int

const (
	hello kind = iota
	start
	startLikelihood
	step
	likelihood
	itself // what the program finds when it checks itself
	kinds  // how many there are

	none = kinds // of a process that is asked nothing
)

// String returns the word of the protocol.
func (k kind) String() string {
	return [kinds]string{"hello", "start", "start_likelihood", "step", "likelihood", "check"}[k]
}

// call is one thing asked for, and the answer to it.
type call struct {
	kind    kind
	state   []float64 // of all but start
	latent  int       // of start and step
	action  int       // its index, of step and likelihood
	control []float64 // of an action with a Box
	seed    uint64    // of start and step, below 2^53
	next    []float64 // given to likelihood; filled by start and step
	reward  float64   // filled by step
	ends    bool      // filled by step
	log     []float64 // filled by likelihood and startLikelihood: an entry for each latent
	notes   []string  // filled by itself
	err     error
	done    chan struct{} // receives a value when the answer is there
}

// number is a number that must be there: JSON's null, which languages write for one that is none, is an error.
type number float64

var errNull = errors.New("null stands where a number must be (some languages write null, and some NaN, for what is not a number)")

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return errNull
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return fmt.Errorf("%.40s stands where a number must be", text)
	}
	*n = number(v)
	return nil
}

// logNumber is the logarithm of a likelihood: a number, or null for −∞.
type logNumber float64

// UnmarshalJSON implements json.Unmarshaler.
func (l *logNumber) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*l = logNumber(math.Inf(-1))
		return nil
	}
	return (*number)(l).UnmarshalJSON(text)
}

// reply is an answer of the simulator.
type reply struct {
	ID       *int64        `json:"id"`
	Error    *string       `json:"error"`
	Protocol *int          `json:"protocol"` // of hello
	Model    *description  `json:"model"`    // of hello
	States   [][]number    `json:"states"`   // of start
	Next     [][]number    `json:"next"`     // of step
	Reward   []number      `json:"reward"`   // of step
	Done     []*bool       `json:"done"`     // of step
	Log      [][]logNumber `json:"log"`      // of likelihood and start_likelihood
	Notes    []string      `json:"notes"`    // of check
}

// appendRequest appends the line that asks for all of the calls, which are of kind k.
func appendRequest(line []byte, id int64, k kind, calls []*call, boxes bool) []byte {
	line = strconv.AppendInt(append(line, `{"id":`...), id, 10)
	line = append(append(append(line, `,"ask":"`...), k.String()...), '"')
	if k == hello {
		line = strconv.AppendInt(append(line, `,"protocol":`...), Version, 10)
	}
	vector := func(x []float64) {
		line = append(line, '[')
		for i, v := range x {
			if i > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, v, 'g', -1, 64)
		}
		line = append(line, ']')
	}
	draws, acts := k == start || k == step, k == step || k == likelihood // neither hello nor itself asks for a list
	for _, list := range []struct {
		key   string
		asked bool
		each  func(c *call)
	}{
		{"states", acts || k == startLikelihood, func(c *call) { vector(c.state) }},
		{"latents", draws, func(c *call) { line = strconv.AppendInt(line, int64(c.latent), 10) }},
		{"actions", acts, func(c *call) { line = strconv.AppendInt(line, int64(c.action), 10) }},
		{"controls", acts && boxes, func(c *call) { vector(c.control) }},
		{"next", k == likelihood, func(c *call) { vector(c.next) }},
		{"seeds", draws, func(c *call) { line = strconv.AppendUint(line, c.seed, 10) }},
	} {
		if !list.asked {
			continue
		}
		line = append(append(append(line, `,"`...), list.key...), `":`...)
		for i, c := range calls {
			line = append(line, "[,"[min(i, 1)])
			list.each(c)
		}
		line = append(line, ']')
	}
	return append(line, "}\n"...)
}

// parseReply reads a line, which must answer the request of that id. A reply with an Error is one.
func parseReply(line []byte, id int64) (*reply, error) {
	var r reply
	if err := strict(line, &r); err != nil {
		hint := "standard output is for answers alone, each a line with an object of JSON, so print anything else to standard error"
		if bytes.HasPrefix(line, []byte("{")) {
			hint = "an answer has the keys that bcpace/process/README.md lists, and JSON has no NaN or infinity"
		}
		return nil, fmt.Errorf("it wrote %s, which is no answer: %w; %s", quoted(line), err, hint)
	}
	switch {
	case r.ID == nil:
		return nil, fmt.Errorf("it wrote %s, an answer without id, want \"id\":%d", quoted(line), id)
	case *r.ID != id:
		return nil, fmt.Errorf("it wrote an answer with id %d, want %d: one line for each request, in their order", *r.ID, id)
	}
	return &r, nil
}

// quoted returns the beginning of a line.
func quoted(line []byte) string {
	const most = 80
	line = bytes.TrimSpace(line)
	if len(line) > most {
		return strconv.Quote(string(line[:most])) + "…"
	}
	return strconv.Quote(string(line))
}

// take hands the answers in r on to the calls, for a model with so many axes and latents. The
// error is about the first answer that has not the right size.
func (r *reply) take(k kind, calls []*call, axes, latents int) error {
	n := len(calls)
	next := func(i int) []float64 { return calls[i].next }
	switch k {
	case itself:
		for _, c := range calls {
			c.notes = r.Notes
		}
		return nil
	case start:
		return rows(k, "states", r.States, n, "states", axes, "numbers in a state", next)
	case step:
		if err := errors.Join(k.size("reward", len(r.Reward), n, "numbers"), k.size("done", len(r.Done), n, "truth values")); err != nil {
			return err
		}
		for i, c := range calls {
			if r.Done[i] == nil {
				return fmt.Errorf("its answer to %s has null in \"done\", want true or false", k)
			}
			c.reward, c.ends = float64(r.Reward[i]), *r.Done[i]
		}
		return rows(k, "next", r.Next, n, "states", axes, "numbers in a state", next)
	}
	return rows(k, "log", r.Log, n, "lists", latents, "numbers in a list, one for each latent", func(i int) []float64 {
		calls[i].log = make([]float64, latents)
		return calls[i].log
	})
}

// size returns an error unless an answer has as many of something below a key as it is to have.
func (k kind) size(key string, got, want int, of string) error {
	if got != want {
		return fmt.Errorf("its answer to %s has %d %s in %q, want %d", k, got, of, key, want)
	}
	return nil
}

// rows copies what an answer has below a key, n rows of so many numbers, each to the slice that is to have it.
func rows[T ~float64](k kind, key string, list [][]T, n int, of string, width int, ofRow string, to func(i int) []float64) error {
	if err := k.size(key, len(list), n, of); err != nil {
		return err
	}
	for i, row := range list {
		if err := k.size(key, len(row), width, ofRow); err != nil {
			return err
		}
		into := to(i)
		for j, v := range row {
			into[j] = float64(v)
		}
	}
	return nil
}

// description is what a simulator says of its model in its answer to hello.
type description struct {
	Name            string   `json:"name"`
	Axes            []axis   `json:"axes"`
	Actions         []action `json:"actions"`
	Latents         []string `json:"latents"`
	Prior           []number `json:"prior"` // without it, all latents are equally likely
	Discount        float64  `json:"discount"`
	RewardMin       float64  `json:"reward_min"`
	RewardMax       float64  `json:"reward_max"`
	Horizon         int      `json:"horizon"`
	Goal            bool     `json:"goal"`
	Likelihood      bool     `json:"likelihood"`       // it answers likelihood
	StartLikelihood bool     `json:"start_likelihood"` // its starts depend on the latent, and it answers start_likelihood
	Check           bool     `json:"check"`            // it answers check
}

// axis is a bcpace.Axis, by its fields in small letters.
type axis struct {
	bcpace.Axis
	Scale scale `json:"scale"`
}

// scale is a bcpace.Axis.Scale: a number, or "inf".
type scale float64

// UnmarshalJSON implements json.Unmarshaler.
func (s *scale) UnmarshalJSON(text []byte) error {
	if string(text) == `"inf"` {
		*s = scale(math.Inf(1))
		return nil
	}
	var x number
	if err := x.UnmarshalJSON(text); err != nil {
		return fmt.Errorf(`the scale of an axis is %.40s, want a number or "inf"`, text)
	}
	*s = scale(x)
	return nil
}

// action is a bcpace.Action: a name, or an object with a name and a box.
type action struct {
	Name string `json:"name"`
	Box  []axis `json:"box"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *action) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &a.Name) == nil {
		return nil
	}
	type plain action // without this method
	return strict(text, (*plain)(a))
}

// spec returns the description as a Spec, which need not be valid.
func (d *description) spec() bcpace.Spec {
	s := bcpace.Spec{Name: d.Name, Axes: axes(d.Axes), Latents: d.Latents, Discount: d.Discount,
		RewardMin: d.RewardMin, RewardMax: d.RewardMax, Horizon: d.Horizon, Goal: d.Goal}
	for _, a := range d.Actions {
		s.Actions = append(s.Actions, bcpace.Action{Name: a.Name, Box: axes(a.Box)})
	}
	return s
}

// prior returns the prior of the latents, which need not be a distribution.
func (d *description) prior() bcpace.Belief {
	if d.Prior == nil {
		return bcpace.Uniform(len(d.Latents))
	}
	b := make(bcpace.Belief, len(d.Prior))
	for i, p := range d.Prior {
		b[i] = float64(p)
	}
	return b
}

func axes(list []axis) (out []bcpace.Axis) {
	for _, a := range list {
		a.Axis.Scale = float64(a.Scale)
		out = append(out, a.Axis)
	}
	return out
}

// strict reads a single JSON value in which every key is known, and which has it once.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("there is more after the object: %.40q", rest)
	}
	return numtext.Keys(text, true)
}
