package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
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
		return cmp.Or(ctx.Err(), ch.Tried[0].Err)
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

const (
	leaves          = 10   // that AdaOPS expands at a decision
	plannerEpisodes = 200  // at first, which the policy chosen before plays as well
	leastEpisodes   = 24   // with fewer, nothing is said of a planner
	mostAfforded    = 2000 // beside the policy chosen before, and for its certificate
	plannerErrs     = 3    // standard errors by which a planner leads surely

	// plannerWork is how many products of an action, a successor and a latent the episodes of a planner
	// take at most without a deadline: some ten seconds' worth on two cores. It is a number and no time, so that
	// the result is the same again.
	plannerWork = 4e8
)

// plan has AdaOPS play some episodes beside the policy chosen, and chooses it where it leads surely and by
// enough to be worth the time of its decisions. Where it leads and not surely, both play as many more.
func (ch *Chosen) plan(ctx context.Context, m bcpace.Model, c bcpace.Control) error {
	if ctx.Err() != nil || ch.Stop == stop.Certified || !ch.kind.plans() {
		return nil
	}
	within, cancel := runs.LeaveTime(ctx, 1-plannerShare)
	defer cancel()
	begin := time.Now()
	var play episodesOf = func(p bcpace.Policy, episodes int, round uint64) (eval.Result, error) {
		r, err := eval.Rollouts(within, m, p, eval.Options{Episodes: episodes, Seed: ch.seed + raceSeed + round, Workers: c.Workers})
		if within.Err() != nil {
			err = nil
		}
		return r, err
	}
	own, err := play(ch.Policy, plannerEpisodes, 0)
	if err != nil || len(own.Returns) < leastEpisodes || ch.Certificate.Refuted == "" && !(ch.Certificate.Upper-own.Mean > ch.little()) {
		return err
	}
	if _, timed := ctx.Deadline(); timed {
		ch.affords = mostAfforded
	} else if ch.affords, err = affordable(m, float64(own.Steps)/float64(own.Episodes)); err != nil || ch.affords < leastEpisodes {
		return err
	}
	s := adaops.Solver{Budget: bcpace.Budget{Simulations: leaves}, Bounds: ch.bounds()}
	found, err := s.Solve(within, m, bcpace.Control{Workers: c.Workers, Progress: report(c, "trying "+s.Name())})
	switch {
	case errors.As(err, new(*bcpace.ConformanceError)):
		return err
	case err != nil || found.InSetUp:
		return nil
	}
	report(c, "comparing with "+s.Name())
	its, err := ch.beside(within, own.Returns, found.Policy, play)
	if err != nil || len(its) < leastEpisodes {
		return err
	}
	t := Tried{Name: s.Name(), Solution: found, Took: time.Since(begin), Episodes: len(its), Simulations: leaves}
	t.Mean, t.StdErr = stat.PairedMean(its, nil)
	ch.Tried = append(ch.Tried, t)
	if ch.lead > ch.little() && ch.lead > plannerErrs*ch.leadErr {
		ch.choose(len(ch.Tried) - 1)
		ch.Value = t.Mean // unless there is time for the certificate
	}
	return nil
}

// episodesOf plays episodes of a policy, as many as there is time for. Those of a round are the same for every policy.
type episodesOf func(p bcpace.Policy, episodes int, round uint64) (eval.Result, error)

// beside has a planner play the episodes of which own are the returns of the policy chosen, and as many more of both
// while it leads and that is not sure. It returns those of the planner.
func (ch *Chosen) beside(ctx context.Context, own []float64, planner bcpace.Policy, play episodesOf) (its []float64, err error) {
	for round, more := uint64(0), min(len(own), ch.affords); more > 0; round, more = round+1, min(len(its), ch.affords-len(its)) {
		if round > 0 {
			r, err := play(ch.Policy, more, round)
			if err != nil {
				return nil, err
			}
			own, more = append(own[:len(its)], r.Returns...), len(r.Returns)
		}
		r, err := play(planner, more, round)
		if err != nil {
			return nil, err
		}
		its = append(its, r.Returns...)
		if len(its) < leastEpisodes {
			return its, nil
		}
		ch.lead, ch.leadErr = stat.PairedMean(its, own[:len(its)])
		if ctx.Err() != nil || ch.lead < ch.leadErr || ch.lead > plannerErrs*ch.leadErr {
			break
		}
	}
	return its, nil
}

// little is a difference of returns that is not worth a planner: a hundredth of what lies between the best and
// the worst policy that were compared.
func (ch *Chosen) little() float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, t := range ch.Tried {
		if t.Episodes > 0 {
			lo, hi = min(lo, t.Mean), max(hi, t.Mean)
		}
	}
	return keepRun * max(0, hi-lo)
}

// bounds are those of a run of certified on a Finite model; nil without one.
func (ch *Chosen) bounds() lookahead.Bounds {
	for _, t := range ch.Tried {
		if t.Solution == nil || t.Solution.InSetUp || t.Solution.Certificate.Refuted != "" {
			continue
		}
		if r := runs.Of(t.Solution); r != nil {
			if b, err := lookahead.Of(r); err == nil {
				return b
			}
		}
	}
	return nil
}

// affordable returns how many episodes of so many steps AdaOPS may play for plannerWork, by the number of successors
// at the start. The error is the model's.
func affordable(m bcpace.Model, steps float64) (episodes int, err error) {
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		return 0, err
	}
	spec := m.Spec()
	list, products := bcpace.NewLister(m.(bcpace.Enumerator)), 0
	for a := range spec.Actions {
		if err := list.List(starts[0].State, a); err != nil {
			return 0, err
		}
		products += list.Successors.Len() * len(spec.Latents)
	}
	return int(min(mostAfforded, plannerWork/(leaves*steps*float64(max(1, products))))), nil
}
