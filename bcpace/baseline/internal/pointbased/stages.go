package pointbased

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
)

// Options are the parameters of a search by stages.
type Options struct {
	Epsilon            float64
	Beliefs, MaxStages int
	Seed               uint64
	Unrevealed         bool
}

// DefaultBeliefs is how many points there are at most if Options.Beliefs is 0.
const DefaultBeliefs = 1000

// check tells what is wrong with o.
func (o Options) check() error {
	bad := func(what string, got any, want string) error {
		return &bcpace.InputError{Where: "options", What: what, Got: fmt.Sprint(got), Want: want}
	}
	switch {
	case !(o.Epsilon >= 0) || math.IsInf(o.Epsilon, 1):
		return bad("Epsilon", o.Epsilon, "ε above 0 in reward units, or 0 for rounding")
	case o.Beliefs < 0:
		return bad("Beliefs", o.Beliefs, fmt.Sprintf("a number of beliefs, or 0 for %d", DefaultBeliefs))
	case o.MaxStages < 0:
		return bad("MaxStages", o.MaxStages, "a number of stages, or 0 for no limit")
	}
	return nil
}

// Stages is a search that makes backups at a set of points, in stages, and adds points
// where that raises no lower bound any more.
type Stages struct {
	*Set
	Points    []*Point // the first ones are those of the initial belief
	Most      int      // of the points
	Tolerance float64  // a stage that raises no lower bound by more is the last one, or the set grows
	Rand      *rand.Rand
	roots     []Root
	at        [][]*Point // the points by x
	work      []*Scratch // by worker
	made      []Vector   // of a group
	raises    []bool     // whether they do

	backups int // that raised a lower bound
}

// Algorithm is what one search by stages does differently from another.
type Algorithm interface {
	// Grow adds points and reports whether there are new ones.
	Grow(ctx context.Context, t *Stages) bool
	// Stage makes backups at the points and returns the largest rise of a lower bound by one
	// of them. Where that is at most t.Tolerance, no backup at any point raises it by more.
	Stage(ctx context.Context, t *Stages) float64
}

// quietGap is the share of the range of values that takes the place of an Epsilon of 0.
const quietGap = 1e-9

// Run returns the search of an algorithm for the Method of solver s.
//
// It ends where the bounds at the start are within Epsilon, at a limit, with ctx, or where
// there are no more points and no backup raises the lower bound at any point by more
// than Epsilon·(1−γ): from such a stage on, the bounds at the points would rise by about
// Epsilon at most. The upper bound is the initial one.
func Run(s pomdp.Solver, title string, o Options, by func() Algorithm) func(context.Context, *pomdp.Model, bcpace.Control) (*pomdp.Solution, error) {
	return func(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
		if err := o.check(); err != nil {
			return nil, err
		}
		if err := c.Check(); err != nil {
			return nil, err
		}
		workers := runtime.GOMAXPROCS(0)
		if c.Workers > 0 {
			workers = min(workers, c.Workers)
		}
		set, err := New(ctx, title, m, workers)
		if err != nil {
			return nil, err
		}
		spread, slip := set.Tolerances()
		t := &Stages{Set: set, Most: o.Beliefs, Rand: rand.New(rand.NewPCG(o.Seed, 0)), at: make([][]*Point, set.NX),
			Tolerance: max(o.Epsilon, quietGap*spread) * m.Rate()}
		if t.Most == 0 {
			t.Most = DefaultBeliefs
		}
		for range workers {
			t.work = append(t.work, NewScratch(set.Problem))
		}
		upper := slip
		for _, r := range t.Starts() {
			upper += r.P * t.InitialUpper(t.work[0].q, r.X, r.Belief)
			t.roots = append(t.roots, Root{r.P, t.Put(r.X, r.Belief)})
		}

		searching, cancel := bcpace.LeaveTime(ctx, EvaluateTime)
		defer cancel()
		found := &pomdp.Solution{Solver: s, Model: m}
		algorithm, quiet := by(), true
		for now := t.progress(0, upper, o.Epsilon); ; now = t.progress(now.Episodes+1, upper, o.Epsilon) {
			if c.Progress != nil && now.Episodes > 0 {
				c.Progress(now)
			}
			switch {
			case now.Gap <= o.Epsilon:
				found.Stop = bcpace.StopCertified
			case o.MaxStages > 0 && now.Episodes == o.MaxStages:
				found.Stop = bcpace.StopEpisodes
			case quiet && searching.Err() == nil && !algorithm.Grow(searching, t):
				found.Stop = bcpace.StopConverged
				if len(t.Points) >= t.Most {
					found.Stop = bcpace.StopSamples
				}
			}
			if searching.Err() != nil {
				found.Stop = Ended(ctx)
			}
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
		found.Policy = t.Policy(ctx, t.roots, slices.Values(t.Points), t.backups)
		return found, nil
	}
}

// lower returns the lower bound at the start.
func (t *Stages) lower() (sum float64) {
	for _, r := range t.roots {
		t.Raise(r.Point)
		sum += r.Share * r.Lower
	}
	return sum
}

// progress is how far the search has come.
func (t *Stages) progress(stages int, upper, epsilon float64) bcpace.Progress {
	return bcpace.Progress{Episodes: stages, Samples: len(t.Points), Value: upper, Gap: upper - t.lower(), Epsilon: epsilon}
}

// Put adds a point.
func (t *Stages) Put(x int32, b Belief) *Point {
	n := t.NewPoint(x, b, Best{Lower: math.Inf(-1)})
	t.Points, t.at[x] = append(t.Points, &n), append(t.at[x], &n)
	return &n
}

// Draw draws what follows action a at (x, b). It lasts until the next call.
func (t *Stages) Draw(x int32, b Belief, a int) Branch {
	return t.Choose(t.work[0].Branches(t.Problem, x, b, a))
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

// At returns the points at x.
func (t *Stages) At(x int32) []*Point { return t.at[x] }

// Same is a distance of beliefs that are the same but for rounding.
const Same = 1e-9

// Distance returns Σ |b(s) − b_i(s)|, over states s, to the nearest point i: 2 where there is
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
func (n *Point) apart(full []float64, enough float64) float64 {
	rest, sum := 1.0, 0.0 // of full outside of the support of n
	for i, p := range n.P {
		y := i
		if n.At != nil {
			y = int(n.At[i])
		}
		rest -= full[y]
		if sum += math.Abs(p - full[y]); sum >= enough {
			return sum
		}
	}
	return sum + max(rest, 0)
}

// group is how many points have their backups from the same vectors in a Sweep. It does
// not depend on the number of workers, so that neither does the result.
const group = 16

// Sweep makes a backup at every point, the youngest first, and returns the largest rise of a
// lower bound by one of them. Each group of points has the vectors of the groups before.
func (t *Stages) Sweep(ctx context.Context) (rise float64) {
	for last := len(t.Points); last > 0 && ctx.Err() == nil; last -= group {
		points := t.Points[max(0, last-group):last]
		made, raises := t.Backups(ctx, points)
		for i, n := range points {
			before := n.Lower
			if raises[i] && t.Add(n, made[i]) {
				rise = max(rise, n.Lower-before)
			}
		}
	}
	return rise
}

// minSharedWork is the number of multiplications below which one goroutine makes backups
// faster than several.
const minSharedWork = 1 << 15

// share returns how many goroutines make n backups.
func (t *Stages) share(n int) int {
	vectors := 1 + t.Len()/t.NX
	if n*t.NA*t.NY*t.Fan*vectors < minSharedWork {
		return 1
	}
	return min(len(t.work), n)
}

// AtATime returns how many backups are worth being made at a time, where some of them may
// turn out to be needless.
func (t *Stages) AtATime() int { return t.share(len(t.work)) }

// Add is Set.Add, and counts the backups.
func (t *Stages) Add(n *Point, v Vector) bool {
	t.backups++
	return t.Set.Add(n, v)
}

// Backups brings points up to date and makes a vector at each, and reports which of them
// raise the lower bound there. What it returns lasts until the next call. Where ctx ends, it
// leaves backups out.
func (t *Stages) Backups(ctx context.Context, points []*Point) (made []Vector, raises []bool) {
	made, raises = slices.Grow(t.made[:0], len(points))[:len(points)], slices.Grow(t.raises[:0], len(points))[:len(points)]
	t.made, t.raises = made, raises
	var next atomic.Int64
	help := func(w *Scratch) {
		for i := int(next.Add(1)) - 1; i < len(points); i = int(next.Add(1)) - 1 {
			if raises[i] = false; ctx.Err() == nil {
				made[i], raises[i] = t.Backup(w, points[i])
			}
		}
	}
	var others sync.WaitGroup
	for _, w := range t.work[1:t.share(len(points))] {
		others.Go(func() { help(w) })
	}
	help(t.work[0])
	others.Wait()
	return made, raises
}

// prune drops the vectors that are best at no point, of the x that have points.
func (t *Stages) prune() {
	for x, points := range t.at {
		if len(points) == 0 || !t.Crowded(int32(x)) {
			continue
		}
		for _, n := range points {
			t.Raise(n)
			n.Vec.Use()
		}
		t.DropUnused(int32(x))
	}
}
