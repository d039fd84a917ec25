package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bayescpace/bcpace"
)

// Options say how thoroughly Model looks. The zero value suits a notebook cell: it takes
// some hundred thousand steps, a second or two where Step is quick.
type Options struct {
	// Seed makes the check: the same seed looks at the same places.
	Seed uint64
	// Episodes is the number of random rollouts that find states to look at,
	// and Steps the length at which each is cut. If 0, 30 and 50 are used.
	Episodes, Steps int
	// Transitions is the number of triples (s, φ, a) whose Step is compared
	// with LogLikelihood and Successors, and Draws the number of steps drawn
	// for each. A model with fewer triples has up to ten times as many drawn.
	// If 0, 200 and 4,000 are used.
	Transitions, Draws int
	// Skip are names of tests to leave out, such as Goroutines.
	Skip []string
}

// skips reports whether the user leaves out a test.
func (c *checker) skips(name string) bool { return slices.Contains(c.opt.Skip, name) }

// checkSkip returns an *bcpace.InputError for a name in Options.Skip that is no test.
func (o Options) checkSkip() error {
	var names []string
	for _, t := range tests {
		names = append(names, t.name)
	}
	for _, s := range o.Skip {
		if !slices.Contains(names, s) {
			return bcpace.In("check.Options").Bad("Skip", fmt.Sprintf("%q", s), "names of tests, which are "+strings.Join(names, ", "))
		}
	}
	return nil
}

// number is an option with its default.
type number struct {
	name string
	of   *int
	def  int
}

// settle fills in the defaults of options, and returns an *bcpace.InputError for one that cannot be used.
func settle(where string, options ...number) error {
	for _, o := range options {
		if *o.of < 0 {
			return bcpace.In(where).Bad(o.name, *o.of, "a positive number, or 0 for the default")
		}
		*o.of = cmp.Or(*o.of, o.def)
	}
	return nil
}

// Names of the tests, for Options.Skip. What is not here is always looked at, as the
// tests rest on it: that states lie on their axes, rewards within their range, and that
// LogLikelihood allows what Step draws.
const (
	Repeats     = "repeats"     // equal random numbers give equal steps; Spec and Prior stay
	Latents     = "latents"     // rows of LatentDynamics are distributions and agree with LatentKind
	Numbering   = "numbering"   // StateAt and StateIndex are inverse
	Starts      = "starts"      // Start, Starts and StartLogLikelihood agree
	Lists       = "lists"       // lists of successors are distributions and agree with LogLikelihood
	Draws       = "draws"       // Step draws what Successors lists, and LogLikelihood does not exceed it
	Calibration = "calibration" // the belief after a step is as often right as it says
	Scales      = "scales"      // nothing else depends on an axis whose Scale is +Inf
	Smooth      = "smooth"      // means, expected rewards and densities are those of Smoothness
	Goroutines  = "goroutines"  // goroutines side by side get what one alone gets
	Ends        = "ends"        // the end of an episode tells nothing that the state does not
	Rewards     = "rewards"     // rewards tell nothing that the state does not; a note, not a fault
)

// tests are all tests in the order of a report, with what they count.
var tests = []test{
	{Repeats, "%d steps taken twice with equal random numbers", (*checker).stable},
	{Latents, "%d states and actions whose latent moves were listed", (*checker).latentRows},
	{Numbering, "%d numbers of states", (*checker).numbering},
	{Starts, "%d starts drawn", (*checker).starts},
	{Lists, "%d states and actions whose successors were listed", (*checker).lists},
	{Draws, "%d steps compared with LogLikelihood and, where there are, lists", (*checker).sampled},
	{Calibration, "%d steps under one of two latents, and the belief after them", (*checker).calibrateAtLimits},
	{Scales, "%d steps from two states that differ on an axis of Scale +Inf", (*checker).scales},
	{Smooth, "%d states and actions compared with what Smoothness states", (*checker).smooth},
	{Goroutines, "%d steps with 8 goroutines side by side", (*checker).goroutines},
	{Ends, "%d steps under two latents, and whether they ended the episode", (*checker).hiddenEnds},
	{Rewards, "%d steps whose rewards were compared between two latents", (*checker).rewards},
}

// Report says what Examine has tried.
type Report struct {
	Model string
	// States is the number of pairs of a state and a latent that were looked at.
	States int
	// Tests are all tests, in the order of their names above.
	Tests []Test
	// Notes are what may be meant, and is a mistake more often than not.
	Notes []string
	// FalseAlarm bounds the probability that all tests together refuse a sound model.
	FalseAlarm float64
	// Cut says that the time ended before all was tried.
	Cut bool
}

// Test is a test of a Report. Tried is how much it has looked at, as Text says; it is 0
// if the test was skipped, or if there is nothing of its kind in the model. Cut says that the time ended before the test did.
type Test struct {
	Name    string `json:"name"`
	Tried   int    `json:"tried"`
	Text    string `json:"text"`
	Skipped bool   `json:"skipped"`
	Cut     bool   `json:"cut"`
}

// String lists what was tried, a line for each test and note.
func (r *Report) String() string {
	var s strings.Builder
	if r.Cut {
		s.WriteString("Time was up before all was tried. ")
	}
	fmt.Fprintf(&s, "No fault found in model %q at %d states; a sound model is refused with probability %g at most.\n", r.Model, r.States, r.FalseAlarm)
	for _, t := range r.Tests {
		text := t.Text
		if t.Skipped {
			text = "skipped"
		}
		if t.Cut {
			text = "not tried to the end: " + text
		}
		fmt.Fprintf(&s, "  %-12s %s\n", t.Name, text)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&s, "Note: %s\n", n)
	}
	return strings.TrimSuffix(s.String(), "\n")
}

// report returns what c has tried.
func (c *checker) report() *Report {
	r := &Report{Model: c.spec.Name, States: len(c.places) + len(c.far), Notes: c.notes, FalseAlarm: falseAlarm, Cut: c.ended < len(tests)}
	for i, t := range tests {
		done := t.done(c.tried[t.name])
		if t.name == Calibration {
			done.Text += c.atLimits
		}
		done.Skipped = c.skips(t.name)
		done.Cut = (i+len(tests)-1)%len(tests) >= c.ended && !done.Skipped // the first is tried in all others
		r.Tests = append(r.Tests, done)
	}
	return r
}

// test is a test with what it counts.
type test struct {
	name, count string
	look        func(*checker) // nil for a test of Hidden
}

// done returns what a report says of a test that has looked at so much.
func (t test) done(tried int) Test {
	text := fmt.Sprintf(t.count, tried)
	if tried == 0 {
		text = "nothing to try"
	}
	return Test{Name: t.name, Tried: tried, Text: text}
}
