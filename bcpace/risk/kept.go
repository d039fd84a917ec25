package risk

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/kept"
)

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
