// Package plannertest has what tests of planners share.
package plannertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs"
)

// Solve returns the solution of a solver of m, and what its policy can do, which plans.
func Solve(t testing.TB, s bcpace.Solver, m bcpace.Model) (*bcpace.Solution, bcpace.PolicyAbilities) {
	t.Helper()
	found, err := s.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	p := bcpace.PolicyAbilitiesOf(found.Policy)
	if p.Plan == nil {
		t.Fatalf("the policy of %s is a %T, want a planner", s.Name(), found.Policy)
	}
	return found, p
}

// Decide returns the decision of the planner of a solver of m.
func Decide(t testing.TB, s bcpace.Solver, m bcpace.Model, at bcpace.StartPoint, rng *rand.Rand) bcpace.Decision {
	t.Helper()
	_, p := Solve(t, s, m)
	d, err := p.Plan(t.Context(), at.State, at.Belief, rng)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Random returns a random model of four states and three latents, which move as the seed says,
// and its first start.
func Random(t *testing.T, rng *rand.Rand, seed uint64, actions int, discount float64) (bcpace.Finite, bcpace.StartPoint) {
	t.Helper()
	m := randmodel.New(rng, randmodel.Options{States: 4, Latents: 3, Actions: actions, Branch: 2, Discount: discount,
		Kind: bcpace.LatentKind(seed % 3), Lists: seed/3%2 == 1, Drifts: seed/6%2 == 1})
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		t.Fatal(err)
	}
	return m, bcpace.StartPoint{State: starts[0].State, Belief: starts[0].Belief}
}

// Dual returns the dual control with gains of either sign, whose action has a Box.
func Dual(t testing.TB) bcpace.Model {
	t.Helper()
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Refuses tests that each of the solvers, whose parameters cannot be used, has an InputError.
func Refuses[S bcpace.Solver](t *testing.T, m bcpace.Model, solvers []S) {
	t.Helper()
	for _, s := range solvers {
		if _, err := s.Solve(t.Context(), m, bcpace.Control{}); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%+v: error %v, want an InputError", s, err)
		}
	}
}

// LacksSupport tests that a solver has an UnsupportedError for each of the models.
func LacksSupport(t *testing.T, s bcpace.Solver, models ...bcpace.Model) {
	t.Helper()
	for _, m := range models {
		if _, err := s.Solve(t.Context(), m, bcpace.Control{}); !errors.As(err, new(*bcpace.UnsupportedError)) {
			t.Errorf("%s: error %v, want an UnsupportedError", m.Spec().Name, err)
		}
	}
}

// Speed measures simulations per second, in decisions of 1,000 simulations. begin begins a
// decision of which nothing is known.
func Speed(b *testing.B, begin func(), simulate func() error) {
	b.Helper()
	const simulations = 1000
	b.ReportAllocs()
	for b.Loop() {
		begin()
		for range simulations {
			if err := simulate(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)*simulations/b.Elapsed().Seconds(), "simulations/s")
}

// Unknown is a finite model whose transitions an agent does not know.
type Unknown struct {
	bcpace.Finite
	Knows bcpace.TransitionPrior
}

// TransitionPrior implements bcpace.UnknownTransitions.
func (u Unknown) TransitionPrior() bcpace.TransitionPrior { return u.Knows }

// Paths returns a model of three states and two actions whose transitions are unknown, with a
// discount of 0.8: to stay where it pays most takes an action that first leads away from it.
func Paths(t testing.TB, knows bcpace.TransitionPrior) Unknown {
	t.Helper()
	m, err := bcpace.FromTables(bcpace.Tables{Name: "paths", Actions: []string{"a", "b"}, Discount: 0.8,
		P: [][][][]float64{{{{0.9, 0.1, 0}, {0.7, 0.1, 0.2}, {0, 0.3, 0.7}}, {{0.2, 0.8, 0}, {0.1, 0.1, 0.8}, {1, 0, 0}}}},
		R: [][][]float64{{{0.3, 0, 1}, {0, 0.1, 0.5}}}})
	if err != nil {
		t.Fatal(err)
	}
	return Unknown{m, knows}
}

// Guess returns a problem with a value that is known: x is uniform in [0, 1] and static. To look shows whether x is above ½, wrongly
// with probability error; to guess ends the episode, and pays 1 if it is right and −1 if not. A look costs 0.05, so that
// one and then a guess is worth 0.9·(1 − 2·error) − 0.05, with a discount of 0.9, if a second look pays nothing.
func Guess(wrong float64) *hidden.Model {
	return &hidden.Model{
		Spec: hidden.Spec{
			Spec:   bcpace.Spec{Name: "guess", Axes: []bcpace.Axis{{Name: "seen", Labels: []string{"nothing", "low", "high"}, Max: 2}}, Actions: bcpace.Actions("look", "low", "high"), Discount: 0.9, RewardMin: -1, RewardMax: 1},
			Hidden: []bcpace.Axis{{Name: "x", Max: 1}},
		},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = rng.Float64() },
		Step: func(next, nextX, _, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			nextX[0], next[0] = x[0], 0
			high := x[0] > 0.5
			if action > 0 {
				if high == (action == 2) {
					return bcpace.Outcome{Reward: 1, Done: true}
				}
				return bcpace.Outcome{Reward: -1, Done: true}
			}
			if next[0] = 1; high != (rng.Float64() < wrong) {
				next[0] = 2
			}
			return bcpace.Outcome{Reward: -0.05}
		},
		LogDensity: func(_, x []float64, action int, next, _ []float64) float64 {
			if action > 0 || next[0] == 0 {
				return math.Inf(-1)
			}
			if (x[0] > 0.5) == (next[0] == 2) {
				return math.Log(1 - wrong)
			}
			return math.Log(wrong)
		},
	}
}

// Begin returns the default belief of m in state s.
func Begin(t testing.TB, m *hidden.Model, s []float64) hidden.Belief {
	t.Helper()
	b, err := hidden.DefaultFilter(m).Begin(m, s, rand.New(rand.NewPCG(7, 7)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Calls counts what a Recorder was asked and told.
type Calls struct {
	Acts, Plans, Begins, Observes, Nodes int
	Contexts                             []context.Context // of Decide
}

// Recorder is a policy that draws actions, and counts.
type Recorder struct {
	*Calls
	spec bcpace.Spec
}

// NewRecorder returns a policy for m that can do nothing but Act.
func NewRecorder(m bcpace.Model) Recorder { return Recorder{&Calls{}, m.Spec()} }

// Act implements bcpace.Policy.
func (r Recorder) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	if len(s) < len(r.spec.Axes) || len(b) != len(r.spec.Latents) {
		return -1
	}
	r.Acts++
	return r.spec.DrawAction(rng)
}

// What a Recorder can do besides.
type (
	// EpisodicPolicy has Begin and Observe, which count.
	EpisodicPolicy struct{ Recorder }
	// Planning has Plan, which counts.
	Planning struct{ Recorder }
	// Deciding acts within a context, and notes those that it gets.
	Deciding struct{ Recorder }
)

// Begin is bcpace.PolicyAbilities.Begin.
func (r EpisodicPolicy) Begin([]float64, bcpace.Belief) { r.Begins++ }

// Observe is bcpace.PolicyAbilities.Observe.
func (r EpisodicPolicy) Observe(int, float64, []float64) { r.Observes++ }

// Plan is bcpace.PolicyAbilities.Plan.
func (r Planning) Plan(_ context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (bcpace.Decision, error) {
	r.Plans++
	return bcpace.Decision{Action: r.Act(s, b, rng), Simulations: 1}, nil
}

// Decide is bcpace.PolicyAbilities.Act.
func (r Deciding) Decide(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (int, error) {
	r.Contexts = append(r.Contexts, ctx)
	return r.Act(s, b, rng), ctx.Err()
}

// nodes is bcpace.PolicyAbilities.Nodes, and counts.
func (r Recorder) nodes(most int) ([]bcpace.SearchNode, error) {
	r.Nodes++
	return make([]bcpace.SearchNode, most), nil
}

var errRefused = errors.New("refused by the policy inside")

// able returns p with abilities that change gives it.
func able(p bcpace.Policy, change func(can *bcpace.PolicyAbilities)) bcpace.Policy {
	return bcpace.DerivePolicy(p, func(_ bcpace.Policy, can *bcpace.PolicyAbilities) { change(can) })
}

// wrapping is a test of what wrap makes of a policy for a model.
type wrapping struct {
	*testing.T
	m    bcpace.Model
	wrap func(bcpace.Policy) bcpace.Policy
}

// can returns the abilities of what wrap makes of p.
func (w wrapping) can(p bcpace.Policy) bcpace.PolicyAbilities {
	return bcpace.PolicyAbilitiesOf(w.wrap(p))
}

// play plays an episode of eight steps at most of m.
func play(t *testing.T, m bcpace.Model, p bcpace.Policy) (steps int, simulations int) {
	t.Helper()
	m, err := bcpace.ForPolicy(m, p)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	r := bcpace.Rollout{Simulator: bcpace.NewSimulator(m), Policy: p, Horizon: 8, Discount: 1}
	for err = r.Reset(rng); err == nil && r.More(); {
		err = r.Step(rng, rng)
	}
	if err != nil {
		t.Fatalf("%T: %v", p, err)
	}
	if r.Done {
		return r.Steps - 1, r.Simulations // of which a policy is told
	}
	return r.Steps, r.Simulations
}

// abilities has, by the name of what a policy can do besides Act in bcpace.PolicyAbilities, whether what wrap makes of a policy that
// has it has it too, and whether what wrap makes of one without it claims to have it.
var abilities = map[string]func(w wrapping) (has, claims bool){
	"Act": func(w wrapping) (has, claims bool) {
		sim := bcpace.NewSimulator(w.m)
		if err := sim.Reset(rand.New(rand.NewPCG(1, 1))); err != nil {
			w.Fatal(err)
		}
		act := func(ctx context.Context, p bcpace.Policy) error {
			can := w.can(p)
			if can.Begin != nil {
				can.Begin(sim.State, sim.Belief)
			}
			_, err := can.Act(ctx, sim.State, sim.Belief, rand.New(rand.NewPCG(1, 1)))
			return err
		}
		p := Deciding{NewRecorder(w.m)}
		ctx, cancel := context.WithCancel(w.Context())
		cancel()
		err := act(ctx, p)
		refusing := able(p, func(can *bcpace.PolicyAbilities) {
			can.Act = func(context.Context, []float64, bcpace.Belief, *rand.Rand) (int, error) { return -1, errRefused }
		})
		return len(p.Contexts) == 1 && p.Contexts[0] == ctx && err == context.Canceled && errors.Is(act(w.Context(), refusing), errRefused), false
	},
	"Plan": func(w wrapping) (has, claims bool) {
		p := Planning{NewRecorder(w.m)}
		of := w.wrap(p)
		has = bcpace.PolicyAbilitiesOf(of).Plan != nil
		claims = w.can(NewRecorder(w.m)).Plan != nil
		if _, simulations := play(w.T, w.m, of); has && (p.Plans != simulations || p.Plans == 0) {
			w.Errorf("a planner was asked %d times to plan, and %d simulations were counted", p.Plans, simulations)
		}
		return has, claims
	},
	"Nodes": func(w wrapping) (has, claims bool) {
		p := Planning{NewRecorder(w.m)}
		if x := w.can(able(p, func(can *bcpace.PolicyAbilities) { can.Nodes = p.nodes })); x.Nodes != nil {
			nodes, err := x.Nodes(3)
			has = err == nil && len(nodes) == 3 && p.Nodes == 1
		}
		return has, w.can(Planning{NewRecorder(w.m)}).Nodes != nil
	},
	"Begin":   handsOnMemory,
	"Observe": handsOnMemory,
	"Fork": func(w wrapping) (has, claims bool) {
		forks, p := 0, bcpace.Policy(NewRecorder(w.m))
		p = able(p, func(can *bcpace.PolicyAbilities) {
			can.Fork = func() bcpace.Policy {
				forks++
				return p
			}
		})
		of := w.wrap(p)
		before := forks
		_ = bcpace.Fork(of)
		return forks > before, false
	},
	"Keep": func(w wrapping) (has, claims bool) {
		k, err := kept.Of(w.wrap(able(NewRecorder(w.m), func(can *bcpace.PolicyAbilities) {
			can.Keep = func() (string, any, error) { return "recorder", 1, nil }
		})))
		_, other := kept.Of(w.wrap(NewRecorder(w.m)))
		return err == nil && k.Kind == "recorder", other == nil
	},
	"PlayedIn": func(w wrapping) (has, claims bool) {
		short := bcpace.Derive(w.m, func(_ bcpace.Model, can *bcpace.Abilities) { can.Spec.Horizon = 4 })
		with := bcpace.KeepHorizon(short)
		for _, p := range []bcpace.Policy{NewRecorder(with), NewRecorder(short)} {
			played, err := bcpace.ForPolicy(short, w.wrap(bcpace.PolicyOf(with, p)))
			has = err == nil && len(played.Spec().Axes) == len(with.Spec().Axes)
		}
		played, err := bcpace.ForPolicy(short, w.wrap(NewRecorder(short)))
		return has, err != nil || len(played.Spec().Axes) != len(short.Spec().Axes)
	},
}

// handsOnMemory is the ability to be told what happens, also of a policy that has the others too.
func handsOnMemory(w wrapping) (has, claims bool) {
	for _, all := range []bool{false, true} {
		p := EpisodicPolicy{NewRecorder(w.m)}
		var inside bcpace.Policy = p
		if all {
			inside = able(p, func(can *bcpace.PolicyAbilities) { can.Plan, can.Nodes = Planning(p).Plan, p.nodes })
		}
		of := w.wrap(inside)
		can := bcpace.PolicyAbilitiesOf(of)
		has = can.Begin != nil && can.Observe != nil
		for episode := range 3 {
			p.Acts, p.Observes = 0, 0
			told, _ := play(w.T, w.m, of)
			// What follows the last action may come when the next one is asked for.
			if p.Begins != episode+1 || p.Observes < p.Acts-1 || p.Observes > told {
				w.Errorf("after %d episodes, with all abilities %v: %d times Begin; %d times Act and %d Observe in the last", episode+1, all, p.Begins, p.Acts, p.Observes)
				has = false
			}
		}
	}
	can := w.can(NewRecorder(w.m))
	return has, can.Begin != nil || can.Observe != nil
}

// Except has the abilities of a policy that are not those of the one inside, each with the reason.
type Except struct {
	Lacks map[string]string // it has them not
	Own   map[string]string // it has them whatever is inside
}

// HandsOn tests that a policy of that type, which wrap makes for m of another one for m, can do all
// that this one can, and claims no more. Every type that asks another policy has such a test.
func HandsOn(t *testing.T, of string, m bcpace.Model, x Except, wrap func(bcpace.Policy) bcpace.Policy) {
	t.Helper()
	for name, handedOn := range abilities {
		t.Run(fmt.Sprint(of, "/", name), func(t *testing.T) {
			has, claims := handedOn(wrapping{t, m, wrap})
			if _, lacks := x.Lacks[name]; has == lacks {
				t.Errorf("of a policy inside that has it: handed on %v, want %v", has, !lacks)
			}
			if _, own := x.Own[name]; claims != own {
				t.Errorf("of a policy inside that has it not: claimed %v, want %v", claims, own)
			}
		})
	}
	for _, names := range []map[string]string{x.Lacks, x.Own} {
		for name := range names {
			if abilities[name] == nil {
				t.Errorf("%s: no ability has the name %s", of, name)
			}
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[bcpace.PolicyAbilities]()) {
		if abilities[f.Name] == nil && f.Name != "Inside" { // which DerivePolicy forgets
			t.Errorf("the ability %s of policies has no place in the table", f.Name)
		}
	}
}
