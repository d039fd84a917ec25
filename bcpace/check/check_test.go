package check_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/envs"
)

// broken is a sound model, some of whose methods are replaced.
type broken struct {
	bcpace.Finite
	spec  func(bcpace.Spec) bcpace.Spec
	prior func(bcpace.Belief)
	start func(s []float64, latent int)
	step  func(next, s []float64, latent, action int, out bcpace.Outcome, rng *rand.Rand) bcpace.Outcome
	log   func(s []float64, action int, next []float64, latent int, log float64) float64
	list  func(z *bcpace.Successors, s []float64, action int)
	first func(z *bcpace.Successors)
	index func(s []float64, index int) int
}

func (m broken) Spec() bcpace.Spec {
	if m.spec != nil {
		return m.spec(m.Finite.Spec())
	}
	return m.Finite.Spec()
}

func (m broken) Prior(b bcpace.Belief) {
	m.Finite.Prior(b)
	if m.prior != nil {
		m.prior(b)
	}
}

func (m broken) Start(s []float64, latent int, rng *rand.Rand) {
	m.Finite.Start(s, latent, rng)
	if m.start != nil {
		m.start(s, latent)
	}
}

func (m broken) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	out := m.Finite.Step(next, s, latent, action, rng)
	if m.step != nil {
		return m.step(next, s, latent, action, out, rng)
	}
	return out
}

func (m broken) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	x := m.Finite.LogLikelihood(s, action, next, latent)
	if m.log != nil {
		return m.log(s, action, next, latent, x)
	}
	return x
}

func (m broken) Successors(z *bcpace.Successors, s []float64, action int) {
	m.Finite.Successors(z, s, action)
	if m.list != nil {
		m.list(z, s, action)
	}
}

func (m broken) Starts(z *bcpace.Successors) {
	m.Finite.Starts(z)
	if m.first != nil {
		m.first(z)
	}
}

func (m broken) StateIndex(s []float64) int {
	i := m.Finite.StateIndex(s)
	if m.index != nil {
		return m.index(s, i)
	}
	return i
}

// brokenLatent is a broken Tiger with latent dynamics of its own.
type brokenLatent struct {
	broken
	kind bcpace.LatentKind
	move func(p []float64, action, latent int) bool
}

func (m brokenLatent) LatentKind() bcpace.LatentKind { return m.kind }
func (m brokenLatent) LatentTransition(p []float64, _ []float64, action, latent int) bool {
	return m.move(p, action, latent)
}

// brokenNext is a broken Tiger that names the next latent.
type brokenNext struct {
	brokenLatent
	next int
}

func (m brokenNext) NextLatent([]float64, int, int) int { return m.next }

// brokenMoves lists moves of its own.
type brokenMoves struct {
	brokenLatent
	to    []int32
	share []float64
}

func (m brokenMoves) LatentMoves(to []int32, share []float64, _ []float64, _, _ int) ([]int32, []float64) {
	return append(to, m.to...), append(share, m.share...)
}

// brokenStart is a broken room with a likelihood of the start of its own.
type brokenStart struct {
	broken
	log func(s []float64, latent int) float64
}

func (m brokenStart) StartLogLikelihood(s []float64, latent int) float64 { return m.log(s, latent) }

// generative hides all upgrades of a model but its latent dynamics.
type generative struct{ bcpace.Model }

// enumerating hides the numbering of a model.
type enumerating struct{ bcpace.Enumerator }

// A coin is biased to either side. The model's author swapped the latents in
// LogLikelihood.
func ExampleModel() {
	chance := []float64{0.3, 0.7}
	coin, err := bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "coin", Axes: []bcpace.Axis{{Name: "side", Max: 1, Labels: []string{"tails", "heads"}}},
			Actions: bcpace.Actions("toss"), Latents: []string{"few heads", "many heads"}, Discount: 0.9, RewardMax: 1},
		Step: func(next, _ []float64, latent, _ int, rng *rand.Rand) bcpace.Outcome {
			next[0] = 0
			if rng.Float64() < chance[latent] {
				next[0] = 1
			}
			return bcpace.Outcome{Reward: next[0]}
		},
		LogLikelihood: func(_ []float64, _ int, next []float64, latent int) float64 {
			return math.Log(math.Abs(next[0] - chance[latent])) // want 1 − |…|
		},
	})
	if err == nil {
		err = check.Model(coin, check.Options{})
	}
	var fault *bcpace.ConformanceError
	if errors.As(err, &fault) {
		what, _, _ := strings.Cut(fault.What, " for next states")
		fmt.Printf("model %s, action %s: %s\n", fault.Model, fault.Action, what)
	}
	// Output: model coin, action toss: LogLikelihood favours latent "few heads" over this one
}

// TestFindsFaults breaks sound models in one way each, and expects check.Model
// to say where. In chain, faults are put at state 2, action B (1), latent 1.
//
//test:race
func TestFindsFaults(t *testing.T) {
	chain, tiger := envs.Chain{}, envs.Tiger{}
	at := func(s []float64, action int) bool { return s[0] == 2 && action == 1 }
	atAll := func(s []float64, action, latent int) bool { return at(s, action) && latent == 1 }
	var calls atomic.Int64

	for name, x := range map[string]struct {
		m                     bcpace.Model
		state                 []float64
		action, latent, words string
	}{
		"action count changes": {
			m: broken{Finite: chain, spec: func(s bcpace.Spec) bcpace.Spec {
				if calls.Add(1) > 2 {
					s.Actions = append(s.Actions, bcpace.Action{Name: "C"})
				}
				return s
			}},
			words: "Spec().Actions changed",
		},
		"prior changes": {
			m: broken{Finite: tiger, prior: func(b bcpace.Belief) {
				b[0] += float64(calls.Add(1)) * 1e-12
			}},
			latent: "tiger left", words: "Prior changed",
		},
		"start off its axis": {
			m:      broken{Finite: envs.Chain{Slips: []float64{0.2}}, start: func(s []float64, _ int) { s[0] = 0 }},
			latent: "slip 0.2", words: `Start made state [0], whose entry "state" is 0, want it within [1, 5]`,
		},
		"start not a whole number": {
			m:      broken{Finite: envs.Chain{Slips: []float64{0.2}}, start: func(s []float64, _ int) { s[0] = 1.5 }},
			latent: "slip 0.2", words: "want a whole number",
		},
		"start that Starts does not hold": {
			m:     broken{Finite: envs.Chain{Slips: []float64{0.2}}, start: func(s []float64, _ int) { s[0] = 3 }},
			state: []float64{3}, latent: "slip 0.2", words: "Start drew this state, which Starts does not hold",
		},
		"Starts with the wrong probability": {
			m: broken{Finite: envs.Chain{Slips: []float64{0.2}}, first: func(z *bcpace.Successors) {
				z.Prob[0] = 0.9
				s, p, _ := z.Add(false)
				s[0], p[0] = 2, 0.1
			}},
			state: []float64{1}, latent: "slip 0.2", words: "Starts gives it probability 0.9",
		},
		"start tells without a likelihood": {
			m: broken{Finite: chain,
				start: func(s []float64, latent int) { s[0] = float64(1 + latent%2) },
				first: func(z *bcpace.Successors) {
					s, second, _ := z.Add(false)
					_, first, _ := z.Row(0)
					s[0], first[1], second[1] = 2, 0, 1
				}},
			state: []float64{1}, latent: "slip 0.5", words: "or a StartLikelihood",
		},
		"start likelihood that tells nothing": {
			m:     brokenStart{broken{Finite: envs.LightDarkTiger{StartAt: []float64{0, 2}}}, func([]float64, int) float64 { return 0 }},
			state: []float64{0, 2, 1}, latent: "tiger bottom", words: "StartLogLikelihood is 0, but Starts gives the state probability 0",
		},
		"start likelihood that rules out the start": {
			m:     brokenStart{broken{Finite: envs.LightDarkTiger{}}, func([]float64, int) float64 { return math.Inf(-1) }},
			state: []float64{2, 2, 0}, latent: "*", words: "StartLogLikelihood is -Inf",
		},
		"Step writes s": {
			m: broken{Finite: chain, step: func(_, s []float64, latent, action int, out bcpace.Outcome, _ *rand.Rand) bcpace.Outcome {
				if atAll(s, action, latent) {
					s[0] = 1
				}
				return out
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "Step wrote to s",
		},
		"Step sets nothing": {
			m: broken{Finite: chain, step: func(next, s []float64, latent, action int, out bcpace.Outcome, _ *rand.Rand) bcpace.Outcome {
				if atAll(s, action, latent) {
					next[0] = math.NaN()
				}
				return out
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "not set or not a number",
		},
		"Step with a random source of its own": {
			m: broken{Finite: chain, step: func(next, s []float64, latent, action int, out bcpace.Outcome, _ *rand.Rand) bcpace.Outcome {
				if atAll(s, action, latent) {
					next[0] = float64(1 + 2*(calls.Add(1)%2))
				}
				return out
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "equal random numbers",
		},
		"Step leaves its axis": {
			m: broken{Finite: chain, step: func(next, s []float64, latent, action int, out bcpace.Outcome, _ *rand.Rand) bcpace.Outcome {
				if atAll(s, action, latent) {
					next[0] = 6
				}
				return out
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: `whose entry "state" is 6, want it within [1, 5]`,
		},
		"reward out of range": {
			m: broken{Finite: chain, step: func(_, s []float64, latent, action int, out bcpace.Outcome, _ *rand.Rand) bcpace.Outcome {
				if atAll(s, action, latent) {
					out.Reward = 11
				}
				return out
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "reward 11, want a number within [RewardMin, RewardMax] = [0, 10]",
		},
		"reward not a number": {
			m: broken{Finite: chain, step: func(_, s []float64, latent, action int, out bcpace.Outcome, _ *rand.Rand) bcpace.Outcome {
				if atAll(s, action, latent) {
					out.Reward = math.NaN()
				}
				return out
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "reward NaN",
		},
		"Done that is not listed": {
			m: broken{Finite: chain, step: func(_, s []float64, latent, action int, out bcpace.Outcome, _ *rand.Rand) bcpace.Outcome {
				out.Done = atAll(s, action, latent)
				return out
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "Step returned Done true",
		},
		"rewards differ a little from the list": {
			m: broken{Finite: chain, list: func(z *bcpace.Successors, s []float64, action int) {
				if at(s, action) {
					_, _, r := z.Row(0)
					r[1] += 0.1
				}
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "but Successors says 0.1",
		},
		"probabilities do not sum to 1": {
			m: broken{Finite: chain, list: func(z *bcpace.Successors, s []float64, action int) {
				if at(s, action) {
					_, p, _ := z.Row(0)
					p[1] += 0.01
				}
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "sum to 1.01, want 1",
		},
		"negative probability": {
			m: broken{Finite: chain, list: func(z *bcpace.Successors, s []float64, action int) {
				if at(s, action) {
					_, p, _ := z.Row(0)
					p[1] = -0.1
				}
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "probability -0.1",
		},
		"state listed twice": {
			m: broken{Finite: chain, list: func(z *bcpace.Successors, s []float64, action int) {
				if at(s, action) {
					next, p, _ := z.Row(0)
					copy(next, []float64{1})
					p[1] = 0.5
				}
			}},
			state: []float64{2}, action: "B", words: "holds state [1] twice",
		},
		"empty list": {
			m: broken{Finite: chain, list: func(z *bcpace.Successors, s []float64, action int) {
				if at(s, action) {
					z.Reset(1, 3)
				}
			}},
			state: []float64{2}, action: "B", words: "added no state",
		},
		"state listed that cannot follow": {
			m: broken{Finite: chain, list: func(z *bcpace.Successors, s []float64, action int) {
				if at(s, action) {
					next, _, _ := z.Add(false)
					next[0] = 5
				}
			}},
			state: []float64{2}, action: "B", words: "probability 0 under every latent",
		},
		"list disagrees with Step and LogLikelihood": {
			m: broken{Finite: chain,
				list: func(z *bcpace.Successors, s []float64, action int) {
					if at(s, action) {
						tilt(z, 1, 0.45)
					}
				},
				log: func(s []float64, action int, next []float64, latent int, log float64) float64 {
					if atAll(s, action, latent) {
						return math.Log(map[float64]float64{3: 0.45, 1: 0.55}[next[0]])
					}
					return log
				}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "but Successors gives it probability",
		},
		"likelihood disagrees with list": {
			m: broken{Finite: chain, log: func(s []float64, action int, next []float64, latent int, log float64) float64 {
				if atAll(s, action, latent) {
					return log + 0.01
				}
				return log
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "whose log ratio is",
		},
		"likelihood rules out what Step draws": {
			m: broken{Finite: chain, log: func(s []float64, action int, next []float64, latent int, log float64) float64 {
				if atAll(s, action, latent) && next[0] == 3 {
					return math.Inf(-1)
				}
				return log
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "LogLikelihood of [3], which Step drew, is -Inf",
		},
		"likelihood not a number": {
			m: broken{Finite: chain, log: func(s []float64, action int, next []float64, latent int, log float64) float64 {
				if atAll(s, action, latent) {
					return math.NaN()
				}
				return log
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "is NaN",
		},
		"likelihoods swapped, nothing listed": {
			m: generative{broken{Finite: tiger, log: func(s []float64, action int, next []float64, latent int, _ float64) float64 {
				return tiger.LogLikelihood(s, action, next, 1-latent)
			}}},
			state: []float64{0}, action: "listen", latent: "*", words: "favours latent",
		},
		"list disagrees with Step, no numbering": {
			m: enumerating{broken{Finite: chain,
				step: func(next, s []float64, latent, action int, out bcpace.Outcome, rng *rand.Rand) bcpace.Outcome {
					if atAll(s, action, latent) && rng.Float64() < 0.2 {
						next[0], out.Reward = 1, 2
					}
					return out
				}}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "but Successors gives it probability 0.5",
		},
		"wrong StateIndex": {
			m: broken{Finite: chain, index: func(s []float64, i int) int {
				if s[0] == 2 {
					return 3
				}
				return i
			}},
			state: []float64{2}, words: "StateIndex is 3 for the state that StateAt gives for number 1, want 1",
		},
		"state outside the set": {
			m: broken{Finite: smaller{envs.Chain{Slips: []float64{0}}}}, state: []float64{4}, action: "", words: "for which StateIndex is -1",
		},
		"panic": {
			m: broken{Finite: chain, step: func(_, s []float64, latent, action int, out bcpace.Outcome, _ *rand.Rand) bcpace.Outcome {
				if atAll(s, action, latent) {
					_ = s[action]
				}
				return out
			}},
			state: []float64{2}, action: "B", latent: "slip 0.5", words: "Step panicked: runtime error: index out of range",
		},
		"latent row does not sum to 1": {
			m: brokenLatent{broken{Finite: tiger}, bcpace.Redrawn, func(p []float64, action, latent int) bool {
				p[0], p[1] = 0.5, 0.5
				if action == 2 && latent == 1 {
					p[1] = 0.6
				}
				return true
			}},
			action: "open right", latent: "tiger right", words: "want probabilities that sum to 1",
		},
		"static latent moves": {
			m: brokenLatent{broken{Finite: tiger}, bcpace.Static, func(p []float64, action, latent int) bool {
				p[0], p[1] = 1, 0
				return action == 2 && latent == 1 || latent == 0
			}},
			action: "*", latent: "tiger right", words: "but LatentKind is static",
		},
		"next latent of a drawn one": {
			m:      brokenNext{brokenLatent{broken{Finite: tiger}, bcpace.Redrawn, func([]float64, int, int) bool { return false }}, 0},
			action: "*", latent: "*", words: "the model has NextLatent, but LatentKind is redrawn",
		},
		"next latent is none": {
			m:      brokenNext{brokenLatent{broken{Finite: tiger}, bcpace.Deterministic, func([]float64, int, int) bool { return false }}, 2},
			action: "*", latent: "*", words: "NextLatent returned 2, want a latent from 0 to 1",
		},
		"next latent is another": {
			m:      brokenNext{brokenLatent{broken{Finite: tiger}, bcpace.Deterministic, func([]float64, int, int) bool { return false }}, 0},
			action: "*", latent: "tiger right", words: "NextLatent returned 0, want the latent that follows",
		},
		"list of moves with another probability": {
			m: brokenMoves{brokenLatent{broken{Finite: tiger}, bcpace.Redrawn, func(p []float64, action, latent int) bool {
				p[0], p[1] = 0.3, 0.7
				return true
			}}, []int32{0, 1}, []float64{0.3, 0.6}},
			action: "*", latent: "*", words: "LatentMoves lists the latents [0 1] with probabilities [0.3 0.6], want those of LatentTransition",
		},
		"list of moves out of order": {
			m: brokenMoves{brokenLatent{broken{Finite: tiger}, bcpace.Redrawn, func(p []float64, action, latent int) bool {
				p[0], p[1] = 0.3, 0.7
				return true
			}}, []int32{1, 0}, []float64{0.7, 0.3}},
			action: "*", latent: "*", words: "LatentMoves lists the latents [1 0]",
		},
		"list of moves without one": {
			m: brokenMoves{brokenLatent{broken{Finite: tiger}, bcpace.Redrawn, func(p []float64, action, latent int) bool {
				p[0], p[1] = 0.3, 0.7
				return true
			}}, []int32{1}, []float64{0.7}},
			action: "*", latent: "*", words: "LatentMoves lists the latents [1] without 0",
		},
		"list of moves where the latent stays": {
			m:      brokenMoves{brokenLatent{broken{Finite: tiger}, bcpace.Redrawn, func([]float64, int, int) bool { return false }}, []int32{0}, []float64{1}},
			action: "*", latent: "tiger right", words: "LatentMoves lists the latents [0]",
		},
		"list of moves with a latent that is none": {
			m:      brokenMoves{brokenLatent{broken{Finite: tiger}, bcpace.Redrawn, func([]float64, int, int) bool { return false }}, []int32{2}, []float64{1}},
			action: "*", latent: "*", words: "LatentMoves lists the latents [2]",
		},
		"deterministic latent is drawn": {
			m: brokenLatent{broken{Finite: tiger}, bcpace.Deterministic, func(p []float64, action, latent int) bool {
				p[0], p[1] = 1, 0
				if action == 2 && latent == 1 {
					p[0], p[1] = 0.5, 0.5
				}
				return true
			}},
			action: "open right", latent: "tiger right", words: "LatentKind is deterministic",
		},
	} {
		t.Run(name, func(t *testing.T) {
			calls.Store(0)
			err := check.Model(x.m, check.Options{Transitions: 60})
			var fault *bcpace.ConformanceError
			if !errors.As(err, &fault) {
				t.Fatalf("got error %v, want a *ConformanceError", err)
			}
			if !strings.Contains(fault.Error(), x.words) {
				t.Errorf("%v\nwant it to say %q", fault, x.words)
			}
			if !equal(fault.State, x.state) && x.state != nil {
				t.Errorf("%v\nwant it at state %v", fault, x.state)
			}
			if fault.Action != x.action && x.action != "*" {
				t.Errorf("%v\nwant it at action %q", fault, x.action)
			}
			if fault.Latent != x.latent && x.latent != "*" {
				t.Errorf("%v\nwant it at latent %q", fault, x.latent)
			}
		})
	}
}

// tilt gives the first row of z probability p under the given latent, and the
// second row what is left.
func tilt(z *bcpace.Successors, latent int, p float64) {
	_, first, _ := z.Row(0)
	_, second, _ := z.Row(1)
	first[latent], second[latent] = p, 1-p
}

// smaller is a chain that does not number its last two states.
type smaller struct{ envs.Chain }

func (m smaller) NumStates() int { return 3 }
func (m smaller) StateIndex(s []float64) int {
	if s[0] > 3 {
		return -1
	}
	return m.Chain.StateIndex(s)
}

func equal(a, b []float64) bool {
	if len(a) != len(b) || (a == nil) != (b == nil) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// drifting is a continuous model, the position of a particle that drifts to
// one side or the other, whose list is a quadrature with a mistake.
type drifting struct{ shift, width float64 }

func (m drifting) Spec() bcpace.Spec {
	return bcpace.Spec{Name: "drift", Axes: []bcpace.Axis{{Name: "x", Min: -5, Max: 5}}, Actions: bcpace.Actions("wait"),
		Latents: []string{"left", "right"}, Discount: 0.9, RewardMin: 0, RewardMax: 1}
}
func (m drifting) Prior(b bcpace.Belief)                  { b[0], b[1] = 0.5, 0.5 }
func (m drifting) Start(s []float64, _ int, _ *rand.Rand) { s[0] = 0 }
func (m drifting) mean(s []float64, latent int) float64   { return 0.9*s[0] + 0.2*float64(2*latent-1) }
func (m drifting) Step(next, s []float64, latent, _ int, rng *rand.Rand) bcpace.Outcome {
	next[0] = m.mean(s, latent) + m.width*(2*rng.Float64()-1)
	return bcpace.Outcome{Reward: 0.5}
}
func (m drifting) LogLikelihood(s []float64, _ int, next []float64, latent int) float64 {
	if math.Abs(next[0]-m.mean(s, latent)) > m.width {
		return math.Inf(-1)
	}
	return 0
}
func (m drifting) Starts(z *bcpace.Successors) {
	_, p, _ := z.Add(false)
	p[0], p[1] = 1, 1
}
func (m drifting) Successors(z *bcpace.Successors, s []float64, _ int) {
	for latent := range 2 {
		for i := range 2 {
			next, p, r := z.Add(false)
			next[0] = m.mean(s, latent) + m.width*(float64(i)-0.5) + m.shift
			p[latent], r[0], r[1] = 0.5, 0.5, 0.5
		}
	}
}

func TestQuadrature(t *testing.T) {
	if err := check.Model(drifting{width: 0.3}, check.Options{}); err != nil {
		t.Error(err)
	}
	err := check.Model(drifting{width: 0.6, shift: 0.28}, check.Options{})
	if err == nil || !strings.Contains(err.Error(), `the mean of "x" after Step`) {
		t.Errorf("a quadrature with a wrong mean: got %v", err)
	}
}

// TestSeeds expects no false alarm from any seed.
func TestSeeds(t *testing.T) {
	for seed := range uint64(10) {
		for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{Sigma: 0.3}} {
			if err := check.Model(m, check.Options{Seed: seed, Transitions: 20, Draws: 500}); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	}
}

func TestInput(t *testing.T) {
	var input *bcpace.InputError
	if err := check.Model(nil, check.Options{}); !errors.As(err, &input) {
		t.Errorf("no model: got %v, want an *InputError", err)
	}
	if err := check.Model(envs.Tiger{}, check.Options{Draws: -1}); !errors.As(err, &input) {
		t.Errorf("negative Draws: got %v, want an *InputError", err)
	}
	if err := check.Model(envs.Tiger{Accuracy: 2}, check.Options{}); !errors.As(err, &input) {
		t.Errorf("bad parameter: got %v, want an *InputError", err)
	}
}
