package check

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/ends"
)

// place is a state and a latent under which it was reached, after some steps. Latents are
// those under which it may be, as the belief there says.
type place struct {
	s       []float64
	latent  int
	latents []int
	steps   int
}

// other draws another latent under which the state may be reached, −1 if there is none.
func (p *place) other(rng *rand.Rand) int {
	n := len(p.latents)
	at := slices.Index(p.latents, p.latent)
	if at < 0 || n < 2 {
		return -1
	}
	return p.latents[(at+1+rng.IntN(n-1))%n]
}

// maxPlaces bounds the places of each kind.
const maxPlaces = 2000

// reach finds the places to look at: those of episodes with random actions. Those of episodes that
// repeat one action go into c.far, as they reach limits of axes that random actions do not.
func (c *checker) reach() {
	for range c.opt.Episodes {
		c.rollout(func() int { return c.spec.DrawAction(c.rng) }, &c.places, c.rng)
		c.stable()
	}
	rng := c.stream(1)
	for a := range min(len(c.spec.Actions), 16) {
		c.rollout(func() int { return a }, &c.far, rng)
	}
}

// stream returns random numbers that no other part of the check uses.
func (c *checker) stream(n uint64) *rand.Rand {
	return rand.New(rand.NewPCG(c.opt.Seed, 0x636865636b+n))
}

// rollout plays an episode with the actions that act returns, and keeps the places that it reaches in list.
func (c *checker) rollout(act func() int, list *[]place, rng *rand.Rand) {
	s, next := make([]float64, len(c.spec.Axes)), make([]float64, len(c.spec.Axes))
	row, b := make(bcpace.Belief, len(c.spec.Latents)), append(bcpace.Belief(nil), c.prior...)
	latent := c.prior.Sample(rng)
	c.start(s, latent, rng)
	c.enter("StartLogLikelihood", s, -1, latent)
	bayes := bcpace.NewBayes(c.m)
	if bayes.Condition(b, s) != nil {
		b = bcpace.OneHot(len(b), latent)
	}
	c.leave()
	for t := range min(c.opt.Steps, cmp.Or(c.spec.Horizon, c.opt.Steps)) {
		c.keep(list, place{s, latent, ends.Possible(b), t})
		action := act()
		out := c.step(next, s, latent, action, rng)
		moved := c.latentRow(row, s, action, latent)
		c.enter("LogLikelihood", s, action, latent)
		if bayes.Update(b, b, s, action, next) != nil {
			b = bcpace.OneHot(len(b), latent) // what is wrong shows elsewhere
		}
		c.leave()
		if moved {
			latent = row.Sample(rng)
		}
		if out.Done {
			break
		}
		s, next = next, s
	}
}

// keep notes a place in list, once.
func (c *checker) keep(list *[]place, p place) {
	key := stateKey(p.s) + fmt.Sprint(p.latent)
	if c.known[key] || len(*list) >= maxPlaces {
		return
	}
	c.known[key] = true
	p.s = append([]float64(nil), p.s...)
	*list = append(*list, p)
}
