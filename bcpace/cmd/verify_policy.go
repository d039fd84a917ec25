package cmd

import (
	"context"
	"errors"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/problem"
)

const (
	// verifyEpisodes is how many episodes verify plays of a policy, and verifySeed their seed, which no default of another verb is.
	verifyEpisodes = 10_000
	verifySeed     = 1 << 62
	// surely is how many half-widths of a 95 % interval a claim must be off to count as false: a false alarm in a million.
	surely = 2.5
)

// verifyPolicy plays a policy, and compares what it earns with what was said of it. The error says that the two contradict each other, or that
// there is nothing to compare.
func (s *saved) verifyPolicy(ctx context.Context) (verification, error) {
	k := s.kept
	if k == nil {
		return verification{}, errors.New("a .policy or .alpha file says nothing of what its policy earns: bcpace eval plays it")
	}
	c := k.Claim
	asked, err := problem.Asked(k)
	if err != nil {
		return verification{}, err
	}
	least := asked.Below != nil // what counts is small
	if nothing := c.Lower == nil || c.PolicyEarns == bcpace.ByRange || c.PolicyEarns == bcpace.NotKnown || c.PolicyEarns == ""; nothing && !least {
		return verification{}, fmt.Errorf("nothing was said of what the policy of %s earns that episodes could contradict: bcpace eval plays it", k.Solver)
	}
	r, err := s.play(ctx, eval.Options{Episodes: verifyEpisodes, Seed: verifySeed})
	if err != nil {
		return verification{}, err
	}
	later := 0.0
	if !math.IsInf(r.Truncation, 1) {
		later = r.Truncation // what episodes that were cut would still have earned
	}
	x, err := r.At(asked)
	if err != nil {
		return verification{}, err
	}
	v := verification{Model: k.Model, Lower: number(x.Lo), Upper: number(x.Hi), Certificate: string(bcpace.PolicyInterval), Question: k.Question,
		grounds:      groundsOf(bcpace.Certificate{LowerBy: bcpace.BySimulation, UpperBy: bcpace.BySimulation, PolicyEarns: bcpace.BySimulation}),
		ClaimedLower: claimed(c.Lower), ClaimedUpper: claimed(c.Upper), ClaimedStop: string(c.Stop), Played: r.Episodes}
	switch {
	case least && c.Upper != nil && *c.Upper < x.Mean-surely*(x.Mean-x.Lo):
		return v, fmt.Errorf("%d episodes contradict the file: %s is %.4g [%.4g, %.4g], and it says %.4g at most", r.Episodes, asked.Bounds, x.Mean, x.Lo, x.Hi, *c.Upper)
	case !least && *c.Lower > x.Mean+surely*(x.Hi-x.Mean)+later:
		return v, fmt.Errorf("%d episodes contradict the file: the policy earns %.4g [%.4g, %.4g], and it says %.4g at least", r.Episodes, x.Mean, x.Lo, x.Hi, *c.Lower)
	}
	return v, nil
}

// claimed returns a number of a claim, none where there is none.
func claimed(x *float64) number {
	if x == nil {
		return none
	}
	return number(*x)
}
