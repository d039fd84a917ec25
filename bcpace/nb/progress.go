package nb

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"

	"github.com/janpfeifer/gonb/gonbui"
)

const (
	progressDelay = 300 * time.Millisecond // work that is quicker shows nothing
	progressEvery = 200 * time.Millisecond // most frequent update
	progressTick  = time.Second            // how often the time alone is brought up to date
)

// ProgressBar displays how far a long computation has come: in a notebook in
// place, elsewhere not at all. It leaves nothing
// behind when it is done, so that a saved notebook is the same whether the
// result was computed or came from the store. Its methods may be called from
// any goroutine, as often as one likes.
type ProgressBar struct {
	label string
	out   *output
	now   func() time.Time
	// within displays this work in its place as a part of the work of a slider; nil without one.
	within func(share float64, status string)

	mu          sync.Mutex
	start, last time.Time
	share       float64 // what was displayed last
	status      string
	id          string // of the output in the notebook; "" before the first update
	closed      bool
}

// NewProgress starts a progress display. The label says what is being done.
//
//	o := eval.Options{Episodes: 10_000, Progress: nb.NewProgress("evaluating").Of(10_000)}
//	stats := nb.Must(eval.Rollouts(nb.Context(), tiger, policy, o))
func NewProgress(label string) *ProgressBar { return startProgress(label, "", standard()) }

// startProgress starts a display of the given status, whose time moves on by
// itself: between two steps of the work there may be minutes.
func startProgress(label, status string, o *output) *ProgressBar {
	p := newProgress(label, o, time.Now)
	p.status = status
	if o.live {
		go func() {
			for range time.Tick(progressTick) {
				if !p.again() {
					return
				}
			}
		}()
	}
	return p
}

func newProgress(label string, o *output, now func() time.Time) *ProgressBar {
	o.mu.Lock()
	defer o.mu.Unlock()
	return &ProgressBar{label: clean(label), out: o, now: now, within: o.within, start: now(), share: -1}
}

// again displays what was displayed last with the time that it is now. It
// returns false when the display is closed.
func (p *ProgressBar) again() bool {
	p.mu.Lock()
	share, status, stale, closed := p.share, p.status, p.now().Sub(p.last) >= progressTick, p.closed
	p.mu.Unlock()
	if stale {
		p.update(share, status)
	}
	return !closed
}

// Of returns a function that displays how many of total steps are done, and
// closes the display when all are.
func (p *ProgressBar) Of(total int) func(done int) {
	return func(done int) {
		if p.Count(done, total); total > 0 && done >= total {
			p.Close()
		}
	}
}

// Count says that done of total steps are done. A total of 0 is unknown.
func (p *ProgressBar) Count(done, total int) {
	share, status := -1.0, Count(done)
	if total > 0 {
		share, status = float64(done)/float64(total), status+" of "+Count(total)
	}
	p.set(share, status)
}

// set says which share of the work is done, in [0, 1], or anything else where
// that is unknown, and how things stand. What is not displayed now is displayed when the time
// moves on: it may be the last that is heard for long.
func (p *ProgressBar) set(share float64, status string) {
	p.mu.Lock()
	p.share, p.status = share, status
	p.mu.Unlock()
	if p.due() {
		p.update(share, status)
	}
}

// due reports whether the display should change now. It keeps calls that do not
// change it cheap.
func (p *ProgressBar) due() bool {
	if !p.out.live {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.closed || now.Sub(p.start) < progressDelay || now.Sub(p.last) < progressEvery {
		return false
	}
	p.last = now
	return true
}

func (p *ProgressBar) update(share float64, status string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.last, p.share, p.status = p.now(), share, status
	if p.within != nil {
		p.within(share, labelled(p.label, status))
		return
	}
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	if p.id == "" {
		p.id = p.out.free
		if p.out.free = ""; p.id == "" {
			p.id = "progress_" + gonbui.UniqueId()
		}
		p.out.open = append(p.out.open, p)
	}
	value := when(share >= 0 && share <= 1, fmt.Sprintf(` value="%.3f" max="1"`, share))
	label := fmt.Sprintf("%s (%.0f s)", labelled(p.label, status), p.last.Sub(p.start).Seconds())
	p.out.screen.send(message{plain: label, html: `<div style="font-variant-numeric:tabular-nums"><progress` + value +
		` style="width:16em;vertical-align:middle"></progress> ` + escape(label) + "</div>"}, p.id)
}

// labelled is a status behind what it is of.
func labelled(label, status string) string { return label + when(status != "", ": "+status) }

// Close takes the display away. The next message of the cell takes its place.
func (p *ProgressBar) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	p.out.open = slices.DeleteFunc(p.out.open, func(q *ProgressBar) bool { return q == p })
	if p.id != "" {
		p.out.screen.send(message{}, p.id)
		p.out.screen.flush()
		p.out.free = p.id
	}
}

// watch returns a function that displays what a solver with the given plan computes
// before it begins, and then how far it has come, after it has called also, where that is not nil. It may be called a million
// times a second.
//
// The bar of an exploration is the share of known steps among its last episodes, as
// many as must be without a new sample for it to end; that of a search is how far the
// gap has come from where it began to where it may end, in orders of magnitude; and
// where a limit of episodes or samples is nearer, the bar goes towards that.
func watch(progress *ProgressBar, plan runs.Plan, also func(bcpace.Progress)) func(bcpace.Progress) {
	first := 0.0 // the gap of a search as it began
	return func(p bcpace.Progress) {
		if also != nil {
			also(p)
		}
		if p.Phase != "" {
			progress.set(p.Share, p.Phase)
			return
		}
		if first == 0 && !math.IsInf(p.Gap, 1) {
			first = p.Gap
		}
		// The last progress of a solver that is not interrupted.
		ends := p.Patience > 0 && p.Quiet >= p.Patience || p.Epsilon > 0 && p.Gap <= p.Epsilon ||
			plan.MaxEpisodes > 0 && p.Episodes >= plan.MaxEpisodes || plan.MaxSamples > 0 && p.Samples >= plan.MaxSamples
		switch n := plan.CertificateEpisodes; {
		case ends && n > 0 && !plan.Exact: // which takes as long as the rest at times
			progress.set(-1, "finishing, the policy plays "+numtext.Several(n, "episode")+" for its certificate")
		case ends:
			progress.set(-1, "finishing")
		case progress.due():
			progress.update(share(plan, first, p), statusOf(p))
		}
	}
}

// share is how far the solver has come, in [0, 1], or −1 where nobody knows; first is the gap as it began.
func share(plan runs.Plan, first float64, p bcpace.Progress) float64 {
	s := -1.0
	switch {
	case p.Patience > 0:
		s = p.Known
	case p.Epsilon > 0 && first > p.Epsilon:
		s = max(0, math.Log(first/p.Gap)/math.Log(first/p.Epsilon))
	}
	if plan.MaxEpisodes > 0 {
		s = max(s, float64(p.Episodes)/float64(plan.MaxEpisodes))
	}
	if plan.MaxSamples > 0 {
		s = max(s, float64(p.Samples)/float64(plan.MaxSamples))
	}
	return min(s, 1)
}

// statusOf says in words how things stand, and of an exploration how long its episodes may be.
func statusOf(p bcpace.Progress) string {
	switch {
	case p.Epsilon > 0:
		return fmt.Sprintf("%s, %s, upper bound %s, gap %s, to become %s",
			numtext.Several(p.Episodes, "episode"), numtext.Several(p.Samples, "sample"), formatFloat(p.Value), formatFloat(p.Gap), formatFloat(p.Epsilon))
	case p.Patience > 0:
		longest := when(p.Horizon > 0, " of at most "+numtext.Several(p.Horizon, "step"))
		quiet := when(p.Quiet > 0, fmt.Sprintf(", no new sample in %d of %s in a row", p.Quiet, numtext.Several(p.Patience, "episode")))
		return fmt.Sprintf("%s%s, %s, %.4g%% of the last steps known, value %s%s",
			numtext.Several(p.Episodes, "episode"), longest, numtext.Several(p.Samples, "sample"), 100*p.Known, formatFloat(p.Value), quiet)
	}
	return numtext.Several(p.Episodes, "episode") + ", " + numtext.Several(p.Samples, "sample")
}
