package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"bayescpace/bcpace"
)

const (
	apartSteps = 4000 // that are taken of all latents together
	apartNamed = 6    // latents that a note names
)

// apart notes latents that the belief never tells apart: LogLikelihood was the same under each for all steps tried, and
// no place was one to which only some of them lead. The note says whether Step tells them apart, which is then a mistake
// of LogLikelihood, or does not either. Where rewards alone do, the note is that of rewards.
func (c *checker) apart() (err error) {
	d, moves := c.m.(bcpace.LatentDynamics)
	if moves && d.LatentKind() != bcpace.Static {
		return nil
	}
	groups, rng := [][]int{possible(c.prior)}, c.stream(9)
	places := append(append([]place(nil), c.places...), c.far...)
	differ, pay := make(map[int]int), make(map[int]bool) // by latent: how often its step was another than that of the first of its group, and whether its reward was
	steps, tried := 0, 0
	for _, k := range rng.Perm(len(places) * len(c.spec.Actions)) {
		var still [][]int
		for _, group := range groups {
			parts, leads, pays := make(map[string][]int), make(map[int]string), make(map[int]float64)
			for _, latent := range group {
				var tells string
				if tells, leads[latent], pays[latent], err = c.seen(places[k/len(c.spec.Actions)], latent, k%len(c.spec.Actions), uint64(k)); err != nil {
					return err
				}
				parts[tells] = append(parts[tells], latent)
			}
			for _, part := range parts {
				for _, latent := range part[1:] {
					if leads[latent] != leads[part[0]] {
						differ[latent]++
					}
					pay[latent] = pay[latent] || pays[latent] != pays[part[0]]
				}
				if len(part) > 1 {
					still = append(still, part)
				}
			}
			steps += len(group)
		}
		slices.SortFunc(still, func(a, b []int) int { return a[0] - b[0] })
		groups = still
		if tried++; len(groups) == 0 || steps > apartSteps {
			break
		}
	}
	for _, group := range groups {
		var names []string
		often, paid := 0, false
		for _, latent := range group {
			names = append(names, c.name(latent))
			often, paid = max(often, differ[latent]), paid || pay[latent]
		}
		list := strings.Join(names[:min(len(names), apartNamed)], ", ")
		switch {
		case often > 0:
			c.notes = append(c.notes, fmt.Sprintf("%d times two latents of %s led to different states with the same random numbers, and each time LogLikelihood was the same for both: "+
				"the belief does not learn from the steps tried. If the distribution of Step depends on the latent, LogLikelihood must too", often, list))
		case !paid:
			c.notes = append(c.notes, fmt.Sprintf("nothing tells the latents %s apart (%d of them): next states, rewards, ends and likelihoods of %d steps were the same under each. "+
				"If they should differ, does the value of the latent reach the code that makes a step, or was something computed of it before?", list, len(group), tried))
		}
	}
	return nil
}

// seen returns what a step drawn under the latent of a place tells of a latent, and what the latent's own step with the same random numbers leads to and pays.
func (c *checker) seen(p place, latent, action int, seed uint64) (tells, leads string, pays float64, err error) {
	if !slices.Contains(p.latents, latent) {
		return "", "", 0, nil
	}
	next := make([]float64, len(p.s))
	c.draw(next, p.s, p.latent, action, rand.New(rand.NewPCG(seed, 1)))
	told := []float64{c.log(p.s, action, next, latent), 0}
	if c.can.StartLogLikelihood != nil && p.steps == 0 {
		c.enter("StartLogLikelihood", p.s, -1, latent)
		told[1] = c.can.StartLogLikelihood(p.s, latent)
		c.leave()
	}
	out := c.draw(next, p.s, latent, action, rand.New(rand.NewPCG(seed, 1)))
	return stateKey(told), fmt.Sprint(next, out.Done), out.Reward, c.spec.CheckOutcome(out, next, p.s, action, latent)
}
