package pomcp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/online/tree"
	"bayescpace/envs"
)

// searchOf returns the search of s in m, at the start of m.
func searchOf(t testing.TB, s Solver, m bcpace.Model) (*tree.Latents, *bcpace.Simulator) {
	t.Helper()
	sim := bcpace.NewSimulator(m)
	if err := sim.Reset(rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Fatal(err)
	}
	x := s.search(m, nil)
	x.Root(sim.State, sim.Belief)
	return x, sim
}

// adds expects that every simulation that came by a node took one of its edges or ended there,
// and that all that took an edge came to a node behind it.
func adds(t *testing.T, x *tree.Latents) {
	t.Helper()
	for i, n := range x.Nodes {
		taken := int32(0)
		for e := n.First; e != tree.None; e = x.Edges[e].Next {
			taken += x.Edges[e].Visits
			came := int32(0)
			for c := x.Edges[e].Child; c != tree.None; c = x.Nodes[c].Sibling {
				came += x.Nodes[c].Visits
			}
			if came != x.Edges[e].Visits {
				t.Fatalf("edge %d: %d simulations took it and %d came to a node", e, x.Edges[e].Visits, came)
			}
		}
		ended := n.Visits - taken
		if begins := i == 0 && n.Depth == 0; begins && ended != 0 || !begins && ended < 1 || ended > 1 && !n.Done && int(n.Depth) < x.Depth {
			t.Fatalf("node %d: %d simulations came by, %d went on", i, n.Visits, taken)
		}
	}
}

// Visits add up, also in a tree that is kept from step to step of an episode.
func TestVisitsAddUp(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		m := randmodel.New(rng, randmodel.Options{})
		x, sim := searchOf(t, Solver{}, m)
		for range 8 {
			for range 300 {
				if _, err := x.Simulate(t.Context(), rng); err != nil {
					t.Fatal(err)
				}
			}
			adds(t, x)
			var d bcpace.Decision
			x.Decide(&d)
			if _, err := sim.Step(d.Action, rng); err != nil {
				t.Fatal(err)
			}
			if sim.Done {
				break
			}
			x.Advance(d.Action, sim.State)
			x.Root(sim.State, sim.Belief)
		}
	}
}

// A tree stays for the belief after what was seen, and for no other one.
func TestOtherBelief(t *testing.T) {
	x, sim := searchOf(t, Solver{}, envs.Tiger{})
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		belief bcpace.Belief
		stays  bool
	}{{bcpace.Belief{0.85, 0.15}, true}, {bcpace.Belief{0.15, 0.85}, false}} {
		x.Forget()
		x.Root(sim.State, sim.Belief)
		for range 500 {
			if _, err := x.Simulate(t.Context(), rng); err != nil {
				t.Fatal(err)
			}
		}
		x.Advance(0, []float64{1})
		if x.Root([]float64{1}, c.belief); len(x.Nodes) > 1 != c.stays {
			t.Errorf("belief %v: %d nodes, want that the tree stays: %v", c.belief, len(x.Nodes), c.stays)
		}
	}
}

// Once a tree has had its size, simulations allocate nothing, nor does it to keep a part.
func TestAllocatesNothing(t *testing.T) {
	x, sim := searchOf(t, Solver{Exploration: 100}, envs.Tiger{})
	rng, heard := rand.New(rand.NewPCG(1, 1)), []float64{1}
	decide := func() {
		x.Forget()
		x.Root(sim.State, sim.Belief)
		rng = rand.New(rand.NewPCG(1, 1))
		for range 2000 {
			_, _ = x.Simulate(context.Background(), rng)
		}
		x.Advance(0, heard)
	}
	decide()
	decide()                                         // both halves of what Advance exchanges
	if n := testing.AllocsPerRun(5, decide); n > 2 { // the random numbers
		t.Errorf("%v allocations in 2000 simulations", n)
	}
}

// What cannot be used is an error that says what would be right.
func TestBadInput(t *testing.T) {
	m := envs.Tiger{}
	plannertest.Refuses(t, m, []Solver{
		{Exploration: -1}, {Exploration: math.NaN()}, {Exploration: math.Inf(1)}, {Rollout: "best"}, {Rollout: "told", RolloutPolicy: bcpace.RandomPolicy(m)},
		{Budget: bcpace.Budget{Simulations: -1}}, {Budget: bcpace.Budget{Time: -1}}, {Budget: bcpace.Budget{Depth: -1}},
	})
	plannertest.LacksSupport(t, Solver{}, envs.LightDarkTiger{Sigma: 0.1}, plannertest.Dual(t))
}
