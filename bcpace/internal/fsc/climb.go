package fsc

import (
	"context"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/num"
)

const (
	// chainWork is the work to lay a chain and to look at it, in multiplications for each of its entries. A sweep takes two, as it goes forth and back.
	chainWork = 40
	// nearSweeps bounds the sweeps for values that are near those of a controller: a sweep changes them by nearShare·(1−γ) of the largest one at
	// most, or by nearTotals.
	nearSweeps = 400
	nearShare  = 1e-3
	nearTotals = 1e-7
	// boundSweeps bounds those for values that are bounds.
	boundSweeps = 2000
	// visitSweeps bounds the sweeps for the visits of a chain, and visitRest is what may be left of it by then.
	visitSweeps = 100
	visitRest   = 1e-3
	// longest is the longest step of Climb: what has been drawn may be drawn again. shortest is the shortest one.
	longest  = .999
	shortest = 1. / 64
	// rises is the share of what is earned by which a step must raise it.
	rises = 1e-6
)

// Never stands for −∞ in a value: the controller may go on without end from there, and pay.
const Never = -1e300

// Valued is a controller with the values of its chain.
type Valued struct {
	*Controller
	*Values
	Earns float64 // about, at the start
	Near  bool    // the values are near those of the chain
	Work  float64 // multiplications that they took, about
}

// Evaluate returns c with values that are nearly those of its chain, in reward units. They begin with a guess, by state of the chain, or nil.
// Where they do not come near, as the chain takes too long or ctx ends, Near is false.
func (c *Controller) Evaluate(ctx context.Context, guess []float64) *Valued {
	e := &Valued{Controller: c, Values: NewValues(c.chain())}
	for i, v := range guess {
		if v > Never {
			e.value[i] = v
		}
	}
	if c.Discount == 1 {
		var rest []bool
		if c.Rest != nil {
			rest = make([]bool, len(e.value))
			for i := range rest {
				rest[i] = c.Rest[i%(c.nx*c.ny)]
			}
		}
		e.Cut(rest, rest != nil)
	}
	var k mdp.MarkovChain
	k.Fix(e.run, func(s int) int { return s })
	k.Within(nearSweeps)
	sweeps, near := k.Near(ctx, e.value, max(nearTotals, nearShare*(1-c.Discount))*max(mdp.MaxAbs(e.value), mdp.MaxAbs(e.run.Reward)))
	e.Work, e.Near = float64(2*sweeps*(len(e.run.Col)+e.run.States())+chainWork*c.Entries(c.Nodes)), near
	for _, s := range c.Start {
		i := c.state(0, len(c.tables)-1, int(s.At))
		if e.never != nil && e.never[i] {
			e.Earns = math.Inf(-1)
			break
		}
		e.Earns += s.Value * e.value[i]
	}
	return e
}

// Ahead returns what plan u is worth at s, with the values as they are.
func (e *Valued) Ahead(s, u int) float64 {
	row := s*e.na + u/e.Nodes
	q, base := e.Rows.Reward[row], e.after(u, 0)
	for k := e.Rows.Row[row]; k < e.Rows.Row[row+1]; k++ {
		i := base + int(e.Rows.Col[k])
		if e.never != nil && e.never[i] {
			return Never
		}
		q += e.Rows.Weight[k] * e.value[i]
	}
	return q
}

// visits returns how often the chain is in each state, discounted, in the mean, and the sweeps that this took.
func (e *Valued) visits(ctx context.Context) (count []float64, sweeps int) {
	n := e.run.States()
	count = make([]float64, n)
	open := make([]float64, n)
	for _, s := range e.Start {
		open[e.state(0, len(e.tables)-1, int(s.At))] += s.Value
	}
	for ; sweeps < visitSweeps && ctx.Err() == nil; sweeps++ {
		left := 0.0
		for i := range num.InTurn(n, sweeps%2 == 1) {
			w := open[i]
			if w == 0 {
				continue
			}
			open[i] = 0
			count[i] += w
			for j := e.run.Row[i]; j < e.run.Row[i+1]; j++ {
				open[e.run.Col[j]] += w * e.run.Weight[j]
			}
			left += w
		}
		if left <= visitRest {
			break
		}
	}
	return count, sweeps
}

// best returns, by sight and node, the plan with the greatest sum of visits times value, −1 where there are no visits. That is the plan along
// which the gradient of what is earned is greatest (Baxter and Bartlett 2001, "Infinite-Horizon Policy-Gradient Estimation"). work is what that took.
func (e *Valued) best(ctx context.Context) (best []int32, work float64) {
	visits, sweeps := e.visits(ctx)
	plans := e.Plans()
	sum, value := make([]float64, len(e.share)), make([]float64, plans)
	met := make([]bool, e.sights*e.Nodes)
	var sights []int32
	var prob []float64
	for s := range e.nx * e.ny {
		asked := false
		for i := s; i < len(visits); i += e.nx * e.ny {
			if visits[i] == 0 {
				continue
			}
			if !asked {
				asked = true
				for u := range value {
					value[u] = e.Ahead(s, u)
				}
			}
			place := i / (e.nx * e.ny)
			sights, prob = e.seen(sights, place%len(e.tables), s)
			for k, sight := range sights {
				at := int(sight)*e.Nodes + place/len(e.tables)
				met[at] = true
				floats.AddScaled(sum[at*plans:(at+1)*plans], visits[i]*prob[k], value)
			}
		}
	}
	best = make([]int32, len(met))
	for at := range best {
		if best[at] = -1; met[at] {
			best[at] = int32(floats.MaxIdx(sum[at*plans : (at+1)*plans]))
		}
	}
	return best, float64(sweeps) * float64(len(e.run.Col)+e.run.States())
}

// towards returns a controller that takes the best plans with so much more probability.
func (e *Valued) towards(best []int32, step float64) *Controller {
	c := *e.Controller
	c.share = slices.Clone(e.share)
	for at, u := range best {
		if u >= 0 {
			of := c.share[at*c.Plans():][:c.Plans()]
			floats.Scale(1-step, of)
			of[u] += step
		}
	}
	return &c
}

// Climb improves e by steps towards the best plans (Frank and Wolfe 1956, "An algorithm for quadratic programming"), as long as one of a few
// lengths helps. It yields what it has after each try, with the work of that.
func (e *Valued) Climb(ctx context.Context) iter.Seq2[*Valued, float64] {
	return func(yield func(*Valued, float64) bool) {
		for step, better := 1., true; better && e.Near && ctx.Err() == nil; {
			best, work := e.best(ctx)
			better = false
			for step = min(1, 4*step); step >= shortest && !better; step /= 2 {
				next := e.towards(best, min(step, longest)).Evaluate(ctx, e.value)
				if better = next.Near && next.Earns > e.Earns+rises*math.Abs(e.Earns); better {
					e = next
				}
				if !yield(e, work+next.Work) {
					return
				}
				work = 0
			}
		}
	}
}
