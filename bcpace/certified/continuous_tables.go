package certified

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/internal/num"
)

// continuousTables are the bounds of a model with continuous states that come from
// grids. They hold up to the error of the grids.
type continuousTables struct {
	*dp.GridBounds
	spec  bcpace.Spec
	given bcpace.LatentValues // Solver.Latent
	// coarse are the latent values on a coarser grid, where the error of those here is
	// estimated; nil otherwise.
	coarse *dp.GridValues
	// halvings is how often the step of the grid that Solver.Grid says was halved, as bounds
	// were refuted, and list is the model with a list of successors that is so much finer.
	halvings int
	list     bcpace.Enumerator
}

// initial fills out with U0(s,b,·), where at is the place of s.
func (t *continuousTables) initial(out []float64, at *dp.GridPlace, s []float64, b bcpace.Belief) {
	if t.given == nil {
		t.Latent.Mean(out, at, b)
		return
	}
	for a := range out {
		out[a] = dp.Expected(t.given, s, b, a)
	}
}

// LatentValues implements runs.Values.
func (t *continuousTables) LatentValues() bcpace.LatentValues {
	if t.given != nil {
		return t.given
	}
	return t.Latent
}

// tablesPoints is how many points a grid between more than two axes has for each value of
// the discrete ones if Solver.Grid does not say: beside the latent values it has those of
// the worst policy and of the fixed ones.
const tablesPoints = 1 << 13

const (
	// Where a list of actions stands for a Box, cells count for more, as actions next to each
	// other differ by little: then the grid has as many points as tables of tablesValues
	// numbers give, but boxPoints at most.
	tablesValues = 1 << 23
	boxPoints    = 1 << 15
)

// tableGrid returns the options of the grid of the tables of m, as Solver.Grid says.
func tableGrid(m bcpace.Enumerator, o dp.GridOptions) dp.GridOptions {
	if axes, err := o.Grid(m.Spec()); err == nil && o.Step == 0 && o.MaxPoints == 0 && grid.Between(axes) > grid.FewAxes {
		spec, points := m.Spec(), tablesPoints
		if bcpace.AbilitiesOf(m).Behind != nil {
			actions, latents := len(spec.Actions), len(spec.Latents)
			points = min(max(points, tablesValues/(latents*(3*actions+latents))), boxPoints)
		}
		for _, a := range axes {
			if a.Discrete {
				points *= a.Points
			}
		}
		o.MaxPoints = min(points, grid.Points(axes))
	}
	return o
}

// solveContinuousTables computes the tables of m on the grid of s, with its step halved so many
// times, and the list of successors made finer as often, if it can be; beside the error of ctx
// they may have the latent values so far.
func solveContinuousTables(ctx context.Context, m bcpace.Enumerator, s Solver, halvings int) (*continuousTables, error) {
	o := tableGrid(m, s.Grid)
	if halvings > 0 {
		axes, err := o.Grid(m.Spec())
		if err != nil {
			return nil, err
		}
		o = halved(o, m.Spec(), axes, halvings)
	}
	list := m
	for range halvings {
		if finer := finerList(list); finer != nil {
			list = finer
		}
	}
	b, err := dp.SolveGridBounds(ctx, list, o)
	if b == nil {
		return nil, err
	}
	return &continuousTables{GridBounds: b, spec: m.Spec(), given: s.Latent, halvings: halvings, list: list}, err
}

// withError returns t with an estimate of the error of the latent values.
func (t *continuousTables) withError(ctx context.Context) (with *continuousTables, err error) {
	copied, bounds, latent := *t, *t.GridBounds, *t.Latent // others may read t
	with = &copied
	with.GridBounds, bounds.Latent = &bounds, &latent
	with.coarse, err = bounds.EstimateError(ctx, t.list)
	return with, err
}

// bestFixed fills out with the values of the fixed policies at a place, and returns the
// largest of them, L0(s,b).
func (t *continuousTables) bestFixed(out []float64, at *dp.GridPlace, b bcpace.Belief) float64 {
	out = out[:t.Policies]
	t.Fixed.Mean(out, at, b)
	return slices.Max(out)
}

// actionOf returns the action that a fixed policy takes at s. Policy a < |A| takes action
// a without end; policy |A| + φ is optimal where the latent is φ.
func (t *continuousTables) actionOf(policy int, s []float64) int {
	n := len(t.spec.Actions)
	if policy < n {
		return policy
	}
	_, best := num.Largest(n, func(a int) float64 { return t.Latent.Q(s, policy-n, a) })
	return best
}

const (
	// If no Lipschitz constant in the state is given, it is estimated as slopeMargin
	// times the slopeQuantile of the slopes between neighbouring grid points.
	slopeQuantile = 0.9
	slopeMargin   = 2
)

// slope estimates a Lipschitz constant of U0 − Q* in the state, in reward units per unit
// of the metric. Q* is about as steep as the latent values, so the estimate is twice the
// slope of these between neighbouring points of the grid. It leaves out the steepest
// tenth, which is where goals and walls begin: there Q* jumps with U0, and their
// difference does not. It is an estimate, not a bound.
func (t *continuousTables) slope() float64 {
	v := t.Latent
	var slopes []float64
	stride := 1
	for i := len(v.Axes) - 1; i >= 0; i-- {
		axis := v.Axes[i]
		if axis.Points == 1 {
			continue
		}
		if !axis.Discrete {
			length := axis.Step / t.spec.Axes[i].MetricUnit()
			row := len(t.spec.Latents) * len(t.spec.Actions)
			for g := 0; (g+stride)*row < len(v.Table); g++ {
				if g/stride%axis.Points == axis.Points-1 {
					continue
				}
				for k := range row {
					slopes = append(slopes, math.Abs(v.Table[(g+stride)*row+k]-v.Table[g*row+k])/length)
				}
			}
		}
		stride *= axis.Points
	}
	if len(slopes) == 0 {
		return 0
	}
	slices.Sort(slopes)
	return slopeMargin * slopes[int(slopeQuantile*float64(len(slopes)-1))]
}

// finerList returns m with a finer list of successors, nil where there is none.
func finerList(m bcpace.Enumerator) bcpace.Enumerator {
	if finer := bcpace.AbilitiesOf(m).FinerList; finer != nil {
		return finer()
	}
	return nil
}

// halved returns the options of the grid with those axes if its step is halved so many times.
// Between more than two axes, where o has a number of points, there are twice as many on each.
func halved(o dp.GridOptions, spec bcpace.Spec, axes []dp.GridAxis, halvings int) dp.GridOptions {
	finer := math.Exp2(float64(halvings))
	if n := grid.Between(axes); n > grid.FewAxes && o.Step == 0 {
		o.MaxPoints = int(float64(grid.Points(axes)) * math.Pow(finer, float64(n)))
		return o
	}
	step := math.Inf(1)
	for i, a := range axes {
		if a.Points > 1 && !a.Discrete {
			step = min(step, a.Step/spec.Axes[i].MetricUnit())
		}
	}
	o.Step = step / finer
	return o
}

// mostHalvings is how often the step of a grid is halved at most where the bounds of the search
// are refuted. With the default grid of one axis it then has some 2,000 points.
const mostHalvings = 5

// mostPoints is how many points a halved grid has at most if Solver.Grid does not say.
const mostPoints = 1 << 16
