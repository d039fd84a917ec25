package risk

import (
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/envs"
)

// The policy of a target is told of its own states, which have what is left of the level.
func TestPlayerHandsOn(t *testing.T) {
	short := bcpace.Derive(envs.Tiger{}, func(_ bcpace.Model, can *bcpace.Abilities) { can.Spec.Horizon = 3 })
	p, err := newProblem(t.Context(), "a test", short, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	never, err := newTarget(t.Context(), target{inner: p.model, paths: p.paths, level: math.Inf(1)}, mostStates)
	if err != nil {
		t.Fatal(err)
	}
	plannertest.HandsOn(t, "player", p.model, plannertest.Except{
		Lacks: map[string]string{
			"Plan":  "its decision would be one at the state that arrive draws",
			"Nodes": "as it does not plan",
			"Keep":  "a file has the level beside the policy: see Keep",
		},
		Own: map[string]string{"Begin": "what is left of the level", "Observe": "what is left of the level"},
	}, func(inner bcpace.Policy) bcpace.Policy { return newPlayer(never, inner, bcpace.RandomPolicy(p.model)) })
}
