// Package runtest has what tests of several explorers need: a model with continuous
// states whose values are known, contexts that end, and run files that are altered.
package runtest

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// LineModel is a walk on [0, 1]: an action moves by a step to the left or right, or
// stays, with noise of two atoms. Rewards are smooth in the place and depend on
// the latent. So does a signal on the second axis, the more the further right.
type LineModel struct {
	step, noise, tell float64
	gain, phase       [2]float64
	redraw            bool // staying draws the latent anew
}

// NewLine draws a line.
func NewLine(rng *rand.Rand, redraw bool) LineModel {
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	return LineModel{
		step: between(0.1, 0.3), gain: [2]float64{between(0.5, 1), between(0.5, 1)},
		phase: [2]float64{between(0, 6), between(0, 6)}, noise: between(0.01, 0.1), tell: between(0.05, 0.4), redraw: redraw,
	}
}

func (m LineModel) Spec() bcpace.Spec {
	return bcpace.Spec{Name: "line", Axes: []bcpace.Axis{{Name: "x", Max: 1}, {Name: "signal", Max: 1, Discrete: true, Scale: math.Inf(1)}},
		Actions: bcpace.Actions("left", "stay", "right"), Latents: []string{"a", "b"}, Discount: 0.8, RewardMin: -1, RewardMax: 1}
}
func (m LineModel) Prior(b bcpace.Belief)                  { b[0], b[1] = 0.4, 0.6 }
func (m LineModel) Start(s []float64, _ int, _ *rand.Rand) { s[0], s[1] = 0.35, 0 }
func (m LineModel) Starts(z *bcpace.Successors) {
	s, p, _ := z.Add(false)
	s[0], p[0], p[1] = 0.35, 1, 1
}
func (m LineModel) reward(x float64, latent, a int) float64 {
	return m.gain[latent] * math.Sin(3*x+m.phase[latent]+float64(a)/5)
}

// signal is the probability of signal 1.
func (m LineModel) signal(x float64, latent int) float64 {
	if latent == 0 {
		return 0.5 + m.tell*x
	}
	return 0.5 - m.tell*x
}

// places lists where an action leads, each place once; noise may end at a wall.
func (m LineModel) places(x float64, a int) (to []float64) {
	x += float64(a-1) * m.step
	down, up := min(max(x-m.noise, 0), 1), min(max(x+m.noise, 0), 1)
	if down == up {
		return []float64{down}
	}
	return []float64{down, up}
}

func (m LineModel) Successors(z *bcpace.Successors, s []float64, a int) {
	to := m.places(s[0], a)
	for _, x := range to {
		for signal := range 2 {
			next, p, r := z.Add(false)
			next[0], next[1] = x, float64(signal)
			for φ := range 2 {
				q := m.signal(x, φ)
				if signal == 0 {
					q = 1 - q
				}
				p[φ], r[φ] = q/float64(len(to)), m.reward(s[0], φ, a)
			}
		}
	}
}

func (m LineModel) Step(next, s []float64, latent, a int, rng *rand.Rand) bcpace.Outcome {
	to := m.places(s[0], a)
	next[0], next[1] = to[rng.IntN(len(to))], 0
	if rng.Float64() < m.signal(next[0], latent) {
		next[1] = 1
	}
	return bcpace.Outcome{Reward: m.reward(s[0], latent, a)}
}

func (m LineModel) LogLikelihood(s []float64, a int, next []float64, latent int) float64 {
	p := m.signal(next[0], latent)
	switch {
	case !slices.Contains(m.places(s[0], a), next[0]):
		return math.Inf(-1)
	case next[1] == 1:
		return math.Log(p)
	}
	return math.Log(1 - p)
}

func (m LineModel) LatentKind() bcpace.LatentKind {
	if m.redraw {
		return bcpace.Redrawn
	}
	return bcpace.Static
}

func (m LineModel) LatentTransition(p []float64, _ []float64, a, _ int) bool {
	if m.redraw && a == 1 {
		p[0], p[1] = 0.4, 0.6
	}
	return m.redraw && a == 1
}

// slowChain is Chain with steps that take a time: it computes for less than a millisecond, as a
// clock is no finer, and waits for more, as for another program.
type slowChain struct {
	envs.Chain
	spec bcpace.Spec
	step time.Duration
}

// Spec implements bcpace.Model.
func (m slowChain) Spec() bcpace.Spec { return m.spec }

// Step implements bcpace.Model.
func (m slowChain) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	began := time.Now()
	if m.step >= time.Millisecond {
		time.Sleep(m.step)
	}
	for m.step > 0 && time.Since(began) < m.step {
		continue
	}
	return m.Chain.Step(next, s, latent, action, rng)
}

// RegisterPatient registers the environment "patient", a slow simulator, whose parameter
// "step" is what a step takes in milliseconds.
func RegisterPatient() {
	step := envs.ParamInfo{Key: "step", Default: "0", Want: "a number of milliseconds", Doc: "what a step takes"}
	envs.Register(envs.Info{Name: "patient", Doc: "A slow simulator.", Params: []envs.ParamInfo{step}}, func(v *envs.Values) (bcpace.Model, error) {
		m := slowChain{spec: envs.Chain{}.Spec(), step: time.Duration(v.Float("step") * 1e6)}
		m.spec.Name, m.spec.Params = v.Name(), v.Params()
		return struct{ bcpace.Model }{m}, nil // without numbered states or a list of what follows, as a simulator is
	})
}
