package choose

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/metric"

	"gonum.org/v1/gonum/stat"
)

// Gain returns what is to be gained by acting well, in reward units, and what that is. It
// is never 0.
func (l *Look) Gain() (gain float64, what string) {
	spec := l.Model.Spec()
	rewards := cmp.Or(spec.RewardMax-spec.RewardMin, 1e-6)
	best, ok := l.Informed()
	simple := l.Simple()
	switch dev := l.Earned[0].StdDev; {
	case ok && best.Mean-simple.Mean > 1e-3*rewards:
		return best.Mean - simple.Mean, fmt.Sprintf("what lies between %s (%.4g) and the informed policy (%.4g)", simple.Name, simple.Mean, best.Mean)
	case !ok && dev > 1e-3*rewards:
		return 2 * dev, fmt.Sprintf("twice the deviation of a random policy's return (%.4g)", dev)
	}
	return rewards, "the range of rewards, as policies earn about the same"
}

// Spread returns the mean distance of two visited places, in the metric with weight alpha.
func (l *Look) Spread(alpha float64) float64 {
	metric := metric.New(l.Model.Spec(), alpha)
	return l.mean(func(i, j int) float64 { return metric.Distance(l.States[i], l.Beliefs[i], l.States[j], l.Beliefs[j]) })
}

// mean returns the mean of f over pairs of visits.
func (l *Look) mean(f func(i, j int) float64) float64 {
	sum, n, rng := 0.0, 500, newRNG()
	for range n {
		sum += f(rng.IntN(len(l.States)), rng.IntN(len(l.States)))
	}
	return sum / float64(n)
}

// Noise returns the standard deviation of what a step leads to: of its reward and, with
// Latent, the value after it, in reward units. It is the median over visited places, for
// the noisiest of the actions that are not out of the question. The error is the model's.
func (l *Look) Noise() (float64, error) {
	spec, rng := l.Model.Spec(), newRNG()
	gain, _ := l.Gain()
	sim := bcpace.NewSimulator(l.Model)
	variances := make([][]float64, len(spec.Actions))
	for range noisyVisits {
		i := rng.IntN(len(l.States))
		for _, a := range l.sensible(i, gain) {
			var seen []float64
			for range draws {
				copy(sim.State, l.States[i])
				copy(sim.Belief, l.Beliefs[i])
				sim.Latent, sim.Done = l.Beliefs[i].Sample(rng), false
				v, err := sim.Step(a, rng)
				if err != nil {
					return 0, err
				}
				if l.Latent != nil && !sim.Done {
					v += spec.Discount * l.value(sim.State, sim.Belief)
				}
				seen = append(seen, v)
			}
			variances[a] = append(variances[a], stat.Variance(seen, nil))
		}
	}
	most := 0.0
	for _, v := range variances {
		most = max(most, quantile(v, 0.5))
	}
	return math.Sqrt(most), nil
}

// value is that of QMDP at (s, b).
func (l *Look) value(s []float64, b bcpace.Belief) float64 {
	v := math.Inf(-1)
	for a := range l.Model.Spec().Actions {
		v = max(v, dp.Expected(l.Latent, s, b, a))
	}
	return v
}

// sensible returns the actions of a visit that are not worse than the best one, as QMDP
// sees them, by more than all that is to be gained; all of them without Latent.
func (l *Look) sensible(visit int, gain float64) (actions []int) {
	least := math.Inf(-1)
	if l.Latent != nil {
		least = l.value(l.States[visit], l.Beliefs[visit]) - gain
	}
	for a := range l.Model.Spec().Actions {
		if l.Latent == nil || !(dp.Expected(l.Latent, l.States[visit], l.Beliefs[visit], a) < least) {
			actions = append(actions, a)
		}
	}
	return actions
}

func newRNG() *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
