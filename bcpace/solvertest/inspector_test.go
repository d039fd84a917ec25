package solvertest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// What planners show of their trees: the same again, more of it behind the same beginning, and
// nodes whose probabilities, beliefs and bounds are those of the model. Values of Tiger and
// Chain are known to 0.001.
func TestInspectors(t *testing.T) {
	for _, m := range []bcpace.Enumerator{envs.Tiger{}, envs.Chain{}} {
		spec := m.Spec()
		run, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		exact := run.Values()
		s, b := make([]float64, len(spec.Axes)), make(bcpace.Belief, len(spec.Latents))
		m.Prior(b)
		m.Start(s, 0, rand.New(rand.NewPCG(1, 1)))
		t.Run(spec.Name, func(t *testing.T) {
			planners(t, budget("200"), m, func(t *testing.T, p bcpace.PolicyAbilities, _ bcpace.Policy) {
				inspect := func(most int) []bcpace.SearchNode {
					nodes, err := p.Nodes(most)
					if err != nil {
						t.Fatal(err)
					}
					return nodes
				}
				if n := inspect(10); len(n) > 0 {
					t.Fatalf("%d nodes before the first decision", len(n))
				}
				if _, err := p.Plan(t.Context(), s, b, rand.New(rand.NewPCG(1, 1))); err != nil {
					t.Fatal(err)
				}
				nodes := inspect(40)
				if strings.HasSuffix(t.Name(), "/sparse") {
					if len(nodes) > 0 {
						t.Errorf("%d nodes of a search without a tree", len(nodes))
					}
					return
				}
				if len(nodes) != 40 || len(inspect(0)) != 0 || !reflect.DeepEqual(nodes[:7], inspect(7)) {
					t.Fatalf("%d nodes, of which 7 are %+v", len(nodes), inspect(7))
				}
				checkNodes(t, m, nodes, s, b, !strings.HasSuffix(t.Name(), "/adaops"), exact)
				if _, err := p.Plan(t.Context(), s, b, rand.New(rand.NewPCG(1, 1))); err != nil {
					t.Fatal(err)
				}
				if again := inspect(40); !reflect.DeepEqual(nodes, again) {
					t.Error("other nodes in the same decision")
				}
			})
		})
	}
}

// checkNodes checks nodes against the model; single says that each stands for itself.
func checkNodes(t *testing.T, m bcpace.Enumerator, nodes []bcpace.SearchNode, s []float64, b bcpace.Belief, single bool, exact runs.Values) {
	t.Helper()
	if r := nodes[0]; r.Parent != -1 || r.Action != -1 || r.Prob != 1 || r.Depth != 0 || !slices.Equal(r.State, s) || r.Belief.L1(b) > 1e-9 || r.Best < 0 {
		t.Errorf("root %+v", r)
	}
	lister := bcpace.NewLister(m)
	next := make(bcpace.Belief, len(b))
	sums := map[[2]int]float64{}
	for i, n := range nodes {
		if !(n.Lower <= n.Value && n.Value <= n.Upper) || n.Belief.Validate() != nil {
			t.Errorf("node %d: %+v", i, n)
		}
		if v, _ := exact.At(n.State, n.Belief); n.Lower > v || n.Upper < v-0.001 {
			t.Errorf("node %d: V* in [%v, %v], and it is %v", i, n.Lower, n.Upper, v)
		}
		if i == 0 {
			continue
		}
		from := nodes[n.Parent]
		if n.Parent >= i || n.Depth != from.Depth+1 || n.Visits > from.Visits || !(n.Prob > 0) {
			t.Errorf("node %d: %+v after %+v", i, n, from)
		}
		sums[[2]int{n.Parent, n.Action}] += n.Prob
		if !single {
			continue
		}
		if err := lister.List(from.State, n.Action); err != nil {
			t.Fatal(err)
		}
		prob := 0.0
		for k := range lister.Successors.Len() {
			if to, _, _ := lister.Successors.Row(k); slices.Equal(to, n.State) {
				prob = lister.Update(next, from.Belief, k)
				break
			}
		}
		if prob == 0 || next.L1(n.Belief) > 1e-9 {
			t.Errorf("node %d: belief %v, want %v, of probability %v", i, n.Belief, next, prob)
		}
		tolerance := 1e-9
		if math.IsInf(n.Lower, -1) {
			drawn := float64(n.Visits) / n.Prob
			if n.Visits < 20 {
				continue
			}
			// A share of so many draws: 5 standard errors, which another seed exceeds with
			// probability 6·10⁻⁷ for each node.
			tolerance = 5 * math.Sqrt(prob*(1-prob)/drawn)
		}
		if math.Abs(prob-n.Prob) > tolerance {
			t.Errorf("node %d: probability %v, want %v", i, n.Prob, prob)
		}
	}
	for at, sum := range sums {
		if sum > 1+1e-9 {
			t.Errorf("probabilities after node %d and action %d sum to %v", at[0], at[1], sum)
		}
	}
}
