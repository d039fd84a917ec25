package explicit

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// Bytes of what a reader holds, with room for lists to grow.
const (
	bytesPerState  = 2 * (8 + 4)
	bytesPerChoice = 2 * (8 + 4)
	bytesPerBranch = 2 * (4 + 8)
	bytesPerName   = 2*16 + 64
)

// body reads the states.
func (d *drnReader) body() {
	m := d.m
	for line, ok := d.next(); ok; line, ok = d.next() {
		switch word, rest, _ := bytes.Cut(line, []byte(" ")); string(word) {
		case "state":
			d.close()
			d.state(bytes.TrimSpace(rest))
		case "action":
			if len(m.Choice) == 0 {
				d.want("an action", "a state before it")
			}
			d.closeChoice()
			d.take(bytesPerChoice)
			m.Branch = append(m.Branch, len(m.Target))
			d.choose(bytes.TrimSpace(rest))
		default:
			d.branch(line)
		}
	}
	d.close()
	m.Choice, m.Branch = append(m.Choice, len(m.Action)), append(m.Branch, len(m.Target))
}

// state begins a state: "0 {5} [0, 1] init goal".
func (d *drnReader) state(text []byte) {
	m := d.m
	s := len(m.Choice)
	number, rest, _ := bytes.Cut(text, []byte(" "))
	if string(number) != strconv.Itoa(s) {
		d.want("state "+shown(number), fmt.Sprintf("state %d: all from 0 up, in their order", s))
	}
	if s == d.states {
		d.want(fmt.Sprintf("state %d", s), fmt.Sprintf("%d states, as @nr_states says", d.states))
	}
	d.take(bytesPerState)
	m.Choice = append(m.Choice, len(m.Action))
	rest = bytes.TrimSpace(rest)
	if d.kind == "POMDP" {
		rest = d.observation(s, rest)
	}
	if bytes.HasPrefix(rest, []byte("[")) {
		values, labels, closed := bytes.Cut(rest[1:], []byte("]"))
		if !closed {
			d.want(shown(rest), "] behind the rewards of the state")
		}
		d.paid(values, s+1, func(r *Reward) *[]float64 { return &r.State })
		rest = bytes.TrimSpace(labels)
	}
	for len(rest) > 0 {
		var name string
		if name, rest = d.word(rest); name == "init" {
			if m.Initial >= 0 {
				d.want(fmt.Sprintf("state %d as a second initial state", s), fmt.Sprintf("the one that there is, state %d", m.Initial))
			}
			m.Initial = s
		} else {
			d.mark(name, s)
		}
	}
}

// observation reads what is seen in state s, "{5}", and returns what is behind it.
func (d *drnReader) observation(s int, text []byte) []byte {
	seen, rest, closed := bytes.Cut(text, []byte("}"))
	n, err := strconv.ParseUint(strings.TrimPrefix(string(seen), "{"), 10, 31)
	if !closed || err != nil || seen[0] != '{' {
		d.want(shown(text), fmt.Sprintf("the observation of state %d, a number from 0 as in {0}", s))
	}
	d.m.Observation = append(d.m.Observation, int32(n))
	return bytes.TrimSpace(rest)
}

// word returns the first word of a text, which is in quotation marks where it has a blank, and the rest.
func (d *drnReader) word(text []byte) (string, []byte) {
	ends := " "
	if text[0] == '"' {
		text, ends = text[1:], `"`
	}
	word, rest, closed := bytes.Cut(text, []byte(ends))
	if ends == `"` && !closed {
		d.want(shown(text), "a quotation mark behind the label")
	}
	return string(word), bytes.TrimSpace(rest)
}

// mark gives state s a label.
func (d *drnReader) mark(name string, s int) {
	i, ok := d.label[name]
	if !ok {
		i = len(d.m.Labels)
		d.label[name] = i
		d.take(len(name) + bytesPerName)
		d.m.Labels = append(d.m.Labels, Label{Name: name})
	}
	l := &d.m.Labels[i]
	if n := len(l.States); n > s {
		return
	}
	d.take(2 * (s + 1 - len(l.States)))
	l.States = append(append(l.States, make([]bool, s-len(l.States))...), true)
}

// choose begins a choice: "north [0, 1]".
func (d *drnReader) choose(text []byte) {
	m := d.m
	name, values, paid := bracketed(text)
	a, ok := d.action[string(name)]
	if !ok {
		a = int32(len(m.Actions))
		d.take(len(name) + bytesPerName)
		m.Actions = append(m.Actions, string(name))
		d.action[m.Actions[a]] = a
	}
	m.Action = append(m.Action, a)
	if paid {
		d.paid(values, len(m.Action), func(r *Reward) *[]float64 { return &r.Choice })
	}
}

// branch reads what may follow a choice: "3 : 0.5".
func (d *drnReader) branch(line []byte) {
	m := d.m
	to, share, ok := bytes.Cut(line, []byte(" : "))
	n, err := strconv.ParseUint(string(bytes.TrimSpace(to)), 10, 31)
	switch {
	case !ok || err != nil:
		d.want(shown(line), "state N, action NAME, or what follows an action with its probability, as in 3 : 0.5")
	case len(m.Action) == 0 || len(m.Choice) > 0 && m.Choice[len(m.Choice)-1] == len(m.Action):
		d.want(shown(line), "an action before what follows it")
	case d.states >= 0 && int(n) >= d.states:
		d.want("state "+strconv.FormatUint(n, 10), fmt.Sprintf("one of the %d that @nr_states says", d.states))
	}
	p := d.number(bytes.TrimSpace(share))
	if p < 0 {
		d.want("the probability "+shown(share), "0 or more")
	}
	d.take(bytesPerBranch)
	m.Target, m.Probability = append(m.Target, int32(n)), append(m.Probability, p)
}

// close ends the state that was read, if there is one.
func (d *drnReader) close() {
	m := d.m
	if s := len(m.Choice) - 1; s >= 0 {
		if m.Choice[s] == len(m.Action) {
			d.want(fmt.Sprintf("the end of state %d", s), "an action of it")
		}
		d.closeChoice()
	}
}

// closeChoice ends the choice that was read, if there is one in this state: its branches are put in order, those to one state become one.
func (d *drnReader) closeChoice() {
	m := d.m
	c := len(m.Action) - 1
	if c < m.Choice[len(m.Choice)-1] {
		return
	}
	from := m.Branch[c]
	n, total := settle(&d.order, m.Target[from:], m.Probability[from:])
	if math.Abs(total-1) > pomdpfile.Tolerance {
		d.want(fmt.Sprintf("probabilities of action %q of state %d that add up to %v", m.Actions[m.Action[c]], len(m.Choice)-1, total), "1")
	}
	m.Target, m.Probability = m.Target[:from+n], m.Probability[:from+n]
}

// settle puts the branches of a choice in order, makes one of those to one state, leaves out those of probability 0, and divides by the
// sum of all, where it is further from one than quotients leave it. It returns how many there are then, and the sum. Order is room to work in.
func settle(order *[]pomdp.Entry, target []int32, probability []float64) (n int, total float64) {
	*order = (*order)[:0]
	for i, p := range probability {
		if total += p; p > 0 {
			*order = append(*order, pomdp.Entry{At: target[i], Value: p})
		}
	}
	scale := total
	if math.Abs(total-1) <= 0x1p-52*float64(len(probability)) {
		scale = 1
	}
	slices.SortFunc(*order, func(a, b pomdp.Entry) int { return cmp.Compare(a.At, b.At) })
	for i, e := range *order {
		if i > 0 && e.At == (*order)[i-1].At {
			probability[n-1] += e.Value / scale
			continue
		}
		target[n], probability[n] = e.At, e.Value/scale
		n++
	}
	return n, total
}

// finish looks at the whole, and gives each list its full length.
func (d *drnReader) finish() {
	m := d.m
	n := m.States()
	switch {
	case n == 0:
		d.want("no state", "states behind @model")
	case d.states >= 0 && n != d.states:
		d.want(fmt.Sprintf("%d states", n), fmt.Sprintf("%d, as @nr_states says", d.states))
	case d.choices >= 0 && len(m.Action) != d.choices:
		d.want(fmt.Sprintf("%d actions of states", len(m.Action)), fmt.Sprintf("%d, as @nr_choices says", d.choices))
	case m.Initial < 0:
		d.want("no initial state", "the label init at one state")
	case d.kind == "DTMC" && len(m.Action) != n:
		d.want("a state with several actions", "one for each state of a chain (@type: DTMC)")
	}
	for _, to := range m.Target {
		if int(to) >= n {
			d.want(fmt.Sprintf("a transition to state %d", to), fmt.Sprintf("states from 0 to %d", n-1))
		}
	}
	for i := range m.Labels {
		l := &m.Labels[i]
		d.take(n - len(l.States))
		l.States = append(l.States, make([]bool, n-len(l.States))...)
	}
	for i := range m.Rewards {
		r := &m.Rewards[i]
		r.State, r.Choice = d.whole(r.State, n), d.whole(r.Choice, len(m.Action))
	}
}

// whole is a list of rewards with zeros up to the end, nil where there is nothing else.
func (d *drnReader) whole(list []float64, n int) []float64 {
	if list == nil {
		return nil
	}
	d.take(8 * (n - len(list)))
	return append(list, make([]float64, n-len(list))...)
}
