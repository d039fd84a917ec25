package discretise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/sparse"
)

// discreteLister lists what follows in a Discrete, by simulated steps.
type discreteLister struct {
	*Discrete
	o   Options
	ctx context.Context

	first [][]float64           // start states, as the model of d has them
	prob  [][]float64           // by start state and cell
	tells bool                  // the start tells of the cell
	moves movesOfStates         // where the latent moves
	fault atomic.Pointer[error] // of a step, which stands before what Outcomes makes of it
}

// sample is a simulated step.
type sample struct {
	cell   int // to which the hidden vector moves
	next   []float64
	reward float64
}

// starts lists the start states, as often as draws come there. Where they tell nothing of the cell, those of the first one are
// those of all.
func (l *discreteLister) starts() error {
	m := l.of
	axes, cells, x := len(m.Spec.Axes), 1, make([]float64, len(l.hidden))
	if l.tells = m.StartLogDensity != nil; l.tells {
		cells = l.cells
	}
	rng := rand.New(rand.NewPCG(l.o.Seed, startStream))
	s, to := make([]float64, axes), make([]float64, axes+1)
	for draw := range cells * l.o.Steps {
		c := draw / l.o.Steps
		if l.tells {
			l.inside(x, c, rng)
			m.Start(s, x, rng)
		} else {
			m.DrawStart(s, x, rng)
		}
		if off, want := m.Spec.OffAxes(s); off != "" {
			return m.Spec.Fault(nil, -1, -1, "Start made state %v, %s, want %s", s, off, want)
		}
		l.number(to, s)
		k := slices.IndexFunc(l.first, func(y []float64) bool { return slices.Equal(y, to) })
		if k < 0 {
			k = len(l.first)
			l.first, l.prob = append(l.first, slices.Clone(to)), append(l.prob, make([]float64, cells))
		}
		l.prob[k][c] += 1 / float64(l.o.Steps)
	}
	return nil
}

// inside draws a hidden vector in a cell.
func (l *discreteLister) inside(x []float64, cell int, rng *rand.Rand) {
	if l.middle(x, cell); l.vectors == nil {
		l.hidden.Jitter(x, rng)
	}
}

// model lists the model with that prior.
func (l *discreteLister) model(prior bcpace.Belief, c bcpace.Control) (found bcpace.Finite, err error) {
	spec := l.spec()
	var starts []bcpace.Transition
	for k, s := range l.first {
		p := 1 / float64(len(l.first)) // any that is above 0, where it depends on the latent
		if !l.tells {
			p = l.prob[k][0]
		}
		starts = append(starts, bcpace.Transition{Next: s, Prob: p})
	}
	f, err := bcpace.Outcomes{Spec: spec, Prior: prior, Starts: starts, Transitions: l.transitions}.Model(l.ctx, c)
	if fault := l.fault.Load(); fault != nil {
		return nil, *fault
	}
	if err != nil {
		return nil, err
	}
	if l.vectors == nil {
		if err := l.listMoves(f); err != nil {
			return nil, err
		}
	}
	if l.vectors != nil && !l.tells {
		return f, nil
	}
	derived := bcpace.Derive(f, func(_ bcpace.Model, a *bcpace.Abilities) {
		if l.vectors == nil {
			a.LatentKind, a.LatentMoves, a.NextLatent, a.LatentTransition = bcpace.Redrawn, l.moves.of, nil, nil
		}
		if l.tells {
			l.tellStarts(a)
		}
	})
	found, _ = bcpace.AsFinite(derived)
	return found, nil
}

// tellStarts gives the model starts that depend on the latent.
func (l *discreteLister) tellStarts(a *bcpace.Abilities) {
	a.Start = func(s []float64, latent int, rng *rand.Rand) {
		b := make(bcpace.Belief, len(l.prob))
		for k, p := range l.prob {
			b[k] = p[latent/l.parts]
		}
		copy(s, l.first[b.Sample(rng)])
	}
	a.StartLogLikelihood = func(s []float64, latent int) float64 {
		if k := slices.IndexFunc(l.first, func(y []float64) bool { return slices.Equal(y, s) }); k >= 0 {
			return math.Log(l.prob[k][latent/l.parts])
		}
		return math.Inf(-1)
	}
	a.Starts = func(z *bcpace.Successors) {
		for k, first := range l.first {
			s, prob, _ := z.Add(false)
			copy(s, first)
			for φ := range prob {
				prob[φ] = l.prob[k][φ/l.parts]
			}
		}
	}
}

// simulate returns the simulated steps from a state of the model of d, a cell and an action, in the order of the cells to which
// the hidden vector moves.
func (l *discreteLister) simulate(s []float64, cell, action int) []sample {
	m, axes := l.of, len(l.states)
	x, moved := make([]float64, len(l.hidden)), make([]float64, len(l.hidden))
	from, next := make([]float64, axes), make([]float64, axes)
	l.middle(x, cell)
	rng := rand.New(rand.NewPCG(hashOf(l.o.Seed, x), hashOf(uint64(action), s)))
	list, numbers := make([]sample, l.o.Steps), make([]float64, l.o.Steps*(axes+1))
	for i := range list {
		l.inside(x, cell, rng)
		for j, a := range l.states {
			if from[j] = s[j]; !m.Spec.Axes[j].Whole() {
				from[j] = min(a.Min+(s[j]+rng.Float64())*a.Width, a.Max)
			}
		}
		out := m.Step(next, moved, from, x, action, rng)
		if err := m.CheckStep(out, next, moved, from, action); err != nil {
			panic(err) // which model returns
		}
		y := sample{cell: cell, next: numbers[i*(axes+1) : (i+1)*(axes+1)], reward: out.Reward}
		switch {
		case l.vectors == nil:
			y.cell = l.hidden.Cell(moved)
		case !out.Done && !slices.Equal(x, moved):
			panic(m.Spec.Fault(from, action, -1, "the hidden vector moves from %v to %v, want one that stays, as families have it; Cells are for one that moves", x, moved))
		}
		if out.Done {
			for j, a := range m.Spec.Axes {
				if y.next[j] = 0; a.Whole() {
					y.next[j] = a.Min
				}
			}
			y.next[axes] = 1
		} else {
			l.number(y.next, next)
		}
		list[i] = y
	}
	if l.parts > 1 {
		slices.SortStableFunc(list, func(a, b sample) int { return cmp.Compare(a.cell, b.cell) })
	}
	return list
}

// part returns the simulated steps of a latent.
func (l *discreteLister) part(s []float64, latent, action int) []sample {
	list, k := l.simulate(s, latent/l.parts, action), latent%l.parts
	return list[k*len(list)/l.parts : (k+1)*len(list)/l.parts]
}

// transitions is Outcomes.Transitions.
func (l *discreteLister) transitions(s []float64, latent, action int) (list []bcpace.Transition) {
	defer func() {
		if x := recover(); x != nil {
			var err error = l.of.Spec.Panicked(x, "Step", s[:len(l.states)], action, -1)
			l.fault.CompareAndSwap(nil, &err)
			panic(x)
		}
	}()
	steps := l.part(s, latent, action)
	slices.SortStableFunc(steps, func(a, b sample) int { return slices.Compare(a.next, b.next) })
	for i := 0; i < len(steps); {
		k, sum := i, 0.0
		for ; k < len(steps) && slices.Equal(steps[i].next, steps[k].next); k++ {
			sum += steps[k].reward
		}
		share := float64(k - i)
		list = append(list, bcpace.Transition{Next: steps[i].next, Prob: share / float64(len(steps)), Reward: sum / share, Done: steps[i].next[len(l.states)] == 1})
		i = k
	}
	return list
}

// listMoves lists how the latents move in the states of f.
func (l *discreteLister) listMoves(f bcpace.Finite) error {
	latents, actions := l.cells*l.parts, len(l.of.Spec.Actions)
	y := &l.moves
	y.states, y.actions, y.latents, y.rows.From = f, actions, latents, []int{0}
	s := make([]float64, len(l.states)+1)
	if work := float64(f.NumStates()) * float64(actions*latents*l.o.Steps); work > maxListedSteps {
		return bcpace.In("discretisation of model "+fmt.Sprintf("%q", l.of.Spec.Name)).Bad("the number of simulated steps", fmt.Sprintf("%.3g, for %d states, %d latents and %d actions", work, f.NumStates(), latents, actions),
			fmt.Sprintf("%d at most: fewer Steps, Cells or StateCells", maxListedSteps))
	}
	for n := range f.NumStates() {
		f.StateAt(s, n)
		for a := range actions {
			for φ := range latents {
				if err := l.ctx.Err(); err != nil {
					return err
				}
				if s[len(l.states)] == 1 { // ended: the latent stays
					y.rows.To, y.rows.Share = append(y.rows.To, int32(φ)), append(y.rows.Share, 1)
				} else {
					l.addMoves(l.part(s, φ, a))
				}
				y.rows.From = append(y.rows.From, len(y.rows.To))
			}
		}
	}
	return nil
}

// addMoves adds a row of the cells to which steps lead, each with its parts.
func (l *discreteLister) addMoves(steps []sample) {
	slices.SortStableFunc(steps, func(a, b sample) int { return cmp.Compare(a.cell, b.cell) })
	y := &l.moves.rows
	for i := 0; i < len(steps); {
		k := i
		for k < len(steps) && steps[k].cell == steps[i].cell {
			k++
		}
		for part := range l.parts {
			y.To = append(y.To, int32(steps[i].cell*l.parts+part))
			y.Share = append(y.Share, float64(k-i)/float64(len(steps)*l.parts))
		}
		i = k
	}
}

// movesOfStates has the moves of the latents in each state of a model: row (state·actions + action)·latents + latent.
type movesOfStates struct {
	states           bcpace.Finite
	actions, latents int
	rows             sparse.MoveRows
}

// of is bcpace.SparseLatent.LatentMoves.
func (m *movesOfStates) of(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	t, p := m.rows.Row((m.states.StateIndex(s)*m.actions+action)*m.latents + latent)
	return append(to, t...), append(share, p...)
}
