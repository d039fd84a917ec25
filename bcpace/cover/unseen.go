package cover

import (
	"cmp"
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/kdtree"
	"bayescpace/bcpace/internal/num"
)

// Unseen is what fresh trials, episodes or draws, tell of the points that a sample has not met. A trial misses the sample
// where it meets a point farther than Epsilon from all points of the sample.
type Unseen struct {
	Epsilon, Confidence float64
	// Trials is the number of fresh trials, and Missed that of those which missed the sample.
	Trials, Missed int
	// Probability are bounds of the probability that the next trial misses the sample: those of Clopper and Pearson
	// (1934). Whatever the sample is, both hold with probability Confidence at least, over the fresh trials.
	//
	// The trials are independent of one another and of the sample, and a given sample is missed by each with the same
	// probability, so that Missed is binomial. The points within an episode depend on one another, which changes
	// nothing: an episode counts once.
	Probability [2]float64
}

// UnseenOptions of MeasureUnseen. The zero value of every field but Epsilon is useful.
type UnseenOptions struct {
	// Epsilon is the distance within which a point is covered.
	Epsilon float64
	// Confidence is the probability with which the bounds hold. 0 means 0.95.
	Confidence float64
	// Depth is the most steps of an episode, as in ReachOptions: what the sample was drawn with.
	Depth int
	// Episodes is the number of fresh episodes. 0 means 1,000.
	Episodes int
	// Seed makes the episodes. They differ from all of Sample, also where its seed is the same. Who adds points to the
	// sample because of what fresh episodes have met needs another Seed for the next test.
	Seed uint64
}

// MeasureUnseen plays fresh episodes of a policy in m and counts those that meet a (s, b) farther than o.Epsilon from
// all of r, the points that the policy has met before, or a cover of them. With the upper bound p of Probability
// and the stated confidence, an episode stays within o.Epsilon of r with probability 1 − p at least; see the package
// comment for what that says of covering numbers. The errors are those of Sample, and an *bcpace.InputError
// for options that cannot be used.
//
// The sample alone would do with a leave-one-out estimate, the share of its episodes that no other episode covers (Good
// 1953), which has no bias but for the number of episodes. It is not offered, as the intervals known for it
// (McAllester and Schapire 2000) are for trials that are of one kind each, which balls that overlap are not, and err by
// some 1/√n where none was missed. The upper bound from fresh episodes is then below log(2/(1 − o.Confidence))/n.
func MeasureUnseen(ctx context.Context, m bcpace.Model, r *Reached, policy bcpace.Policy, o UnseenOptions) (Unseen, error) {
	bad := bcpace.In("unseen points").Bad
	reach := ReachOptions{Depth: o.Depth, Episodes: o.Episodes}
	if r == nil || policy == nil {
		return Unseen{}, bad("sample, policy", "nil", "the points of Sample and the policy that has met them")
	}
	if _, err := newReached(m, reach); err != nil {
		return Unseen{}, err
	}
	m, err := bcpace.ForPolicy(m, policy)
	if err != nil {
		return Unseen{}, err
	}
	if spec := m.Spec(); r.Model != spec.Name || r.axes != len(spec.Axes) || r.latents != len(spec.Latents) {
		return Unseen{}, bad("the sample", "of model "+r.Model, "one of "+spec.Name+" with the same axes and latents")
	}
	fresh := *r
	fresh.States, fresh.Beliefs, fresh.Depth = nil, nil, nil
	fresh.Points = &Points{Dim: r.Points.Dim, Periods: r.Points.Periods, Coords: append([]float64(nil), r.Points.Coords...)}
	number := make(map[string]int) // of the points met, by state and belief
	var met [][]int                // of each episode
	var key []byte
	sim := bcpace.NewSimulator(m)
	play := bcpace.Rollout{Simulator: sim, Policy: bcpace.Fork(policy), Context: ctx, Horizon: reach.sampledSteps(m), Discount: 1}
	for e := range cmp.Or(o.Episodes, 1000) {
		var list []int
		_, err := playEpisode(&play, 0, e, rand.New(rand.NewPCG(o.Seed, 1<<63+uint64(e))), func(t int) bool {
			key = num.AppendKey(num.AppendKey(key[:0], sim.State), sim.Belief)
			i, known := number[string(key)]
			if !known {
				i = fresh.Points.Len()
				number[string(key)] = i
				fresh.add(sim.State, sim.Belief, int32(t))
			}
			list = append(list, i)
			return true
		})
		if err != nil {
			return Unseen{}, err
		}
		met = append(met, list)
	}
	return unseen(ctx, fresh.Points, r.Points.Len(), met, o.Epsilon, o.Confidence)
}

// unseen counts the trials that meet a point farther than ε from the first points of p. met has the points of each trial.
func unseen(ctx context.Context, p *Points, seen int, met [][]int, epsilon, confidence float64) (Unseen, error) {
	if err := checkEpsilon(epsilon); err != nil {
		return Unseen{}, err
	}
	u := Unseen{Epsilon: epsilon, Confidence: cmp.Or(confidence, 0.95), Trials: len(met)}
	if !(u.Confidence > 0 && u.Confidence < 1) {
		return Unseen{}, bcpace.In("unseen points").Bad("confidence", confidence, "a probability between 0 and 1, or 0 for 0.95")
	}
	near, err := nearSample(ctx, p, seen, epsilon)
	if err != nil {
		return Unseen{}, err
	}
	far := make(map[int]bool) // whether a point that was met is far from the sample
	for _, list := range met {
		missed := false
		for _, i := range list {
			if _, known := far[i]; !known {
				if err := ctx.Err(); err != nil {
					return Unseen{}, err
				}
				far[i] = !near(i)
			}
			missed = missed || far[i]
		}
		if missed {
			u.Missed++
		}
	}
	u.Probability = clopperPearson(u.Missed, u.Trials, (1-u.Confidence)/2)
	return u, nil
}

// nearSample returns a function that reports whether a point is within ε of one of the first points.
func nearSample(ctx context.Context, p *Points, seen int, epsilon float64) (func(i int) bool, error) {
	if seen == 0 {
		return func(int) bool { return false }, nil
	}
	t, err := p.Pick(num.UpTo(seen)).tree(ctx)
	limit := p.Norm.Key(p.rounded(epsilon))
	found := false
	b := kdtree.Ball{Tree: t, Limit: limit, Found: func(int, float64) { found = true }}
	return func(i int) bool {
		found = false
		b.Around(p.At(i), p.kind(i))
		return found
	}, err
}
