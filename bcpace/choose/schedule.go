package choose

import (
	"fmt"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/solverkit"
)

// Schedule says how a time is spent on a model: what is tried, in which order and why, and what follows.
type Schedule struct {
	// Kind is that of the model in the table; "" where a solver was named.
	Kind string
	// Within is the time before the deadline; 0 without one.
	Within time.Duration
	Parts  []Part
}

// Part is a part of a schedule.
type Part struct {
	What   string        `json:"what"` // the name of the solver where one is tried
	Solver bcpace.Solver `json:"-"`    // nil where none is
	// Share is how much it may take of the time that is left when it begins, and Seconds what that is where all
	// parts before take theirs; 0 without a deadline.
	Share   float64 `json:"share"`
	Seconds float64 `json:"seconds,omitempty"`
	Why     string  `json:"why,omitempty"`
	// Own is how a solver divides its time.
	Own []Part `json:"parts,omitempty"`
}

// ScheduleOf returns what Solve does on m with so much time, 0 for no deadline; or where one is not nil that it runs alone,
// for a reason why. m is nil where it solves the tables of a file. The error is an *bcpace.InputError for a model that cannot
// be used.
func ScheduleOf(m bcpace.Model, one bcpace.Solver, why string, within time.Duration) (*Schedule, error) {
	if one != nil {
		s := &Schedule{Within: within}
		s.add(m, within.Seconds(), Part{Solver: one, Share: 1, Why: why})
		return s, nil
	}
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	k := kindOf(m, within > 0)
	r := rowOf(k)
	stages := r.list(k)
	s := &Schedule{Kind: r.kind, Within: within}
	after := k.leftAfterStages() * within.Seconds()
	left := within.Seconds() - after
	for _, e := range stages {
		left -= s.add(m, left, Part{Solver: e.solver, Share: e.share, Why: e.why}, e.before...)
	}
	if k.timed && !k.spec.Goal {
		f := further(k)
		left -= s.add(m, left, Part{Solver: f.solver, Share: f.share, Why: f.why})
	}
	if left += after; len(stages) > 1 {
		left -= s.add(m, left, Part{What: "comparison", Share: raceShare, Why: "the policies play the same episodes"})
	}
	if k.plans() {
		left -= s.add(m, left, Part{Solver: adaops.Solver{Budget: bcpace.Budget{Simulations: leaves}}, Share: plannerShare,
			Why: "it searches at every decision, and is chosen where that earns surely more"})
	}
	certificate := Part{What: "certificate", Share: 1, Why: "fresh episodes of the policy chosen bound what it earns from below"}
	provable := proved.Takes(m) == nil
	if provable {
		certificate.Share = 1 - leftForProof
	}
	if left -= s.add(m, left, certificate); provable {
		s.add(m, left, Part{What: "proof", Share: 1, Why: "bounds that are proved go on coming together"})
	}
	return s, nil
}

// add adds a part, with what comes before its solver in it, and returns the time that it takes of what is left.
func (s *Schedule) add(m bcpace.Model, left float64, p Part, before ...solverkit.TimeShare) float64 {
	p.Seconds = p.Share * left
	if p.Solver != nil {
		p.What = p.Solver.Name()
	}
	if d, ok := p.Solver.(solverkit.Scheduled); ok {
		before = append(before, d.TimeShares(m)...)
	}
	left = p.Seconds
	for _, x := range before {
		own := Part{What: x.What, Share: x.Share, Seconds: x.Share * left}
		left -= own.Seconds
		p.Own = append(p.Own, own)
	}
	s.Parts = append(s.Parts, p)
	return p.Seconds
}

// String writes the schedule in lines, as nb.Show shows it.
func (s *Schedule) String() string {
	b := listing{width: 24}
	kind := "one solver alone"
	if s.Kind != "" {
		kind = "one after the other, for a model with " + s.Kind
	}
	b.line("schedule", "%s", kind)
	for _, p := range s.Parts {
		b.line("  "+p.What, "%s", p.takes())
		for _, own := range p.Own {
			if own.Seconds > 0 {
				b.line("    "+own.What, "%s", own.takes())
			}
		}
	}
	if s.Within > 0 {
		b.line("", "what ends earlier leaves its time to what follows")
	}
	return strings.TrimRight(b.String(), "\n")
}

// takes says how much time a part has, and why it is there.
func (p Part) takes() string {
	if p.Seconds == 0 {
		return p.Why
	}
	time := fmt.Sprintf("up to %.3g s", p.Seconds)
	if p.Why == "" {
		return time
	}
	return time + ": " + p.Why
}

// listing is a text of lines that begin with a name, in a column of that width.
type listing struct {
	strings.Builder
	width int
}

// line adds a line.
func (l *listing) line(name, format string, args ...any) {
	fmt.Fprintf(l, "%-*s "+format+"\n", append([]any{l.width, name}, args...)...)
}
