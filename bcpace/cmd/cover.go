package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/frame/parquet"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/sweep"
)

var coverVerb = newVerb[coverArgs]("cover", "count the samples that cover a set of points within ε",
	"(--points FILE [--metric NAME] | (--env NAME [--set KEY=VALUE]… [--samples N] | --model FILE [--property TEXT]) [--depth N] [--alpha A] | --run FILE|FOLDER [--visited WHAT]) (--epsilon E | --curve) [--exact] [--timeout D] [--json]",
	"cover --points points.csv --metric l1 --epsilon 0.5 --exact --json",
	"cover --points points.csv --metric l2 --curve",
	"cover --env chain --depth 10 --epsilon 0.2",
	"cover --run tiger.bcp",
	"cover --run runs --visited states --curve")

// visits are what a run has visited, by name.
var visits = map[string]cover.Visit{"queries": cover.Queries, "pairs": cover.StateBeliefs, "states": cover.States, "beliefs": cover.Beliefs}

// coverArgs are the flags of cover.
type coverArgs struct {
	points, metric string
	visited        string
	source         modelSource
	depth          int
	alpha          float64
	epsilon        float64
	curve          bool
	exact          bool
	seed           uint64
	timeout        time.Duration

	alone *runs.Run // the run whose queries are the points, if it is one
}

func (a *coverArgs) flags(f *flags) {
	a.metric, a.visited, a.depth, a.alpha = cover.L1.String(), "queries", sweep.DefaultDepth, 1
	f.section("points")
	f.value("points", "FILE", "CSV or Parquet file: a row for each point, a column for each coordinate; of CSV, a row of names above is skipped", text(&a.points))
	f.value("metric", "NAME", "distance of the points: l1 (default), l2 or max", text(&a.metric))
	a.source.flags(f, "the states and beliefs that it reaches", "its samples: states, beliefs and actions; or a folder, for those of all runs of one model in it")
	f.value("visited", "WHAT", "of --run: queries (default), which are states, beliefs and actions, pairs of a state and a belief, states or beliefs", text(&a.visited))
	f.value("depth", "N", fmt.Sprintf("steps within which they are reached (default %d); 0 for all there are", sweep.DefaultDepth), whole(&a.depth))
	f.value("alpha", "A", "weight of the state's distance against the belief's (default 1)", float(&a.alpha))
	f.section("cover")
	f.value("epsilon", "E", "distance within which a point is covered; of --run, the default is its own radius", float(&a.epsilon))
	f.toggle("curve", "count them at many distances, and fit the dimension that they show", boolean(&a.curve))
	f.toggle("exact", "search for the exact numbers, and where they are out of reach for closer bounds", boolean(&a.exact))
	f.value("seed", "N", "seed of the random orders and of simulated points (default 0)", unsigned(&a.seed))
	f.value("timeout", "D", "end the search after a time such as 30s and give bounds", timeLimit(&a.timeout))
	f.output()
}

// coverPoints is the verb cover.
func (a *coverArgs) run(p program, f *flags) error {
	if err := a.check(f); err != nil {
		return err
	}
	ctx, cancel := p.ctx, context.CancelFunc(func() {})
	if f.given["timeout"] {
		ctx, cancel = context.WithTimeout(p.ctx, a.timeout)
	}
	defer cancel()
	begin := time.Now()
	line := p.progress(f.json)
	defer line.clear()
	space, err := a.space(ctx, f)
	var found facts
	if err == nil && a.curve {
		found, err = a.curveOf(ctx, space, line)
	} else if err == nil {
		found, err = a.numbersOf(ctx, space, line)
	}
	if err == nil && a.alone != nil && a.epsilon > 0 && !a.curve {
		of, late := a.ofRun(ctx)
		if found = append(found, of...); ctx.Err() == nil { // else the bounds are there
			err = late
		}
	}
	line.clear()
	if err != nil {
		return cutOff(err, fmt.Errorf("out of time after %v, before there were bounds", a.timeout), errors.New("interrupted before there were bounds"))
	}
	return f.printTable(p.stdout, append(found, facts{
		{"seconds", "seconds", seconds{number(time.Since(begin).Seconds())}},
		{"draws", "", orNil(a.source.env.samples)}, // without --samples there is no such key
	}...))
}

// numbersOf finds the numbers at one distance.
func (a *coverArgs) numbersOf(ctx context.Context, space cover.Space, line *progressLine) (facts, error) {
	x, err := cover.Number(ctx, space, a.epsilon, cover.Options{Exact: a.exact, Seed: a.seed, Progress: func(x cover.Numbers) {
		line.show("smallest cover %v, points more than ε apart %v", x.Domination, x.Independence)
	}})
	if err != nil {
		return nil, err
	}
	known := func(n cover.Interval) number {
		if n.Exact() {
			return number(n.Lower)
		}
		return none
	}
	ends := func(n cover.Interval, low, high cover.Reason) facts {
		return facts{{"lower", "", n.Lower}, {"upper", "", n.Upper}, {"lower_by", "", low.String()}, {"upper_by", "", high.String()}}
	}
	because := func(n int, why cover.Reason) string { return fmt.Sprintf("%d: %v", n, why) }
	// A change of a key or meaning breaks what reads the JSON. A number that is not known, as its bounds differ, is null.
	return facts{
		{"epsilon", "epsilon", number(a.epsilon)},
		{"points", "points", x.Points},
		{"domination", "smallest cover (domination)", known(x.Domination)},
		{"", "  at least", because(x.Domination.Lower, x.Why.DominationLower)},
		{"", "  at most", because(x.Domination.Upper, x.Why.DominationUpper)},
		{"independence", "most points more than ε apart (independence)", known(x.Independence)},
		{"", "  at least", because(x.Independence.Lower, x.Why.IndependenceLower)},
		{"", "  at most", because(x.Independence.Upper, x.Why.IndependenceUpper)},
		// These bound the paper's covering number.
		{"exact", "largest minimal cover", known(x.Upper)},
		{"lower", "  at least", x.Upper.Lower},
		{"upper", "  at most", x.Upper.Upper},
		{"domination_bounds", "", ends(x.Domination, x.Why.DominationLower, x.Why.DominationUpper)},
		{"independence_bounds", "", ends(x.Independence, x.Why.IndependenceLower, x.Why.IndependenceUpper)},
		{"note", "", ground(openEnd(x))},
		{"", "note", orNil(openEnd(x))},
	}, nil
}

// openEnd says why the bounds of the largest minimal cover stay apart where those of the other numbers do not.
func openEnd(x cover.Numbers) string {
	if x.Upper.Upper <= 2*x.Independence.Upper {
		return ""
	}
	return "in a continuum the largest minimal cover has no upper bound but half the points; what samples need is the most points more than ε apart"
}

// curveSizes is the number of distances of a curve.
const curveSizes = 16

// curveOf finds the numbers at many distances.
func (a *coverArgs) curveOf(ctx context.Context, space cover.Space, line *progressLine) (facts, error) {
	scales, err := cover.Scales(ctx, space, curveSizes)
	if err != nil {
		return nil, err
	}
	if scales == nil {
		return nil, inputError("--curve", "points in one place", "points at several distances")
	}
	c, err := cover.NewCurve(ctx, space, scales, cover.CurveOptions{Closer: &cover.Options{Exact: a.exact, Seed: a.seed}, Progress: func(c *cover.Curve, i int) {
		line.show("ε = %s: smallest cover %d to %d, points more than ε apart %d to %d", number(c.Epsilon[i]), c.Least[i], c.Cover[i], c.Apart[i], c.Most[i])
	}})
	if c == nil || len(c.Epsilon) == 0 {
		return nil, err
	}
	sizes := make([]facts, len(c.Epsilon))
	x := facts{{"points", "points", c.Points}}
	for i, e := range c.Epsilon {
		sizes[i] = facts{{"epsilon", "", number(e)}, {"domination_bounds", "", facts{{"lower", "", c.Least[i]}, {"upper", "", c.Cover[i]}}},
			{"independence_bounds", "", facts{{"lower", "", c.Apart[i]}, {"upper", "", c.Most[i]}}}}
		x = append(x, fact{"", fmt.Sprintf("ε = %s", number(e)), fmt.Sprintf("smallest cover %d to %d, points more than ε apart %d to %d", c.Least[i], c.Cover[i], c.Apart[i], c.Most[i])})
	}
	x = append(x, fact{"curve", "", sizes})
	if d, err := c.Dimension(); err == nil {
		x = append(x, facts{{"dimension", "dimension of the covers (slope)", number(d.Slope)},
			{"dimension_domination", "  of the smallest covers, whatever they are", intervalOf(d.Domination)},
			{"dimension_independence", "  of the points more than ε apart", intervalOf(d.Independence)}}...)
	}
	return append(x, fact{"complete", "complete", err == nil}), nil
}

// check returns a *usageError for flags that do not go together, or an error for
// values that cannot be.
func (a *coverArgs) check(f *flags) error {
	sources := slices.DeleteFunc([]string{"points", "env", "model", "run"}, func(name string) bool { return !f.given[name] })
	_, unknown := cover.ParseNorm(a.metric)
	_, visit := visits[a.visited]
	in := bcpace.In("options")
	return cmp.Or(
		need(len(sources) == 1, "give one of --points, --env, --model and --run"),
		need(unknown == nil, "unknown metric %q, want %s", a.metric, numtext.OneOf(a.metric, []string{"l1", "l2", "max"})),
		need(visit, "--visited is %q, want %s", a.visited, numtext.OneOf(a.visited, slices.Sorted(maps.Keys(visits)))),
		need(f.given["epsilon"] || f.given["run"] || a.curve, "--epsilon is missing"),
		unless(f.given["env"] || f.given["model"], f.clash("--points or --run", "set", "samples", "depth", "alpha")),
		unless(f.given["run"], f.clash("--points, --env or --model", "visited")),
		unless(!a.curve, f.clash("--curve", "epsilon")),
		unless(f.given["points"], f.clash("--env or --run", "metric")),
		in.Need(!f.given["epsilon"] || a.epsilon >= 0 && !math.IsInf(a.epsilon, 1), "--epsilon", a.epsilon, "a finite distance, 0 or more"),
		in.Need(a.alpha > 0 && !math.IsInf(a.alpha, 1), "--alpha", a.alpha, "a finite α > 0"),
		solverkit.CheckHorizon("options", "--depth", a.depth, "all points"))
}

// space returns the points with their distance.
func (a *coverArgs) space(ctx context.Context, f *flags) (cover.Space, error) {
	switch {
	case f.given["points"]:
		p, err := await(ctx, func() (*cover.Points, error) { return parquet.ReadPoints(ctx, a.points) })
		if err != nil {
			return nil, err
		}
		p.Norm, err = cover.ParseNorm(a.metric)
		return p, err
	case f.given["run"]:
		return a.visitedPoints(ctx, f)
	}
	m, err := a.source.env.model(ctx, a.seed)
	if err != nil {
		return nil, err
	}
	reached, err := problem.Reached(ctx, m, cover.ReachOptions{Alpha: a.alpha, Depth: a.depth, Seed: a.seed})
	if err != nil {
		return nil, err
	}
	return reached.Points, nil
}

// visitedPoints returns what the run, or the runs of a folder, have visited.
func (a *coverArgs) visitedPoints(ctx context.Context, f *flags) (cover.Space, error) {
	names := []string{a.source.run}
	if entries, err := os.ReadDir(a.source.run); err == nil {
		names = nil
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".bcp" {
				names = append(names, filepath.Join(a.source.run, e.Name()))
			}
		}
		if len(names) == 0 {
			return nil, inputError("--run", a.source.run, "a run, or a folder with files *.bcp")
		}
	}
	list := make([]*runs.Run, len(names))
	for i, name := range names {
		r, err := openRun(ctx, name)
		if err != nil {
			return nil, err
		}
		if list[i] = r; f.given["epsilon"] || a.curve {
			continue
		}
		switch radius := r.Radius(); {
		case math.IsNaN(radius):
			return nil, fmt.Errorf("%s: a certified run has no radius of its own: give --epsilon", name)
		case i > 0 && radius != a.epsilon:
			return nil, fmt.Errorf("%s: its own radius is %v, and that of %s is %v: give --epsilon", name, radius, names[0], a.epsilon)
		default:
			a.epsilon = radius
		}
	}
	if len(list) == 1 && visits[a.visited] == cover.Queries {
		a.alone = list[0]
	}
	return cover.Visited(list[0], visits[a.visited], list[1:]...)
}

// ofRun says how far the policy of a run goes from the samples.
func (a *coverArgs) ofRun(ctx context.Context) (facts, error) {
	h, err := cover.MeasureHoles(ctx, a.alone, cover.HoleOptions{Radius: a.epsilon, Seed: a.seed})
	if err != nil || h.Seeded == h.Draws {
		return nil, err
	}
	return facts{
		{"uncovered", "share of its policy's queries farther than ε from a sample", number(h.Share)},
		{"uncovered_interval", "  95% interval", intervalOf(h.CI95)},
		{"largest_hole", "its samples cover all that were drawn within", number(h.Largest)},
		{"largest_hole_share", "  share of those farther away, at most (95%)", number(h.LargestShare)},
	}, nil
}

// modelSource is a model given by --env and --set, by --model, or by the run that explored it.
type modelSource struct {
	env environment
	run string
}

// flags adds the flags of a source, with what is taken from an environment and from
// a run.
func (s *modelSource) flags(f *flags, ofEnv, ofRun string) {
	s.env.flags(f, ", for "+ofEnv)
	s.env.fileFlag(f)
	f.value("run", "FILE", "run saved by bcpace solve --out, for "+ofRun, text(&s.run))
}
