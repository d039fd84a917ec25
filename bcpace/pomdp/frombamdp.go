package pomdp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solverkit"
)

// FromBAMDP writes a BAMDP whose states are numbered as a POMDP: x is the
// state, y the latent, and there is a single observation, as the agent of a
// BAMDP sees the state and nothing else. Transitions are
//
//	P(s',φ'|s,φ,a) = P(s'|s,φ,a) · P(φ'|φ,s,a)
//
// with the latent's own dynamics as in bcpace.LatentDynamics, and the start is
// P0(φ)·P0(s|φ). Values and optimal policies are those of m.
//
// Where an episode can end, or nothing follows a state under some latent, there
// is one more x, the last one, called EndName: it leads to itself and pays
// nothing. Where the model has a horizon of its own that its states do not keep,
// the states of bcpace.FiniteHorizon stand for them.
//
// Names are those of m, with '-' for a space and '_' for what else the files of
// package pomdpfile cannot hold.
//
// The error is the context's, that of bcpace.Validate, or a
// *bcpace.ConformanceError for Starts, Successors or LatentTransitions that are
// no distribution, or a *bcpace.UnsupportedError where the tables would take more than 2 GB.
func FromBAMDP(ctx context.Context, m bcpace.Finite) (*Model, error) {
	p, err := fromBAMDP(ctx, m)
	if err != nil {
		return nil, err
	}
	if h := m.Spec().Horizon; h > 0 && !p.keepsHorizon() {
		limited, err := bcpace.FiniteHorizon(m, h)
		if err != nil {
			return nil, err
		}
		return fromBAMDP(ctx, limited)
	}
	return p, nil
}

// maxTables bounds the memory of what FromBAMDP makes, in bytes.
const maxTables = 2e9

// fits returns an *UnsupportedError where the tables of so many states, with so many
// entries so far, would take more than is allowed.
func fits(spec bcpace.Spec, states, entries int) error {
	const perState, perEntry, name = 8 + 8, 8 + 4, 64 // a row and its reward; a place and its probability
	nodes := float64(states) * float64(len(spec.Latents))
	bytes := nodes*(perState*float64(len(spec.Actions))+40) + name*float64(states) + perEntry*float64(entries)
	if bytes <= maxTables {
		return nil
	}
	return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "FromBAMDP",
		Need: fmt.Sprintf("tables of %.3g GB at most, and %d states × %d actions × %d latents take %.3g GB or more; merge states or latents that are alike, or take Bayes-CPACE with BoundConstant, which does without these tables",
			maxTables/1e9, states, len(spec.Actions), len(spec.Latents), bytes/1e9)}
}

// EndName is the name of the state that FromBAMDP adds for the end of an episode.
const EndName = "end"

func fromBAMDP(ctx context.Context, m bcpace.Finite) (*Model, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	states, latents := m.NumStates(), len(spec.Latents)
	if err := cmp.Or(
		bcpace.In("model "+strconv.Quote(spec.Name)).Need(states < math.MaxInt32/latents, "the number of states × latents", fmt.Sprintf("%d × %d", states, latents), fmt.Sprintf("below %d", math.MaxInt32)),
		fits(spec, states, 0)); err != nil {
		return nil, err
	}
	c := converter{model: m, spec: spec, lister: bcpace.NewLister(m), end: states, s: make([]float64, len(spec.Axes)), acc: make([]float64, (states+1)*latents),
		idle: make([]bool, states*latents)}
	p := &Model{Name: spec.Name, Discount: spec.Discount, Horizon: spec.Horizon, Observations: []string{"none"},
		Hidden: []Variable{{Name: "latent", Values: identifiers(spec.Latents...)}}}
	for _, a := range spec.Actions {
		p.Actions = append(p.Actions, a.Name)
	}
	p.Actions = identifiers(p.Actions...)
	if err := c.start(p); err != nil {
		return nil, err
	}
	for a := range p.Actions {
		if err := c.list(ctx, p, a); err != nil {
			return nil, err
		}
	}
	p.Visible = []Variable{c.names()}
	c.finish(p)
	if err := c.closed(ctx, p); err != nil {
		return nil, err
	}
	return p, nil
}

// converter holds the scratch space of fromBAMDP.
type converter struct {
	model  bcpace.Finite
	spec   bcpace.Spec
	lister *bcpace.Lister
	end    int  // number of the end state
	ends   bool // the end state is in use

	entries int // of the tables of the actions so far

	at   int    // the state that is listed
	idle []bool // by state (x, y): nothing follows it under some action
	s    []float64
	next []int     // by successor: its x
	acc  []float64 // by state (x, y): probability so far of the row being filled
	used []int32   // entries of acc in use
}

// start fills the initial belief.
func (c *converter) start(p *Model) error {
	latents := len(c.spec.Latents)
	prior := make(bcpace.Belief, latents)
	c.model.Prior(prior)
	var z bcpace.Successors
	if err := z.ListStarts(c.model); err != nil {
		return err
	}
	for i := range z.Len() {
		s, prob, _ := z.Row(i)
		x := c.model.StateIndex(s)
		if x < 0 {
			return c.spec.Fault(nil, -1, -1, "Starts lists %v, which is no state of the model", s)
		}
		for y, b := range prior {
			c.add(x*latents+y, b*prob[y])
		}
	}
	total := c.flush(func(at int32, v float64) { p.Start = append(p.Start, Entry{At: at, Value: v}) })
	if math.Abs(total-1) > SumTolerance {
		return c.spec.Fault(nil, -1, -1, "the probabilities of Starts sum to %v, want 1", total)
	}
	return nil
}

// list appends the transitions and rewards of an action, without the rows of
// the end state.
func (c *converter) list(ctx context.Context, p *Model, action int) error {
	latents := len(c.spec.Latents)
	move, reward := &Matrix{Row: make([]int, 1, (c.end+1)*latents+1)}, make([]float64, 0, (c.end+1)*latents)
	for x := range c.end {
		if x%256 == 255 { // a small model takes no time
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := fits(c.spec, c.end, c.entries+len(move.Col)); err != nil {
				return err
			}
			solverkit.ReportPhase(ctx, "transitions", (float64(action)+float64(x)/float64(c.end))/float64(len(c.spec.Actions)))
		}
		c.at = x
		c.model.StateAt(c.s, x)
		if err := c.follow(action); err != nil {
			return err
		}
		for y := range latents {
			c.row(y)
			c.flush(func(at int32, v float64) { move.Col, move.Value = append(move.Col, at), append(move.Value, v) })
			move.Row = append(move.Row, len(move.Col))
		}
		reward = append(reward, c.lister.Reward...)
	}
	c.entries += len(move.Col)
	p.Move, p.Reward = append(p.Move, move), append(p.Reward, reward)
	return nil
}

// follow lists what follows c.s.
func (c *converter) follow(action int) error {
	if err := c.lister.List(c.s, action); err != nil {
		return err
	}
	c.next = c.next[:0]
	for i, done := range c.lister.Successors.Done {
		x, err := c.lister.Number(i)
		if err != nil {
			return err
		}
		if done {
			x = c.end
		}
		c.next = append(c.next, x)
	}
	return nil
}

// row adds what follows c.s under latent y to acc.
func (c *converter) row(y int) {
	latents := len(c.spec.Latents)
	if !c.lister.Follows(y) {
		// Nothing follows a state that has ended or cannot occur under y.
		c.ends = true
		c.add(c.end*latents+y, 1)
		c.idle[c.at*latents+y] = true
		return
	}
	moves, share, moved := c.lister.Moves(y)
	for i, x := range c.next {
		p := c.lister.Successors.Prob[i*latents+y]
		c.ends = c.ends || x == c.end && p > 0
		if !moved {
			c.add(x*latents+y, p)
			continue
		}
		for k, to := range moves {
			c.add(x*latents+int(to), p*share[k])
		}
	}
}

// closed returns a *bcpace.ConformanceError where an episode begins or continues in a
// state from which nothing follows.
func (c *converter) closed(ctx context.Context, p *Model) error {
	if !slices.Contains(c.idle, true) {
		return nil
	}
	reached, err := p.reachable(ctx)
	if err != nil {
		return err
	}
	for at, idle := range c.idle {
		if idle && reached[at] {
			latents := len(c.spec.Latents)
			c.model.StateAt(c.s, at/latents)
			return c.spec.Fault(c.s, -1, at%latents, "Successors lists nothing for some action, and an episode may be there: want successors whose probabilities sum to 1, or an end (Done) where the state is reached")
		}
	}
	return nil
}

// finish adds the end state, where it is in use, and the observation.
func (c *converter) finish(p *Model) {
	latents := len(c.spec.Latents)
	for a := range p.Actions {
		if c.ends {
			move := p.Move[a]
			for y := range latents {
				move.Col, move.Value = append(move.Col, int32(c.end*latents+y)), append(move.Value, 1)
				move.Row, p.Reward[a] = append(move.Row, len(move.Col)), append(p.Reward[a], 0)
			}
		}
	}
	n := p.NumStates()
	blind := &Matrix{Row: make([]int, n+1), Col: make([]int32, n), Value: make([]float64, n)}
	for s := range n {
		blind.Row[s+1], blind.Value[s] = s+1, 1
	}
	for range p.Actions {
		p.Sense = append(p.Sense, blind)
	}
}

// names returns the visible variable: a value for each state, named by the
// labels or the names and numbers on its axes.
func (c *converter) names() Variable {
	v := Variable{Name: "state", Values: make([]string, c.end, c.end+1)}
	if len(c.spec.Axes) == 1 && c.spec.Axes[0].Name != "latent" {
		v.Name = identifiers(c.spec.Axes[0].Name)[0]
	}
	for x := range c.end {
		c.model.StateAt(c.s, x)
		parts := make([]string, len(c.s))
		for i, a := range c.spec.Axes {
			if k := int(c.s[i] - a.Min); a.Labels != nil && k >= 0 && k < len(a.Labels) {
				parts[i] = a.Labels[k]
			} else {
				parts[i] = a.Name + numtext.Exact(c.s[i])
			}
		}
		v.Values[x] = strings.Join(parts, "-")
	}
	v.Values = identifiers(v.Values...)
	if c.ends {
		end := EndName
		for slices.Contains(v.Values, end) {
			end += "_"
		}
		v.Values = append(v.Values, end)
	}
	return v
}

// identifiers returns names that model files can hold: a letter first, then
// letters, digits, '_' and '-'. Where that makes two of them the same, all stay
// as they are.
func identifiers(names ...string) []string {
	list, seen := make([]string, len(names)), make(map[string]bool, len(names))
	for i, name := range names {
		list[i] = strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-':
				return r
			case r == ' ':
				return '-'
			}
			return '_'
		}, name)
		if first := list[i] + "_"; !(first[0] >= 'a' && first[0] <= 'z' || first[0] >= 'A' && first[0] <= 'Z') {
			list[i] = "s" + list[i]
		}
		if seen[list[i]] {
			return names
		}
		seen[list[i]] = true
	}
	return list
}

// add adds p to entry s of acc.
func (c *converter) add(s int, p float64) {
	if p > 0 {
		if c.acc[s] == 0 {
			c.used = append(c.used, int32(s))
		}
		c.acc[s] += p
	}
}

// flush gives the entries of acc in ascending order, empties it and returns
// their sum.
func (c *converter) flush(put func(at int32, value float64)) float64 {
	slices.Sort(c.used)
	total := 0.0
	for _, s := range c.used {
		put(s, c.acc[s])
		total += c.acc[s]
		c.acc[s] = 0
	}
	c.used = c.used[:0]
	return total
}
