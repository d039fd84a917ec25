package controller_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/envs"
)

// The member that is drawn for an episode is told of all of it.
func TestMixtureHandsOn(t *testing.T) {
	m := envs.Tiger{}
	plannertest.HandsOn(t, "Mixture", m, plannertest.Except{
		Lacks: map[string]string{
			"Plan":     "a member is drawn at the first Act",
			"Nodes":    "as it does not plan",
			"Keep":     "a file has all members: see Keep",
			"PlayedIn": "each member has a model of its own, and bcpace.PolicyOf stands around the mixture",
		},
		Own: map[string]string{"Begin": "the member that was drawn, and its belief", "Observe": "the member that was drawn, and its belief"},
	}, func(inner bcpace.Policy) bcpace.Policy {
		return controller.NewMixture([]controller.Member{{Model: m, Policy: bcpace.RandomPolicy(m)}, {Model: m, Policy: inner}}, []float64{0, 1})
	})
}
