package despot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/online/tree"
	"bayescpace/envs"
)

// constant is a bound of all values.
type constant float64

func (c constant) Q([]float64, int, int) float64 { return float64(c) }

// best is max over policies of the regularised value that the scenarios of a node have, by
// going through all actions to the end, in the weight of the node.
func best(x *search, s []float64, at []tree.Scenario, depth int) float64 {
	weight := math.Pow(x.spec.Discount, float64(depth)) / float64(len(x.At(0)))
	base, _, _ := x.lower(context.Background(), s, at, depth)
	value := weight * float64(len(at)) * base
	if depth == x.depth {
		return value
	}
	for a := range x.spec.Actions {
		after := map[string][]tree.Scenario{}
		states := map[string][]float64{}
		var order []string // so that sums are the same in each run
		v := -x.Price
		for _, k := range at {
			x.walk.Start(s, int(k.Hidden))
			v += weight * x.step(k.Number, depth, a)
			if x.walk.Done {
				continue
			}
			key := fmt.Sprint(x.walk.State)
			if after[key] == nil {
				order = append(order, key)
			}
			after[key] = append(after[key], tree.Scenario{Number: k.Number, Hidden: int32(x.walk.Latent)})
			states[key] = append([]float64{}, x.walk.State...)
		}
		for _, key := range order {
			v += best(x, states[key], after[key], depth+1)
		}
		value = max(value, v)
	}
	return value
}

// plain is a model without bounds, whose latents may move.
type plain struct {
	bcpace.Finite
	bcpace.LatentDynamics
}

// still are the dynamics of a latent that never moves.
type still struct{}

func (still) LatentKind() bcpace.LatentKind                        { return bcpace.Static }
func (still) LatentTransition([]float64, []float64, int, int) bool { return false }

// random returns a random model whose latents move as seed says and whose rewards are from least to least + 20, and
// where it starts.
func random(t *testing.T, seed uint64, least float64) (plain, bcpace.StartPoint) {
	t.Helper()
	m := randmodel.New(rand.New(rand.NewPCG(seed, 1)), randmodel.Options{States: 4, Latents: 3, Actions: 3, Branch: 2, Discount: 0.8, Kind: bcpace.LatentKind(seed % 3),
		Reward: func(rng *rand.Rand) float64 { return least + 20*rng.Float64() }})
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		t.Fatal(err)
	}
	var moves bcpace.LatentDynamics = still{}
	if d, ok := m.(bcpace.LatentDynamics); ok {
		moves = d
	}
	return plain{m, moves}, bcpace.StartPoint{State: starts[0].State, Belief: starts[0].Belief}
}

// stating is one that states so much more than what is earned blindly.
type stating struct {
	plain
	blind *dp.BlindBound
	more  float64
}

func (st stating) Lower(s []float64, b bcpace.Belief) (float64, int) {
	action, value := st.blind.Best(s, b)
	return value + st.more, action
}

func (st stating) Upper([]float64, bcpace.Belief) float64 { return st.Spec().VMax() }

// states gives a model bounds.
func states(t *testing.T, m plain, more float64) stating {
	t.Helper()
	b, err := dp.SolveBounds(t.Context(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	return stating{m, b.Blind, more}
}

// The bounds at the root hold the best regularised value of the scenarios after every trial,
// and meet there, with the policies that are played and with what a model states.
func TestMeetsTheBestOfTheScenarios(t *testing.T) {
	stated := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var m bcpace.Model
		var at bcpace.StartPoint
		if seed%4 >= 2 {
			var p plain
			p, at = random(t, seed, -10)
			m = states(t, p, 0)
		} else {
			m, at = plannertest.Random(t, rng, seed, 2, 0.8)
		}
		s := Solver{Scenarios: 1 + rng.IntN(6), Budget: bcpace.Budget{Depth: 1 + rng.IntN(4)}}
		if seed%2 == 1 {
			s.Regularisation = 0.02
		}
		spec := m.Spec()
		x := newSearch(m, s, constant(spec.VMax()))
		x.Root(at.State, at.Belief)
		if err := x.Begin(t.Context(), rng); err != nil {
			t.Fatal(err)
		}
		if x.stated {
			stated++
		}
		want := best(x, at.State, x.At(0), 0)
		trials := 0
		for more := true; more; trials++ {
			var err error
			if more, err = x.Simulate(t.Context(), rng); err != nil {
				t.Fatal(err)
			}
			if root := x.Nodes[0]; root.Lo > want+1e-9 || root.Mu < want-1e-9 {
				t.Fatalf("model %d, trial %d: [%v, %v] without %v", seed, trials, root.Lo, root.Mu, want)
			}
			if trials > 100_000 {
				t.Fatalf("model %d: no end", seed)
			}
		}
		if root := x.Nodes[0]; root.Mu-root.Lo > 1e-8 {
			t.Errorf("model %d: [%v, %v] after %d trials, want %v", seed, root.Lo, root.Mu, trials, want)
		}
	}
	if stated == 0 || stated == 20 {
		t.Errorf("what a model states counts in %d of 20 models, want some", stated)
	}
}

// What a model states counts where it is no less than what is earned by the policies that are played; else decisions
// are those without it.
func TestStated(t *testing.T) {
	for seed := range uint64(10) {
		m, at := random(t, seed, -10)
		s := Solver{Budget: bcpace.Budget{Simulations: 20, Depth: 5}}
		decide := func(m bcpace.Model) bcpace.Decision {
			return plannertest.Decide(t, s, m, at, rand.New(rand.NewPCG(seed, 3)))
		}
		width := m.Spec().VMax() - m.Spec().VMin()
		played := decide(m)
		if low := decide(states(t, m, -width)); !reflect.DeepEqual(low, played) {
			t.Errorf("model %d: %+v with a bound below all, and %+v without it", seed, low, played)
		}
		if high := decide(states(t, m, width)); slices.Equal(high.Q, played.Q) {
			t.Errorf("model %d: what the model states changes nothing", seed)
		}
	}
}

// No bound that a model states is asked for once time is up: it may take long, and many leaves may follow a step.
func TestStatedInTime(t *testing.T) {
	m, at := random(t, 1, -10)
	x := newSearch(states(t, m, 100), Solver{Scenarios: 10}, constant(0))
	x.Root(at.State, at.Belief)
	if err := x.Begin(t.Context(), rand.New(rand.NewPCG(1, 1))); err != nil || !x.stated {
		t.Fatalf("stated %v, %v", x.stated, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := x.lower(ctx, at.State, x.At(0), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// What a model states is compared with what is earned to the end, not within the depth of the tree: it counts where
// all rewards are costs, and steps that are not looked at would cost nothing.
func TestStatedOfCosts(t *testing.T) {
	for seed := range uint64(20) {
		m, at := random(t, seed, -60)
		x := newSearch(states(t, m, 10), Solver{Budget: bcpace.Budget{Depth: 1}}, constant(0))
		x.Root(at.State, at.Belief)
		if err := x.Begin(t.Context(), rand.New(rand.NewPCG(seed, 4))); err != nil {
			t.Fatal(err)
		}
		if !x.stated {
			t.Errorf("model %d: a bound that is 10 above what is earned blindly does not count", seed)
		}
	}
}

// What cannot be used is an error that says what would be right.
func TestBadInput(t *testing.T) {
	plannertest.Refuses(t, envs.Tiger{}, []Solver{
		{Scenarios: -1}, {Scenarios: maxScenarios + 1}, {Regularisation: -1}, {Regularisation: math.NaN()}, {Regularisation: math.Inf(1)},
		{Budget: bcpace.Budget{Simulations: -1}}, {Budget: bcpace.Budget{Time: -1}}, {Budget: bcpace.Budget{Depth: -1}},
	})
	plannertest.LacksSupport(t, Solver{}, plannertest.Dual(t))
}

// To stay costs 1 at each step, and to leave 4 once, which is best: steps beyond the depth of the tree cost what they cost where the latent is known.
func TestCutCosts(t *testing.T) {
	m, err := bcpace.FromTables(bcpace.Tables{Name: "toll", Discount: 0.9, Prior: []float64{0.5, 0.5}, Start: []float64{1, 0}, Ends: []bool{false, true},
		P: [][][][]float64{{{{1, 0}, {0, 1}}, {{0, 1}, {0, 1}}}, {{{1, 0}, {0, 1}}, {{0, 1}, {0, 1}}}},
		R: [][][]float64{{{-1, 0}, {-4, 0}}, {{-1, 0}, {-4, 0}}}})
	if err != nil {
		t.Fatal(err)
	}
	for depth := 1; depth <= 4; depth++ {
		s := Solver{Budget: bcpace.Budget{Simulations: 10, Depth: depth}}
		if d := plannertest.Decide(t, s, m, bcpace.StartPoint{State: []float64{0}, Belief: bcpace.Belief{0.5, 0.5}}, rand.New(rand.NewPCG(1, 1))); d.Action != 1 {
			t.Errorf("depth %d: %+v, want to leave", depth, d)
		}
	}
}
