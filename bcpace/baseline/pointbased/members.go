package pointbased

import "math"

// StagePoint is a point of the set at which stages make backups.
type StagePoint struct {
	BeliefPoint
	Open   bool              // mark of Perseus
	follow [][]BeliefOutcome // by action; nil where no backup has looked at it yet
}

// Put adds a member.
func (t *Stages) Put(x int32, b Belief) *StagePoint {
	n := &StagePoint{BeliefPoint: t.NewPoint(x, b, Best{Lower: math.Inf(-1)}), follow: make([][]BeliefOutcome, t.NA)}
	t.Members, t.at[x] = append(t.Members, n), append(t.at[x], n)
	t.keys[b.Key(x)] = true
	return n
}

// Has reports whether (x, b) has the hash of a member: then their probabilities agree to
// 1e-7, unless hashes collide. Of beliefs that agree to less, it misses few.
func (t *Stages) Has(x int32, b Belief) bool { return t.keys[b.Key(x)] }

// Draw draws what follows action a at (x, b). It lasts until the next call.
func (t *Stages) Draw(x int32, b Belief, a int) Branch {
	return t.Choose(t.work[0].Branches(t.SearchProblem, x, b, a))
}

// Choose draws one of the branches, whose probabilities sum to 1.
func (t *Stages) Choose(branches []Branch) Branch {
	last := len(branches) - 1
	u := t.Rand.Float64()
	for _, k := range branches[:last] {
		if u -= k.P; u < 0 {
			return k
		}
	}
	return branches[last]
}

// At returns the members at x.
func (t *Stages) At(x int32) []*StagePoint { return t.at[x] }

// Distance returns Σ |b(s) − b_i(s)|, over states s, to the nearest member i: 2 where there is
// none at x.
func (t *Stages) Distance(x int32, b Belief) float64 {
	full := b.P
	if b.At != nil {
		full = t.work[0].Dense
		for j, y := range b.At {
			full[y] = b.P[j]
		}
	}
	least := 2.0
	for _, n := range t.at[x] {
		least = min(least, n.apart(full, least))
	}
	for _, y := range b.At {
		full[y] = 0
	}
	return least
}

// apart returns the distance of n from a belief at its x, or a part of it that is
// at least enough.
func (n *BeliefPoint) apart(full []float64, enough float64) float64 {
	rest, sum := 1.0, 0.0 // of full outside of the support of n
	for i, p := range n.P {
		y := n.Y(i)
		rest -= full[y]
		if sum += math.Abs(p - full[y]); sum >= enough {
			return sum
		}
	}
	return sum + max(rest, 0)
}
