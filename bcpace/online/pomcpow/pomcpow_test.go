package pomcpow

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/tree"
	"bayescpace/envs"
	"bayescpace/envs/envtest"
)

// begun returns a search of m at a start of m.
func begun(t testing.TB, m bcpace.Model) (*tree.Latents, *bcpace.Simulator) {
	t.Helper()
	sim := bcpace.NewSimulator(m)
	if err := sim.Reset(rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Fatal(err)
	}
	x := Solver{}.search(m, bcpace.RandomPolicy(m))
	x.Root(sim.State, sim.Belief)
	return x, sim
}

// Visits add up, there are no more children and actions than the widening allows, and the
// belief of each node is that of the Bayes estimator after its history.
func TestTree(t *testing.T) {
	models := []bcpace.Model{plannertest.Dual(t), envs.LightDarkTiger{Sigma: 0.1}, envs.Tiger{}, randmodel.New(rand.New(rand.NewPCG(1, 1)), randmodel.Options{Kind: bcpace.Redrawn})}
	for _, m := range models {
		x, sim := begun(t, m)
		rng := rand.New(rand.NewPCG(2, 2))
		for range 3000 {
			if _, err := x.Simulate(t.Context(), rng); err != nil {
				t.Fatal(err)
			}
		}
		bayes, b := bcpace.NewBayes(m), make(bcpace.Belief, len(sim.Belief))
		for i := range x.Nodes {
			n := &x.Nodes[i]
			if x.Control != nil && float64(n.Edges) > x.Actions.K*math.Pow(float64(n.Visits), x.Actions.Alpha)+1 {
				t.Errorf("%s: %d actions after %d visits", m.Spec().Name, n.Edges, n.Visits)
			}
			for e := n.First; e != tree.None; e = x.Edges[e].Next {
				edge := &x.Edges[e]
				if float64(edge.Children) > x.States.K*math.Pow(float64(edge.Visits), x.States.Alpha)+1 {
					t.Errorf("%s: %d children after %d visits", m.Spec().Name, edge.Children, edge.Visits)
				}
				came, draws := int32(0), int32(0)
				for c := edge.Child; c != tree.None; c = x.Nodes[c].Sibling {
					came, draws = came+x.Nodes[c].Visits, draws+x.Nodes[c].Draws
					if err := bayes.Update(b, x.Notes(int32(i)), x.State(int32(i)), edge.Action, x.State(c)); err != nil || b.L1(x.Notes(c)) > 1e-12 {
						t.Fatalf("%s: belief %v, want %v, %v", m.Spec().Name, x.Notes(c), b, err)
					}
				}
				if came != edge.Visits || draws != edge.Draws {
					t.Fatalf("%s: %d simulations took an edge, %d came to a node, %d of %d draws", m.Spec().Name, edge.Visits, came, draws, edge.Draws)
				}
			}
		}
	}
}

// Once a tree has had its size, simulations allocate nothing. A model with a Box has a pool for
// its controls.
func TestAllocatesNothing(t *testing.T) {
	models := []bcpace.Model{envs.LightDarkTiger{Sigma: 0.1}}
	if !envtest.RaceDetector {
		models = append(models, plannertest.Dual(t))
	}
	for _, m := range models {
		x, sim := begun(t, m)
		source := rand.NewPCG(1, 1)
		rng := rand.New(source)
		decide := func() {
			source.Seed(1, 1)
			x.Forget()
			x.Root(sim.State, sim.Belief)
			for range 1000 {
				_, _ = x.Simulate(t.Context(), rng)
			}
		}
		decide()
		if n := testing.AllocsPerRun(3, decide); n > 3 { // of what a model pools
			t.Errorf("%s: %v allocations in 1000 simulations", m.Spec().Name, n)
		}
	}
}

// In dual control no policy earns more than 9.372 (fine-grid dynamic programming), and QMDP, which
// sees no use in a push that tells the gain, earns 7.92. The mean lies between by five standard
// errors, which chance misses with probability 6·10⁻⁷.
func TestDualControl(t *testing.T) {
	m := plannertest.Dual(t)
	found, err := Solver{Budget: bcpace.Budget{Simulations: 200}}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 60, Horizon: 60, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Mean < 7.92+5*r.StdErr || r.Mean > 9.372+5*r.StdErr {
		t.Errorf("mean %v ± %v, want more than 7.92 and at most 9.372", r.Mean, r.StdErr)
	}
}

// What cannot be used is an error that says what would be right.
func TestBadInput(t *testing.T) {
	plannertest.Refuses(t, plannertest.Dual(t), []Solver{
		{Exploration: -1}, {Rollout: "best"}, {Rollout: "blind"}, {Rollout: "told"}, {Budget: bcpace.Budget{Simulations: -1}},
		{StateK: -1}, {StateK: math.Inf(1)}, {StateAlpha: 1}, {ActionK: math.NaN()}, {ActionAlpha: -0.1},
	})
}

// deaf is a model whose likelihood is 0 of all that happens.
type deaf struct{ envs.Tiger }

func (deaf) LogLikelihood([]float64, int, []float64, int) float64 { return math.Inf(-1) }

// A likelihood of zero everywhere is an error that says where.
func TestImpossible(t *testing.T) {
	found, err := Solver{}.Solve(t.Context(), deaf{}, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	p := bcpace.PolicyAbilitiesOf(found.Policy)
	if _, err := p.Plan(t.Context(), []float64{0}, bcpace.Belief{0.5, 0.5}, rand.New(rand.NewPCG(1, 1))); !errors.As(err, new(*bcpace.ImpossibleObservationError)) {
		t.Errorf("%v, want an ImpossibleObservationError", err)
	}
}

// A tree is not kept for a belief that is not the one that it has computed: its nodes are those
// of histories that the other belief may rule out.
func TestOtherBelief(t *testing.T) {
	m, err := bcpace.FromTables(bcpace.Tables{Discount: 0.9, // the next state is the latent
		P: [][][][]float64{{{{1, 0}, {1, 0}}}, {{{0, 1}, {0, 1}}}}, R: [][][]float64{{{0, 0}}, {{1, 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	found, err := Solver{Budget: bcpace.Budget{Simulations: 50}}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	p, rng := found.Policy.(*online.Planner), rand.New(rand.NewPCG(1, 1))
	if _, err := p.Plan(t.Context(), []float64{0}, bcpace.Uniform(2), rng); err != nil {
		t.Fatal(err)
	}
	p.Observe(0, 0, []float64{0})
	d, err := p.Plan(t.Context(), []float64{0}, bcpace.OneHot(2, 1), rng)
	if err != nil || d.Visits[0] != 50 || !(d.Q[0] > 5) {
		t.Errorf("%+v, %v, want the value under the other latent", d, err)
	}
	if _, err := p.Nodes(10); err != nil {
		t.Error(err)
	}
}
