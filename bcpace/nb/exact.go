package nb

import (
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
)

// Optimum returns the exact value of the best policy of m at its start, in reward
// units: over the given number of steps, at most the model's own horizon, or 0 for that
// or, without one, for no end. It is eval.Optimal, which also gives the value of each action, and
// from another state or belief. An error, such as a model that is not finite, ends the
// cell with one line.
func Optimum(m bcpace.Model, horizon int) float64 {
	return Must(eval.Optimal(Context(), m, eval.ExactOptions{Horizon: horizon})).Value
}

// Value returns the exact value of policy p of m at its start, in reward units, over a
// number of steps as Optimum has it. It is eval.Evaluate. An error, such as a model that
// is not finite or a policy that reaches too many beliefs, ends the cell with one line.
func Value(m bcpace.Model, p bcpace.Policy, horizon int) float64 {
	return Must(eval.Evaluate(Context(), m, p, eval.ExactOptions{Horizon: horizon})).Value
}

// QMDP returns the policy of m that acts as if the latent were known after the next
// step, dp.QMDPPolicy: greedily on the values of the latent MDPs. An error, such as a model that does not list its
// successors, ends the cell with one line.
func QMDP(m bcpace.Model) bcpace.Policy {
	return Must(dp.QMDPPolicy(Context(), m))
}

// Oracle plays episodes with the policy that is told the latent at every step,
// eval.Oracle, and returns a row for the table of Compare: no policy that has to learn
// earns more. The score has no Policy, as a bcpace.Policy sees no latent. An error, such as
// a model that does not list its successors, ends the cell with one line.
//
//	nb.Show(append(nb.Compare(tiger, play, qmdp.Solver{}), nb.Oracle(tiger, play)))
func Oracle(m bcpace.Model, o eval.Options) eval.Score {
	return eval.Score{Name: "informed", Result: Must(eval.Oracle(Context(), m, nil, o))}
}

// Decide returns the decision of a planner of package online at a state and belief of its
// model, with random numbers of seed 0. A policy that is no planner, and an error of Plan, end
// the cell with one line.
//
//	d := nb.Decide(tiger, nb.Solve(tiger, pomcp.Solver{}).Policy, s, b)
//	nb.Show(frame.Decision(tiger.Spec(), d))
func Decide(m bcpace.Model, p bcpace.Policy, s []float64, b bcpace.Belief) bcpace.Decision {
	return Must(decide(m, p, s, b))
}

// SearchTree returns the top of the tree that a planner of package online has searched for its
// last decision, so many nodes at most. A policy that shows no tree, and a planner that has not
// decided, end the cell with one line.
//
//	nodes := nb.SearchTree(p, 20) // after nb.Decide(tiger, p, s, b)
//	nb.Show(frame.SearchTree(tiger.Spec(), nodes))
//	nb.Show(viz.SearchTree{Spec: tiger.Spec(), Nodes: nodes})
func SearchTree(p bcpace.Policy, most int) []bcpace.SearchNode { return Must(searchTree(p, most)) }

func searchTree(p bcpace.Policy, most int) ([]bcpace.SearchNode, error) {
	can := bcpace.PolicyAbilitiesOf(p)
	if can.Nodes == nil {
		return nil, bcpace.In("SearchTree").Bad("the policy", fmt.Sprintf("%T", p), "a planner: the policy of a solver of package online")
	}
	nodes, err := can.Nodes(most)
	if err == nil && len(nodes) == 0 {
		err = bcpace.In("SearchTree").Bad("the tree", "empty", "1 node or more, after a decision (nb.Decide) of a planner that grows a tree, as all do but sparse")
	}
	return nodes, err
}

func decide(m bcpace.Model, p bcpace.Policy, s []float64, b bcpace.Belief) (bcpace.Decision, error) {
	can := bcpace.PolicyAbilitiesOf(p)
	if can.Plan == nil {
		return bcpace.Decision{}, bcpace.In("Decide").Bad("the policy", fmt.Sprintf("%T", p), "a planner: the policy of a solver of package online")
	}
	spec := m.Spec()
	return spec.Plan(Context(), &can, s, b, rand.New(rand.NewPCG(0, 0)))
}
