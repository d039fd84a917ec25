package runs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// GapParts say what holds the bounds of a statistical certificate apart, in reward units:
// their sum is its Gap. The largest of them is what to work on.
type GapParts struct {
	// Search is what the policy that was found may still miss: more time, more samples or
	// a smaller ε shrink it.
	Search float64
	// Lipschitz is the part of what is missed that goes to carrying bounds from samples to
	// other states, by the Lipschitz constant of a search: a smaller one, or a Scale that
	// fits the axes better, shrinks it.
	Lipschitz float64
	// Grid is what was added to the upper bound for the estimated error of a grid: more
	// points, or points on the borders where values jump, shrink it.
	Grid float64
	// Simulation is what the lower bound lacks of the mean of the simulated returns, to
	// hold with probability 1 − Delta: more episodes shrink it.
	Simulation float64
}

// String lists the parts, the largest first, without those that are 0.
func (p GapParts) String() string {
	type part struct {
		name string
		size float64
	}
	all := []part{{"search", p.Search}, {"Lipschitz constant", p.Lipschitz}, {"grid", p.Grid}, {"simulation", p.Simulation}}
	slices.SortStableFunc(all, func(x, y part) int { return cmp.Compare(y.size, x.size) })
	var words []string
	for _, x := range all {
		if x.size > 0 {
			words = append(words, fmt.Sprintf("%s %.3g", x.name, x.size))
		}
	}
	return strings.Join(words, ", ")
}

// choiceRound is how many episodes lie between two looks at who is behind.
const choiceRound = 20

// Choice says which of several policies a run returns, by PolicyBest. The episodes that
// choose have random streams of their own: the certificate of the run rests on others,
// so that the luck of the best one is not in it.
//
// After less than 20 episodes of each, or none, as time was up, it is that of dynamic
// programming on a grid, or that of the finite model of proved bounds. Without these, it is QMDP, or without latent values the controller,
// where less than 95 % of the queries of the run's last Patience episodes were known, and the
// greedy policy otherwise, as for a run that Brackets, unless another one leads it by more
// than 4 standard errors.
type Choice struct {
	Chosen int           // which of Tried
	Tried  []TriedPolicy // all policies: the first of equal ones is chosen
}

// TriedPolicy is what a policy has earned in the episodes that choose.
type TriedPolicy struct {
	// Name is "greedy", "qmdp", "controller" for cpace.Solver.Controller, "grid" for that of dynamic
	// programming on a grid, "proof" for that of the finite model by which package proved bounds the values, or
	// "always" and the name of an action.
	Name string
	// Mean is the mean discounted return and StdErr its standard error, in reward units.
	Mean, StdErr float64
	// Episodes is their number: less than for others if the policy was given up, as it
	// earned less than another one by more than 4 standard errors of the difference,
	// and 0 for all if there was no time for any.
	Episodes int
}

// hasty reports that time was up before the policies could be told apart.
func (c *Choice) hasty() bool { return len(c.Tried) > 1 && c.Tried[c.Chosen].Episodes < choiceRound }

// greedyBehind reports that the greedy policy earned less than the chosen one, by more than
// twice the standard error of the difference.
func (c *Choice) greedyBehind() bool {
	own, best := c.Tried[0], c.Tried[c.Chosen]
	return own.Episodes < best.Episodes || best.Mean-own.Mean > 2*math.Hypot(own.StdErr, best.StdErr)
}

// Name returns the name of the chosen policy.
func (c *Choice) Name() string { return c.Tried[c.Chosen].Name }
