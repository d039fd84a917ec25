package constrained

import (
	"context"
	"encoding/json"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/internal/kept"
)

const keptKind = "without a cost"

func init() { kept.Register(keptKind, readKept) }

// keptPlayer is a player as data.
type keptPlayer struct {
	Nodes    int         `json:"nodes"`
	Branches int         `json:"branches"`
	Instead  []int32     `json:"instead"` // by node and action
	Policy   kept.Policy `json:"policy"`
}

// Keep is bcpace.PolicyAbilities.Keep. The model says which nodes there are.
func (p *player) Keep() (kind string, data any, err error) {
	k := keptPlayer{Nodes: len(p.State), Branches: p.NumBranches(), Instead: p.instead}
	k.Policy, err = kept.Of(p.policy)
	return keptKind, k, err
}

// readKept is a kept.Read. It lists the nodes again.
func readKept(ctx context.Context, m bcpace.Model, data json.RawMessage) (bcpace.Policy, error) {
	var k keptPlayer
	finite, err := kept.Numbered(m, data, &k)
	if err != nil {
		return nil, err
	}
	g, err := controller.SupportOf(ctx, finite, func([]float64, int, []float64, []float64, []float64) float64 { return 0 })
	if err != nil {
		return nil, err
	}
	actions := len(finite.Spec().Actions)
	if g == nil || k.Nodes != len(g.State) || k.Branches != g.NumBranches() || len(k.Instead) != k.Nodes*actions {
		return nil, kept.Bad("its policy without a cost", fmt.Sprintf("for %d nodes and %d branches", k.Nodes, k.Branches), "that of the model")
	}
	for _, a := range k.Instead {
		if a < 0 || int(a) >= actions {
			return nil, kept.Bad("its policy without a cost", fmt.Sprintf("with action %d", a), "actions of the model")
		}
	}
	f := &free{SupportGraph: g, axes: len(g.Spec.Axes), instead: k.Instead}
	policy, err := k.Policy.On(ctx, f.model())
	return newPlayer(f, policy), err
}
