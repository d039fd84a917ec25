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
