package certified

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/alpha"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/solverkit"
)

const (
	// gridWork is about how many successors a sweep over a grid looks at, and gridSweeps is how
	// many sweeps there are at most.
	gridWork   = 1 << 23
	gridSweeps = 200
	// sweepShare is how much a backup of a sweep must raise the lower bound, as a part of the
	// range of returns.
	sweepShare = 1e-6
	// gridBeliefs is how many beliefs a sweep backs up at every point, unless there are more
	// starts and latents. Others are beliefApart from each other at least, and come from so many
	// episodes of so many steps at most.
	gridBeliefs    = 16
	beliefApart    = 0.05
	beliefEpisodes = 64
	beliefSteps    = 32
)

// solveGridValues raises the lower bound of a gridModel by point-based value iteration (Pineau,
// Gordon and Thrun 2003): a sweep backs up every point at some beliefs. Trials have to refute
// every action on their way, which takes long where many are nearly equal; sweeps have not. If
// ctx ends, the values are those so far, nil without any, as where the grid is too large for
// memory.
func solveGridValues(ctx context.Context, m bcpace.Enumerator, t *continuousTables) (*gridValues, error) {
	beliefs, err := t.beliefs(ctx, m)
	if err != nil {
		return nil, err
	}
	listed, err := listedAtStart(m, 1)
	if err != nil {
		return nil, err
	}
	axes, halvings := coarsened(t.Latent.Axes, listed*float64(len(beliefs)), gridWork)
	lo, hi := solverkit.RangeOfReturns(m)
	least := sweepShare * max(hi-lo, 1)
	s, model := Solver{Epsilon: least / boundsShare}, newGridModel(m, axes)
	plan, err := s.Plan(model)
	if err != nil {
		return nil, err
	}
	made, _, err := s.newSearch(ctx, model, plan, solverkit.ControlOf(ctx))
	if large := new(bcpace.UnsupportedError); errors.As(err, &large) || err != nil && ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	x := made.(*finiteSearch)
	x.addFixed(ctx)
	for n := 0; n < gridSweeps && x.bounds.sweep(ctx, beliefs, n%2 == 1, least); n++ {
		solverkit.ReportPhase(ctx, "policy on a grid", float64(n)/gridSweeps)
	}
	return x.bounds.onGrid(model, halvings, axes), nil
}

// onGrid returns the vectors of e, by point of the grid of its model.
func (e *finiteBounds) onGrid(model bcpace.Finite, halvings int, axes []dp.GridAxis) *gridValues {
	v := &gridValues{halvings: halvings, axes: axes}
	sets := make([]*alpha.Set, e.States)
	for i, best := range e.best {
		sets[i] = alpha.NewSet(e.Latents)
		for k := range best.Len() {
			sets[i].Append(best.Vector(k), int(e.action[best.Action(k)]))
		}
	}
	at := make([]float64, 1)
	for p := range model.NumStates() {
		model.StateAt(at, p)
		v.sets = append(v.sets, sets[e.StateIndex(at)])
	}
	return v
}

// sweep backs up the lower bound of every state at some beliefs, the last state first if
// backwards, where that raises it by more than least. It leaves the vectors that are best at one
// of them. It reports whether to go on: whether a bound rose, and ctx has not ended.
func (e *finiteBounds) sweep(ctx context.Context, beliefs []bcpace.Belief, backwards bool, least float64) (rose bool) {
	next, all := make(bcpace.Belief, e.Latents), slices.Concat(beliefs...)
	for i := range e.States {
		if ctx.Err() != nil {
			return false
		}
		s := i
		if backwards {
			s = e.States - 1 - i
		}
		for _, b := range beliefs {
			rose = e.raiseAt(next, s, b, least) || rose
		}
		e.best[s].Prune(all)
	}
	return rose
}

// beliefs returns beliefs of m that are apart: those of the starts, the certain ones, and others
// that episodes reach, each of them the farthest from those before it.
func (t *continuousTables) beliefs(ctx context.Context, m bcpace.Enumerator) ([]bcpace.Belief, error) {
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		return nil, err
	}
	var chosen []bcpace.Belief
	for _, s := range starts {
		chosen = append(chosen, s.Belief)
	}
	for φ := range t.spec.Latents {
		chosen = append(chosen, bcpace.OneHot(len(t.spec.Latents), φ))
	}
	reached, err := t.reached(ctx, m)
	if err != nil {
		return nil, err
	}
	distance := slices.Repeat([]float64{math.Inf(1)}, len(reached))
	for seen := 0; len(chosen) < gridBeliefs; {
		far, at := beliefApart, -1
		for i, b := range reached {
			for _, c := range chosen[seen:] {
				distance[i] = min(distance[i], b.L1(c))
			}
			if distance[i] > far {
				far, at = distance[i], i
			}
		}
		if at < 0 {
			break
		}
		seen = len(chosen)
		chosen = append(chosen, reached[at])
	}
	return chosen, nil
}

// reached returns beliefs along episodes of m, of random actions and of those of QMDP in turn.
func (t *continuousTables) reached(ctx context.Context, m bcpace.Enumerator) (beliefs []bcpace.Belief, err error) {
	random := bcpace.PolicyAbilitiesOf(bcpace.RandomPolicy(m))
	told := bcpace.PolicyAbilitiesOf(dp.LatentPolicy(t.LatentValues(), len(t.spec.Actions)))
	policies := [2]*bcpace.PolicyAbilities{&random, &told}
	sim := bcpace.NewSimulator(m)
	for i := 0; i < beliefEpisodes && ctx.Err() == nil; i++ {
		rng := rand.New(rand.NewPCG(lowerSeed, uint64(i)))
		if err := sim.Reset(rng); err != nil {
			return nil, err
		}
		for step := 0; step < beliefSteps && !sim.Done; step++ {
			a, err := t.spec.Act(ctx, policies[i%2], sim.State, sim.Belief, rng)
			if err != nil {
				return nil, err
			}
			if _, err := sim.Step(a, rng); err != nil {
				return nil, err
			}
			beliefs = append(beliefs, slices.Clone(sim.Belief))
		}
	}
	return beliefs, nil
}

// listedAtStart returns how many successors all actions have at the start, in the mean over the starts, each at so many places.
func listedAtStart(m bcpace.Enumerator, places int) (listed float64, err error) {
	starts, err := bcpace.StartsOf(m)
	l := bcpace.NewLister(m)
	for _, s := range starts {
		for a := range m.Spec().Actions {
			if err := l.List(s.State, a); err != nil {
				return 0, err
			}
			listed += s.Weight * float64(l.Successors.Len()*places)
		}
	}
	return listed, err
}
