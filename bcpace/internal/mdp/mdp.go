// Package mdp solves Markov decision processes that stand in plain arrays, and has the maxima
// of the fast informed bound. A package with sweeps of its own says why it has them.
package mdp

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/side"
)

// MDP is a Markov decision process in sparse rows: row s·Actions + a has what follows
// state s after action a. An end of the process is not stored, and what rows lack of γ
// leads there.
type MDP struct {
	Actions int
	// Discount is γ, and Rate a lower bound of the reciprocal of Σ γ^t over the steps of
	// an episode: 1−γ, or for γ = 1 the reciprocal of the most steps.
	Discount, Rate float64
	// Workers is the number of goroutines that solve a large process by policy iteration.
	// It changes the time alone. 0 means that every process is solved by sweeps in place.
	Workers int

	Row    []int     // rows+1: row r is Col[Row[r]:Row[r+1]]
	Col    []int32   // state that follows
	Weight []float64 // γ·P(state that follows)
	Reward []float64 // by row: the expected reward

	// Blocks stand in the place of Row, Col and Weight on a grid. Each has the rows of Run states, a multiple of Latents.
	Blocks       []Block
	Run, Latents int
}

// States returns the number of states.
func (p *MDP) States() int { return len(p.Reward) / p.Actions }

// Backup returns r + Σ γP·V of one row, where there are no blocks.
func (p *MDP) Backup(v []float64, row int) float64 {
	lo, hi := p.Row[row], p.Row[row+1]
	col, weight := p.Col[lo:hi], p.Weight[lo:hi]
	q := p.Reward[row]
	for i, c := range col {
		q += weight[i] * v[c]
	}
	return q
}

// best fills q with the backups of a state by action, as backupWithin has them, and returns the largest and the first action that
// attains it.
func (p *MDP) best(q, v, old []float64, s, from, to int) (best float64, act int) {
	if p.Blocks != nil {
		p.backups(q, v, old, s, from, to)
	}
	best = math.Inf(-1)
	for a, x := range q {
		switch row := s*p.Actions + a; {
		case p.Blocks != nil:
		case from == to:
			x = p.Backup(old, row)
		default:
			x = p.backupWithin(v, old, row, from, to)
		}
		if q[a] = x; x > best {
			best, act = x, a
		}
	}
	return best, act
}

// improve replaces every V(s) in turn by max over a of its backup, notes the
// first action that attains it, and returns the largest change. It goes
// through the states backwards on request: values travel along the order of a
// sweep, and no one order suits every model. q has room for a number by action.
func (p *MDP) improve(v, q []float64, greedy []int32, backwards bool) float64 {
	change := 0.0
	for s := range num.InTurn(len(v), backwards) {
		best, act := p.best(q, v, v, s, 0, 0)
		change = max(change, math.Abs(best-v[s]))
		v[s], greedy[s] = best, int32(act)
	}
	return change
}

// Evaluate replaces every V(s) in turn by the backup of its action in policy, nil where there is one alone, and
// returns the largest change. It goes through the states backwards on request.
func (p *MDP) Evaluate(v []float64, policy []int32, backwards bool) float64 {
	change := 0.0
	for s := range num.InTurn(len(v), backwards) {
		row := s
		if policy != nil {
			row = s*p.Actions + int(policy[s])
		}
		q := p.Backup(v, row)
		change = max(change, math.Abs(q-v[s]))
		v[s] = q
	}
	return change
}

// evaluationSweeps is the most sweeps with fixed actions between two
// improvements: enough to make improvements rare, few enough not to polish the
// values of a policy that is about to change. They cost 1/Actions of it each.
const evaluationSweeps = 25

// Solve fills q with the optimal values of all (state, action), one for each row, and
// returns a bound of their error |q − Q*|: at most tol, or the rounding error if that is
// more. Where ctx ends before, it fills q with the values so far, returns the bound that
// holds for them, and the error of ctx.
//
// It is modified policy iteration (Puterman 1994, Section 6.5) with
// Gauss–Seidel sweeps. It starts from V0 with TV0 ≥ V0, see below. Values then rise monotonically to V*, also in
// sweeps with fixed actions. For γ = 1 the states hold the steps left, and the values at
// l steps left are exact after l improvements, whatever the first values.
//
// A large process is solved by policy iteration, see ByPolicies, and has the same bound.
//
// The bound: let V be the last values, Q̂ = r + γPV as computed, V' = max Q̂ and
// ρ = ‖V' − V‖∞. Each Q̂ is within δ of the exact backup, see Rounding. So
// ‖TV − V‖ ≤ ρ+δ, and T being a γ-contraction with fixed point V*,
// ‖V − V*‖ ≤ (ρ+δ)/(1−γ). Hence
//
//	‖Q̂ − Q*‖ ≤ δ + γ‖V − V*‖ ≤ (γρ + δ)/(1−γ).
func (p *MDP) Solve(ctx context.Context, q []float64, tol float64) (bound float64, err error) {
	if p.Iterates() {
		return p.ByPolicies(ctx, q, tol)
	}
	v, greedy, actions := p.below(), make([]int32, p.States()), make([]float64, p.Actions)
	var written MDP
	rounding := p.Rounding()
	backwards := false
	for {
		change := p.improve(v, actions, greedy, backwards)
		backwards = !backwards
		delta := rounding(MaxAbs(v))
		if ctx.Err() != nil {
			return p.finish(v, q, delta), ctx.Err()
		}
		if p.Discount*change <= tol*p.Rate || change <= delta {
			if bound = p.finish(v, q, delta); bound <= tol || change <= delta {
				return bound, nil
			}
		}
		chosen, policy := p.Under(&written, greedy)
		for range evaluationSweeps {
			c := chosen.Evaluate(v, policy, backwards)
			backwards = !backwards
			if c <= change/10 || ctx.Err() != nil {
				break
			}
		}
	}
}

// finish fills q with the backups of v and returns the bound of their error.
func (p *MDP) finish(v, q []float64, rounding float64) float64 {
	var residuals sums
	EachPart(p.Workers, len(v), func(i, from, to int) {
		for s := from; s < to; s++ {
			best, _ := p.best(q[s*p.Actions:(s+1)*p.Actions], v, v, s, 0, 0)
			residuals[i] = max(residuals[i], math.Abs(best-v[s]))
		}
	})
	return (p.Discount*residuals.largest() + rounding) / p.Rate
}

// Rounding returns a bound δ of the rounding of one backup, given a bound of |V|:
//
//	δ = (k+3)·2⁻⁵³·(max|r| + max|V|)
//
// for rows of up to k entries.
func (p *MDP) Rounding() func(size float64) float64 {
	longest, reward := 0, MaxAbs(p.Reward)
	for i := range p.Blocks {
		longest = max(longest, p.Blocks[i].longest)
	}
	for r := range max(len(p.Row)-1, 0) {
		longest = max(longest, p.Row[r+1]-p.Row[r])
	}
	const half = 0x1p-53 // half a unit in the last place of 1
	return func(size float64) float64 { return float64(longest+3) * half * (reward + size) }
}

// MaxAbs returns the largest |v|, 0 of none.
func MaxAbs(v []float64) float64 {
	top := 0.0
	for _, x := range v {
		top = max(top, math.Abs(x))
	}
	return top
}

// Parts is into how many parts of equal size the states of a large process are cut. It does
// not depend on the number of goroutines, and so neither does any result.
const Parts = 16

// EachPart calls do for each part of so many states, side by side by so many goroutines:
// with its number and its states, those from the first to before the second.
func EachPart(workers, states int, do func(i, from, to int)) {
	side.Each(workers, Parts, func(_, i int) {
		from, to := part(i, states)
		do(i, from, to)
	})
}

// part returns the states of part i of n: those from the first to before the second.
func part(i, n int) (from, to int) { return i * n / Parts, (i + 1) * n / Parts }

// sums has a number for each part, to be added up in the order of the parts: sums of
// many numbers depend on their order.
type sums [Parts]float64

func (s *sums) total() float64 { return num.Sum(s[:]) }

func (s *sums) largest() float64 { return slices.Max(s[:]) }
