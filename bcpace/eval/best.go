package eval

import (
	"context"

	"bayescpace/bcpace"
)

// Candidate is a policy with a name.
type Candidate struct {
	Name   string
	Policy bcpace.Policy
}

// Choice is the best of several policies, as Best has found it.
type Choice struct {
	Candidate
	// Result is what the chosen policy has earned in new episodes, those of Rollouts with
	// the same options. The episodes that chose it would flatter it: the largest of several
	// means is too high on average.
	Result Result
	// Tried has what every candidate has earned in the episodes that chose, in the order
	// of the candidates. Lead has the mean by which the chosen policy has earned more than
	// each, in pairs of episodes with the same latents and starts.
	Tried []Score
	Lead  []Paired
}

// Best plays o.Episodes episodes with each candidate, the same for all of them, chooses
// the one with the largest mean return, the first of equal ones, and plays as many new
// episodes with that.
//
// o.Progress is called with the number of all episodes done so far, of
// (len(candidates)+1)·o.Episodes. The error is an *bcpace.InputError if there is no
// candidate, or that of Rollouts.
func Best(ctx context.Context, m bcpace.Model, o Options, candidates ...Candidate) (Choice, error) {
	if len(candidates) == 0 {
		return Choice{}, bcpace.In("the best of policies").Bad("candidates", "none", "one at least")
	}
	if _, err := o.resolve(m); err != nil {
		return Choice{}, err
	}
	begun, also := 0, o.Progress
	if also != nil {
		o.Progress = func(done int) { also(begun + done) }
	}
	chooser := o
	chooser.first = o.first + o.Episodes
	var c Choice
	best := 0
	for i, x := range candidates {
		r, err := Rollouts(ctx, m, x.Policy, chooser)
		if err != nil {
			return Choice{}, err
		}
		c.Tried = append(c.Tried, Score{Name: x.Name, Policy: x.Policy, Result: r})
		if r.Mean > c.Tried[best].Mean {
			best = i
		}
		begun += o.Episodes
	}
	for _, x := range c.Tried {
		lead, err := Difference(c.Tried[best].Result, x.Result)
		if err != nil {
			return Choice{}, err
		}
		c.Lead = append(c.Lead, lead)
	}
	c.Candidate = candidates[best]
	var err error
	c.Result, err = Rollouts(ctx, m, c.Policy, o)
	return c, err
}
