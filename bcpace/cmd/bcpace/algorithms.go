package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/pomdp"
)

// algorithm is an entry of the table of algorithms.
type algorithm struct {
	name, doc string
	// knobs are the flags that it reads besides epsilon, seed, timeout and
	// workers, which all of them take.
	knobs []knob
	// keeps says that its solution has a run to save.
	keeps bool
	// solve fills in all of a solution but Algorithm, Model, Seconds and Seed.
	// Where ctx ends it, it returns what there is, with the reason in Stop.
	solve func(ctx context.Context, t task) (*solution, error)
	// solveTables, if set, stands for solve where the model is from a file, and
	// works on the tables of any POMDP. The others need a BAMDP.
	solveTables func(ctx context.Context, t task) (*solution, error)
}

// Names of algorithms.
const (
	cpaceName     = "bayes-cpace"
	certifiedName = "certified"
)

var algorithms = []algorithm{
	{name: cpaceName, doc: "explores optimistically, as the paper does", knobs: exploration, keeps: true, solve: solveCPACE},
	{name: certifiedName, doc: "brackets the optimal value from both sides until it is known to ε, in models that list what follows a state", knobs: append(limits, lipStateKnob), keeps: true, solve: solveCertified},
	{name: "qmdp", doc: "acts as if the latent were known after the next step", solve: solveQMDP, solveTables: solveQMDPTables},
	{name: sarsopName, doc: "brackets the optimal value of any POMDP and of finite models, over the beliefs that good policies reach", knobs: limits, solve: solveSARSOP, solveTables: solveSARSOPTables},
	{name: pomdpLiteName, doc: "plans at every step as if it learned no more, with a bonus for what an action tells", solve: solvePOMDPLite},
}

// task is what an algorithm is given.
type task struct {
	model   bcpace.Model // nil where the model file holds no BAMDP
	pomdp   *pomdp.Model // of --model
	options parameters
	control bcpace.Control
	bonus   *float64 // of POMDP-lite, nil where none is given
	// epsilonGiven says that Options.Epsilon is the user's own, not a default.
	epsilonGiven bool
	keep         bool // what is found is to be saved
}

// solution is what an algorithm returns.
type solution struct {
	result
	policy bcpace.Policy
	player player      // set where there is no policy of task.model
	run    io.WriterTo // nil where there is nothing to save
}

// solveCPACE is Algorithm 1 of the paper. The value reported is its optimistic
// one, which bounds nothing, as the Lipschitz constant is tuned.
func solveCPACE(ctx context.Context, t task) (*solution, error) {
	r, err := t.options.Options.Explore(ctx, t.model, t.control)
	if err != nil {
		return nil, err
	}
	return solutionOf(r), nil
}

// solutionOf is the solution that has a run, with its certificate. The value
// reported is Q̃ or, of a certified run, the lower bound: the certificate's or, where
// there is none, that of the search.
func solutionOf(r *bcpace.Run) *solution {
	s := &solution{
		result: result{
			Value: number(r.Value), Lower: none, Upper: none, Certificate: string(r.Certificate.Kind),
			Samples: r.Samples.Len(), Episodes: len(r.Trace), Steps: r.Steps, Stop: string(r.Stop),
		},
		policy: r.Policy(), run: r,
	}
	if c := r.Certificate; c.Kind != bcpace.NoCertificate {
		s.Lower, s.Upper, s.grounds = number(c.Lower), number(c.Upper), groundsOf(c)
	}
	s.Value = number(bcpace.SolutionOf(r).Value)
	return s
}

const (
	// certifiedGap is the ε of the certified algorithm on a finite model where
	// none is given: its bounds close fast enough for more digits than an
	// exploration by samples. Elsewhere it is the one tuned for the model.
	certifiedGap = 1e-3
	// continuousSamples is how many samples it takes at most on another model
	// where no limit is given: some seconds' worth.
	continuousSamples = 20_000
)

// solveCertified brackets the optimal value.
func solveCertified(ctx context.Context, t task) (*solution, error) {
	o := certified.Solver{Epsilon: t.options.Epsilon, Seed: t.options.Seed,
		MaxEpisodes: t.options.MaxEpisodes, MaxSamples: t.options.MaxSamples, LipState: t.options.LipState}
	if _, finite := bcpace.AsFinite(t.model); finite {
		if o.LipState != 0 {
			return nil, inputError("--lip-state", fmt.Sprint(o.LipState), "no such constant, as the states of "+t.model.Spec().Name+" are numbered")
		}
		if !t.epsilonGiven {
			o.Epsilon = certifiedGap
		}
	} else if o.MaxSamples == 0 && o.MaxEpisodes == 0 {
		o.MaxSamples = continuousSamples
	}
	r, err := o.Explore(ctx, t.model, t.control)
	if err != nil {
		return nil, err
	}
	return solutionOf(r), nil
}

// solveQMDP solves the latent MDPs. The value is Σ b(φ)·Q(s, φ, a), which no
// policy exceeds; where a grid stands for the states, that holds only
// approximately, and no bound is given.
func solveQMDP(ctx context.Context, t task) (*solution, error) {
	q, err := bcpace.SolveLatent(ctx, t.model)
	if err != nil {
		return nil, err
	}
	spec := t.model.Spec()
	value, err := bcpace.AtStart(t.model, func(s []float64, b bcpace.Belief) float64 {
		best := bcpace.Expected(q, s, b, 0)
		for a := range spec.Actions {
			best = max(best, bcpace.Expected(q, s, b, a))
		}
		return best
	})
	if err != nil {
		return nil, err
	}
	upper, by := none, grounds{}
	if v, ok := q.(*bcpace.FiniteValues); ok {
		upper, by.UpperBy = number(value+v.Error), ground(bcpace.ByProof)
	}
	return &solution{
		result: result{Value: number(value), Lower: none, Upper: upper, Certificate: certificateNone, grounds: by, Stop: string(bcpace.StopConverged)},
		policy: bcpace.LatentPolicy(q, len(spec.Actions)),
	}, nil
}

// findAlgorithm returns the algorithm of that name.
func findAlgorithm(name string) (algorithm, bool) {
	i := slices.IndexFunc(algorithms, func(a algorithm) bool { return a.name == name })
	if i < 0 {
		return algorithm{}, false
	}
	return algorithms[i], true
}

// begins says what the algorithm was at when err ended it, before there was anything
// to keep, and what helps where time was short.
func (a algorithm) begins(err error) (at, help string) {
	help = "give more time"
	switch a.name {
	case certifiedName:
		return "certified was at its first bounds, which take long in a large model", help + ", or --algorithm bayes-cpace --bound constant, which begins at once"
	case cpaceName:
		return "bayes-cpace was at the values of the latent MDPs, which take long in a large model", help + ", or --bound constant, which does without"
	}
	return err.Error(), help
}

// reads says whether the algorithm reads a knob.
func (a algorithm) reads(k knob) bool {
	return slices.ContainsFunc(a.knobs, func(own knob) bool { return own.flag == k.flag })
}

// algorithmNames lists the names with commas between them.
func algorithmNames() string {
	var names []string
	for _, a := range algorithms {
		names = append(names, a.name)
	}
	return strings.Join(names, ", ")
}

// algorithmDoc describes the algorithms for the help.
func algorithmDoc() string {
	var docs []string
	for _, a := range algorithms {
		docs = append(docs, a.name+" ("+a.doc+")")
	}
	return strings.Join(docs, ", ") + fmt.Sprintf("; without it certified where that can be, otherwise sarsop for a model file and bayes-cpace for an environment; "+
		"sarsop also for a model file whose hidden part has more than %d values, unless --out asks for a run, and where --out asks for a .policy file", manyLatents)
}
