package cmd

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"bayescpace/bcpace"
)

// spent is the time that a phase of a solver took.
type spent struct {
	Phase   string `json:"phase"`
	Seconds number `json:"seconds"`
}

// clock adds up what the phases of a solver take: from one report of its progress to the next, the phase that was reported goes on.
type clock struct {
	now    func() time.Time
	begin  time.Time
	last   time.Time
	phase  string
	phases []spent
}

func newClock(now func() time.Time) *clock {
	at := now()
	return &clock{now: now, begin: at, last: at, phase: "set-up"}
}

// tell takes a report: an update belongs to the search, and what a phase says of its results is no part of its name.
func (c *clock) tell(p bcpace.Progress) {
	phase, _, _ := strings.Cut(cmp.Or(p.Phase, "search"), ",")
	if phase == c.phase {
		return
	}
	c.stop()
	c.phase = phase
}

// stop adds the time of the phase that went on until now.
func (c *clock) stop() {
	at := c.now()
	i := slices.IndexFunc(c.phases, func(s spent) bool { return s.Phase == c.phase })
	if i < 0 {
		i, c.phases = len(c.phases), append(c.phases, spent{Phase: c.phase})
	}
	c.phases[i].Seconds += number(at.Sub(c.last).Seconds())
	c.last = at
}

// spent ends the clock and returns the phases that took a hundredth of its time or more; nil where that was less than a second.
func (c *clock) spent() []spent {
	c.stop()
	all := number(c.last.Sub(c.begin).Seconds())
	if all < 1 {
		return nil
	}
	return slices.DeleteFunc(c.phases, func(s spent) bool { return s.Seconds < all/100 })
}
