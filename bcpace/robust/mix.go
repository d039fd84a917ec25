package robust

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/stop"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// mix finds the best mixture of the policies so far, and returns a prior of the set against which none is better. The other player of the
// game has priors of the set that were the worst for some mixture before; the worst for the one that is found joins them, until it is no
// news.
func (s *search) mix(ctx context.Context) (prior bcpace.Belief) {
	planes := s.found.Planes
	if s.worst == nil {
		s.worst = []bcpace.Belief{s.centre}
	}
	for _, p := range planes {
		b, _ := s.Set.Worst(s.centre, p.Values)
		s.add(b)
	}
	for {
		pay := make([][]float64, len(planes))
		for k, p := range planes {
			for _, b := range s.worst {
				pay[k] = append(pay[k], product(b, p.Values))
			}
		}
		weight, share, value := game(pay)
		mixed := make([]float64, len(s.centre))
		for k, p := range planes {
			for φ, v := range p.Values {
				mixed[φ] += weight[k] * v
			}
		}
		worst, least := s.Set.Worst(s.centre, mixed)
		least -= float64(len(planes)) * slack(mixed)
		if s.found.Values == nil || least > s.bounds.Lower {
			s.bounds.Lower, s.found.Values = least, mixed
			for k := range planes {
				planes[k].Weight = weight[k]
			}
		}
		prior = make(bcpace.Belief, len(s.centre))
		for j, b := range s.worst {
			for φ, p := range b {
				prior[φ] += share[j] * p
			}
		}
		if value-least <= s.Epsilon/1000 || ctx.Err() != nil || !s.add(worst) {
			return normal(prior)
		}
		s.forget(share)
	}
}

// forget drops priors that had no share in the last game, where there are many. The last one is new.
func (s *search) forget(share []float64) {
	if most := manyWorst * len(s.centre); len(s.worst) <= most+1 {
		return
	}
	kept := s.worst[:0]
	for j, b := range s.worst {
		if j == len(share) || share[j] > 0 {
			kept = append(kept, b)
		}
	}
	s.worst = kept
}

// manyWorst is how many priors a game has, for each latent, before some are forgotten.
const manyWorst = 2

// same is how close priors are that are taken for one.
const same = 1e-9

// add adds a prior to the worst ones, and reports whether it is a new one.
func (s *search) add(b bcpace.Belief) bool {
	if slices.ContainsFunc(s.worst, func(w bcpace.Belief) bool { return near(w, b) }) {
		return false
	}
	s.worst = append(s.worst, b)
	return true
}

// solvedAt reports whether the prior was solved before.
func (s *search) solvedAt(b bcpace.Belief) bool {
	return slices.ContainsFunc(s.found.Planes, func(p Plane) bool { return near(p.Prior, b) })
}

func near(x, y bcpace.Belief) bool {
	for φ, p := range x {
		if math.Abs(p-y[φ]) > same {
			return false
		}
	}
	return true
}

// normal makes the probabilities sum to 1.
func normal(b []float64) []float64 {
	sum := 0.0
	for _, p := range b {
		sum += p
	}
	for φ := range b {
		b[φ] /= sum
	}
	return b
}

// solution returns what was found, or an error where its bounds cross.
func (s *search) solution(m bcpace.Model, why stop.Reason) (*bcpace.Solution, error) {
	for _, φ := range s.without {
		s.found.Values[φ] = math.NaN()
		for _, p := range s.found.Planes {
			p.Values[φ] = math.NaN()
		}
	}
	var members []controller.Member
	var weight []float64
	for k, p := range s.found.Planes {
		if p.Weight > 0 {
			members, weight = append(members, s.members[k]), append(weight, p.Weight)
		}
	}
	s.inner.Certify(&s.bounds, s.simulated)
	_, err := s.bounds.Checked(m.Spec().Name)
	return &bcpace.Solution{Solver: s.Solver, Spec: m.Spec(), Objective: s.Objective(), Policy: bcpace.PolicyOf(s.model, controller.NewMixture(members, weight)),
		Value: s.bounds.Lower, Certificate: s.bounds, Trace: s.inner.Trace, Stop: why, Record: &s.found}, err
}

// game returns good mixtures of the rows of a matrix, of which the other player chooses the worst column, and of the columns, for that player, and what
// the rows earn at most against these. They are the best ones but for rounding where the linear program can be solved, and close to them otherwise.
func game(pay [][]float64) (rows, columns []float64, value float64) {
	turned := make([][]float64, len(pay[0])) // the game in which both have changed sides: pay is lost
	for j := range turned {
		turned[j] = make([]float64, len(pay))
		for i := range pay {
			turned[j][i] = -pay[i][j]
		}
	}
	rows, err := least(turned)
	if err == nil {
		columns, err = least(pay)
	}
	if err != nil {
		rows, columns = learn(pay, turned)
	}
	value = math.Inf(-1)
	for _, row := range pay {
		value = max(value, product(columns, row))
	}
	return rows, columns, value
}

// rounds is how often learn plays.
const rounds = 20_000

// learn returns the mean mixtures of two players who learn by optimistic multiplicative weights: their gap falls with the number of rounds (Rakhlin and Sridharan
// 2013, "Optimization, Learning, and Games with Predictable Sequences").
func learn(pay, turned [][]float64) (rows, columns []float64) {
	scale := 0.0
	for _, row := range pay {
		scale = max(scale, slices.Max(row)-slices.Min(row))
	}
	for _, column := range turned {
		scale = max(scale, slices.Max(column)-slices.Min(column))
	}
	first, second := newLearner(len(pay), scale), newLearner(len(turned), scale)
	for range rounds {
		x, y := first.mixture(), second.mixture()
		first.learn(pay, y)
		second.learn(turned, x)
	}
	return first.mean(), second.mean()
}

// learner is a player of learn.
type learner struct {
	rate             float64
	total, last, now []float64 // payoffs
	played, mixed    []float64
}

func newLearner(n int, scale float64) *learner {
	return &learner{rate: 0.25 / max(scale, math.SmallestNonzeroFloat64), total: make([]float64, n), last: make([]float64, n), now: make([]float64, n), played: make([]float64, n), mixed: make([]float64, n)}
}

// mixture returns what is played next, as if the last payoffs came again.
func (l *learner) mixture() []float64 {
	most, sum := math.Inf(-1), 0.0
	for i, t := range l.total {
		l.mixed[i] = l.rate * (t + l.last[i])
		most = max(most, l.mixed[i])
	}
	for i, x := range l.mixed {
		l.mixed[i] = math.Exp(x - most)
		sum += l.mixed[i]
	}
	for i := range l.mixed {
		l.mixed[i] /= sum
		l.played[i] += l.mixed[i]
	}
	return l.mixed
}

// learn takes note of the payoffs against a mixture.
func (l *learner) learn(pay [][]float64, other []float64) {
	for i, row := range pay {
		l.now[i] = product(other, row)
		l.total[i] += l.now[i]
	}
	l.last, l.now = l.now, l.last
}

func (l *learner) mean() []float64 { return normal(l.played) }

// least returns the mixture of columns whose largest entry is the least.
//
// With entries above 0 it is y/Σy for the y ≥ 0 that makes Σy largest where A·y ≤ 1 (Dantzig 1951), which has a first solution, y = 0.
func least(a [][]float64) (share []float64, err error) {
	low, scale := math.Inf(1), 0.0
	for _, row := range a {
		low = min(low, slices.Min(row))
	}
	for _, row := range a {
		scale = max(scale, slices.Max(row)-low)
	}
	if scale == 0 {
		scale = 1
	}
	n, m := len(a[0]), len(a)
	cost, one, basis := make([]float64, n+m), make([]float64, m), make([]int, m)
	table := mat.NewDense(m, n+m, nil)
	for i, row := range a {
		for j, x := range row {
			table.Set(i, j, 1+(x-low)/scale)
		}
		table.Set(i, n+i, 1)
		one[i], basis[i] = 1, n+i
	}
	for j := range n {
		cost[j] = -1
	}
	_, y, err := lp.Simplex(cost, table, one, 1e-12, basis)
	if err != nil {
		return nil, err
	}
	for j := range n {
		y[j] = max(y[j], 0)
	}
	return normal(y[:n]), nil
}
