package robust

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/stop"
)

// mix finds the best mixture of the policies so far, and returns a prior of the set against which none is better. The other player of the
// game has priors of the set that were the worst for some mixture before; the worst for the one that is found joins them, until it is no
// news.
func (x *search) mix(ctx context.Context) (prior bcpace.Belief) {
	planes := x.found.Planes
	if x.worst == nil {
		x.worst = []bcpace.Belief{x.centre}
	}
	for _, p := range planes {
		b, _ := x.Set.Worst(x.centre, p.Values)
		x.add(b)
	}
	for {
		pay := make([][]float64, len(planes))
		for k, p := range planes {
			for _, b := range x.worst {
				pay[k] = append(pay[k], product(b, p.Values))
			}
		}
		weight, share, value := game(pay)
		mixed := make([]float64, len(x.centre))
		for k, p := range planes {
			for φ, v := range p.Values {
				mixed[φ] += weight[k] * v
			}
		}
		worst, least := x.Set.Worst(x.centre, mixed)
		least -= float64(len(planes)) * slack(mixed)
		if x.found.Values == nil || least > x.bounds.Lower {
			x.bounds.Lower, x.found.Values = least, mixed
			for k := range planes {
				planes[k].Weight = weight[k]
			}
		}
		prior = make(bcpace.Belief, len(x.centre))
		for j, b := range x.worst {
			for φ, p := range b {
				prior[φ] += share[j] * p
			}
		}
		if value-least <= x.Epsilon/1000 || ctx.Err() != nil || !x.add(worst) {
			return normal(prior)
		}
		x.forget(share)
	}
}

// forget drops priors that had no share in the last game, where there are many. The last one is new.
func (x *search) forget(share []float64) {
	if most := manyWorst * len(x.centre); len(x.worst) <= most+1 {
		return
	}
	kept := x.worst[:0]
	for j, b := range x.worst {
		if j == len(share) || share[j] > 0 {
			kept = append(kept, b)
		}
	}
	x.worst = kept
}

// manyWorst is how many priors a game has, for each latent, before some are forgotten.
const manyWorst = 2

// same is how close priors are that are taken for one.
const same = 1e-9

// add adds a prior to the worst ones, and reports whether it is a new one.
func (x *search) add(b bcpace.Belief) bool {
	if slices.ContainsFunc(x.worst, func(w bcpace.Belief) bool { return near(w, b) }) {
		return false
	}
	x.worst = append(x.worst, b)
	return true
}

// solvedAt reports whether the prior was solved before.
func (x *search) solvedAt(b bcpace.Belief) bool {
	return slices.ContainsFunc(x.found.Planes, func(p Plane) bool { return near(p.Prior, b) })
}

func near(x, y bcpace.Belief) bool {
	for φ, p := range x {
		if math.Abs(p-y[φ]) > same {
			return false
		}
	}
	return true
}

// normal makes the probabilities sum to 1.
func normal(b []float64) []float64 {
	sum := 0.0
	for _, p := range b {
		sum += p
	}
	for φ := range b {
		b[φ] /= sum
	}
	return b
}

// solution returns what was found, or an error where its bounds cross.
func (x *search) solution(m bcpace.Model, why stop.Reason) (*bcpace.Solution, error) {
	for _, φ := range x.without {
		x.found.Values[φ] = math.NaN()
		for _, p := range x.found.Planes {
			p.Values[φ] = math.NaN()
		}
	}
	var members []controller.Member
	var weight []float64
	for k, p := range x.found.Planes {
		if p.Weight > 0 {
			members, weight = append(members, x.members[k]), append(weight, p.Weight)
		}
	}
	x.set.Certify(&x.bounds, x.simulated)
	_, err := x.bounds.Checked(m.Spec().Name)
	return &bcpace.Solution{Solver: x.Solver, Spec: m.Spec(), Objective: x.Objective(), Policy: bcpace.PolicyOf(x.model, controller.NewMixture(members, weight)),
		Value: x.bounds.Lower, Certificate: x.bounds, Trace: x.trace, Stop: why, Record: &x.found}, err
}

// report tells the progress.
func (x *search) report(c bcpace.Control) {
	now := bcpace.Progress{Episodes: len(x.found.Planes), Value: x.bounds.Upper, Gap: x.bounds.Gap(), Epsilon: x.Epsilon}
	if x.trace = append(x.trace, now); c.Progress != nil {
		c.Progress(now)
	}
}
