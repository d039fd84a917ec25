package dp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/num"
)

// VectorTable holds a vector over the latents for every state and action of a
// Finite model: a linear function of the belief for each. It is safe for
// concurrent use, and no method allocates.
type VectorTable struct {
	// Table holds the entry of latent φ at
	// (number of s × actions + a) × latents + φ, in reward units. The number is that
	// of Transitions, for bounds of those.
	Table []float64
	// Error bounds how far an entry is from the exact one, in reward units. The
	// table is on the safe side of it, as its type says.
	Error float64

	states           numbering
	latents, actions int
}

// Vector returns the vector of the state with the given number and action: a
// view, which must not be written to.
func (t *VectorTable) Vector(number, action int) []float64 {
	i := (number*t.actions + action) * t.latents
	return t.Table[i : i+t.latents : i+t.latents]
}

// at returns Σ_φ b(φ)·vector(φ), or NaN where s is not a state of the model.
func (t *VectorTable) at(s []float64, b bcpace.Belief, action int) float64 {
	n := t.states.index(s)
	if n < 0 {
		return math.NaN()
	}
	return b.Dot(t.Vector(n, action))
}

// FIBBound is the fast informed bound of Hauskrecht (2000, "Value-function
// approximations for partially observable Markov decision processes"), for a
// BAMDP, whose observation is the next state:
//
//	F(s,a)(φ) = R(s,φ,a) + γ Σ_s' max over a' of Σ_φ' P(s'|s,φ,a)·P(φ'|φ,s,a)·F(s',a')(φ')
//
// with s' over the states that do not end the episode. Its agent learns φ one
// step late, so that it may not fit the action to what φ has just become.
//
// Upper bound. Let F_0 be such that Q*(s,b,a) ≤ b·F_0(s,a) for all (s,b,a), as
// holds for a large constant, and F_{n+1} the right-hand side at F_n. Then so
// it is for every n. For let w(φ') = Σ_φ b(φ)P(s'|s,φ,a)P(φ'|φ,s,a), which is
// P(s'|s,b,a)·b'(φ'). As V* = max over a' of Q* is positively homogeneous in
// weights,
//
//	Q*(s,b,a) = b·R + γ Σ_s' max over a' of Q*(s',w,a')
//	          ≤ b·R + γ Σ_s' max over a' of Σ_φ b(φ) Σ_φ' P(s'|s,φ,a) P(φ'|φ,s,a) F_n(s',a')(φ')
//	          ≤ b·R + γ Σ_s' Σ_φ b(φ) max over a' of Σ_φ' P(s'|s,φ,a) P(φ'|φ,s,a) F_n(s',a')(φ') = b·F_{n+1}(s,a),
//
// where the last step takes the maximum for each φ apart. F_n converges to F.
//
// Against QMDP. Moving the maximum inside Σ_φ' as well gives the recursion of
// Q(s,φ,a), so that F ≤ Q. Where the latent is static, or any function of
// (s,φ,a), Σ_φ' has one term, the two recursions are the same, and F = Q. Where
// it is redrawn, as in Tiger, F can be much less.
//
// One-hot beliefs give α_φ ≤ Q*(s,e_φ,a) ≤ F(s,a)(φ) for the α-vector of every
// policy that takes a first: the vectors of F are the upper faces of a box for
// boxCone.
//
// Table − Error ≤ F ≤ Table, and Table lies above F by so much that Upper is
// admissible as it is computed, rounding included.
type FIBBound struct{ VectorTable }

// Upper returns Σ_φ b(φ)·F(s,a)(φ), or NaN where s is not a state of the model.
func (f *FIBBound) Upper(s []float64, b bcpace.Belief, action int) float64 { return f.at(s, b, action) }

// WorstBound is the fast informed bound from below: FIBBound of the model with
// all rewards negated, negated:
//
//	W(s,a)(φ) = R(s,φ,a) + γ Σ_s' min over a' of Σ_φ' P(s'|s,φ,a)·P(φ'|φ,s,a)·W(s',a')(φ')
//
// By the proof of FIBBound, no policy that takes a first, however bad, has a
// value below Σ_φ b(φ)·W(s,a)(φ): its α-vector is at least W(s,a) in every
// entry. For a static latent it is the smallest value any policy gets in the
// latent MDP. It is no useful lower bound of V*, for which see BlindBound; its
// vectors are the lower faces of a box for boxCone.
//
// Table ≤ W ≤ Table + Error.
type WorstBound struct{ VectorTable }

// Lower returns Σ_φ b(φ)·W(s,a)(φ), or NaN where s is not a state of the model.
func (w *WorstBound) Lower(s []float64, b bcpace.Belief, action int) float64 {
	return w.at(s, b, action)
}

// BlindBound holds the values of the blind policies (Hauskrecht 2000), which
// take one action without end, whatever they see:
//
//	V(s,a)(φ) = R(s,φ,a) + γ Σ_s' Σ_φ' P(s'|s,φ,a)·P(φ'|φ,s,a)·V(s',a)(φ')
//
// Σ_φ b(φ)·V(s,a)(φ) is the expected return of such a policy from (s, b), so
// that it is at most Q*(s,b,a) and at most V*(s,b), and is attained.
//
// Table ≤ V ≤ Table + Error, and Table lies below V by so much that Lower is
// admissible as it is computed, rounding included.
type BlindBound struct{ VectorTable }

// Lower returns Σ_φ b(φ)·V(s,a)(φ), a lower bound of Q*(s,b,a), or NaN where s
// is not a state of the model.
func (v *BlindBound) Lower(s []float64, b bcpace.Belief, action int) float64 {
	return v.at(s, b, action)
}

// Best returns the largest Lower over the actions, a lower bound of V*(s,b), and
// the first action that attains it; 0 and NaN where s is not a state of the model.
func (v *BlindBound) Best(s []float64, b bcpace.Belief) (action int, value float64) {
	n := v.states.index(s)
	if n < 0 {
		return 0, math.NaN()
	}
	value, action = num.Largest(v.actions, func(a int) float64 { return b.Dot(v.Vector(n, a)) })
	return action, value
}

// FiniteBounds are the bounds of a Finite model that come from tables, from
// SolveBounds.
type FiniteBounds struct {
	Latent *FiniteValues // Q(s,φ,a), for QMDPBound and BestCaseBound
	FIB    *FIBBound     // at most QMDP
	TIB    *TIBBound     // at most FIB
	Blind  *BlindBound
	Worst  *WorstBound
}

// SolveBounds computes all bounds of m from one list of its transitions, which
// takes less than solving for them one by one. tol is the error at which
// iterations stop, in reward units; 0 means 1e-10 × max(solverkit.Unit, RewardMax − RewardMin).
// If ctx ends before, those bounds come back that there are, whose Error holds for them,
// beside the error of ctx; the others are nil. For other errors see SolveFinite.
func SolveBounds(ctx context.Context, m bcpace.Finite, tol float64) (*FiniteBounds, error) {
	t, p, tol, err := boundsMDP(ctx, m, "SolveBounds", tol)
	if err != nil {
		return nil, err
	}
	return p.bounds(ctx, t, tol)
}

// Bounds computes all bounds of the states of t, which may be classes of those of the
// model. Table and Vector of the bounds are by the number that t gives a state. For tol and errors see
// SolveBounds; an *UnsupportedError also where the tables of t and those to be made
// would take more than 2 GB.
func (t *Transitions) Bounds(ctx context.Context, tol float64) (*FiniteBounds, error) {
	if err := cmp.Or(solvable(t.states.model, "Transitions.Bounds", tol), t.Fits(0)); err != nil {
		return nil, err
	}
	p, err := t.latentMDP(ctx)
	if err != nil {
		return nil, err
	}
	return p.bounds(ctx, t, cmp.Or(tol, latentTolerance(t.states.model.Spec())))
}

func (p *latentMDP) bounds(ctx context.Context, t *Transitions, tol float64) (b *FiniteBounds, err error) {
	b = &FiniteBounds{}
	states := t.states
	if b.Latent, err = p.latentValues(ctx, states, tol); err != nil {
		return b, err
	}
	if b.Blind, err = p.blind(ctx, states, tol); err != nil {
		return b, err
	}
	if b.FIB, err = p.fib(ctx, states, b.Latent, tol); err != nil {
		return b, err
	}
	if b.TIB, err = p.tib(ctx, t, b.FIB, tol); err != nil {
		return b, err
	}
	if b.Worst, err = p.worst(ctx, states, tol); err != nil {
		return b, err
	}
	return b, nil
}

// SolveFIB computes the fast informed bound of m, to within
// 1e-10 × max(solverkit.Unit, RewardMax − RewardMin) or what rounding allows. For errors see
// SolveFinite.
func SolveFIB(ctx context.Context, m bcpace.Finite) (*FIBBound, error) {
	t, p, tol, err := boundsMDP(ctx, m, "SolveFIB", 0)
	if err != nil {
		return nil, err
	}
	q, err := p.latentValues(ctx, t.states, tol)
	if err != nil {
		return nil, err
	}
	return whole(p.fib(ctx, t.states, q, tol))
}

// SolveWorst computes a lower bound of the value of every policy of m, to within
// 1e-10 × max(solverkit.Unit, RewardMax − RewardMin) or what rounding allows. For errors see
// SolveFinite.
func SolveWorst(ctx context.Context, m bcpace.Finite) (*WorstBound, error) {
	t, p, tol, err := boundsMDP(ctx, m, "SolveWorst", 0)
	if err != nil {
		return nil, err
	}
	return whole(p.worst(ctx, t.states, tol))
}

// Whole returns nothing where there is an error.
func whole[T any](x *T, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return x, nil
}

func boundsMDP(ctx context.Context, m bcpace.Finite, algorithm string, tol float64) (*Transitions, *latentMDP, float64, error) {
	if err := solvable(m, algorithm, tol); err != nil {
		return nil, nil, 0, err
	}
	t, p, err := finiteMDP(ctx, m, algorithm, boundTables, false)
	return t, p, cmp.Or(tol, latentTolerance(m.Spec())), err
}

func (p *latentMDP) vectorTable(states numbering) VectorTable {
	return VectorTable{Table: make([]float64, len(p.Reward)), states: states, latents: p.latents, actions: p.Actions}
}

// fib returns the fast informed bound; where ctx ends, a looser one with the error of ctx.
func (p *latentMDP) fib(ctx context.Context, states numbering, q *FiniteValues, tol float64) (*FIBBound, error) {
	p.phase(ctx, "fast informed bound", -1)
	f := &FIBBound{p.vectorTable(states)}
	err := p.informed(ctx, &f.VectorTable, q, tol)
	return f, err
}

// worst leaves the rewards of p negated. Where ctx ends, it returns a looser bound with
// the error of ctx.
func (p *latentMDP) worst(ctx context.Context, states numbering, tol float64) (*WorstBound, error) {
	p.phase(ctx, "worst policy", -1)
	floats.Scale(-1, p.Reward)
	w := &WorstBound{p.vectorTable(states)}
	q, err := p.solve(ctx, states, tol)
	if err != nil {
		return nil, err
	}
	err = p.informed(ctx, &w.VectorTable, q, tol)
	floats.Scale(-1, w.Table)
	return w, err
}

// swept is makeBound after sweeps in place from the safe side, the last of which has
// changed values by change at most. delta is the rounding error of one backup.
//
// An exact sweep in place from the safe side of the fixed point X stays on that
// side, its operator being monotone; rounding crosses it by at most δ a sweep,
// of which the later sweeps keep γ: δ/(1−γ) in all. The values z after the last
// sweep differ by at most γ·change from what each backup has read, so that
// ‖z − Tz‖ ≤ γ·change + δ, hence ‖z − X‖ ≤ (γ·change + δ)/(1−γ).
func (p *latentMDP) swept(t *VectorTable, dir, change, delta float64) {
	p.makeBound(t, dir, (p.Discount*change+delta)/p.Rate, delta)
}

// makeBound shifts a table that is on the safe side of X but for δ/(1−γ), and within err
// of it, up for dir = +1 and down for dir = −1, so that it is a bound, and sets its Error.
// Beside δ/(1−γ) the shift has (latents+2)·2⁻⁵³·max|z|, which covers the rounding of the
// product with a belief and of the shift itself.
func (p *latentMDP) makeBound(t *VectorTable, dir, err, delta float64) {
	const half = 0x1p-53
	shift := delta/p.Rate + float64(p.latents+2)*half*(mdp.MaxAbs(t.Table)+delta/p.Rate)
	for i := range t.Table {
		t.Table[i] += dir * shift
	}
	t.Error = err + 2*shift
}

// informed fills t with the fast informed bound by value iteration with sweeps
// in place. It starts from the latent values q plus their error, which are at
// least F, and so comes down to F from above. Where ctx ends before, t holds a looser
// bound. Package pointbased sweeps over POMDPs with observations, as far as a limit of work
// goes; here the bound has an error, rounding included. Both take the maxima from
// mdp.Informed.
func (p *latentMDP) informed(ctx context.Context, t *VectorTable, q *FiniteValues, tol float64) error {
	f := make([]float64, len(q.Table)) // by row, which has the vectors of one action apart
	for row, x := range q.Table {
		f[row] = x + q.Error
	}
	delta := p.Rounding()(mdp.MaxAbs(f))
	if p.Iterates() && p.static { // F is Q
		p.tabulate(t, f)
		p.makeBound(t, 1, 2*q.Error, delta)
		return nil
	}
	sweep, change := p.informedSweep(f), math.Inf(1)
	var ended error
	for backwards := false; !(p.Discount*change <= tol*p.Rate || change <= delta); backwards = !backwards {
		moved, err := sweep(ctx, backwards)
		if ended = err; err != nil {
			break // a part of a sweep is no farther from F than the sweep before
		}
		change = moved
	}
	p.tabulate(t, f)
	p.swept(t, 1, change, delta)
	return ended
}

// rowsPerLook is how many rows are backed up between two looks at the context.
const rowsPerLook = 1024

// informedSweep returns a function that backs f up in place, backwards on request, and
// returns the largest change. Of a large model, the parts of f are swept side by side:
// they read what the others were before. Where ctx ends before, f is one from above still.
func (p *latentMDP) informedSweep(f []float64) func(ctx context.Context, backwards bool) (change float64, err error) {
	if !p.Iterates() {
		best := mdp.NewInformed(1, p.Actions) // the observation is the next state
		return func(ctx context.Context, backwards bool) (change float64, err error) {
			for i := range f {
				if i%rowsPerLook == 0 && ctx.Err() != nil {
					return 0, ctx.Err()
				}
				row := i
				if backwards {
					row = len(f) - 1 - i
				}
				x := p.informedBackup(best, f, row)
				change = max(change, math.Abs(x-f[row]))
				f[row] = x
			}
			return change, nil
		}
	}
	next := make([]float64, len(f))
	return func(ctx context.Context, _ bool) (float64, error) {
		var changes [mdp.Parts]float64
		mdp.EachPart(p.Workers, len(f), func(i, from, to int) {
			best := mdp.NewInformed(1, p.Actions)
			for row := from; row < to; row++ {
				if row%rowsPerLook == 0 && ctx.Err() != nil {
					return
				}
				next[row] = p.informedBackup(best, f, row)
				changes[i] = max(changes[i], math.Abs(next[row]-f[row]))
			}
		})
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		copy(f, next)
		return slices.Max(changes[:]), nil
	}
}

// informedBackup returns r + Σ over successors of max over a' of γΣP·F(·,a') of
// one row. The entries of one successor stand side by side in a row.
func (p *latentMDP) informedBackup(best *mdp.Informed, f []float64, row int) float64 {
	x := p.Reward[row]
	end := p.Row[row+1]
	for i := p.Row[row]; i < end; i++ {
		node := int(p.Col[i])
		best.Add(0, p.Weight[i], f[node*p.Actions:(node+1)*p.Actions])
		if i+1 == end || int(p.Col[i+1])/p.latents != node/p.latents {
			x = best.Flush(x)
		}
	}
	return x
}

// tabulate fills t with values by row.
func (p *latentMDP) tabulate(t *VectorTable, f []float64) {
	for row, x := range f {
		t.Table[p.tableIndex(row)] = x
	}
}

// tableIndex returns where a VectorTable has the value of a row.
func (p *latentMDP) tableIndex(row int) int {
	n, a := row/p.Actions, row%p.Actions
	return (n/p.latents*p.Actions+a)*p.latents + n%p.latents
}

// blind fills a table with the values of the blind policies. Where ctx ends before, it
// returns what there is, which is a looser bound, with the error of ctx.
func (p *latentMDP) blind(ctx context.Context, states numbering, tol float64) (*BlindBound, error) {
	b := &BlindBound{p.vectorTable(states)}
	err := p.fixed(ctx, &b.VectorTable, p.Actions, "blind policies", tol, func(n, a int) int { return n*p.Actions + a })
	return b, err
}

// fixed fills t with the values of so many policies that look at no belief, or with less:
// at node n policy k takes row(n, k), and its values stand where t has those of action k.
// Where ctx ends before, t holds a looser bound.
func (p *latentMDP) fixed(ctx context.Context, t *VectorTable, policies int, phase string, tol float64, row func(n, k int) int) error {
	evaluate := p.fixedSweeps
	if p.Iterates() {
		evaluate = p.fixedChain(new(mdp.MarkovChain))
	}
	v, rows := make([]float64, p.points*p.latents), make([]int, p.points*p.latents)
	top, worst, delta := 0.0, 0.0, 0.0
	rounding := p.Rounding()
	var ended error
	for k := range policies {
		start := 0.0
		for n := range v {
			rows[n] = row(n, k)
			start = min(start, p.Reward[rows[n]])
		}
		start /= p.Rate
		for n := range v {
			v[n] = start // below them all
		}
		change := math.Inf(1)
		if ended == nil {
			p.phase(ctx, phase, float64(k)/float64(policies))
			var size float64
			change, size, ended = evaluate(ctx, v, rows, tol)
			top = max(top, size)
		}
		delta = rounding(max(top, math.Abs(start)))
		worst = max(worst, change)
		for n, x := range v {
			t.Table[(n/p.latents*policies+k)*p.latents+n%p.latents] = x
		}
	}
	p.swept(t, -1, worst, delta)
	return ended
}

// fixedSweeps raises v, which is below the values of the policy that takes rows[n] at node
// n, to within tol of them, by sweeps in place. It returns the largest change of the last
// one, and the largest |v| on the way. Where ctx ends before, v is still below the values.
// A sweep does what mdp.MDP.Evaluate does and notes the largest |v|, for which another pass
// would take long where rows are short.
func (p *latentMDP) fixedSweeps(ctx context.Context, v []float64, rows []int, tol float64) (change, top float64, err error) {
	rounding := p.Rounding()
	start := math.Abs(v[0])
	for backwards := false; ; backwards = !backwards {
		change = 0
		for i := range v {
			n := i
			if backwards {
				n = len(v) - 1 - i
			}
			x := p.Backup(v, rows[n])
			change = max(change, math.Abs(x-v[n]))
			top = max(top, math.Abs(x))
			v[n] = x
		}
		if p.Discount*change <= tol*p.Rate || change <= rounding(max(top, start)) {
			return change, top, nil
		}
		if err := ctx.Err(); err != nil {
			return change, top, err
		}
	}
}

// fixedChain returns a function that does the same for a large model, with a Chain. It
// returns the change of a last sweep that would leave the same error.
func (p *latentMDP) fixedChain(c *mdp.MarkovChain) func(ctx context.Context, v []float64, rows []int, tol float64) (change, top float64, err error) {
	return func(ctx context.Context, v []float64, rows []int, tol float64) (change, top float64, err error) {
		c.Fix(&p.MDP, func(n int) int { return rows[n] })
		low, high, err := c.Solve(ctx, v, tol)
		for n := range v {
			v[n] += low
		}
		return (high - low) * p.Rate / p.Discount, mdp.MaxAbs(v), err
	}
}

// Evaluate returns the values of policies that take an action for each state of t, by its
// number, whatever the belief is: a table that has the vector of policy k where other
// tables have that of action k. It lies below the values, and no vector of it exceeds its
// own backup, rounding included. For tol see SolveBounds; it may be more than the bounds
// have. Where ctx ends before, the error is that of ctx.
func (t *Transitions) Evaluate(ctx context.Context, policies [][]int32, tol float64) (*VectorTable, error) {
	p, err := t.latentMDP(ctx)
	if err != nil {
		return nil, err
	}
	tol = cmp.Or(tol, latentTolerance(t.states.model.Spec()))
	v := &VectorTable{Table: make([]float64, t.States*t.Latents*len(policies)), states: t.states, latents: t.Latents, actions: len(policies)}
	err = p.fixed(ctx, v, len(policies), "fixed policies", tol, func(n, k int) int {
		return n*p.Actions + int(policies[k][n/t.Latents])
	})
	return whole(v, err)
}
