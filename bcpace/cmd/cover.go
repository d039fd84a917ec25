package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/sweep"
)

var coverVerb = verb{
	name: "cover", doc: "count the samples that cover a set of points within ε",
	usage: "(--points FILE.csv [--metric NAME] | (--env NAME [--set KEY=VALUE]… [--samples N] | --model FILE) [--depth N] [--alpha A] | --run FILE) --epsilon E [--exact] [--timeout D] [--json]",
	examples: []string{
		"cover --points points.csv --metric l1 --epsilon 0.5 --exact --json",
		"cover --env chain --depth 10 --epsilon 0.2",
		"cover --run tiger.bcp",
	},
	args: func() arguments { return new(coverArgs) },
}

// metrics are the distances of points by name; nil for that of their own, L1.
var metrics = map[string]func(x, y []float64) float64{"l1": nil, "l2": cover.L2, "max": cover.Max}

// coverArgs are the flags of cover.
type coverArgs struct {
	points, metric string
	source         modelSource
	depth          int
	alpha          float64
	epsilon        float64
	exact          bool
	seed           uint64
	timeout        time.Duration
}

func (a *coverArgs) flags(f *flags) {
	a.metric, a.depth, a.alpha = "l1", sweep.DefaultDepth, 1
	f.section("points")
	f.value("points", "FILE", "CSV file: a row for each point, a column for each coordinate; a row of names above is skipped", text(&a.points))
	f.value("metric", "NAME", "distance of the points: l1 (default), l2 or max", text(&a.metric))
	a.source.flags(f, "the states and beliefs that it reaches", "its samples: states, beliefs and actions")
	f.value("depth", "N", fmt.Sprintf("steps within which they are reached (default %d); 0 for all there are", sweep.DefaultDepth), whole(&a.depth))
	f.value("alpha", "A", "weight of the state's distance against the belief's (default 1)", float(&a.alpha))
	f.section("cover")
	f.value("epsilon", "E", "distance within which a point is covered; of --run, the default is its own radius", float(&a.epsilon))
	f.toggle("exact", "search for the exact numbers; for some 60 points, and more where they fall apart", boolean(&a.exact))
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
	space, err := a.space(ctx, f)
	var x cover.Numbers
	if err == nil {
		x, err = cover.Number(ctx, space, a.epsilon, cover.Options{Exact: a.exact, Seed: a.seed})
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("out of time after %v, before there were bounds", a.timeout)
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted before there were bounds")
	case err != nil:
		return err
	}
	known := func(n cover.Interval) number {
		if n.Exact() {
			return number(n.Lower)
		}
		return none
	}
	// A change of a key or meaning breaks what reads the JSON. A number that is not known, as its bounds differ, is null.
	return f.printTable(p.stdout, facts{
		{"epsilon", "epsilon", number(a.epsilon)},
		{"points", "points", x.Points},
		// These bound the paper's covering number.
		{"lower", "largest minimal cover, at least", x.Upper.Lower},
		{"upper", "largest minimal cover, at most", x.Upper.Upper},
		{"exact", "largest minimal cover", known(x.Upper)},
		{"domination", "smallest cover (domination)", known(x.Domination)},
		{"independence", "most points more than ε apart (independence)", known(x.Independence)},
		{"seconds", "seconds", seconds{number(time.Since(begin).Seconds())}},
		{"draws", "", orNil(a.source.env.samples)}, // without --samples there is no such key
	})
}

// check returns a *usageError for flags that do not go together, or an error for
// values that cannot be.
func (a *coverArgs) check(f *flags) error {
	sources := slices.DeleteFunc([]string{"points", "env", "model", "run"}, func(name string) bool { return !f.given[name] })
	_, known := metrics[a.metric]
	switch {
	case len(sources) != 1:
		return misuse("give one of --points, --env, --model and --run")
	case !known:
		return misuse("unknown metric %q, want %s", a.metric, numtext.OneOf(a.metric, slices.Sorted(maps.Keys(metrics))))
	case !f.given["epsilon"] && !f.given["run"]:
		return misuse("--epsilon is missing")
	}
	var clash error
	if !f.given["env"] && !f.given["model"] {
		clash = f.clash("--points or --run", "set", "samples", "depth", "alpha")
	}
	if !f.given["points"] {
		clash = cmp.Or(clash, f.clash("--env or --run", "metric"))
	}
	switch {
	case clash != nil:
		return clash
	case f.given["epsilon"] && (!(a.epsilon >= 0) || math.IsInf(a.epsilon, 1)):
		return inputError("--epsilon", a.epsilon, "a finite distance, 0 or more")
	case !(a.alpha > 0) || math.IsInf(a.alpha, 1):
		return inputError("--alpha", a.alpha, "a finite α > 0")
	}
	return solverkit.CheckHorizon("options", "--depth", a.depth, "all points")
}

// read reads the points of a file, which may be a pipe.
func (a *coverArgs) read(ctx context.Context) (*cover.Points, error) {
	file, err := os.Open(a.points)
	if err != nil {
		return nil, disk.Unreadable(a.points, err)
	}
	defer file.Close()
	p, err := cover.ReadCSV(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.points, err)
	}
	return p, nil
}

// space returns the points with their distance.
func (a *coverArgs) space(ctx context.Context, f *flags) (cover.Space, error) {
	switch {
	case f.given["points"]:
		p, err := await(ctx, func() (*cover.Points, error) { return a.read(ctx) })
		if err != nil {
			return nil, err
		}
		if distance := metrics[a.metric]; distance != nil {
			return p.Under(distance), nil
		}
		return p, nil
	case f.given["run"]:
		r, err := openRun(ctx, a.source.run)
		if err != nil {
			return nil, err
		}
		if !f.given["epsilon"] {
			if a.epsilon = r.Radius(); math.IsNaN(a.epsilon) {
				return nil, fmt.Errorf("%s: a certified run has no radius of its own: give --epsilon", a.source.run)
			}
		}
		return samplePoints(r), nil
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

// samplePoints embeds the samples of a run, those of different actions infinitely far
// apart.
func samplePoints(r *runs.Run) *cover.Points {
	alpha := r.Alpha()
	if alpha == 0 {
		alpha = 1
	}
	metric := cpace.NewQueryMetric(r.Spec, alpha)
	p := &cover.Points{Dim: metric.Dim(), Periods: metric.Periods()}
	for i := range r.Samples.Len() {
		c := r.Samples.At(i)
		n := len(p.Coords)
		p.Coords = append(p.Coords, make([]float64, p.Dim)...)
		p.Kind = append(p.Kind, int32(metric.Embed(p.Coords[n:], c.State, c.Belief, c.Action)))
	}
	return p
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
