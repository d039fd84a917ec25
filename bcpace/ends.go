package bcpace

import (
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace/internal/ends"
	"bayescpace/bcpace/internal/sparse"
)

// hidesEnd returns a *ConformanceError where a short look finds that whether the episode ends tells of the latent what the next
// state does not. A model that Derive has made is looked at once.
func hidesEnd(m Model, prior Belief) error {
	if d := asDerived(m); d != nil {
		d.tried.Do(func() { d.fault = findHiddenEnd(m, prior) })
		return d.fault
	}
	return findHiddenEnd(m, prior)
}

func findHiddenEnd(m Model, prior Belief) error {
	if e, ok := m.(interface{ ShowsEnds() bool }); len(prior) < 2 || ok && e.ShowsEnds() {
		return nil
	}
	spec := m.Spec()
	w := ends.PlayedModel{Prior: prior, Axes: len(spec.Axes), Horizon: spec.Horizon, Action: spec.DrawAction, Start: m.Start,
		Continuous: slices.ContainsFunc(spec.Axes, func(a Axis) bool { return !a.Whole() }),
		Step: func(next, s []float64, latent, action int, rng *rand.Rand) (done, ok bool) {
			out := m.Step(next, s, latent, action, rng)
			return out.Done, spec.CheckOutcome(out, next, s, action, latent) == nil
		}}
	w.StartLog = startLikelihoodOf(m)
	if spec.Estimated == "" {
		w.Log = m.LogLikelihood
	}
	if d, ok := m.(LatentDynamics); ok && d.LatentKind() != Static {
		w.Mover = &sparse.Mover{Latents: len(prior), Transition: d.LatentTransition}
	}
	if c, _ := ends.Find(&w, ends.Short); c != nil {
		return spec.Fault(c.State, c.Action, -1, "%s", c.Text(spec.Latents))
	}
	if c := ends.FindStart(&w, 0, ends.Short); c != nil {
		return spec.Fault(nil, -1, -1, "%s", c.Text(spec.Latents, spec.Axes[c.Axis].Name))
	}
	return nil
}
