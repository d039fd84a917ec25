package online_test

import (
	"fmt"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/online/despot"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/envs"
)

// BenchmarkLoss reports what planners lose of the optimum in 40 steps, in percent, with budgets
// that make it 2 % or less where the planner tends to the optimum. Run it with -benchtime 1x: it
// takes minutes, most of them in Chain for the exact values of the beliefs on the way.
func BenchmarkLoss(b *testing.B) {
	simulations := func(n int) bcpace.Budget { return bcpace.Budget{Simulations: n} }
	for _, c := range []struct {
		model  bcpace.Finite
		solver bcpace.Solver
		budget string
	}{
		{envs.Tiger{}, lookahead.Solver{Budget: simulations(100)}, "100"},
		{envs.Tiger{}, adaops.Solver{Budget: simulations(100)}, "100"},
		{envs.Tiger{}, pomcp.Solver{Budget: simulations(30_000), Exploration: 250}, "30000"},
		{envs.Tiger{}, pomcpow.Solver{Budget: simulations(30_000), Exploration: 250}, "30000"},
		{envs.Tiger{}, despot.Solver{Budget: simulations(100), Scenarios: 1000}, "100"},
		{envs.Chain{}, lookahead.Solver{Budget: simulations(30)}, "30"},
		{envs.Chain{}, adaops.Solver{Budget: simulations(30)}, "30"},
		{envs.Chain{}, pomcp.Solver{Budget: simulations(10_000), Exploration: 50}, "10000"},
		{envs.Chain{}, pomcpow.Solver{Budget: simulations(10_000), Exploration: 50}, "10000"},
		{envs.Chain{}, despot.Solver{Budget: simulations(100), Scenarios: 500}, "100"},
	} {
		spec := c.model.Spec()
		b.Run(fmt.Sprintf("%s/%s/%s", spec.Name, c.solver.Name(), c.budget), func(b *testing.B) {
			for b.Loop() {
				loss, best := lossOf(b, c.solver, c.model, 10, 40)
				b.ReportMetric(100*loss.Mean/best, "%")
				b.ReportMetric(100*loss.Hi/best, "%-at-most") // with 95 %
			}
		})
	}
}
