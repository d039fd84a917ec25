package risk

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/kept"
)

// player plays the policy of a target in the model without what is left of the level.
type player struct {
	t      *target
	policy bcpace.Policy
	rest   bcpace.Policy             // of the target without a level: what is done where all is settled
	can    [2]bcpace.PolicyAbilities // of the two

	bayes, plain *bcpace.Bayes // with and without what is left of the level
	belief       bcpace.Belief
	state, from  []float64 // with what is left of the level: now, and before
	reward       float64   // of the step between
	action       int
	arrived      bool // the next Act has to say where what is left comes to
	settled      bool // nothing that happens changes the loss
	told         bool // Begin, and Observe after each Act, say what happens
}

func newPlayer(t *target, policy, rest bcpace.Policy) *player {
	return &player{t: t, policy: policy, rest: rest, can: [2]bcpace.PolicyAbilities{bcpace.PolicyAbilitiesOf(policy), bcpace.PolicyAbilitiesOf(rest)},
		bayes: bcpace.NewBayes(t.model()), plain: bcpace.NewBayes(t.inner),
		belief: make(bcpace.Belief, len(t.spec.Latents)), state: make([]float64, t.axes+1), from: make([]float64, t.axes+1)}
}

// Begin is bcpace.PolicyAbilities.Begin.
func (p *player) Begin(s []float64, b bcpace.Belief) {
	copy(p.state, s)
	copy(p.belief, b)
	p.state[p.t.axes] = float64(p.t.begin())
	p.arrived, p.settled, p.told = false, false, true
	p.begin()
}

// now is the policy that acts.
func (p *player) now() *bcpace.PolicyAbilities {
	if p.settled {
		return &p.can[1]
	}
	return &p.can[0]
}

// begin begins an episode of the policy that acts.
func (p *player) begin() {
	if now := p.now(); now.Begin != nil {
		now.Begin(p.state, p.belief)
	}
}

// Act implements Policy.
func (p *player) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	action, _ := p.Decide(context.Background(), s, b, rng)
	return action
}

// Decide is bcpace.PolicyAbilities.Act. Where nobody tells what happens, it is what is done with all of the level left.
func (p *player) Decide(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (action int, err error) {
	if !p.told {
		p.Begin(s, b)
	}
	if p.told = false; p.arrived {
		p.arrive(rng)
	}
	p.action, err = p.now().Act(ctx, p.state, p.belief, rng)
	return p.action, err
}

// Observe is bcpace.PolicyAbilities.Observe.
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
	} else if now := p.now(); now.Observe != nil {
		now.Observe(p.action, p.reward, p.state)
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

// Fork is bcpace.PolicyAbilities.Fork.
func (p *player) Fork() bcpace.Policy {
	return newPlayer(p.t, bcpace.Fork(p.policy), bcpace.Fork(p.rest))
}

const keptKind, sureKind = "level", "sure return"

// keptPlayer is a player as data.
type keptPlayer struct {
	Level  *float64    `json:"level"` // null for none, where the mean counts
	Chance bool        `json:"chance,omitempty"`
	Strict bool        `json:"strict,omitempty"`
	States int         `json:"states"` // of the model with what is left of the level
	How    rounding    `json:"how"`
	Grid   *axis       `json:"grid,omitempty"`
	Policy kept.Policy `json:"policy"`
	Rest   kept.Policy `json:"rest"`
}

// Keep is bcpace.PolicyAbilities.Keep.
func (p *player) Keep() (kind string, data any, err error) {
	k := keptPlayer{Chance: p.t.chance, How: p.t.how, Strict: p.t.strict, States: len(p.t.states)}
	if !math.IsInf(p.t.level, 1) {
		k.Level = &p.t.level
	}
	if p.t.how != exact {
		k.Grid = &p.t.grid
	}
	if k.Policy, err = kept.Of(p.policy); err != nil {
		return "", nil, err
	}
	if k.Rest, err = kept.Of(p.rest); err != nil {
		return "", nil, err
	}
	return keptKind, k, nil
}

// readKept is a kept.Read. It lists the paths and the levels again, which takes a part of the time of Solve.
func readKept(ctx context.Context, m bcpace.Model, data json.RawMessage) (bcpace.Policy, error) {
	var k keptPlayer
	if err := kept.Decode(data, &k); err != nil {
		return nil, err
	}
	t := target{level: math.Inf(1), chance: k.Chance, how: k.How, strict: k.Strict}
	if k.Level != nil {
		t.level = *k.Level
	}
	if k.How != exact {
		g := k.Grid
		if k.How < exact || k.How > mean || g == nil || g.Cells < 1 || g.Cells > mostStates || !(g.Step > 0) || !(g.Scale >= 0) {
			return nil, kept.Bad("the grid of its level", g, "one with cells")
		}
		t.grid = *g
	}
	base, err := newProblem(ctx, "a policy file", m, bcpace.Control{})
	if err != nil {
		return nil, err
	}
	t.inner, t.paths = base.model, base.paths
	rest := target{inner: base.model, paths: base.paths, level: math.Inf(1)}
	played, policy, err := t.kept(ctx, k.Policy)
	if err != nil {
		return nil, err
	}
	if len(played.states) != k.States {
		return nil, kept.Bad("its policy for a level", fmt.Sprintf("for a model of %d states with what is left of the level", k.States), fmt.Sprintf("one for %d states", len(played.states)))
	}
	_, last, err := rest.kept(ctx, k.Rest)
	if err != nil {
		return nil, err
	}
	return newPlayer(played, policy, last), nil
}

// kept returns the listed target, and a policy of its model.
func (t target) kept(ctx context.Context, p kept.Policy) (*target, bcpace.Policy, error) {
	listed, err := newTarget(ctx, t, mostStates)
	if err != nil {
		return nil, nil, err
	}
	policy, err := p.On(ctx, listed.model())
	return listed, policy, err
}

// keptGame says which game it is.
type keptGame struct {
	Nodes    int `json:"nodes"`
	Branches int `json:"branches"`
}

// Keep is bcpace.PolicyAbilities.Keep. The game says the rest.
func (g *game) Keep() (kind string, data any, err error) {
	return sureKind, keptGame{len(g.State), g.NumBranches()}, nil
}

// readSure is a kept.Read. It solves the game again.
func readSure(ctx context.Context, m bcpace.Model, data json.RawMessage) (bcpace.Policy, error) {
	var k keptGame
	finite, err := kept.Numbered(m, data, &k)
	if err != nil {
		return nil, err
	}
	paths, err := pathsOf(finite, ctx.Err)
	if err != nil {
		return nil, err
	}
	g, err := newGame(ctx, finite, func(number int32) (low, high float64) { return paths.low[number], paths.high[number] })
	if err != nil {
		return nil, err
	}
	if g == nil || k != (keptGame{len(g.State), g.NumBranches()}) {
		return nil, kept.Bad("its policy for the largest sure return", fmt.Sprintf("for a game of %d nodes and %d branches", k.Nodes, k.Branches), "that of the model")
	}
	return g, nil
}
