package dp

import "bayescpace/bcpace"

// checkHorizon checks the promise of a model that keeps its horizon (bcpace.Abilities) and is not ours.
func (p *latentMDP) checkHorizon(m bcpace.Model) error {
	if spec := m.Spec(); spec.Horizon > 0 && bcpace.AbilitiesOf(m).StepsLeft == 0 {
		return p.endsWithin(spec)
	}
	return nil
}

// endsWithin checks that promise, on which proofs rest for γ = 1:
// from every node the episode ends within the horizon of spec. The error is a
// *ConformanceError.
func (p *latentMDP) endsWithin(spec bcpace.Spec) error {
	steps := make([]int32, p.points*p.latents) // by node: the most steps from it, 0 where not known yet
	var walk func(n int32, left int) int32
	walk = func(n int32, left int) int32 {
		switch {
		case left == 0 || int(steps[n]) > left:
			return -1
		case steps[n] > 0:
			return steps[n]
		}
		most := int32(1)
		for _, to := range p.Col[p.Row[int(n)*p.Actions]:p.Row[(int(n)+1)*p.Actions]] {
			after := walk(to, left-1)
			if after < 0 {
				return -1
			}
			most = max(most, 1+after)
		}
		steps[n] = most
		return most
	}
	for n := range steps {
		if walk(int32(n), spec.Horizon) < 0 {
			return &bcpace.ConformanceError{Model: spec.Name, What: "KeepsHorizon says that every episode ends by itself within Spec.Horizon steps, and from some state it may go on"}
		}
	}
	return nil
}
