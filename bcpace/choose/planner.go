package choose

import (
	"context"
	"errors"
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
