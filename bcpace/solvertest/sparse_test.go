package solvertest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// sparseOptions are those of sparseModel.
type sparseOptions struct {
	States, Latents, Actions int
	Discount                 float64
	// Ends is the probability with which a step ends the episode, in the last state.
	Ends float64
	// Redrawn draws the latent again, from all alike, at every step from a state whose
	// number is a multiple of 4.
	Redrawn bool
}

// sparseModel returns a model of many states, three of which may follow each state and action.
// Latents share them, and each has probabilities and rewards in [−1, 1] of its own. Nothing
// is kept in memory: all is a function of numbers. Episodes begin in state 0.
func sparseModel(o sparseOptions) bcpace.Finite {
	x := &sparseFuncs{o}
	spec := bcpace.Spec{Name: "sparse", Axes: []bcpace.Axis{{Name: "state", Max: float64(o.States - 1), Discrete: true}},
		Discount: o.Discount, RewardMin: -1, RewardMax: 1}
	for i := range o.Latents {
		spec.Latents = append(spec.Latents, fmt.Sprint(i))
	}
	for i := range o.Actions {
		spec.Actions = append(spec.Actions, bcpace.Action{Name: fmt.Sprint(i)})
	}
	f := bcpace.Funcs{Spec: spec, Step: x.step, LogLikelihood: x.logLikelihood, Successors: x.successors}
	if o.Redrawn {
		f.LatentKind, f.LatentTransition = bcpace.Redrawn, x.redraw
	}
	m, err := bcpace.FromFuncs(f)
	if err != nil {
		panic(err) // the options are at fault, and with them the test that gave them
	}
	finite, _ := bcpace.AsFinite(m)
	return finite
}

type sparseFuncs struct{ sparseOptions }

func (sp *sparseFuncs) redraw(p []float64, s []float64, _, _ int) bool {
	if int(s[0])%4 != 0 {
		return false
	}
	for i := range p {
		p[i] = 1 / float64(len(p))
	}
	return true
}

// follows returns the states that may follow, in ascending order, and the probability of
// each under a latent. The last state is for the end.
func (sp *sparseFuncs) follows(s []float64, latent, action int) (to [3]int, prob [3]float64) {
	at := rand.NewPCG(uint64(s[0]), uint64(action))
	third := (sp.States - 1) / 3
	total := 0.0
	for i := range to {
		to[i] = i*third + int(at.Uint64()%uint64(third))
	}
	given := rand.NewPCG(uint64(s[0]), uint64(action)<<32|uint64(latent+1))
	for i := range prob {
		prob[i] = 0.05 + float64(given.Uint64()>>11)*0x1p-53
		total += prob[i]
	}
	for i := range prob {
		prob[i] *= (1 - sp.Ends) / total
	}
	return to, prob
}

func (sp *sparseFuncs) reward(s []float64, latent, action int) float64 {
	return 2*float64(rand.NewPCG(uint64(s[0])<<8|uint64(latent), uint64(action)<<1|1).Uint64()>>11)*0x1p-53 - 1
}

func (sp *sparseFuncs) successors(z *bcpace.Successors, s []float64, action int) {
	first := z.Len()
	for latent := range sp.Latents {
		to, probs := sp.follows(s, latent, action)
		r := sp.reward(s, latent, action)
		for i := range to {
			if latent == 0 {
				next, _, _ := z.Add(false)
				next[0] = float64(to[i])
			}
			_, prob, reward := z.Row(first + i)
			prob[latent], reward[latent] = probs[i], r
		}
		if sp.Ends == 0 {
			continue
		}
		if latent == 0 {
			next, _, _ := z.Add(true)
			next[0] = float64(sp.States - 1)
		}
		_, prob, reward := z.Row(first + len(to))
		prob[latent], reward[latent] = sp.Ends, r
	}
}

func (sp *sparseFuncs) step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	to, prob := sp.follows(s, latent, action)
	r, u := sp.reward(s, latent, action), rng.Float64()
	for i, p := range prob {
		if u < p {
			next[0] = float64(to[i])
			return bcpace.Outcome{Reward: r}
		}
		u -= p
	}
	if next[0] = float64(to[len(to)-1]); sp.Ends > 0 {
		next[0] = float64(sp.States - 1)
	}
	return bcpace.Outcome{Reward: r, Done: sp.Ends > 0}
}

func (sp *sparseFuncs) logLikelihood(s []float64, action int, next []float64, latent int) float64 {
	to, prob := sp.follows(s, latent, action)
	p := 0.0
	for i, n := range to {
		if float64(n) == next[0] {
			p += prob[i]
		}
	}
	if next[0] == float64(sp.States-1) {
		p += sp.Ends
	}
	return math.Log(p)
}
