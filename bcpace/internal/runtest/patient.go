package runtest

import (
	"math/rand/v2"
	"time"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

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
