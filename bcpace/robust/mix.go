package robust

import (
	"cmp"
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/stop"

	"gonum.org/v1/gonum/floats"
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
				pay[k] = append(pay[k], b.Dot(p.Values))
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
	return slices.EqualFunc(x, y, func(p, q float64) bool { return math.Abs(p-q) <= same })
}

// normal makes the probabilities sum to 1.
func normal(b []float64) []float64 {
	sum := num.Sum(b)
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
	value, _ = num.Largest(len(pay), func(i int) float64 { return bcpace.Belief(columns).Dot(pay[i]) })
	return rows, columns, value
}

// rounds is how often learn plays.
const rounds = 20_000

// learn returns the mean mixtures of two players who learn by optimistic multiplicative weights, each as if the last payoffs came again: their gap
// falls with the number of rounds (Rakhlin and Sridharan 2013, "Optimization, Learning, and Games with Predictable Sequences").
func learn(pay, turned [][]float64) (rows, columns []float64) {
	scale := math.SmallestNonzeroFloat64
	games := [2][][]float64{pay, turned}
	var total, last [2][]float64       // payoffs
	var mixed, played [2]bcpace.Belief // mixtures, and their sums
	for i, game := range games {
		for _, row := range game {
			scale = max(scale, slices.Max(row)-slices.Min(row))
		}
		total[i], last[i] = make([]float64, len(game)), make([]float64, len(game))
		mixed[i], played[i] = make(bcpace.Belief, len(game)), make(bcpace.Belief, len(game))
	}
	for range rounds {
		for i, next := range mixed {
			for k, t := range total[i] {
				next[k] = 0.25 / scale * (t + last[i][k])
			}
			most := slices.Max(next)
			for k, x := range next {
				next[k] = math.Exp(x - most)
			}
			floats.Add(played[i], normal(next))
		}
		for i, game := range games {
			for k, row := range game {
				last[i][k] = mixed[1-i].Dot(row)
				total[i][k] += last[i][k]
			}
		}
	}
	return normal(played[0]), normal(played[1])
}

// least returns the mixture of columns whose largest entry is the least.
//
// With entries above 0 it is y/Σy for the y ≥ 0 that makes Σy largest where A·y ≤ 1 (Dantzig 1951), which has a first solution, y = 0.
func least(a [][]float64) (share []float64, err error) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, row := range a {
		low, high = min(low, slices.Min(row)), max(high, slices.Max(row))
	}
	scale := cmp.Or(high-low, 1)
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
