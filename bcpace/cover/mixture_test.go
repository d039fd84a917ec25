package cover_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/envs"
)

func TestMixtureHandsOn(t *testing.T) {
	lacks := plannertest.Except{Lacks: map[string]string{
		"Plan":  "two decisions are none",
		"Nodes": "two trees are none",
		"Keep":  "no file has a mixture of two policies",
	}}
	for name, mix := range map[string]func(p, q bcpace.Policy) bcpace.Policy{
		"first":  func(p, q bcpace.Policy) bcpace.Policy { return cover.Mixture(1, p, q) },
		"second": func(p, q bcpace.Policy) bcpace.Policy { return cover.Mixture(0, q, p) },
	} {
		t.Run(name, func(t *testing.T) {
			plannertest.HandsOn(t, "mixture", envs.Tiger{}, lacks, func(p bcpace.Policy) bcpace.Policy { return mix(p, bcpace.RandomPolicy(envs.Tiger{})) })
		})
	}
	// One that is not played is told of each step all the same.
	r := plannertest.NewRecorder(envs.Tiger{})
	reached, err := cover.Sample(t.Context(), envs.Tiger{}, cover.ReachOptions{Depth: 5, Episodes: 3},
		cover.Mixture(0, plannertest.EpisodicPolicy{Recorder: r}, bcpace.RandomPolicy(envs.Tiger{})))
	if err != nil || reached.Len() == 0 || r.Begins != 3 || r.Observes != 15 || r.Acts != 15 {
		t.Errorf("%+v, %v", *r.Calls, err)
	}
}
