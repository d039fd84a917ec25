package plannertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/kept"
)

// Calls counts what a Recorder was asked and told.
type Calls struct {
	Acts, Plans, Begins, Observes, Forks, Nodes int
	Contexts                                    []context.Context // of Decide
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
	// Inspecting has Nodes, which counts.
	Inspecting struct{ Planning }
	// Forking has Fork, which counts.
	Forking struct{ Recorder }
	// Deciding acts within a context, and notes those that it gets.
	Deciding struct{ Recorder }
	// Refusing takes no action, and says why.
	Refusing struct{ Recorder }
	// Keeping has a form in a file.
	Keeping struct{ Recorder }
	// Whole can do all but refuse.
	Whole struct {
		Recorder
		inspects
		remembers
	}
	inspects  = Inspecting
	remembers = EpisodicPolicy
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

// Nodes is bcpace.PolicyAbilities.Nodes.
func (r Inspecting) Nodes(most int) ([]bcpace.SearchNode, error) {
	r.Calls.Nodes++
	return make([]bcpace.SearchNode, most), nil
}

// Fork is bcpace.PolicyAbilities.Fork.
func (r Forking) Fork() bcpace.Policy {
	r.Forks++
	return r
}

// Decide is bcpace.PolicyAbilities.Act.
func (r Deciding) Decide(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (int, error) {
	r.Contexts = append(r.Contexts, ctx)
	return r.Act(s, b, rng), ctx.Err()
}

// Fork is bcpace.PolicyAbilities.Fork.
func (w Whole) Fork() bcpace.Policy { return w }

var errRefused = errors.New("refused by the policy inside")

// Decide is bcpace.PolicyAbilities.Act.
func (Refusing) Decide(context.Context, []float64, bcpace.Belief, *rand.Rand) (int, error) {
	return -1, errRefused
}

// Keep is bcpace.PolicyAbilities.Keep.
func (Keeping) Keep() (kind string, data any, err error) { return "recorder", 1, nil }

// ability is something that a policy can do besides Act.
type ability struct {
	name string // of its field in bcpace.PolicyAbilities
	// handedOn reports whether what wrap makes of a policy that has it has it too, and whether what
	// wrap makes of one without it claims to have it.
	handedOn func(t *testing.T, m bcpace.Model, wrap func(bcpace.Policy) bcpace.Policy) (has, claims bool)
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

// start returns a state and belief in which an episode of m begins.
func start(t *testing.T, m bcpace.Model) ([]float64, bcpace.Belief) {
	t.Helper()
	sim := bcpace.NewSimulator(m)
	if err := sim.Reset(rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Fatal(err)
	}
	return sim.State, sim.Belief
}

var abilities = []ability{
	{"Act", func(t *testing.T, m bcpace.Model, wrap func(bcpace.Policy) bcpace.Policy) (has, claims bool) {
		s, b := start(t, m)
		act := func(ctx context.Context, p bcpace.Policy) error {
			can := bcpace.PolicyAbilitiesOf(wrap(p))
			if can.Begin != nil {
				can.Begin(s, b)
			}
			_, err := can.Act(ctx, s, b, rand.New(rand.NewPCG(1, 1)))
			return err
		}
		p := Deciding{NewRecorder(m)}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := act(ctx, p)
		return len(p.Contexts) == 1 && p.Contexts[0] == ctx && err == context.Canceled && errors.Is(act(t.Context(), Refusing{NewRecorder(m)}), errRefused), false
	}},
	{"Plan", func(t *testing.T, m bcpace.Model, wrap func(bcpace.Policy) bcpace.Policy) (has, claims bool) {
		p := Planning{NewRecorder(m)}
		w := wrap(p)
		has = bcpace.PolicyAbilitiesOf(w).Plan != nil
		claims = bcpace.PolicyAbilitiesOf(wrap(NewRecorder(m))).Plan != nil
		if _, simulations := play(t, m, w); has && (p.Plans != simulations || p.Plans == 0) {
			t.Errorf("a planner was asked %d times to plan, and %d simulations were counted", p.Plans, simulations)
		}
		return has, claims
	}},
	{"Nodes", func(t *testing.T, m bcpace.Model, wrap func(bcpace.Policy) bcpace.Policy) (has, claims bool) {
		p := Inspecting{Planning{NewRecorder(m)}}
		if x := bcpace.PolicyAbilitiesOf(wrap(p)); x.Nodes != nil {
			nodes, err := x.Nodes(3)
			has = err == nil && len(nodes) == 3 && p.Calls.Nodes == 1
		}
		return has, bcpace.PolicyAbilitiesOf(wrap(Planning{NewRecorder(m)})).Nodes != nil
	}},
	{"Begin", handsOnMemory},
	{"Observe", handsOnMemory},
	{"Fork", func(t *testing.T, m bcpace.Model, wrap func(bcpace.Policy) bcpace.Policy) (has, claims bool) {
		p := Forking{NewRecorder(m)}
		w := wrap(p)
		before := p.Forks
		_ = bcpace.Fork(w)
		return p.Forks > before, false
	}},
	{"Keep", func(t *testing.T, m bcpace.Model, wrap func(bcpace.Policy) bcpace.Policy) (has, claims bool) {
		k, err := kept.Of(wrap(Keeping{NewRecorder(m)}))
		_, other := kept.Of(wrap(NewRecorder(m)))
		return err == nil && k.Kind == "recorder", other == nil
	}},
	{"PlayedIn", func(t *testing.T, m bcpace.Model, wrap func(bcpace.Policy) bcpace.Policy) (has, claims bool) {
		short := bcpace.Derive(m, func(_ bcpace.Model, can *bcpace.Abilities) { can.Spec.Horizon = 4 })
		with := bcpace.KeepHorizon(short)
		for _, p := range []bcpace.Policy{NewRecorder(with), NewRecorder(short)} {
			played, err := bcpace.ForPolicy(short, wrap(bcpace.PolicyOf(with, p)))
			has = err == nil && len(played.Spec().Axes) == len(with.Spec().Axes)
		}
		played, err := bcpace.ForPolicy(short, wrap(NewRecorder(short)))
		return has, err != nil || len(played.Spec().Axes) != len(short.Spec().Axes)
	}},
}

// handsOnMemory is the ability to be told what happens.
func handsOnMemory(t *testing.T, m bcpace.Model, wrap func(bcpace.Policy) bcpace.Policy) (has, claims bool) {
	for _, p := range []struct {
		bcpace.Policy
		*Calls
	}{both(EpisodicPolicy{NewRecorder(m)}), both(newWhole(m))} {
		w := wrap(p.Policy)
		has = bcpace.PolicyAbilitiesOf(w).Begin != nil && bcpace.PolicyAbilitiesOf(w).Observe != nil
		for episode := range 3 {
			p.Acts, p.Observes = 0, 0
			told, _ := play(t, m, w)
			// What follows the last action may come when the next one is asked for.
			if p.Begins != episode+1 || p.Observes < p.Acts-1 || p.Observes > told {
				t.Errorf("after %d episodes of a %T: %d times Begin; %d times Act and %d Observe in the last", episode+1, p.Policy, p.Begins, p.Acts, p.Observes)
				has = false
			}
		}
	}
	can := bcpace.PolicyAbilitiesOf(wrap(NewRecorder(m)))
	return has, can.Begin != nil || can.Observe != nil
}

func newWhole(m bcpace.Model) Whole {
	r := NewRecorder(m)
	return Whole{r, Inspecting{Planning{r}}, EpisodicPolicy{r}}
}

func both[P interface {
	bcpace.Policy
	counts() *Calls
}](p P) struct {
	bcpace.Policy
	*Calls
} {
	return struct {
		bcpace.Policy
		*Calls
	}{p, p.counts()}
}

func (r Recorder) counts() *Calls { return r.Calls }

// Except has the abilities of a policy that are not those of the one inside, each with the reason.
type Except struct {
	Lacks map[string]string // it has them not
	Own   map[string]string // it has them whatever is inside
}

// HandsOn tests that a policy of that type, which wrap makes for m of another one for m, can do all
// that this one can, and claims no more. Every type that asks another policy has such a test.
func HandsOn(t *testing.T, of string, m bcpace.Model, x Except, wrap func(bcpace.Policy) bcpace.Policy) {
	t.Helper()
	known := map[string]bool{}
	for _, a := range abilities {
		known[a.name] = true
		t.Run(fmt.Sprint(of, "/", a.name), func(t *testing.T) {
			has, claims := a.handedOn(t, m, wrap)
			if _, lacks := x.Lacks[a.name]; has == lacks {
				t.Errorf("of a policy inside that has it: handed on %v, want %v", has, !lacks)
			}
			if _, own := x.Own[a.name]; claims != own {
				t.Errorf("of a policy inside that has it not: claimed %v, want %v", claims, own)
			}
		})
	}
	for _, names := range []map[string]string{x.Lacks, x.Own} {
		for name := range names {
			if !known[name] {
				t.Errorf("%s: no ability has the name %s", of, name)
			}
		}
	}
	known["Inside"] = true // which DerivePolicy forgets
	for _, f := range reflect.VisibleFields(reflect.TypeFor[bcpace.PolicyAbilities]()) {
		if !known[f.Name] {
			t.Errorf("the ability %s of policies has no place in the table", f.Name)
		}
	}
}
