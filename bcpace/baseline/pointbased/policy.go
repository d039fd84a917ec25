package pointbased

import (
	"context"
	"errors"
	"iter"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/solverkit"
)

// manyVectors is how many times the vectors of the search a policy may have before it is
// worth the time to look for fewer.
const manyVectors = 8

// EvaluateTime is the share of the time to a deadline that is left for Policy.
const EvaluateTime = 0.05

// TimeShares are those of a search and of Policy.
func TimeShares(search string) []solverkit.TimeShare {
	return []solverkit.TimeShare{{What: search, Share: 1 - EvaluateTime}, {What: "what the policy earns", Share: 1}}
}

// Policy returns a policy that earns the lower bounds of roots, and so their mean. It holds
// the closure of the vectors: these, those that they were made from, and so on. Where they
// are too many, it looks for fewer that earn the mean of the lower bounds of roots, too,
// with at most three times the given number of backups, and not beyond the deadline of ctx.
// points are those at which vectors were made.
//
// The policy earns at least the value of its highest vector, from every x and b on. Proof:
//
//  1. A vector was made by a backup of some action a from a vector for every x' and o
//     that can follow: at every y it is what a pays and γ times the mean of those
//     vectors. A vector of a blind policy is at most that, with the vectors of the same
//     blind policy.
//  2. With a vector, the policy holds every vector that it was made from, or one that
//     is nowhere below it. Where that would be many, the policy may hold instead the
//     vectors of a plan that evaluate has shown to earn the mean: they, too,
//     are at most a backup of each other.
//  3. So let L(x, b) be the highest vector and π the policy. By 1 and 2, at every y and
//     hence in the mean over b, the highest vector at b is at most what its action pays
//     and γ times the highest vectors at the beliefs that follow, in the mean:
//     L ≤ B_π L, with B_π for a step of π before L.
//  4. B_π keeps the order of functions and shrinks their distance by γ. Hence
//     L ≤ B_π L ≤ B_π² L ≤ …, which goes to what π earns. (Where γ = 1, the steps left
//     are a part of x, and it gets there once they have run out; where there is a Goal, see there.)
//
// This does not ask how long a search continued, nor at which beliefs it made backups. A backup
// is rounded, by some 1e-16 of the largest |reward|/(1−γ) for each term of its sums. A
// step that falls short by δ costs the policy δ/(1−γ) at most.
func (t *VectorSet) Policy(ctx context.Context, roots []Root, points iter.Seq[*BeliefPoint], backups int) *pomdp.VectorPolicy {
	vectors, found := t.closure(ctx)
	if times := found / (manyVectors * t.Len()); times > 0 {
		if plan := t.evaluate(ctx, roots, points, min(times, 3)*backups); plan != nil {
			vectors = plan
		}
	}
	r := &pomdp.VectorPolicy{Vectors: make([][]pomdp.Vector, t.NX)}
	for x, list := range vectors {
		for _, v := range list {
			r.Vectors[x] = append(r.Vectors[x], pomdp.Vector{Action: int(v.action), Value: v.value})
		}
	}
	return r
}

// closure returns, by x, the vectors of the search, those that they were made from, and
// so on, and how many these are. Until ctx ends it leaves out vectors that are nowhere
// above another one of them: to find these takes time that grows with the square of the
// vectors, and without it the policy is as good, but larger.
func (t *VectorSet) closure(ctx context.Context) (found [][]*Vector, n int) {
	found = make([][]*Vector, t.NX)
	late := false
	t.walk(func(v *Vector) bool {
		late = late || ctx.Err() != nil
		if !late && v.yield(t.gamma[v.x].list) {
			return false
		}
		found[v.x] = append(found[v.x], v)
		n++
		return true
	})
	return found, n
}

// walk visits the vectors of all x, those that they were made from, and so on. Where a visit is false, it goes on with what
// stands above the vector then. It returns how many places there are in the lists of what they were made from.
func (t *VectorSet) walk(visit func(v *Vector) bool) (places int) {
	t.marks++
	var open []*Vector
	need := func(list []*Vector) {
		for _, v := range list {
			for v = v.top(); v.mark != t.marks; v = v.top() {
				if visit(v) {
					v.mark = t.marks
					open = append(open, v)
				}
			}
		}
	}
	for x := range t.gamma {
		need(t.gamma[x].list)
	}
	walked := make(map[**Vector]bool) // the vectors of a blind policy share a list of all x
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		if len(v.next) > 0 && !walked[&v.next[0]] {
			walked[&v.next[0]] = true
			places += len(v.next)
			need(v.next)
		}
	}
	return places
}

// evaluate returns, by x, the vectors of a plan that uses no old vector: it replaces each
// by the vector that is now the best at the belief where the old one was made. So the
// plan has few vectors, also if the search has visited the same beliefs many times.
// evaluate computes the value of the plan by value iteration, with at most the given
// number of backups and up to the deadline of ctx, and returns nil if this does not show that
// the plan earns the lower bound at the start. The plan may earn less, if an old vector was
// used at another belief than the one where it was made.
//
// A sweep replaces v by T v, vector by vector in place. If no entry fell by more than e
// in the sweep, then v ≤ T v + γe, as the entries from which T v was made have fallen by
// at most e since. Then u = v − γe/(1−γ) has u ≤ T u: every vector of u is at most a
// backup of vectors of u, whatever v was. So v may be extrapolated on the way: from time
// to time every entry moves to the limit of its changes, taken as a geometric series.
func (t *VectorSet) evaluate(ctx context.Context, roots []Root, points iter.Seq[*BeliefPoint], backups int) [][]*Vector {
	if t.Discount == 1 {
		return nil // γ/(1−γ) is not a number
	}
	plan := t.newest(roots, points)
	w := NewScratch(t.SearchProblem)
	scale := t.scale()
	lower := 0.0
	for _, r := range roots {
		lower += r.Share * r.Lower
	}
	rest := t.Discount / (1 - t.Discount)
	row, last := make([]float64, t.NY), make([]float64, len(plan)*t.NY)
	for sweep := 1; sweep*len(plan) <= backups && !errors.Is(ctx.Err(), context.DeadlineExceeded); sweep++ {
		jump, fall, rise := sweep%8 == 0, 0.0, 0.0
		for i := len(plan) - 1; i >= 0; i-- {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil
			}
			v := plan[i]
			t.follow(w, row, v.x, int(v.action), v.next)
			for y, value := range row {
				change, before := value-v.value[y], last[i*t.NY+y]
				fall, rise = min(fall, change), max(rise, change)
				if r := change / before; jump && r > 0 && r <= t.Discount {
					value += change * r / (1 - r)
				}
				v.value[y], last[i*t.NY+y] = value, change
			}
		}
		if jump {
			continue
		}
		start := 0.0
		for i, r := range roots {
			start += r.Share * r.Dot(plan[i].value)
		}
		drop := rest*fall - 1e-12*scale/(1-t.Discount)
		switch {
		case start+drop >= lower:
			found := make([][]*Vector, t.NX)
			for _, v := range plan {
				for y := range v.value {
					v.value[y] += drop
				}
				found[v.x] = append(found[v.x], v)
			}
			return found
		case start+rest*rise < lower:
			return nil
		}
	}
	return nil
}

// newest returns copies of the vectors of the plan for evaluate: those of the roots, in
// their order, then those of the search, then what else they continue with. The next of a
// copy are copies, as follow takes them.
func (t *VectorSet) newest(roots []Root, points iter.Seq[*BeliefPoint]) []*Vector {
	for n := range points {
		n.origin.best = n.Vec
	}
	copies := make(map[*Vector]*Vector)
	var plan, from []*Vector
	add := func(v *Vector) *Vector {
		v = v.top()
		c := copies[v]
		if c == nil {
			c = &Vector{x: v.x, action: v.action, value: append([]float64(nil), v.value...)}
			copies[v] = c
			plan, from = append(plan, c), append(from, v)
		}
		return c
	}
	for _, r := range roots {
		add(r.Vec)
	}
	for x := range t.gamma {
		for _, v := range t.gamma[x].list {
			add(v)
		}
	}
	for i := 0; i < len(plan); i++ {
		c, v := plan[i], from[i]
		if v.origin != nil {
			for _, w := range v.next {
				c.next = append(c.next, add(newest(w)))
			}
			continue
		}
		for _, to := range t.move[int(v.action)*t.NX+int(v.x)].to {
			for _, o := range t.sense[int(v.action)*t.NX+int(to)].obs {
				next := int(to)
				if v.draws != nil {
					next = int(to)*v.draws.Plans() + floats.MaxIdx(v.draws.At(int(v.node), int(to), int(o)))
				}
				c.next = append(c.next, add(newest(v.next[next])))
			}
		}
	}
	return plan
}
