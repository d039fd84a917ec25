package constrained

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/envs"
)

// The policy without a cost is told of its own states, which have the node.
func TestPlayerHandsOn(t *testing.T) {
	short := bcpace.KeepHorizon(bcpace.Derive(envs.Tiger{}, func(_ bcpace.Model, can *bcpace.Abilities) { can.Spec.Horizon = 3 }))
	m, _ := bcpace.AsFinite(short)
	g, err := controller.SupportOf(t.Context(), m, func([]float64, int, []float64, []float64, []float64) float64 { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	f, _ := newFree(g)
	plannertest.HandsOn(t, "player", m, plannertest.Except{
		Lacks: map[string]string{
			"Plan":  "its decision would be one at a state with the node",
			"Nodes": "as it does not plan",
			"Keep":  "a file has what is forbidden beside the policy: see Keep",
		},
		Own: map[string]string{"Begin": "the node", "Observe": "the node"},
	}, func(inner bcpace.Policy) bcpace.Policy { return newPlayer(f, inner) })
}
