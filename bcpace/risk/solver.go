package risk

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/stop"
)

// Solver looks for the policy with the largest CVaR. Share and Epsilon must be given.
type Solver struct {
	// Share is α in (0, 1]: the mean of the worst share of the returns is what counts. 1 is the mean of all.
	Share float64
	// Epsilon is ε > 0, in reward units: the search ends when the bounds of the largest CVaR are at most ε apart.
	Epsilon float64
	// Inner solves the model of a level, and gives two bounds of its optimal value and a policy. nil means package certified with a quarter of
	// Share·Epsilon.
	Inner bcpace.Solver
	// MaxLevels is how many levels are solved at most. 0 means 1,000.
	MaxLevels int
}

// Level is what was found for one level.
type Level struct {
	Level float64 // t, in reward units
	// Lower and Upper bound g(t): Lower is −Inf where the upper bound ruled the level out.
	Lower, Upper float64
	Cells        int // of the grid, 0 where each value of what is left of the level counts
}

// Levels is the Record of a solution: what a Solver or a Chance has found beside its Policy. That keeps what is left of the level from one step to
// the next, by the rewards that it gets (bcpace.PolicyAbilities.Observe). In a model with a horizon it reads the steps left (bcpace.ForPolicy). The Certificate of a
// Solver bounds the largest CVaR: Policy has Lower at least, and no policy more than Upper.
type Levels struct {
	// Level is the t of Policy: the return below which about Share of its returns lie (the value at risk), or the level of a Chance.
	Level  float64
	Levels []Level // in ascending order; for a Chance the one
}

// Of returns what was found beside the policy of a solution; nil for that of another solver.
func Of(found *bcpace.Solution) *Levels {
	x, _ := found.Record.(*Levels)
	return x
}

const (
	solverTitle   = "CVaR solver"
	defaultLevels = 1000
	// kinkShare is the share of Epsilon by which returns differ that are one level.
	kinkShare = 1e-6
)

// Solve looks for the policy of m (see Of), which must be Finite, with the largest CVaR of the discounted return, where a step pays the mean reward that the model lists
// for what follows. Where ctx ends, it returns what it has found, with bounds that hold; its error before there is a policy. Other errors are an
// *bcpace.InputError for parameters, an *bcpace.UnsupportedError for a model that is not Finite, and those of the inner solver.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	set, err := controller.Settings{Title: solverTitle, Epsilon: s.Epsilon, Most: s.MaxLevels}.Checked(m, c, "MaxLevels", defaultLevels)
	if err == nil && !(s.Share > 0 && s.Share <= 1) {
		err = bcpace.In(solverTitle).Bad("Share", s.Share, "a number in (0, 1]")
	}
	if err != nil {
		return nil, err
	}
	p, err := newProblem(ctx, solverTitle, m, c)
	if err != nil {
		return nil, err
	}
	p.inner.Settings = set
	p.solver, p.epsilon = s.Inner, s.Share*s.Epsilon/4
	x := &search{Solver: s, problem: p, best: math.Inf(-1)}
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	for n := len(x.levels); ; n++ {
		upper, next := x.next()
		gap := upper - x.best
		p.inner.Report(bcpace.Progress{Episodes: n, Value: upper, Gap: gap, Epsilon: s.Epsilon})
		why := p.inner.End(ctx, gap, n, next.more) // what is best to solve next may have been solved with too little time
		if why == "" {
			if err := x.solve(ctx, next); err != nil {
				if ctx.Err() == nil {
					return nil, err
				}
				why = stop.Of(ctx)
			}
		}
		if why != "" {
			return x.solution(m, upper, why)
		}
	}
}

// search is a Solve under way.
type search struct {
	Solver
	*problem
	levels  []Level
	onGrid  bool    // too many values occur of what is left of a level
	kinks   []kink  // where g may be largest, nil for everywhere
	best    float64 // of lower bounds
	policy  bcpace.Policy
	at      float64
	by      bcpace.Basis
	assumes string
	sure    sure
}

// todo is a level to solve, with so many cells.
type todo struct {
	level float64
	cells int
	more  bool // there is something to solve
}

// begin bounds g at the ends: below the largest sure return nothing has to be lost, and above the largest return each unit costs what it brings, or
// more, so that the largest g is between them.
func (s *search) begin(ctx context.Context) error {
	t, policy, c, err := s.mean(ctx)
	if err != nil {
		return err
	}
	s.by, s.assumes = c.UpperBy, c.Assumes
	if s.sure, err = s.sureReturn(ctx, t); err != nil {
		return err
	}
	s.add(s.levelOf(s.most, max(s.most-c.Upper, 0), max(s.most-c.Lower, 0), 0), policy)
	if s.sure.game != nil {
		policy = newPlayer(t, s.sure.game, s.sure.game)
	}
	s.add(Level{Level: s.sure.low, Lower: s.sure.low, Upper: s.sure.low}, policy)
	if s.kinks, err = s.problem.kinks(ctx, s.Epsilon*kinkShare); ctx.Err() != nil {
		return nil
	}
	return err
}

// levelOf returns the bounds of g at a level by those of the loss, on a grid with so many cells.
func (s *search) levelOf(level, low, high float64, cells int) Level {
	return Level{Level: level, Lower: sumBelow(level, -(1+unit)*high/s.Share), Upper: sumAbove(level, -(1-unit)*low/s.Share), Cells: cells}
}

// next returns an upper bound of g over all levels, and what would bring it down.
func (s *search) next() (upper float64, next todo) {
	if upper = math.Inf(-1); len(s.levels) == 1 { // all episodes return the same
		upper = s.levels[0].Upper
	}
	for i, b := range s.levels[1:] {
		a := s.levels[i]
		t, peak := s.between(a, b)
		if peak > upper {
			upper, next = peak, s.split(a, b, t, peak)
		}
	}
	return min(upper, s.sure.upper(s.Share, s.most)), next
}

// between returns an upper bound of g between two levels, and where g may be that.
func (s *search) between(a, b Level) (t, peak float64) {
	fall := 1/s.Share - 1
	// The slopes on both sides meet there.
	t = (b.Upper - a.Upper + a.Level + fall*b.Level) / (1 + fall)
	wrong := 4 * unit * (math.Abs(a.Upper) + math.Abs(a.Level) + math.Abs(b.Level) + math.Abs(b.Upper/(1+fall)))
	if s.kinks == nil || s.onGrid {
		switch {
		case t <= a.Level:
			return a.Level, min(a.Upper, b.Upper+fall*(b.Level-a.Level))
		case t >= b.Level:
			return b.Level, min(a.Upper+b.Level-a.Level, b.Upper)
		}
		return t, a.Upper + t - a.Level + wrong
	}
	meet := t
	if t, peak = a.Level, a.Upper; b.Upper > peak {
		t, peak = b.Level, b.Upper
	}
	i, _ := slices.BinarySearchFunc(s.kinks, meet, func(k kink, t float64) int { return cmp.Compare(k.low, t) })
	// A kink is solved at its lower end, from which g rises with a slope of 1 at most to the other one.
	n, _ := slices.BinarySearchFunc(s.kinks, a.Level, func(k kink, t float64) int { return cmp.Compare(k.low, t) })
	for _, n := range []int{n - 1, n, i - 1, i} {
		if n < 0 || n == len(s.kinks) || s.kinks[n].high <= a.Level || s.kinks[n].low >= b.Level {
			continue
		}
		at, end := max(s.kinks[n].low, a.Level), min(s.kinks[n].high, b.Level)
		if most := min(a.Upper+end-a.Level, b.Upper+fall*(b.Level-at)) + wrong; most > peak {
			t, peak = at, most
		}
	}
	return t, peak
}

// split says what to solve to bring the bound between two levels down: a level between them, or one of them on a finer grid.
func (s *search) split(a, b Level, t, peak float64) (next todo) {
	higher := a
	if b.Cells > 0 && (a.Cells == 0 || b.Upper > a.Upper) {
		higher = b
	}
	if more := higher.Cells * finer; more > 0 && peak-higher.Upper < s.Epsilon/4 {
		if s.fits(more) {
			return todo{higher.Level, more, true}
		}
		return todo{higher.Level, higher.Cells, false}
	}
	near := rounded * (math.Abs(a.Level) + math.Abs(b.Level))
	if s.kinks != nil { // these differ
		near = 0
	}
	inside := func(t float64) bool { return t > a.Level+near && t < b.Level-near }
	if !s.onGrid {
		return todo{t, 0, inside(t)}
	}
	fine := firstCells
	for cells := max(a.Cells, b.Cells, firstCells); s.fits(cells); cells *= finer {
		grid := s.grid(cells)
		if at := grid.nearest(t); inside(at) {
			return todo{at, cells, true}
		}
		fine = cells
	}
	grid := s.grid(fine)
	return todo{grid.nearest(t), fine, false}
}

// solve bounds g at a level.
func (s *search) solve(ctx context.Context, next todo) error {
	l, err := s.problem.solve(ctx, next.level, next.cells, func(low float64) bool { return next.level-low/s.Share > s.best })
	if errors.Is(err, errMany) && next.cells == 0 {
		s.onGrid = true // and next says where on it
		return nil
	}
	if err != nil {
		return err
	}
	if l.by != bcpace.ByProof {
		s.by, s.assumes = l.by, l.assumes
	}
	s.add(s.levelOf(next.level, l.low, l.high, next.cells), l.policy)
	return nil
}

// add adds what was found for a level.
func (s *search) add(now Level, policy bcpace.Policy) {
	if now.Lower > s.best {
		s.best, s.policy, s.at = now.Lower, policy, now.Level
	}
	i, _ := slices.BinarySearchFunc(s.levels, now, func(a, b Level) int { return cmp.Compare(a.Level, b.Level) })
	for _, k := range []int{i - 1, i} {
		if k >= 0 && k < len(s.levels) && s.levels[k].Level == now.Level {
			old := &s.levels[k]
			old.Lower, old.Upper, old.Cells = max(old.Lower, now.Lower), min(old.Upper, now.Upper), now.Cells
			return
		}
	}
	s.levels = slices.Insert(s.levels, i, now)
}

func (s *search) solution(m bcpace.Model, upper float64, why stop.Reason) (*bcpace.Solution, error) {
	c := bcpace.Certificate{Lower: s.best, Upper: upper, UpperBy: s.by, Assumes: s.assumes}
	controller.Settings{}.Certify(&c, false)
	_, err := c.Checked(m.Spec().Name)
	return &bcpace.Solution{Solver: s.Solver, Spec: m.Spec(), Objective: s.Objective(), Policy: bcpace.PolicyOf(bcpace.KeepHorizon(m), s.policy),
		Value: c.Lower, Certificate: c, Trace: s.inner.Trace, Stop: why, Record: &Levels{s.at, s.levels}}, err
}

// kink has returns that episodes may have: those between two numbers that are as good as equal.
type kink struct{ low, high float64 }

// mostSums are how many states with what was earned so far are listed for the kinks.
const mostSums = 50_000

// kinks returns what an episode may earn, in ascending order, where that is not too much. Returns that are no further apart than wide may be one.
// Between two that follow each other, U is the least of linear functions of the level, one for each policy, so that g is convex, and largest at one of
// the two.
func (p *problem) kinks(ctx context.Context, wide float64) (list []kink, err error) {
	// By state: what was earned, and the sum of the sizes of its parts.
	now := map[int]map[float64]float64{}
	for _, state := range p.paths.starts {
		now[state] = map[float64]float64{0: 0}
	}
	lister, s := bcpace.NewLister(p.model), make([]float64, len(p.spec.Axes))
	var rewards []float64
	steps, count := 0., 0
	for discount := 1.0; len(now) > 0; discount *= p.spec.Discount {
		ends := map[float64]float64{}
		for state, sums := range now {
			if low, high := discount*p.paths.low[state], discount*p.paths.high[state]; high-low <= wide {
				for sum, size := range sums {
					list = append(list, kinkOf(sum+low, sum+high, size+math.Abs(low), steps))
				}
				delete(now, state)
			}
		}
		steps++
		next := map[int]map[float64]float64{}
		for _, state := range slices.Sorted(maps.Keys(now)) {
			for a := range p.spec.Actions {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				p.model.StateAt(s, state)
				if err := lister.List(s, a); err != nil {
					return nil, err
				}
				rows := &lister.Successors
				for i := range rows.Len() {
					to, prob, reward := rows.Row(i)
					rewards = classesOf(rewards[:0], prob, reward)
					after := ends
					if k := p.model.StateIndex(to); !rows.Done[i] && len(rewards) > 0 {
						if next[k] == nil {
							next[k] = map[float64]float64{}
						}
						after = next[k]
					}
					before := len(after)
					for sum, size := range now[state] {
						for _, r := range rewards {
							x := sum + discount*r
							after[x] = max(after[x], size+math.Abs(discount*r))
						}
					}
					if count += len(after) - before; count > mostSums {
						return nil, nil
					}
				}
			}
		}
		for x, size := range ends {
			list = append(list, kinkOf(x, x, size, steps))
		}
		now = next
	}
	slices.SortFunc(list, func(a, b kink) int { return cmp.Compare(a.low, b.low) })
	one := list[:0]
	for _, k := range list {
		if n := len(one); n > 0 && k.low <= one[n-1].high {
			one[n-1].high = max(one[n-1].high, k.high)
			continue
		}
		one = append(one, k)
	}
	return one, nil
}

// kinkOf is from low to high, but for the rounding of sums of steps, whose parts have sizes of which size is the sum.
func kinkOf(low, high, size, steps float64) kink {
	near := (rounded + unit*(steps+1)) * size
	return kink{low - near, high + near}
}
