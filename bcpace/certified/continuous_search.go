package certified

import (
	"context"

	"bayescpace/bcpace"
)

// surveyor is the search of the certified algorithm for continuous states: the
// trials of type certifier, over a continuum. Every trial ends at some node: ε·γ^−t
// exceeds any gap in time.
type surveyor struct {
	search
	env  *continuum
	from int32   // trials begin at the nodes below it: starts, and behind them Solver.Starts
	path []int32 // the samples of a trial
}

// newSurveyor begins an exploration in a continuum without samples.
func newSurveyor(env *continuum, solver Solver, plan bcpace.Plan, c bcpace.Control) (*surveyor, error) {
	x := &surveyor{env: env}
	x.plan, x.control = plan, c
	var err error
	if x.starts, err = bcpace.StartsOf(env.model); err != nil {
		return nil, err
	}
	for _, s := range x.starts {
		env.newNode(s.State, s.Belief, s.Weight)
	}
	for _, p := range plan.Starts {
		env.newNode(p.State, p.Belief, 0)
	}
	x.from = int32(len(env.prob))
	x.run = bcpace.NewRun(env.model, solver, plan, env, x)
	return x, nil
}

// explore goes on until there is a reason to stop.
func (x *surveyor) explore(ctx context.Context) (*bcpace.Run, error) {
	for x.run.Stop == "" && x.env.fault == nil {
		x.round(ctx)
	}
	if x.env.fault != nil {
		return nil, x.env.fault
	}
	x.run.Finish()
	return x.run, x.run.Simulate(ctx, x.control.Workers)
}

// round plays one trial from each start and decides whether to go on.
func (x *surveyor) round(ctx context.Context) {
	row := bcpace.Episode{}
	moved := false
	x.cut = false
	x.open()
	for n := range x.from {
		moved = x.trial(n, &row) || moved
	}
	if x.env.fault != nil {
		return
	}
	for n := range x.from {
		x.env.refresh(n)
	}
	lower, upper, apart := x.bounds()
	row.Value, row.Gap = upper, upper-lower
	gap := max(row.Gap, apart)
	x.end(ctx, row, len(x.env.node), gap, gap <= x.plan.Epsilon, !moved)
}

// bounds returns the means over the starts of the bounds kept there, and the
// largest gap at Solver.Starts.
func (x *surveyor) bounds() (lower, upper, apart float64) {
	e := x.env
	for n := range x.from {
		if int(n) < len(x.starts) {
			lower += x.starts[n].Weight * e.bottom[n]
			upper += x.starts[n].Weight * e.top[n]
		} else {
			apart = max(apart, e.gap(n))
		}
	}
	return lower, upper, apart
}

// trial goes down from node n while the gap exceeds ε·γ^−t, and backs up on the
// way back. It reports whether anything moved.
func (x *surveyor) trial(n int32, row *bcpace.Episode) (moved bool) {
	e := x.env
	x.path = x.path[:0]
	before := len(e.node)
	for width := x.plan.Epsilon; ; width /= e.spec.Discount {
		a := e.refresh(n)
		if e.gap(n) <= width {
			break
		}
		j := e.nearby(n, a, reuse*(e.gap(n)-width))
		if j < 0 {
			if x.full(len(e.node)) {
				x.cut = true
				break
			}
			j = e.sampleAt(n, a, len(x.run.Trace))
		}
		x.path = append(x.path, j)
		to := e.widest(j, width/e.spec.Discount)
		if to < 0 || len(x.path) >= maxTrial || e.fault != nil {
			break
		}
		n = to
	}
	row.Steps += len(x.path)
	row.Added += len(e.node) - before
	for i := len(x.path) - 1; i >= 0; i-- {
		j := x.path[i]
		moved = e.tighten(j) || moved
		e.refresh(e.node[j])
	}
	return moved || len(e.node) > before
}

// reuse is the part of the excess of a node's gap that a sample may lose on the
// way to the node and still stand for it. Below ½ no trial comes to nothing: a
// gap at the sample of width at most would leave the node one of at most width +
// 2·reuse·(gap − width), which is less than its gap. So samples are as far apart
// as the gaps are wide, and come closer as these close.
const reuse = 0.25

// nearby returns the sample of (node, action), or one that loses less than limit
// on the way there; −1 where there is none.
func (e *continuum) nearby(n int32, a int, limit float64) int32 {
	if j := e.sample[int(n)*len(e.spec.Actions)+a]; j >= 0 {
		return j
	}
	s, b, _ := e.place(n)
	e.metric.Embed(e.point, s, b)
	if i := e.by[a].near(e.point, limit); i >= 0 {
		return e.ids[a][i]
	}
	return -1
}

// widest returns the successor of sample j with the largest probability-weighted
// excess of its gap over width, −1 where no gap exceeds it. Bounds are tightened
// on the way, of those successors only that may be the one.
func (e *continuum) widest(j int32, width float64) (to int32) {
	worst, to := 0.0, int32(-1)
	from, end := e.successors(j)
	for k := from; k < end; k++ {
		if e.prob[k]*(e.gap(k)-width) <= worst {
			continue
		}
		e.refresh(k)
		if excess := e.prob[k] * (e.gap(k) - width); excess > worst {
			worst, to = excess, k
		}
	}
	return to
}
