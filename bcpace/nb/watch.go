package nb

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
)

// watch returns a function that displays what a solver with the given plan computes
// before it begins, and then how far it has come, after it has called also, where that is not nil. It may be called a million
// times a second.
//
// The bar of an exploration is the share of known steps among its last episodes, as
// many as must be without a new sample for it to end; that of a search is how far the
// gap has come from where it began to where it may end, in orders of magnitude; and
// where a limit of episodes or samples is nearer, the bar goes towards that.
func watch(progress *ProgressBar, plan runs.Plan, also func(bcpace.Progress)) func(bcpace.Progress) {
	w := watcher{plan: plan}
	return func(p bcpace.Progress) {
		if also != nil {
			also(p)
		}
		if p.Phase != "" {
			progress.set(p.Share, p.Phase)
			return
		}
		w.add(p)
		switch {
		case w.ends(p):
			progress.set(-1, w.finishing())
		case progress.due():
			progress.update(w.share(p), w.status(p))
		}
	}
}

// watcher remembers as much of a solver's progress as its display needs.
type watcher struct {
	plan  runs.Plan
	first float64 // the gap of a search as it began
}

func (w *watcher) add(p bcpace.Progress) {
	if w.first == 0 && !math.IsInf(p.Gap, 1) {
		w.first = p.Gap
	}
}

// ends reports whether p is the last progress of a solver that is not interrupted.
func (w *watcher) ends(p bcpace.Progress) bool {
	return p.Patience > 0 && p.Quiet >= p.Patience || p.Epsilon > 0 && p.Gap <= p.Epsilon ||
		w.plan.MaxEpisodes > 0 && p.Episodes >= w.plan.MaxEpisodes || w.plan.MaxSamples > 0 && p.Samples >= w.plan.MaxSamples
}

// finishing names what is left to be done behind the last progress. It takes as long
// as the rest at times.
func (w *watcher) finishing() string {
	if n := w.plan.CertificateEpisodes; n > 0 && !w.plan.Exact {
		return "finishing, the policy plays " + numtext.Several(n, "episode") + " for its certificate"
	}
	return "finishing"
}

// share is how far the solver has come, in [0, 1], or −1 where nobody knows.
func (w *watcher) share(p bcpace.Progress) float64 {
	s := -1.0
	switch {
	case p.Patience > 0:
		s = p.Known
	case p.Epsilon > 0 && w.first > p.Epsilon:
		s = max(0, math.Log(w.first/p.Gap)/math.Log(w.first/p.Epsilon))
	}
	if w.plan.MaxEpisodes > 0 {
		s = max(s, float64(p.Episodes)/float64(w.plan.MaxEpisodes))
	}
	if w.plan.MaxSamples > 0 {
		s = max(s, float64(p.Samples)/float64(w.plan.MaxSamples))
	}
	return min(s, 1)
}

// status says in words how things stand.
func (w *watcher) status(p bcpace.Progress) string {
	switch {
	case p.Epsilon > 0:
		return fmt.Sprintf("%s, %s, upper bound %s, gap %s, to become %s",
			numtext.Several(p.Episodes, "episode"), numtext.Several(p.Samples, "sample"), formatFloat(p.Value), formatFloat(p.Gap), formatFloat(p.Epsilon))
	case p.Patience > 0:
		s := fmt.Sprintf("%s, %s, %.4g%% of the last steps known, value %s",
			episodes(p), numtext.Several(p.Samples, "sample"), 100*p.Known, formatFloat(p.Value))
		if p.Quiet > 0 {
			s += fmt.Sprintf(", no new sample in %d of %s in a row", p.Quiet, numtext.Several(p.Patience, "episode"))
		}
		return s
	}
	return numtext.Several(p.Episodes, "episode") + ", " + numtext.Several(p.Samples, "sample")
}

// episodes says how many episodes there were and, of an exploration, how long they may be.
func episodes(p bcpace.Progress) string {
	text := numtext.Several(p.Episodes, "episode")
	if p.Horizon > 0 {
		text += " of at most " + numtext.Several(p.Horizon, "step")
	}
	return text
}
