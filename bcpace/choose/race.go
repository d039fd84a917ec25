package choose

import (
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/runs"
)

const (
	surely    = 800  // episodes before a policy is given up, as luck may be rare
	keepRun   = 0.01 // of what lies between the best and the worst policy: so little may one with a run be behind,
	keepGap   = 0.1  // or such a part of what lies between its bounds, where they are proved,
	keepErr   = 2    // and no more than so many standard errors
	raceSeed  = 1717 // of the first round; the others follow
	freshSeed = 1 << 20
)

// rounds are the episodes of each policy between two looks: few at first, as time may be short.
var rounds = [...]int{50, 50, 100, 200, 400, 400, 400, 400}

// race has the policies found play the same episodes, and chooses one. Where time is up before any
// has played, it is the one of the largest proven or simulated lower bound.
func (ch *Chosen) race(ctx context.Context, m bcpace.Model, c bcpace.Control) error {
	var left []int // in Tried
	for i, t := range ch.Tried {
		if t.Solution != nil {
			left = append(left, i)
		}
	}
	if len(left) == 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		return ch.Tried[0].Err
	}
	if len(left) == 1 {
		ch.choose(left[0])
		return nil
	}
	returns := make([][]float64, len(ch.Tried))
	playing, cancel := runs.LeaveTime(ctx, 1-raceShare)
	defer cancel()
	for k := range rounds {
		more, err := ch.round(playing, m, c, left, k)
		if err != nil {
			return err
		}
		if more == nil {
			break
		}
		for j, i := range left {
			returns[i] = append(returns[i], more[j]...)
		}
		if len(returns[left[0]]) >= surely {
			left = stat.StillTried(returns, left)
		}
		if len(left) == 1 {
			break
		}
	}
	if len(returns[left[0]]) == 0 {
		ch.guess(left)
		return nil
	}
	worst := math.Inf(1)
	for i, r := range returns {
		if t := &ch.Tried[i]; len(r) > 0 {
			t.Episodes = len(r)
			t.Mean, t.StdErr = stat.PairedMean(r, nil)
			worst = min(worst, t.Mean)
		}
	}
	top := stat.Leader(returns, left)
	for _, i := range left {
		best, other := ch.Tried[top], ch.Tried[i].Solution
		behind, stderr := stat.PairedMean(returns[top], returns[i])
		little := keepRun * (best.Mean - worst)
		if other.Certificate.UpperBy == bcpace.ByProof {
			little = max(little, keepGap*other.Certificate.Gap())
		}
		if runs.Of(best.Solution) == nil && runs.Of(other) != nil && !other.InSetUp && behind <= min(little, keepErr*stderr) {
			top = i
			break
		}
	}
	ch.choose(top)
	return nil
}

// guess chooses without a comparison: the policy of the largest lower bound, among those of solvers
// whose set-up has ended where there are any. As it is the largest of
// several that were simulated, any of which may be false, the probability that it is counts for each.
func (ch *Chosen) guess(left []int) {
	top, simulated := left[0], 0
	for _, i := range left {
		s := ch.Tried[i].Solution
		if s.Certificate.PolicyEarns == bcpace.BySimulation {
			simulated++
		}
		if was := ch.Tried[top].Solution; was.InSetUp && !s.InSetUp || was.InSetUp == s.InSetUp && known(s) > known(was) {
			top = i
		}
	}
	ch.choose(top)
	if c := &ch.Solution.Certificate; c.PolicyEarns == bcpace.BySimulation {
		c.Delta = min(1, c.Delta*float64(simulated))
	}
}

// choose takes the policy of a solver.
func (ch *Chosen) choose(i int) {
	for j := range ch.Tried {
		ch.Tried[j].Chosen = j == i
	}
	own := *ch.Tried[i].Solution
	ch.Solution = &own
}

// round plays the k-th round; nil if time is up before all have played it.
func (ch *Chosen) round(ctx context.Context, m bcpace.Model, c bcpace.Control, left []int, k int) (all [][]float64, err error) {
	for _, i := range left {
		if c.Progress != nil {
			c.Progress(bcpace.Progress{Phase: "comparing policies", Share: float64(k) / float64(len(rounds))})
		}
		r, err := eval.Rollouts(ctx, m, ch.Tried[i].Solution.Policy, eval.Options{Episodes: rounds[k], Seed: ch.seed + raceSeed + uint64(k), Workers: c.Workers})
		if ctx.Err() != nil {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, r.Returns)
	}
	return all, nil
}

// known is what is known to be earned by the policy of a solution.
func known(s *bcpace.Solution) float64 {
	if s.Certificate.PolicyEarns == bcpace.BySimulation || s.Certificate.PolicyEarns == bcpace.ByProof {
		return s.Certificate.Lower
	}
	return math.Inf(-1)
}

// Earned says what the policy earned, or why there is none.
func (t Tried) Earned() string {
	s := ""
	switch {
	case t.Err != nil:
		return fmt.Sprint(t.Err)
	case t.Episodes == 0:
		s = "not compared"
	default:
		s = fmt.Sprintf("%.4g ± %.2g in %d episodes", t.Mean, t.StdErr, t.Episodes)
	}
	if t.Simulations > 0 {
		s += fmt.Sprintf(", with %d simulations at every decision", t.Simulations)
	}
	if t.Solution.InSetUp {
		s += fmt.Sprintf(", by %s, as its set-up had not ended", t.Solution.StandIn)
	}
	return s
}
