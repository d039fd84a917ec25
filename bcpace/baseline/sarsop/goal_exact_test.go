package sarsop_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/stop"
)

// eighths is a process of few states, the last of which is an end, whose probabilities are eighths and whose rewards are halves.
type eighths struct {
	move [][][]int64 // by action, state and next state
	pay  [][]int64   // by action and state
}

// drawEighths draws one of so many states and two actions, which pays one of some halves.
func drawEighths(rng *rand.Rand, states int, pays []int64) (p eighths) {
	for range 2 {
		var move [][]int64
		pay := make([]int64, states)
		for s := range states {
			row := make([]int64, states)
			if s == states-1 {
				row[s] = 8
			} else {
				share := []int64{8, 8, 4, 2, 1, 7}[rng.IntN(6)]
				row[rng.IntN(states)] += share
				row[rng.IntN(states)] += 8 - share
				pay[s] = pays[rng.IntN(len(pays))]
			}
			move = append(move, row)
		}
		p.move, p.pay = append(p.move, move), append(p.pay, pay)
	}
	return p
}

func (p eighths) states() int { return len(p.pay[0]) }

// reached returns which states can follow a state, and itself, by actions: all of them, where choice is nil.
func (p eighths) reached(from int, choice []int) []bool {
	in := make([]bool, p.states())
	in[from] = true
	for range in {
		for s := range in {
			for a := range p.move {
				if !in[s] || choice != nil && choice[s] != a {
					continue
				}
				for to, w := range p.move[a][s] {
					in[to] = in[to] || w > 0
				}
			}
		}
	}
	return in
}

// class returns the states of a class that is never left and has s, with a choice of actions; nil where s has none.
func (p eighths) class(s int, choice []int) (in []bool) {
	in = p.reached(s, choice)
	for to, ok := range in {
		if ok && !p.reached(to, choice)[s] {
			return nil
		}
	}
	return in
}

// solved returns the solution of linear equations.
func solved(a [][]*big.Rat, b []*big.Rat) []*big.Rat {
	n := len(b)
	for i := range n {
		for k := i; a[i][i].Sign() == 0; k++ {
			a[i], a[k], b[i], b[k] = a[k], a[i], b[k], b[i]
		}
		for k := range n {
			if k == i || a[k][i].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Quo(a[k][i], a[i][i])
			for j := range n {
				a[k][j] = new(big.Rat).Sub(a[k][j], new(big.Rat).Mul(f, a[i][j]))
			}
			b[k] = new(big.Rat).Sub(b[k], new(big.Rat).Mul(f, b[i]))
		}
	}
	for i := range b {
		b[i].Quo(b[i], a[i][i])
	}
	return b
}

// equations returns those of I − P with a choice of actions, P without the states that stop.
func (p eighths) equations(choice []int, stop []bool) (a [][]*big.Rat, b []*big.Rat) {
	for s := range p.states() {
		row, pay := make([]*big.Rat, p.states()), new(big.Rat)
		for to := range row {
			row[to] = new(big.Rat)
			if !stop[s] && !stop[to] {
				row[to].SetFrac64(-p.move[choice[s]][s][to], 8)
			}
		}
		if row[s].Add(row[s], big.NewRat(1, 1)); !stop[s] {
			pay.SetFrac64(p.pay[choice[s]][s], 2)
		}
		a, b = append(a, row), append(b, pay)
	}
	return a, b
}

// gain returns the sign of what a class earns in the long run: the total between two visits of one of its states.
func (p eighths) gain(class []bool, choice []int) int {
	first := -1
	stop := make([]bool, p.states())
	for s, in := range class {
		stop[s] = !in
		if in && first < 0 {
			first = s
		}
	}
	stop[first] = true
	v := solved(p.equations(choice, stop))
	sum := big.NewRat(p.pay[choice[first]][first], 2)
	for to, w := range p.move[choice[first]][first] {
		sum.Add(sum, new(big.Rat).Mul(big.NewRat(w, 8), v[to]))
	}
	return sum.Sign()
}

// earns returns what a choice of actions earns from each state: −∞ where it pays without end. fair says that it goes on in some state that from
// leads to, without losing in the long run, and not for nothing.
func (p eighths) earns(choice []int, from []bool) (v []float64, fair bool) {
	rest, loses := make([]bool, p.states()), make([]bool, p.states())
	for s := range rest {
		class := p.class(s, choice)
		if class == nil {
			continue
		}
		rest[s] = true
		for to, in := range class {
			loses[s] = loses[s] || in && p.pay[choice[to]][to] != 0
		}
		fair = fair || loses[s] && from[s] && p.gain(class, choice) >= 0
	}
	for s, x := range solved(p.equations(choice, rest)) {
		f, _ := x.Float64()
		for to, in := range p.reached(s, choice) {
			if in && loses[to] {
				f = math.Inf(-1)
			}
		}
		v = append(v, f)
	}
	return v, fair
}

// best returns what the best choice of actions earns from each state; fair as earns has it, for some choice.
func (p eighths) best() (v []float64, fair bool) {
	from := p.reached(0, nil)
	v = make([]float64, p.states())
	for s := range v {
		v[s] = math.Inf(-1)
	}
	for number := range 1 << (p.states() - 1) {
		u, f := p.earns(bits(number, p.states()), from)
		fair = fair || f
		for s := range v {
			v[s] = max(v[s], u[s])
		}
	}
	return v, fair
}

func bits(number, n int) (list []int) {
	for i := range n {
		list = append(list, number>>i&1)
	}
	return list
}

// known returns the POMDP of which p is known by number, with these probabilities; x is seen, and p is not. All p have equally many states.
func known(list []eighths, share []float64) *pomdp.Model {
	n, k := list[0].states(), len(list)
	m := pomdptest.New(n, k, 2, 1, 1, append(append([]float64(nil), share...), make([]float64, n*k-k)...))
	for a := range 2 {
		var moves, senses [][]float64
		var rewards []float64
		for s := range n {
			for y, p := range list {
				row := make([]float64, n*k)
				for to, w := range p.move[a][s] {
					row[to*k+y] = float64(w) / 8
				}
				moves, senses, rewards = append(moves, row), append(senses, []float64{1}), append(rewards, float64(p.pay[a][s])/2)
			}
		}
		pomdptest.Append(m, moves, senses, rewards)
	}
	return m
}

// hidden returns the POMDP of p in which an observation tells the state.
func hidden(p eighths) *pomdp.Model {
	m := known([]eighths{p}, []float64{1})
	m.Visible, m.Hidden, m.Observations = nil, m.Visible, nil
	var see [][]float64
	for s := range p.states() {
		row := make([]float64, p.states())
		row[s] = 1
		see = append(see, row)
		m.Observations = append(m.Observations, fmt.Sprint("o", s))
	}
	for a := range m.Sense {
		m.Sense[a] = pomdptest.Matrix(see...)
	}
	return m
}

// exactPays are rewards of eighths in halves: costs, with states to wait in; either sign; few; and rounds that may take back what they pay.
var exactPays = [][]int64{{0, -1, -2, -4}, {0, 1, -1, -2, -3}, {0, 0, 0, 2, -1}, {2, -8, -2, 4}}

// TestExactGoals: where the state is seen, as a state or as an observation, a model is refused where some round is fair or better, or from some
// state all goes on paying, and no other is; and the bounds and what the policy earns are right, by the linear equations of every
// choice of actions, in rational numbers.
func TestExactGoals(t *testing.T) {
	counts := make(map[string]int)
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 41))
		p := drawEighths(rng, 3+rng.IntN(2), exactPays[seed%4])
		m, byState := known([]eighths{p}, []float64{1}), true
		if rng.IntN(3) == 0 {
			m, byState = hidden(p), false
		}
		best, fair := p.best()
		r, err := within(t.Context(), m, sarsop.Solver{Epsilon: 1e-3, MaxTrials: 300}, bcpace.Control{Workers: 1})
		lost := -1 // a state that is worth −∞
		ends := true
		for s, in := range p.reached(0, nil) {
			if in && math.IsInf(best[s], -1) {
				lost = s
			}
			ends = ends && (!in || p.reached(s, nil)[p.states()-1])
		}
		switch {
		case fair:
			counts["fair"]++
			if err == nil || !strings.Contains(err.Error(), "brings it back") && !strings.Contains(err.Error(), "again and again") {
				t.Errorf("seed %d: a round is fair or better, and the error is %v: %v", seed, err, p)
			}
		case lost >= 0:
			counts["lost"]++
			if err == nil || !strings.Contains(err.Error(), "−∞") || !errors.As(err, new(*bcpace.UnsupportedError)) {
				t.Errorf("seed %d: state %d is worth −∞, and the error is %v: %v", seed, lost, err, p)
			}
		case err != nil && !byState && !ends && strings.Contains(err.Error(), "an agent waits for nothing that sees what is hidden"):
			counts["unseen"]++
		case err != nil:
			t.Errorf("seed %d: %v; the value is %v: %v", seed, err, best[0], p)
		default:
			counts["solved"]++
			choice := make([]int, p.states())
			for s := range choice {
				x, y := s, 0
				if !byState {
					x, y = 0, s
				}
				top := math.Inf(-1)
				for _, v := range r.Policy.Vectors[x] {
					if v.Value[y] > top {
						top, choice[s] = v.Value[y], v.Action
					}
				}
			}
			v, _ := p.earns(choice, p.reached(0, choice))
			if tol := 1e-8; r.Lower > best[0]+tol || r.Upper < best[0]-tol || v[0] < r.Lower-tol || r.Stop != stop.Certified {
				t.Errorf("seed %d: the bounds are [%v, %v] (%s), the policy earns %v, and the best one %v: %v", seed, r.Lower, r.Upper, r.Stop, v[0], best[0], p)
			}
		}
	}
	t.Logf("of the models, %v", counts)
	for what, least := range map[string]int{"fair": 300, "lost": 30, "unseen": 3, "solved": 900} {
		if counts[what] < least {
			t.Errorf("too few models are %s: %v", what, counts)
		}
	}
}

// TestUnknownGoals: where the process is one of two, and it is not seen which, no value is below that of the best choice of actions for
// states, or above that of an agent that knows which one.
func TestUnknownGoals(t *testing.T) {
	solvedOnes, apart := 0, 0
	for seed := range uint64(250) {
		rng := rand.New(rand.NewPCG(seed, 42))
		n := 3 + rng.IntN(2)
		pays := exactPays[seed%3]
		list, share := []eighths{drawEighths(rng, n, pays), drawEighths(rng, n, pays)}, []float64{.25, .75}
		m := known(list, share)
		r, err := within(t.Context(), m, sarsop.Solver{Epsilon: 1e-3, MaxTrials: 300}, bcpace.Control{Workers: 1})
		if err != nil {
			continue
		}
		least, most := math.Inf(-1), 0.0
		for number := range 1 << (n - 1) {
			sum := 0.0
			for i, p := range list {
				v, _ := p.earns(bits(number, n), make([]bool, n))
				sum += share[i] * v[0]
			}
			least = max(least, sum)
		}
		for i, p := range list {
			v, _ := p.best()
			most += share[i] * v[0]
		}
		solvedOnes++
		if r.Stop != stop.Certified {
			apart++
		}
		tol := 1e-8
		if r.Upper < least-tol || r.Lower > most+tol || r.Lower > r.Upper {
			t.Errorf("seed %d: the bounds are [%v, %v], one policy earns %v and none more than %v", seed, r.Lower, r.Upper, least, most)
		}
		if _, high, closed := sarsop.GoalOutlook(m, r.Policy, 400); high < r.Lower-tol {
			t.Errorf("seed %d: the policy earns at most %v, the lower bound is %v (closed: %v)", seed, high, r.Lower, closed)
		}
	}
	t.Logf("of %d models %d were not solved", solvedOnes, apart)
	if solvedOnes < 100 || apart > solvedOnes/20 {
		t.Errorf("of %d models %d were not solved", solvedOnes, apart)
	}
}

// TestWaitingByKnowledge: an agent that has found out what is hidden waits where that pays nothing.
func TestWaitingByKnowledge(t *testing.T) {
	look := eighths{ // the first action tells which one it is by the next state, where it waits, and the second one leaves
		move: [][][]int64{{{0, 8, 0, 0}, {0, 8, 0, 0}, {0, 0, 0, 8}, {0, 0, 0, 8}}, {{0, 0, 0, 8}, {0, 0, 0, 8}, {0, 0, 0, 8}, {0, 0, 0, 8}}},
		pay:  [][]int64{{-2, 0, -10, 0}, {-10, -10, -10, 0}},
	}
	other := eighths{ // here the second one waits
		move: [][][]int64{{{0, 0, 8, 0}, {0, 0, 0, 8}, {0, 0, 0, 8}, {0, 0, 0, 8}}, {{0, 0, 0, 8}, {0, 8, 0, 0}, {0, 0, 8, 0}, {0, 0, 0, 8}}},
		pay:  [][]int64{{-2, -10, -10, 0}, {-10, -10, 0, 0}},
	}
	r := solve(t, known([]eighths{look, other}, []float64{.5, .5}), sarsop.Solver{Epsilon: 1e-6, MaxTrials: 100})
	if r.Lower > -1+1e-9 || r.Upper < -1-1e-9 || r.Stop != stop.Certified {
		t.Errorf("the bounds are [%v, %v] (%s), the value is -1", r.Lower, r.Upper, r.Stop)
	}
}

// TestFairRound: a round that takes back what it pays, in the mean, is refused, however seldom and at once it does so, and one that takes back a
// little more is not.
//
//test:race
func TestFairRound(t *testing.T) {
	for _, stay := range []float64{0, .5, .75, .875, .9, .99} {
		for _, more := range []float64{0, 1e-3} {
			m := pomdptest.New(3, 1, 2, 1, 1, []float64{1, 0, 0})
			see := [][]float64{{1}, {1}, {1}}
			pomdptest.Append(m, [][]float64{{stay, 1 - stay, 0}, {1, 0, 0}, {0, 0, 1}}, see, []float64{1, -1/(1-stay) - more, 0})
			pomdptest.Append(m, [][]float64{{0, 0, 1}, {0, .5, .5}, {0, 0, 1}}, see, []float64{-4, 1, 0})
			r, err := within(t.Context(), m, sarsop.Solver{Epsilon: 1e-3, MaxTrials: 300}, bcpace.Control{Workers: 1})
			switch want := 1/(1-stay) + 2; {
			case more == 0 && (err == nil || !strings.Contains(err.Error(), "with others that take as much back")):
				t.Errorf("staying with %v: the error is %v", stay, err)
			case more > 0 && err != nil:
				t.Errorf("staying with %v: %v", stay, err)
			case more > 0 && (r.Lower > want+1e-9 || r.Upper < want-1e-9 || r.Stop != stop.Certified):
				t.Errorf("staying with %v: the bounds are [%v, %v], the value is %v", stay, r.Lower, r.Upper, want)
			}
		}
	}
}
