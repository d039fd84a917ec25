package risk

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// player plays the policy of a target in the model without what is left of the level.
type player struct {
	t      *target
	policy bcpace.Policy
	rest   bcpace.Policy // of the target without a level: what is done where all is settled

	bayes, plain *bcpace.Bayes // with and without what is left of the level
	belief       bcpace.Belief
	state, from  []float64 // with what is left of the level: now, and before
	reward       float64   // of the step between
	action       int
	arrived      bool // the next Act has to say where what is left comes to
	settled      bool // nothing that happens changes the loss
	told         bool // Begin, and Observe after each Act, say what happens
}

var (
	_ bcpace.Episodic     = (*player)(nil)
	_ bcpace.Forker       = (*player)(nil)
	_ solverkit.LongActor = (*player)(nil)
)

func newPlayer(t *target, policy, rest bcpace.Policy) *player {
	return &player{t: t, policy: policy, rest: rest, bayes: bcpace.NewBayes(t.model()), plain: bcpace.NewBayes(t.inner),
		belief: make(bcpace.Belief, len(t.spec.Latents)), state: make([]float64, t.axes+1), from: make([]float64, t.axes+1)}
}

// Begin implements Episodic.
func (p *player) Begin(s []float64, b bcpace.Belief) {
	copy(p.state, s)
	copy(p.belief, b)
	p.state[p.t.axes] = float64(p.t.begin())
	p.arrived, p.settled, p.told = false, false, true
	p.begin()
}

// now is the policy that acts.
func (p *player) now() bcpace.Policy {
	if p.settled {
		return p.rest
	}
	return p.policy
}

// begin begins an episode of the policy that acts.
func (p *player) begin() {
	if e, ok := solverkit.AsEpisodic(p.now()); ok {
		e.Begin(p.state, p.belief)
	}
}

// Act implements Policy. Where nobody tells what happens, it is what is done with all of the level left.
func (p *player) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	if !p.told {
		p.Begin(s, b)
	}
	if p.told = false; p.arrived {
		p.arrive(rng)
	}
	p.action = p.now().Act(p.state, p.belief, rng)
	return p.action
}

// Refusal says why there is no action.
func (p *player) Refusal([]float64, bcpace.Belief) error {
	return solverkit.Refusal(p.now(), p.state, p.belief)
}

// Observe implements Episodic.
func (p *player) Observe(action int, reward float64, next []float64) {
	copy(p.from, p.state)
	copy(p.state, next)
	p.action, p.reward, p.arrived, p.told = action, reward, true, true
}

// arrive draws where what is left comes to, updates the belief and tells the policy that acts.
func (p *player) arrive(rng *rand.Rand) {
	was := p.settled
	p.follow(rng)
	if p.settled != was {
		p.begin()
	} else if e, ok := solverkit.AsEpisodic(p.now()); ok {
		e.Observe(p.action, p.reward, p.state)
	}
}

func (p *player) follow(rng *rand.Rand) {
	t := p.t
	s, next := p.from[:t.axes:t.axes], p.state[:t.axes:t.axes]
	at := t.place(p.from)
	class, paid := t.class(at, s, p.action, p.reward, next)
	if p.arrived = false; at >= firstPoint {
		at = t.draw(t.after(t.left(at), paid), p.from, paid, next, rng)
	}
	if p.settled = p.settled || t.ended(at); p.settled {
		at = beyond
	}
	p.state[t.axes] = float64(at*t.classes + class)
	if p.bayes.Update(p.belief, p.belief, p.from, p.action, p.state) == nil {
		return
	}
	// The reward is none that the lists have for this step, or all is settled: the state alone tells. What even rules that out changes nothing.
	_ = p.plain.Update(p.belief, p.belief, s, p.action, next)
}

// Fork implements Forker.
func (p *player) Fork() bcpace.Policy {
	return newPlayer(p.t, bcpace.Fork(p.policy), bcpace.Fork(p.rest))
}

// Within implements LongActor.
func (p *player) Within(ctx context.Context) bcpace.Policy {
	return newPlayer(p.t, solverkit.Within(ctx, p.policy), solverkit.Within(ctx, p.rest))
}
