// Package games makes a long game of a model: one episode after the other.
package games

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// OneShot returns m as one long game: where an episode of m ends, another begins in the same
// latent MDP, and what was learned stays. It is the game of PAC-Bayes on an MDP (Kolter and Ng
// 2009), which Section 2.2 of the paper calls one-shot.
//
// The state has one more axis, which says that an episode of m is over; the action taken there
// earns nothing and leads to a start. The agent learns from how an episode ends: that it ends,
// and the reward of its last step, on average E[r|s,φ,a,s']. Where that reward is another one
// under another latent, as behind the doors of Tiger, the axis has a value for each such reward.
// A reward before the end must tell no more of the latent than the next state does, because a
// belief learns from states alone.
//
// Where the game ends is up to bcpace.Spec.Horizon or to whoever plays it. The error is that of
// bcpace.Validate or of a Lister, an *InputError for more than 256 such rewards or, for a model that
// bcpace.AsFinite refuses, one with a horizon, one whose latent moves, an UnknownTransitions or one
// whose reward tells more than the next state before an episode ends, an *UnsupportedError.
func OneShot(m bcpace.Finite) (bcpace.Finite, error) { return newGame(m, false) }

// Repeated returns m as a sequence of games: as OneShot does, but the latent is drawn again from
// the prior where an episode begins. It is the repeated game of Section 2.2 of the paper, in
// which a policy that is best for one episode is best for all: how an episode ends tells nothing
// of the next one. The errors are those of OneShot, and an *UnsupportedError for a model whose start tells of the latent.
func Repeated(m bcpace.Finite) (bcpace.Finite, error) { return newGame(m, true) }

// game is a model whose episodes follow each other.
type game struct {
	one         bcpace.Finite // a model of one of them
	oneSpec     bcpace.Spec
	spec        bcpace.Spec
	redraws     bool
	inner, axes int          // number of states and axes of the model of one
	ends        *lastRewards // nil where the end of an episode tells nothing of the latent
	starts      bcpace.Successors
	first       map[int]int // place among the starts, by number of the state
}

func newGame(m bcpace.Finite, redraws bool) (bcpace.Finite, error) {
	name := "OneShot"
	if redraws {
		name = "Repeated"
	}
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	unsupported := func(need string) error {
		return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: name, Need: need}
	}
	if _, ok := bcpace.AsFinite(m); !ok {
		return nil, unsupported(solverkit.NeedNumbered(m))
	}
	if _, learned := m.(bcpace.UnknownTransitions); learned {
		return nil, unsupported("a model whose transitions are known; family.Unknown makes them unknown of what this returns")
	}
	switch kind := bcpace.KindOf(m); {
	case kind != bcpace.Static:
		return nil, unsupported("a latent that stays as it is within an episode, and this one is " + kind.String())
	case spec.Horizon > 0:
		return nil, unsupported("a model without a horizon: bcpace.FiniteHorizon puts the steps left into the states")
	}
	if err := refuseTelling(m, name); err != nil {
		return nil, err
	}
	g := &game{one: m, oneSpec: spec, spec: spec, redraws: redraws, inner: m.NumStates(), axes: len(spec.Axes)}
	episode := bcpace.Axis{Name: "episode", Max: 1, Labels: []string{"goes on", "is over"}, Discrete: true}
	if !redraws {
		ends, err := newLastRewards(m)
		if err != nil {
			return nil, err
		}
		if g.ends = ends; ends != nil && len(ends.values) > 0 {
			episode.Max, episode.Labels = float64(len(ends.values)), episode.Labels[:1]
			episode.Labels = append(episode.Labels, endLabels(ends.values)...)
		}
	}
	g.spec.Axes = append(append([]bcpace.Axis(nil), spec.Axes...), episode)
	g.spec.Params = append(append([]bcpace.Param(nil), spec.Params...), bcpace.Param{Key: "games", Value: name})
	g.spec.RewardMin, g.spec.RewardMax = min(spec.RewardMin, 0), max(spec.RewardMax, 0)
	if err := g.listStarts(); err != nil {
		return nil, err
	}
	for i := range g.starts.Len() {
		_, prob, _ := g.starts.Row(i)
		for _, p := range prob {
			if redraws && p != prob[0] {
				return nil, unsupported("a start that tells nothing of the latent, as that is drawn only after it")
			}
		}
	}
	return bcpace.Derive(m, g.change).(bcpace.Finite), nil
}

// change makes a model of one episode one of many.
func (g *game) change(_ bcpace.Model, a *bcpace.Abilities) {
	a.Spec = g.spec
	a.OnFirstAxes(g.axes)
	a.Start, a.Step, a.LogLikelihood = g.start, g.step, g.logLikelihood
	a.LatentKind, a.LatentTransition, a.NextLatent, a.LatentMoves = bcpace.Static, nil, nil, nil
	if g.redraws {
		a.LatentKind, a.LatentTransition = bcpace.Redrawn, g.redraw
	}
	a.Starts, a.Successors = g.listsStarts, g.successors
	a.NumStates, a.StateAt, a.StateIndex = g.numStates, g.stateAt, g.stateIndex
	// The return is that of many episodes, and the distance of states has one more axis.
	a.ReturnRange, a.Lipschitz, a.Smoothness, a.FinerList = nil, nil, nil, nil
}

// listStarts lists where an episode may begin.
func (g *game) listStarts() error {
	if err := g.starts.ListStarts(g.one); err != nil {
		return err
	}
	g.first = make(map[int]int)
	for i := range g.starts.Len() {
		s, _, _ := g.starts.Row(i)
		n := g.one.StateIndex(s)
		if n < 0 {
			return g.oneSpec.Fault(nil, -1, -1, "Starts lists %v, want a state of the model", s)
		}
		g.first[n] = i
	}
	return nil
}

// over reports whether an episode is over in s.
func (g *game) over(s []float64) bool { return s[g.axes] > 0 }

func (g *game) start(s []float64, latent int, rng *rand.Rand) {
	g.one.Start(s[:g.axes], latent, rng)
	s[g.axes] = 0
}

func (g *game) step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	if g.over(s) {
		g.start(next, latent, rng)
		return bcpace.Outcome{}
	}
	out := g.one.Step(next[:g.axes], s[:g.axes], latent, action, rng)
	next[g.axes] = 0
	if out.Done {
		next[g.axes] = float64(g.ends.drawn(g.one, next[:g.axes], s[:g.axes], latent, action, out.Reward))
	}
	out.Done = false
	return out
}

func (g *game) logLikelihood(s []float64, action int, next []float64, latent int) float64 {
	switch {
	case !g.over(s):
		return g.one.LogLikelihood(s[:g.axes], action, next[:g.axes], latent) +
			g.ends.logShare(g.one, s[:g.axes], action, next[:g.axes], latent, int(next[g.axes]))
	case g.over(next):
		return math.Inf(-1)
	}
	i, ok := g.first[g.one.StateIndex(next[:g.axes])]
	if !ok {
		return math.Inf(-1)
	}
	_, prob, _ := g.starts.Row(i)
	return math.Log(prob[latent])
}

// redraw draws the latent anew where an episode is over.
func (g *game) redraw(p []float64, s []float64, _, _ int) bool {
	if !g.over(s) {
		return false
	}
	g.one.Prior(p)
	return true
}

func (g *game) listsStarts(z *bcpace.Successors) { g.add(z, &g.starts) }

func (g *game) successors(z *bcpace.Successors, s []float64, action int) {
	if g.over(s) {
		g.add(z, &g.starts)
		return
	}
	var rows bcpace.Successors
	rows.Reset(g.axes, len(g.spec.Latents))
	g.one.Successors(&rows, s[:g.axes], action)
	if err := g.oneSpec.CheckSizes(&rows, "Successors", s[:g.axes], action); err != nil {
		panic(err)
	}
	g.add(z, &rows)
}

// add adds rows of the model of one game to z: one for each way in which they end an episode.
func (g *game) add(z, rows *bcpace.Successors) {
	for i := range rows.Len() {
		s, p, r := rows.Row(i)
		if !rows.Done[i] {
			g.addRow(z, s, p, r, 0)
			continue
		}
		var added []int
		for φ := range p {
			end := g.ends.end(r[φ])
			if p[φ] > 0 && !slices.Contains(added, end) {
				added = append(added, end)
				g.addRow(z, s, p, r, end)
			}
		}
	}
}

// addRow adds the share of a row of the model of one game that ends the episode so, or that goes
// on where end is 0.
func (g *game) addRow(z *bcpace.Successors, s, p, r []float64, end int) {
	state, prob, reward := z.Add(false)
	copy(state, s)
	state[g.axes] = float64(end)
	copy(reward, r)
	for φ := range p {
		if end == 0 || g.ends.end(r[φ]) == end {
			prob[φ] = p[φ]
		}
	}
}

func (g *game) numStates() int { return (1 + g.ends.len()) * g.inner }

func (g *game) stateAt(s []float64, number int) {
	g.one.StateAt(s[:g.axes], number%g.inner)
	s[g.axes] = float64(number / g.inner)
}

func (g *game) stateIndex(s []float64) int {
	if len(s) != g.axes+1 {
		return -1
	}
	i, end := g.one.StateIndex(s[:g.axes]), s[g.axes]
	if i < 0 || end != math.Trunc(end) || end < 0 || end > float64(g.ends.len()) {
		return -1
	}
	return int(end)*g.inner + i
}

// endLabels names the ends of an episode by the last rewards, which differ: with six digits, or
// with all of them where six are the same for two.
func endLabels(rewards []float64) []string {
	labels := make([]string, len(rewards))
	for _, digits := range []int{6, -1} {
		for i, r := range rewards {
			labels[i] = "is over, paid " + strconv.FormatFloat(r, 'g', digits, 64)
		}
		if len(slices.Compact(slices.Sorted(slices.Values(labels)))) == len(labels) {
			break
		}
	}
	return labels
}
