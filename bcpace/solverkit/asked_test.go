package solverkit_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

func TestAskedHandsOn(t *testing.T) {
	here := func(s []float64, _ bcpace.Belief) ([]float64, bool) { return s, true }
	plannertest.HandsOn(t, "view", envs.Tiger{}, plannertest.Except{Lacks: map[string]string{"Keep": "a file would have the policy without the change of states"}},
		func(p bcpace.Policy) bcpace.Policy { return solverkit.Asked(p, here) })
}

// A policy that Asked shields from a state takes no action there, and is told nothing of it.
func TestAskedElsewhere(t *testing.T) {
	m := envs.Tiger{}
	r := plannertest.NewRecorder(m)
	p := solverkit.Asked(plannertest.EpisodicPolicy{Recorder: r}, func([]float64, bcpace.Belief) ([]float64, bool) { return nil, false })
	e := bcpace.PolicyAbilitiesOf(p)
	e.Begin([]float64{0}, bcpace.Belief{0.5, 0.5})
	e.Observe(0, 0, []float64{0})
	if a := p.Act([]float64{0}, bcpace.Belief{0.5, 0.5}, nil); a != -1 || r.Begins+r.Observes+r.Acts > 0 {
		t.Errorf("action %d, calls %+v", a, *r.Calls)
	}
}
