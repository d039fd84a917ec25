package pointbased

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Options are the parameters of a search by stages, which reads all of them. The zero value is
// useful.
type Options struct {
	// Epsilon, in reward units, ends the stages over one set of beliefs when no backup raises
	// the lower bound at any of them by more than Epsilon·(1−γ), and the search when the bounds
	// at the start are within it. 0 means that of rounding.
	Epsilon float64
	// Beliefs is the number of beliefs at which the set no longer grows. 0 means 1000.
	Beliefs int
	// MaxStages ends the search after so many stages. 0 means no such limit.
	MaxStages int
	// Seed is that of the random numbers: of the steps by which the set grows, and for Perseus
	// of the order of backups.
	Seed uint64
	// Unrevealed has the policy of a POMDP act on the POMDP's own states. Otherwise what
	// its observations reveal becomes visible where that makes it no larger: beliefs are
	// then over fewer hidden values. A Finite model has nothing to reveal.
	Unrevealed bool
}

// DefaultBeliefs is how many members there are at most if Options.Beliefs is 0.
const DefaultBeliefs = 1000

// check tells what is wrong with o.
func (o Options) check() error {
	need := bcpace.In("options").Need
	return cmp.Or(
		need(o.Epsilon >= 0 && !math.IsInf(o.Epsilon, 1), "Epsilon", o.Epsilon, "ε above 0 in reward units, or 0 for rounding"),
		need(o.Beliefs >= 0, "Beliefs", o.Beliefs, fmt.Sprintf("a number of beliefs, or 0 for %d", DefaultBeliefs)),
		need(o.MaxStages >= 0, "MaxStages", o.MaxStages, "a number of stages, or 0 for no limit"))
}

// Stages is a search that makes backups at the members of a set of beliefs, in stages, and
// adds members where that raises no lower bound any more.
type Stages struct {
	*VectorSet
	Members   []*StagePoint // the first ones are those of the initial belief
	Most      int           // of the members
	Tolerance float64       // a backup that raises a lower bound by no more is left out
	Rand      *rand.Rand
	roots     []Root
	at        [][]*StagePoint // the same by x
	keys      map[uint64]bool // of the members
	work      []*Scratch      // by worker
	made      []Vector        // of a group
	raises    []bool          // whether they do

	backups int // that raised a lower bound
}

// Algorithm is what one search by stages does differently from another.
type Algorithm interface {
	// Grow adds members and reports whether there are new ones.
	Grow(ctx context.Context, t *Stages) bool
	// Stage makes backups at members and returns the largest rise of a lower bound by one
	// of them. Where that is at most t.Tolerance, no backup at any member raises it by more.
	Stage(ctx context.Context, t *Stages) float64
}

// quietGap is the share of the range of values that takes the place of an Epsilon of 0.
const quietGap = 1e-9

// Run returns the search of an algorithm for the Method of solver s.
//
// It ends where the bounds at the start are within Epsilon, at a limit, with ctx, or where
// there are no more members and no backup raises the lower bound at any of them by more
// than Epsilon·(1−γ): with further stages, the bounds there would rise by about Epsilon at
// most. The upper bound is the initial one.
func Run(s pomdp.Solver, title string, o Options, by func() Algorithm) func(context.Context, *pomdp.Model, bcpace.Control) (*pomdp.Solution, error) {
	return func(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
		if err := cmp.Or(o.check(), c.Check()); err != nil {
			return nil, err
		}
		workers := c.Processors()
		set, err := New(ctx, title, m, workers, false)
		if err != nil {
			return nil, err
		}
		o := o
		o.Epsilon = solverkit.GapFor(m.Spec(), o.Epsilon)
		set.informBy(ctx, fibWork)
		spread, slip := set.Tolerances(0)
		t := &Stages{VectorSet: set, Most: o.Beliefs, Rand: rand.New(rand.NewPCG(o.Seed, 0)), at: make([][]*StagePoint, set.NX), keys: make(map[uint64]bool),
			Tolerance: max(o.Epsilon, quietGap*spread) * m.Rate()}
		if t.Most == 0 {
			t.Most = DefaultBeliefs
		}
		for range workers {
			t.work = append(t.work, NewScratch(set.SearchProblem))
		}
		upper := 2 * slip / set.Rate() // each backup is rounded
		for _, r := range t.Starts() {
			upper += r.P * t.InitialUpper(t.work[0].q, r.X, r.Belief)
			t.roots = append(t.roots, Root{r.P, &t.Put(r.X, r.Belief).BeliefPoint})
		}

		searching, cancel := runs.LeaveTime(ctx, EvaluateTime)
		defer cancel()
		found := &pomdp.Solution{Solver: s, Model: m}
		algorithm, quiet := by(), true
		for now := t.progress(0, upper, o.Epsilon); ; now = t.progress(now.Episodes+1, upper, o.Epsilon) {
			if c.Progress != nil && now.Episodes > 0 {
				c.Progress(now)
			}
			switch {
			case now.Gap <= o.Epsilon:
				found.Stop = stop.Certified
			case o.MaxStages > 0 && now.Episodes == o.MaxStages:
				found.Stop = stop.Episodes
			case quiet && searching.Err() == nil && !algorithm.Grow(searching, t):
				found.Stop = stop.Converged
				if len(t.Members) >= t.Most {
					found.Stop = stop.Samples
				}
			}
			if searching.Err() != nil {
				found.Stop = Ended(ctx)
			}
			now.Samples = len(t.Members)
			if last := len(found.Trace) - 1; last < 0 || found.Stop != "" || now.Gap <= 0.98*found.Trace[last].Gap {
				found.Trace = append(found.Trace, now)
			}
			if found.Stop != "" {
				break
			}
			quiet = algorithm.Stage(searching, t) <= t.Tolerance
			t.prune()
		}
		lower := t.lower()
		found.Value, found.Certificate = lower, Proved(lower, upper)
		points := func(yield func(*BeliefPoint) bool) {
			for _, n := range t.Members {
				if !yield(&n.BeliefPoint) {
					return
				}
			}
		}
		found.Policy = t.Policy(ctx, t.roots, points, t.backups)
		return found, nil
	}
}

// lower returns the lower bound at the start.
func (t *Stages) lower() (sum float64) {
	for _, r := range t.roots {
		t.Raise(r.BeliefPoint)
		sum += r.Share * r.Lower
	}
	return sum
}

// progress is how far the search has come.
func (t *Stages) progress(stages int, upper, epsilon float64) bcpace.Progress {
	return bcpace.Progress{Episodes: stages, Samples: len(t.Members), Value: upper, Gap: upper - t.lower(), Epsilon: epsilon}
}

// Staged is a solver of finite POMDPs with mixed observability, and of Finite models, by stages of backups: PBVI or
// Perseus.
type Staged[K kind] Options

// kind is what one such solver is beside its parameters. Its zero value tells it.
type kind interface {
	about() solverkit.About // of which Doc, Written and Cited
	algorithm() Algorithm
}

// Name implements bcpace.Solver.
func (Staged[K]) Name() string { return strings.ToLower((*new(K)).about().Written) }

// About implements solverkit.Described.
func (Staged[K]) About() solverkit.About {
	about := (*new(K)).about()
	about.SetUp, about.SavesPolicy = "its first bounds"+solverkit.Long, true
	about.Params = []solverkit.Param{solverkit.Beliefs, solverkit.Stages, solverkit.Unreveal, solverkit.Epsilon, solverkit.Seed}
	return about
}

// TimeShares implements solverkit.Scheduled.
func (Staged[K]) TimeShares(bcpace.Model) []solverkit.TimeShare { return TimeShares("stages") }

// Solve implements bcpace.Solver. The value is the lower bound, which the policy earns, in reward units.
// The stop is stop.Samples at the number of beliefs, and stop.Converged where no more of them
// were found. The error is a *bcpace.UnsupportedError for a model without
// numbered states, and a *bcpace.InputError for parameters that cannot be used.
func (s Staged[K]) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	return s.method().Solve(ctx, m, c)
}

// SolvePOMDP implements pomdp.Solver. If ctx ends before it is known what observations
// reveal, the policy acts on the POMDP's own states.
func (s Staged[K]) SolvePOMDP(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
	return s.method().SolvePOMDP(ctx, m, c)
}

// Supports returns a *bcpace.UnsupportedError for a model without numbered states.
func (s Staged[K]) Supports(m bcpace.Model) error { return s.method().Supports(m) }

func (s Staged[K]) method() Method {
	kind := *new(K)
	title := kind.about().Written
	return Method{Solver: s, Title: title, Unrevealed: s.Unrevealed, Search: Run(s, title, Options(s), kind.algorithm)}
}

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
