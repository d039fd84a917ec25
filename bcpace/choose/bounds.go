package choose

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// prove has the runs that prove bounds, which hold for any control, go on with that while there is time.
func (ch *Chosen) prove(ctx context.Context, m bcpace.Model, c bcpace.Control) error {
	lo, _ := solverkit.RangeOfReturns(m)
	for _, t := range ch.Tried {
		if t.Solution == nil || runs.Of(t.Solution) == nil {
			continue
		}
		lower, upper, err := runs.Of(t.Solution).Prove(solverkit.WithControl(ctx, bcpace.Control{Workers: c.Workers, Progress: c.Progress}))
		if err != nil {
			return err
		}
		own := &ch.Solution.Certificate
		if take(own, upper, bcpace.ByProof, "", lo); own.Lower <= lower && own.LowerBy == bcpace.BySimulation {
			own.LowerBy = bcpace.ByProof
		}
	}
	return nil
}

// certify says what is known of the policy chosen. Where an action has a Box, the bounds of a solver
// may be those of a list of controls, and count for that solver alone.
func (ch *Chosen) certify(ctx context.Context, m bcpace.Model, c bcpace.Control) error {
	own, episodes := ch.Solution, episodesOfCertificate
	t := ch.Tried[len(ch.Tried)-1]
	planner := t.Chosen && t.Simulations > 0 // whose bounds are those of the best policy, and do not say what it earns
	if planner {
		episodes = ch.affords
	}
	lo, _ := solverkit.RangeOfReturns(m)
	if (planner || own.Certificate.Kind != bcpace.ExactCertificate) && own.Certificate.Episodes < episodes && ctx.Err() == nil {
		playing, cancel := ctx, func() {}
		if proved.Takes(m) == nil {
			playing, cancel = runs.LeaveTime(ctx, leftForProof)
		}
		defer cancel()
		r, err := eval.Rollouts(playing, m, own.Policy, eval.Options{Episodes: episodes, Seed: ch.seed + freshSeed, Workers: c.Workers})
		if err != nil && playing.Err() == nil {
			return err
		}
		if s := eval.CertificateOf(m, r, episodes, delta); s.Kind == bcpace.StatisticalCertificate && s.Episodes > own.Certificate.Episodes && (planner || own.Certificate.LowerBy != bcpace.ByProof) {
			if !planner || own.Certificate.UpperBy == bcpace.ByProof { // what was refuted is not in it
				take(&s, own.Certificate.Upper, own.Certificate.UpperBy, own.Certificate.Assumes, lo)
			}
			s.Refuted = own.Certificate.Refuted
			own.Value, own.Certificate = r.Mean, s
		}
	}
	if spec := m.Spec(); spec.HasBox() || own.Certificate.Kind != bcpace.StatisticalCertificate {
		return nil
	}
	for _, t := range ch.Tried {
		if t.Solution != nil && (t.Simulations == 0 || t.Solution.Certificate.UpperBy == bcpace.ByProof) {
			other := t.Solution.Certificate // a planner's grids are not asked how much they err
			take(&own.Certificate, other.Upper, other.UpperBy, other.Assumes, lo)
		}
	}
	return nil
}

// take sets the upper bound to another one, if that is less; an assumed one never takes the place of
// one that is proved. A lower bound that exceeds a proved upper one was simulated and is false, which
// happens with probability Delta at most: lo, the least return, takes its place.
func take(c *bcpace.Certificate, upper float64, by bcpace.Basis, assumes string, lo float64) {
	proved := by == bcpace.ByProof
	if !(upper < c.Upper) || !proved && (by != bcpace.ByAssumption || c.UpperBy == bcpace.ByProof || upper < c.Lower) {
		return
	}
	if c.Upper, c.UpperBy, c.Assumes = upper, by, ""; !proved {
		c.Assumes = assumes
	}
	if c.Lower > upper {
		c.Lower, c.LowerBy, c.PolicyEarns = lo, bcpace.ByRange, bcpace.ByRange
	}
}
