package pointbased

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/solverkit"
)

// VectorSet is a problem, bounds to start from, and the α-vectors of all x. Unless a method says
// otherwise, one goroutine uses it.
type VectorSet struct {
	*SearchProblem
	// Upper is Q_a(s), by action and state, such that Σ_y b(y) Q_a(x,y) is an upper bound
	// of Q*(x, b, a).
	Upper [][]float64
	// Ahead is the tighter informed bound, once Tighten has one.
	Ahead *mdp.OneStep
	fast  bool      // Upper is the fast informed bound
	gamma []vectors // by x
	marks int       // walks that marked vectors, so far
}

// New returns the Set of m with its first bounds, which Tighten makes tighter. Where ctx ends before those are good,
// they hold all the same. title is the algorithm's name in errors, which are the
// context's, where it ends before the tables of a large model have been looked through, a
// *bcpace.InputError for tables that cannot be used, and a *bcpace.UnsupportedError where
// Model.CheckStationary has one. With goals the model may also have neither a discount nor a horizon: the error is then a
// *bcpace.UnsupportedError where values are not finite, and that of ctx where it ends before there are any bounds.
func New(ctx context.Context, title string, m *pomdp.Model, workers int, goals bool) (*VectorSet, error) {
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", title, err)
	}
	goals = goals && m.IsGoal()
	if !goals {
		if err := m.CheckStationary(title); err != nil {
			return nil, err
		}
	}
	p, err := newProblem(ctx, m)
	if err != nil {
		return nil, err
	}
	t := &VectorSet{SearchProblem: p, gamma: make([]vectors, p.NX)}
	if goals {
		return t, t.setGoal(ctx, title, workers)
	}
	if p.large() {
		t.Upper = initialLarge(ctx, p, t.gamma, workers)
		t.informBy(ctx, earlyWork)
		return t, nil
	}
	var both sync.WaitGroup
	both.Go(func() {
		t.Upper = initialUpper(ctx, p)
		t.informBy(ctx, earlyWork)
	})
	both.Go(func() { initialLower(ctx, p, t.gamma) })
	both.Wait()
	return t, nil
}

// setGoal sets the first bounds of a model that has neither a discount nor a horizon.
func (t *VectorSet) setGoal(ctx context.Context, title string, workers int) (err error) {
	if t.Goal, err = newGoal(ctx, title, t.Model, workers); err != nil {
		return err
	}
	solverkit.ReportPhase(ctx, "values of the MDP", -1)
	if t.Upper, err = t.Goal.upper(ctx, title, t.SearchProblem); err != nil {
		return err
	}
	solverkit.ReportPhase(ctx, "policies to begin with", -1)
	if err := t.Goal.lower(ctx, title, t.SearchProblem, t.gamma); err != nil {
		return err
	}
	_, t.Slip = t.Tolerances(0)
	t.informBy(ctx, earlyWork)
	return nil
}

// spread is that of Tolerances where there is a Goal.
func (t *VectorSet) spread() float64 {
	most := 0.0
	for _, q := range t.Upper {
		most = max(most, slices.Max(q))
	}
	return most - t.Goal.floor
}

// Tolerances returns spread, beyond which no values are apart, and slip, which is
// the most that a backup is rounded by. A backup sums over successors and observations, its
// outcomes over y, and what else the caller names; a term of a sum is rounded by 2⁻⁵³ of the largest value at most.
func (t *VectorSet) Tolerances(terms int) (spread, slip float64) {
	low, high, successors := math.Inf(1), math.Inf(-1), 0
	for a, list := range t.Reward {
		low, high = min(low, slices.Min(list)), max(high, slices.Max(list))
		for s := range list {
			successors = max(successors, t.Move[a].Row[s+1]-t.Move[a].Row[s])
		}
	}
	share := float64(terms+successors+t.Fan+t.NY+8) * 0x1p-53
	if t.Goal != nil {
		return t.spread(), share * t.spread()
	}
	return (high - low) / t.Rate(), share * max(high, -low) / t.Rate()
}

// BeliefPoint is a belief at one x with the highest vector there.
type BeliefPoint struct {
	X int32
	Belief
	Best
	origin *origin
}

// NewPoint returns the point of (x, b), of which k is known.
func (t *VectorSet) NewPoint(x int32, b Belief, k Best) BeliefPoint {
	n := BeliefPoint{X: x, Belief: b.Clone(), Best: k, origin: new(origin)}
	t.Raise(&n)
	if n.Vec.dropped { // the policy needs it again
		n.Vec = t.gamma[x].add(*n.Vec)
		n.seen = n.Vec.id
	}
	return n
}

// Raise brings the lower bound of n up to date.
func (t *VectorSet) Raise(n *BeliefPoint) { t.RaiseAt(&n.Best, n.X, n.Belief) }

// RaiseAt brings k up to date, at (x, b), and returns the multiplications of that.
func (t *VectorSet) RaiseAt(k *Best, x int32, b Belief) int {
	g := &t.gamma[x]
	work := (g.last - k.seen) * len(b.P)
	g.raise(k, b)
	return work
}

// InitialUpper fills q with Σ_y b(y) Upper_a(x,y), by action, and returns the largest,
// an upper bound of V*(x, b).
func (t *VectorSet) InitialUpper(q []float64, x int32, b Belief) float64 {
	most, base := math.Inf(-1), int(x)*t.NY
	for a := range q {
		q[a] = b.Dot(t.Upper[a][base : base+t.NY])
		most = max(most, q[a])
	}
	return most
}

// Add adds v, a vector that was made at n, if it raises the lower bound of n, and reports
// whether it does.
func (t *VectorSet) Add(n *BeliefPoint, v Vector) bool {
	t.Raise(n)
	l := n.Dot(v.value)
	if l <= n.Lower {
		return false
	}
	for i, u := range v.next {
		v.next[i] = u.top()
	}
	n.Vec = t.gamma[n.X].add(v)
	n.origin.best = n.Vec
	n.Lower, n.seen = l, n.Vec.id
	return true
}

// Len returns the number of vectors of all x.
func (t *VectorSet) Len() (n int) {
	for x := range t.gamma {
		n += len(t.gamma[x].list)
	}
	return n
}

// Crowded reports whether the vectors of x have become a quarter more than after the last
// DropUnused.
func (t *VectorSet) Crowded(x int32) bool {
	g := &t.gamma[x]
	return len(g.list) >= 5*g.clean/4+8
}

// DropUnused drops the vectors of x that were not marked by Vector.Use. A dropped vector is
// a lower bound as before, wherever it is known as the best one.
func (t *VectorSet) DropUnused(x int32) { t.gamma[x].dropUnused() }

// Bytes returns about how much memory the vectors take: those listed, those that they were made from, and so on.
func (t *VectorSet) Bytes() int {
	bytes := 0
	places := t.walk(func(v *Vector) bool {
		bytes += vectorBytes + 8*len(v.value)
		return true
	})
	return bytes + 8*places
}

// vectorBytes is what a vector takes beside its numbers.
const vectorBytes = 200

// Starts returns the x of the initial belief, with their probabilities and the beliefs
// there.
func (p *SearchProblem) Starts() (list []Branch) {
	w := NewScratch(p)
	for i := 0; i < len(p.Start); {
		x := int(p.Start[i].At) / p.NY
		w.used, w.out = 0, w.out[:0]
		b := w.buffer(p.NY)
		n := 0
		for ; i < len(p.Start) && int(p.Start[i].At)/p.NY == x; i++ {
			b.At[n], b.P[n] = p.Start[i].At%int32(p.NY), p.Start[i].Value
			n++
		}
		w.add(p, int32(x), 0, Belief{b.At[:n], b.P[:n]})
		for _, r := range w.out {
			r.Belief = r.Belief.Clone()
			list = append(list, r)
		}
	}
	return list
}

// Root is a point of the initial belief, with the probability of its x.
type Root struct {
	Share float64
	*BeliefPoint
}

// large reports whether p has so many states that its first bounds are computed by policy
// iteration on all processors.
func (p *SearchProblem) large() bool { return p.NX*p.NY >= mdp.Large && p.Discount < 1 }

// initialLarge returns what initialUpper does, and adds to gamma what initialLower does, for
// a large model. Where ctx ends before, the bounds are those so far.
func initialLarge(ctx context.Context, p *SearchProblem, gamma []vectors, workers int) [][]float64 {
	solverkit.ReportPhase(ctx, "values of the MDP", -1)
	m := p.Model.MDP(workers, false)
	scale := mdp.MaxAbs(m.Reward)
	tol := 1e-7 * scale / p.Rate()
	all := make([]float64, len(m.Reward))
	lift, _ := m.Solve(ctx, all, tol) // where ctx ends, it is that of the values so far
	lift += 1e-12 * scale / p.Rate()
	most := p.Discount * slices.Max(m.Reward) / p.Rate() // after one step
	q := make([][]float64, p.NA)
	for a := range q {
		q[a] = make([]float64, p.NX*p.NY)
		for s := range q[a] {
			q[a][s] = min(all[s*p.NA+a]+lift, p.Reward[a][s]+most)
		}
	}
	var c mdp.MarkovChain
	for a := range p.NA {
		if a > 0 && ctx.Err() != nil {
			break
		}
		solverkit.ReportPhase(ctx, "blind policies", float64(a)/float64(p.NA))
		v := make([]float64, p.NX*p.NY)
		low := min(0, slices.Min(p.Reward[a])) / p.Rate() // of v = 0
		if ctx.Err() == nil {
			c.Fix(m, func(s int) int { return s*p.NA + a })
			low, _, _ = c.Solve(ctx, v, tol) // where ctx ends, the same
		}
		p.addBlind(gamma, a, v, low-1e-12*scale/p.Rate())
	}
	return q
}
