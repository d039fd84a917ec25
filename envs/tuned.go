package envs

import (
	"cmp"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
)

// Tuned returns settings of Bayes-CPACE for model m, found by search over ε, k,
// L_Q and the bound, as the paper tuned its own "offline for best performance".
// For a model that is not of this package they are a start for such a search:
// ε is 1 % of the range of rewards and k is 20. For those of the paper, Horizon is
// the paper's for ε (Spec.PaperHorizon); set it anew beside another ε. Their policy is the
// paper's too, greedy on Q̃: with Policy = runs.PolicyBest, Solve returns that of QMDP on
// Chain, which earns more.
//
//   - Tiger: L_Q = 60 keeps the beliefs after one more or one fewer growl
//     apart. Opening a door pays 10 or −100, so that k = 2000 outcomes are needed
//     to tell whether to listen once more.
//   - Chain: the value hardly depends on the belief, so L_Q = 2 shares samples
//     widely.
//   - Light-Dark Tiger: values fall by less than 0.5 in a step of one cell, hence
//     L_Q = 0.25. That is far from a constant in the belief, where ½·ΔQ = 55: it
//     serves because the belief is either the prior or certain, and seeded. The
//     QMDP bound sees that entering a corner blindly costs 45 on average, where
//     the best case sees +10. With AnyHeading samples must cover headings too: L_Q = 0.1
//     and fewer of them do that in minutes, episodes end after 40 steps, and without noise
//     one outcome is enough.
//   - Dual control: L_Q = 0.25 and 5 outcomes, as the noise is as large as what a push does.
//   - Battery: L_Q = 4, so that beliefs are told apart before a robot is stranded: 30 of 33.6.
//   - Wear: a run pays 3 or costs 3, so that 100 outcomes are needed; L_Q = 0.25 shares them
//     between beliefs, and earns 20.1 of 20.2. Known latents are no seeds, as wear is drawn.
//   - Patrol: little noise, hence 5 outcomes; with L_Q = 1 they earn the optimum, 7.8.
//   - Treatment: one outcome in a place and L_Q = 0.25 earn 9.3 with 1,300 samples.
func Tuned(m bcpace.Model) cpace.Solver {
	spec := m.Spec()
	if p := spec.Params; len(p) > 0 && p[0].Key != "file" && p[0].Key != "process" { // a model of a file or of a program may have the name of an environment
		switch spec.Name {
		case tigerName:
			return cpace.Solver{Epsilon: 1, LipQ: 60, K: 2000, Batch: 20, Horizon: spec.PaperHorizon(1), Policy: runs.PolicyGreedy}
		case chainName:
			return cpace.Solver{Epsilon: 1, LipQ: 2, K: 20, Batch: 50, Horizon: spec.PaperHorizon(1), Policy: runs.PolicyGreedy}
		case lightDarkTigerName:
			if spec.HasBox() {
				o := cpace.Solver{Epsilon: 0.1, LipQ: 0.1, K: 3, Batch: 20, Bound: cpace.BoundQMDP, SeedOneHot: true, Horizon: 40}
				if slices.Contains(spec.Params, bcpace.Param{Key: "sigma", Value: "0"}) {
					o.Epsilon, o.K = 0.05, 1
				}
				return o
			}
			return cpace.Solver{Epsilon: 0.1, LipQ: 0.25, K: 3, Batch: 20, Bound: cpace.BoundQMDP, SeedOneHot: true, Horizon: spec.PaperHorizon(0.1), Policy: runs.PolicyGreedy}
		case dualControlName:
			return cpace.Solver{Epsilon: 0.1, LipQ: 0.25, K: 5, Batch: 20, Bound: cpace.BoundQMDP, SeedOneHot: true}
		case batteryName:
			return cpace.Solver{Epsilon: 0.25, LipQ: 4, K: 20, Batch: 20, Bound: cpace.BoundQMDP, SeedOneHot: true}
		case wearName:
			return cpace.Solver{Epsilon: 0.1, LipQ: 0.25, K: 100, Batch: 20, Bound: cpace.BoundQMDP, Horizon: 60}
		case patrolName:
			return cpace.Solver{Epsilon: 0.1, LipQ: 1, K: 5, Batch: 20, Bound: cpace.BoundQMDP, SeedOneHot: true}
		case treatmentName:
			return cpace.Solver{Epsilon: 0.1, LipQ: 0.25, K: 1, Batch: 20, Bound: cpace.BoundQMDP, SeedOneHot: true, Horizon: 60}
		}
	}
	return cpace.Solver{Epsilon: cmp.Or(0.01*(spec.RewardMax-spec.RewardMin), 1e-6), K: 20, Batch: 20}
}
