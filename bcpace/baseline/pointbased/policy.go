package pointbased

import (
	"context"
	"iter"

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
	t.marks++
	found = make([][]*Vector, t.NX)
	var open []*Vector
	late := false
	need := func(v *Vector) {
		for v = v.top(); v.mark != t.marks; v = v.top() {
			late = late || ctx.Err() != nil
			if late || !v.yield(t.gamma[v.x].list) {
				v.mark = t.marks
				found[v.x], open = append(found[v.x], v), append(open, v)
			}
		}
	}
	for x := range t.gamma {
		for _, v := range t.gamma[x].list {
			need(v)
		}
	}
	walked := make(map[**Vector]bool) // the vectors of a blind policy share a list of all x
	for ; len(open) > 0; n++ {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		if len(v.next) == 0 || walked[&v.next[0]] {
			continue
		}
		walked[&v.next[0]] = true
		for _, w := range v.next {
			need(w)
		}
	}
	return found, n
}
