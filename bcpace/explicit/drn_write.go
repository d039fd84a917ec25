package explicit

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"bayescpace/bcpace"
)

// Write writes m as a .drn file, with the shortest decimals that read back as the same numbers. The error is that of w, or a
// *bcpace.InputError for a label that the format does not hold: one with a quotation mark or a line end, or an action with a blank or a bracket.
func (m *Model) Write(w io.Writer) error {
	in := bcpace.In("Write of model " + strconv.Quote(m.Name))
	for _, l := range m.Labels {
		if strings.ContainsAny(l.Name, "\"\n\r") {
			return in.Bad("a label", strconv.Quote(l.Name), "one without quotation marks and line ends")
		}
	}
	for _, a := range m.Actions {
		if a == "" || strings.ContainsAny(a, " \t\n\r[]") {
			return in.Bad("an action", strconv.Quote(a), "a name without blanks and brackets")
		}
	}
	p := drnWriter{Writer: bufio.NewWriter(w), m: m}
	p.write()
	return p.Flush()
}

// drnWriter writes a .drn file. A bufio.Writer keeps its error until Flush.
type drnWriter struct {
	*bufio.Writer
	m      *Model
	digits []byte
}

func (p *drnWriter) text(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

func (p *drnWriter) number(v float64) {
	p.digits = strconv.AppendFloat(p.digits[:0], v, 'g', -1, 64)
	p.Write(p.digits)
}

func (p *drnWriter) whole(n int) { p.text(strconv.Itoa(n)) }

// kind is the type of m, as a file says it.
func (m *Model) kind() string {
	switch {
	case m.Observation != nil:
		return "POMDP"
	case len(m.Action) > m.States():
		return "MDP"
	}
	return "DTMC"
}

func (p *drnWriter) write() {
	m := p.m
	p.text("@type: ", m.kind(), "\n@value_type: double\n@parameters\n\n@reward_models\n")
	for _, r := range m.Rewards {
		p.text(r.Name, " ")
	}
	p.text("\n@nr_states\n")
	p.whole(m.States())
	p.text("\n@nr_choices\n")
	p.whole(len(m.Action))
	p.text("\n@model\n")
	for s := range m.States() {
		p.state(s)
	}
}

func (p *drnWriter) state(s int) {
	m := p.m
	p.text("state ")
	p.whole(s)
	if m.Observation != nil {
		p.text(" {")
		p.whole(int(m.Observation[s]))
		p.text("}")
	}
	p.rewards(func(r *Reward) []float64 { return r.State }, s)
	if s == m.Initial {
		p.text(" init")
	}
	for _, l := range m.Labels {
		if l.States[s] {
			quote := ""
			if strings.Contains(l.Name, " ") {
				quote = `"`
			}
			p.text(" ", quote, l.Name, quote)
		}
	}
	for c := m.Choice[s]; c < m.Choice[s+1]; c++ {
		p.text("\n\taction ", m.Actions[m.Action[c]])
		p.rewards(func(r *Reward) []float64 { return r.Choice }, c)
		for i := m.Branch[c]; i < m.Branch[c+1]; i++ {
			p.text("\n\t\t")
			p.whole(int(m.Target[i]))
			p.text(" : ")
			p.number(m.Probability[i])
		}
	}
	p.text("\n")
}

// rewards writes what all reward models pay for a state or a choice.
func (p *drnWriter) rewards(list func(*Reward) []float64, at int) {
	if len(p.m.Rewards) == 0 {
		return
	}
	p.text(" [")
	for i := range p.m.Rewards {
		if i > 0 {
			p.text(", ")
		}
		if v := list(&p.m.Rewards[i]); v == nil {
			p.text("0")
		} else {
			p.number(v[at])
		}
	}
	p.text("]")
}
