package bcpace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"bayescpace/bcpace/internal/normal"
	"bayescpace/bcpace/internal/num"
)

// Gaussian is a model of continuous states whose next state is a function of state,
// latent and action, with independent normal noise on each axis. FromGaussian makes a
// Model of it. Its functions must be safe for concurrent use, and must not keep the
// slices they are given.
//
// What would come to lie beyond an axis stops at its end; on an axis with a Period it
// goes on at the other one. An axis of standard deviation 0 has no noise: where the means
// of two latents differ on it, one step tells them apart.
type Gaussian struct {
	Spec Spec
	// Prior is P0(φ). If it is nil, it is uniform.
	Prior Belief
	// Starts are the start states, all equally likely. If it is nil, episodes start at
	// the lowest value of every axis.
	Starts [][]float64

	// Mean sets every entry of mean to that of the next state, before it is brought onto
	// the axes.
	Mean func(mean, s []float64, latent, action int)
	// MeanAt stands in its place where an action has a Box: action is its index in
	// Spec.Actions, and u its control, nil for an action without one.
	MeanAt func(mean, s []float64, latent, action int, u []float64)
	// Sigma has a standard deviation for each axis, in its unit: 0, or at least a
	// billionth of the largest number on the axis and, where the axis has a Period, at
	// most an eighth of that. It is 0 on a Discrete axis.
	Sigma []float64
	// Reward returns the reward for arriving at next.
	Reward func(s []float64, latent, action int, next []float64) float64
	// RewardAt stands in its place where an action has a Box, as MeanAt does.
	RewardAt func(s []float64, latent, action int, u, next []float64) float64
	// Ends says whether the episode ends on arrival. If it is nil, it never does.
	Ends func(next []float64) bool

	// Lipschitz states how much Mean and Reward change with state and control, if that is
	// known, from which package lipschitz computes how much the optimal values do; nil
	// otherwise.
	Lipschitz *GaussianLipschitz

	// Curve states how Mean bends and what the reward is on average, if that is known, from which
	// package proved computes an upper bound of the optimal value; nil otherwise.
	Curve *GaussianCurve

	// Nodes is the fineness of the quadrature that Successors lists: on no axis does a
	// node have more than 5/4 of 1/Nodes of the probability, under any latent, but for a
	// limit where noise stops. Lists grow with Nodes to the power of the axes with noise.
	// It is from 1 to 64; if it is 0, 5 is used, or 3 where more than two axes have noise.
	Nodes int
}

// FromGaussian makes a Model of g, which lists its successors.
//
// Step and LogLikelihood are exact: Step draws from the normal distribution, and
// LogLikelihood is the log of its density and, at a limit, of the probability of stopping
// there. So simulated values are those of the problem as it was written, and show what
// the list approximates.
//
// Successors is a quadrature whose nodes are the same for all latents. On each axis, the
// line is cut into cells, which stand at their means, with their probabilities under each
// latent; limits are nodes of their own. Nodes of a probability below 10⁻⁹ are left out.
// Within the list, probabilities sum to 1 under each latent, so that the expected belief
// after a step is the belief before it; the mean of the next state is that of the
// distribution, except close to a limit; and so is the variance, where the latents agree
// in the mean. What is approximated is all else: what is paid and ends between the nodes,
// and how much a step tells, of which a finer list tells more.
//
// The error is an *InputError: for a Spec or Prior that cannot be used; for a function
// that is missing; and with the state, latent and action where at a start Mean leaves an
// entry unset or gives no number, or Reward is outside of [RewardMin, RewardMax]. Package
// check looks at more states.
func FromGaussian(g Gaussian) (Enumerator, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	given := g
	if g.MeanAt != nil {
		g.decode()
	}
	m := &gaussianModel{g: g, given: given, noise: make([]normal.Noise, len(g.Spec.Axes))}
	noisy := 0
	for i, a := range g.Spec.Axes {
		m.noise[i] = normal.Noise{Min: a.Min, Max: a.Max, Sigma: g.Sigma[i], Wraps: a.Period > 0}
		if a.Period > 0 {
			m.noise[i].Max = a.Min + a.length()
		}
		if g.Sigma[i] > 0 {
			noisy++
		}
	}
	if m.g.Nodes == 0 {
		m.g.Nodes = 5
		if noisy > 2 {
			m.g.Nodes = 3
		}
	}
	m.g.Prior = append(Belief(nil), g.Prior...)
	if g.Prior == nil {
		m.g.Prior = Uniform(len(g.Spec.Latents))
	}
	m.g.Sigma = slices.Clone(g.Sigma)
	if g.Lipschitz != nil {
		l := *g.Lipschitz
		l.Mean = slices.Clone(l.Mean)
		m.g.Lipschitz = &l
	}
	m.g.Starts = nil
	for _, s := range g.Starts {
		m.g.Starts = append(m.g.Starts, slices.Clone(s))
	}
	if g.Starts == nil {
		lowest := make([]float64, len(g.Spec.Axes))
		for i, a := range g.Spec.Axes {
			lowest[i] = a.Min
		}
		m.g.Starts = [][]float64{lowest}
	}
	m.pool.New = func() any {
		return &gaussianScratch{means: make([]float64, len(g.Spec.Latents)*len(g.Spec.Axes)), column: make([]float64, len(g.Spec.Latents)),
			rules: make([]normal.Rule, len(g.Spec.Axes)), share: make([]float64, (len(g.Spec.Axes)+1)*len(g.Spec.Latents)),
			at: make([]int, len(g.Spec.Axes)), total: make([]float64, len(g.Spec.Latents))}
	}
	if err := m.try(); err != nil {
		return nil, err
	}
	return m, nil
}

// FinerLister is an Enumerator whose list of successors stands for a density.
type FinerLister interface {
	Enumerator
	// FinerList returns the same model with a finer list, up to twice as fine, or nil where
	// there is none.
	FinerList() Enumerator
}

// FinerList implements FinerLister, for one or two axes with noise and up to maxNodes nodes.
func (m *gaussianModel) FinerList() Enumerator {
	noisy := 0
	for _, σ := range m.g.Sigma {
		if σ > 0 {
			noisy++
		}
	}
	if noisy == 0 || noisy > 2 || m.g.Nodes == maxNodes {
		return nil
	}
	g := m.g
	g.Nodes = min(2*g.Nodes, maxNodes)
	g.Mean, g.MeanAt, g.Reward, g.RewardAt = m.given.Mean, m.given.MeanAt, m.given.Reward, m.given.RewardAt
	finer, err := FromGaussian(g)
	if err != nil { // it was sound, so that a function has changed its mind
		return nil
	}
	return finer
}

// maxNodes bounds Gaussian.Nodes.
const maxNodes = 64

// gaussianModel is a Gaussian that is sound.
type gaussianModel struct {
	g     Gaussian
	given Gaussian       // with MeanAt and RewardAt, where an action has a Box
	noise []normal.Noise // by axis
	pool  sync.Pool      // of *gaussianScratch
}

// gaussianScratch is what a call of Successors or LogLikelihood needs.
type gaussianScratch struct {
	means  []float64 // latents × axes
	column []float64 // by latent: the means of an axis
	rules  []normal.Rule
	at     []int     // by axis: a node
	share  []float64 // (axes+1) × latents: the probability of the nodes of the first axes
	total  []float64 // by latent
}

// check checks what can be seen without calling the functions.
func (g *Gaussian) check() error {
	in := In("Gaussian model " + strconv.Quote(g.Spec.Name))
	bad := in.Bad
	if err := g.Spec.Validate(); err != nil {
		return err
	}
	axes, latents, boxed := len(g.Spec.Axes), len(g.Spec.Latents), g.Spec.HasBox()
	switch {
	case !boxed && (g.MeanAt != nil || g.RewardAt != nil):
		return bad("MeanAt or RewardAt", "set", "nil, as no action has a Box")
	case boxed && (g.Mean != nil || g.Reward != nil):
		return bad("Mean or Reward", "set", "nil, and MeanAt and RewardAt in their place: an action has a Box")
	case boxed && g.MeanAt == nil:
		return bad("MeanAt", "nil", "a function, as an action has a Box")
	case boxed && g.RewardAt == nil:
		return bad("RewardAt", "nil", "a function, as an action has a Box")
	case !boxed && g.Mean == nil:
		return bad("Mean", "nil", "a function")
	case !boxed && g.Reward == nil:
		return bad("Reward", "nil", "a function")
	case len(g.Sigma) != axes:
		return bad("Sigma", fmt.Sprintf("%d long", len(g.Sigma)), fmt.Sprintf("%d, one standard deviation for each axis", axes))
	case g.Nodes < 0 || g.Nodes > maxNodes:
		return bad("Nodes", g.Nodes, "a number from 1 to 64, or 0 for the default")
	case g.Prior != nil && (len(g.Prior) != latents || g.Prior.Validate() != nil):
		return bad("Prior", []float64(g.Prior), "a probability for each latent, with sum 1")
	case g.Starts != nil && len(g.Starts) == 0:
		return bad("Starts", "empty", "at least one state, or nil for the lowest values")
	}
	if g.Curve != nil {
		if err := g.Curve.check(g, in); err != nil {
			return err
		}
	}
	if g.Lipschitz != nil {
		if err := g.Lipschitz.check(axes, in); err != nil {
			return err
		}
	}
	for i, a := range g.Spec.Axes {
		least := 1e-9 * max(math.Abs(a.Min), math.Abs(a.Max))
		switch σ := g.Sigma[i]; {
		case !(σ >= 0) || math.IsInf(σ, 1):
			return bad("Sigma of axis "+strconv.Quote(a.Name), σ, "0 or a positive number")
		case σ > 0 && a.length() == 0:
			return bad("Sigma of axis "+strconv.Quote(a.Name), σ, "0, as the axis has one value")
		case σ > 0 && a.Whole():
			return bad("Sigma of axis "+strconv.Quote(a.Name), σ, "0, as the axis is of whole numbers")
		case σ > 0 && σ < least:
			return bad("Sigma of axis "+strconv.Quote(a.Name), σ, fmt.Sprintf("0, or at least %v: less than that is rounding", least))
		case a.Period > 0 && σ > a.Period/8:
			return bad("Sigma of axis "+strconv.Quote(a.Name), σ, fmt.Sprintf("at most %v, an eighth of its Period: five nodes stand for no more", a.Period/8))
		}
	}
	for i, s := range g.Starts {
		if len(s) != axes {
			return bad(fmt.Sprintf("Starts[%d]", i), fmt.Sprintf("%d long", len(s)), fmt.Sprintf("%d, one entry for each axis", axes))
		}
		if off, want := g.Spec.OffAxes(s); off != "" {
			return bad(fmt.Sprintf("Starts[%d]", i), fmt.Sprintf("%v, a state %s", s, off), want)
		}
		for _, before := range g.Starts[:i] {
			if slices.Equal(s, before) {
				return bad(fmt.Sprintf("Starts[%d]", i), s, "a state that is not there yet")
			}
		}
	}
	return nil
}

// decode sets Mean and Reward to functions that take ids, and call those that take
// controls.
func (g *Gaussian) decode() {
	d := newDecoder(g.Spec)
	mean, reward := g.MeanAt, g.RewardAt
	g.Mean = func(to, s []float64, latent, action int) {
		d.with(action, func(index int, u []float64) { mean(to, s, latent, index, u) })
	}
	g.Reward = func(s []float64, latent, action int, next []float64) (r float64) {
		d.with(action, func(index int, u []float64) { r = reward(s, latent, index, u, next) })
		return r
	}
	g.MeanAt, g.RewardAt = nil, nil
}

// try calls the functions at the start states.
func (m *gaussianModel) try() (err error) {
	spec := &m.g.Spec
	mean, before := make([]float64, len(spec.Axes)), make([]float64, len(spec.Axes))
	for _, s := range m.g.Starts {
		for _, a := range spec.CornerActions() {
			for φ := range spec.Latents {
				bad := func(what, got, want string) error {
					return In(spec.where(s, φ, a)).Bad(what, got, want)
				}
				copy(before, s)
				for i := range mean {
					mean[i] = math.NaN()
				}
				if p := panicOf(func() { m.g.Mean(mean, before, φ, a) }); p != nil {
					return bad("the result of Mean", fmt.Sprintf("a panic (%v)", p), "a mean for every state, latent and action")
				}
				if !slices.Equal(before, s) {
					return bad("Mean", "a function that writes to s", "one that writes to mean alone")
				}
				for i, x := range mean {
					if !num.Finite(x) {
						return bad("the mean of "+strconv.Quote(spec.Axes[i].Name), fmt.Sprint(x), "a finite number: Mean sets every entry")
					}
					mean[i] = m.noise[i].Onto(x)
				}
				var r float64
				if p := panicOf(func() {
					if r = m.g.Reward(before, φ, a, mean); m.g.Ends != nil {
						m.g.Ends(mean)
					}
				}); p != nil {
					return bad("the result of Reward or Ends", fmt.Sprintf("a panic (%v)", p), "one for every state on the axes")
				}
				if !spec.AllowsReward(r) {
					return bad("the reward for reaching "+fmt.Sprint(mean), fmt.Sprint(r), fmt.Sprintf("a number within [RewardMin, RewardMax] = [%v, %v]", spec.RewardMin, spec.RewardMax))
				}
			}
		}
	}
	return nil
}

// panicOf calls f and returns what it panicked with.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// Spec implements Model.
func (m *gaussianModel) Spec() Spec { return m.g.Spec }

// Prior implements Model.
func (m *gaussianModel) Prior(b Belief) { copy(b, m.g.Prior) }

// Start implements Model.
func (m *gaussianModel) Start(s []float64, _ int, rng *rand.Rand) {
	k := 0
	if len(m.g.Starts) > 1 {
		k = rng.IntN(len(m.g.Starts))
	}
	copy(s, m.g.Starts[k])
}

// Step implements Model.
func (m *gaussianModel) Step(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
	m.g.Mean(next, s, latent, action)
	for i, mean := range next {
		next[i] = m.noise[i].Draw(mean, rng)
	}
	return Outcome{Reward: m.g.Reward(s, latent, action, next), Done: m.ends(next)}
}

func (m *gaussianModel) ends(next []float64) bool { return m.g.Ends != nil && m.g.Ends(next) }

// LogLikelihood implements Model.
func (m *gaussianModel) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	x := m.pool.Get().(*gaussianScratch)
	defer m.pool.Put(x)
	mean := x.means[:len(next)]
	m.g.Mean(mean, s, latent, action)
	sum := 0.0
	for i, mean := range mean {
		sum += m.noise[i].Log(next[i], mean)
	}
	return sum
}

// Starts implements Enumerator.
func (m *gaussianModel) Starts(z *Successors) {
	for _, start := range m.g.Starts {
		s, prob, _ := z.Add(false)
		copy(s, start)
		for φ := range prob {
			prob[φ] = 1 / float64(len(m.g.Starts))
		}
	}
}

// Successors implements Enumerator.
func (m *gaussianModel) Successors(z *Successors, s []float64, action int) {
	x := m.pool.Get().(*gaussianScratch)
	defer m.pool.Put(x)
	axes, latents := len(m.noise), len(m.g.Spec.Latents)
	for φ := range latents {
		mean := x.means[φ*axes : (φ+1)*axes]
		m.g.Mean(mean, s, φ, action)
		for _, v := range mean {
			if !num.Finite(v) { // the state shows what is wrong
				next, prob, _ := z.Add(false)
				copy(next, mean)
				prob[φ] = 1
				return
			}
		}
	}
	for i := range m.noise {
		for φ := range latents {
			x.column[φ] = x.means[φ*axes+i]
		}
		x.rules[i].Fill(&m.noise[i], x.column, nil, m.g.Nodes)
	}
	m.product(z, s, action, x)
}

// product adds the products of the rules of all axes to z.
func (m *gaussianModel) product(z *Successors, s []float64, action int, x *gaussianScratch) {
	axes, latents, first := len(m.noise), len(m.g.Spec.Latents), z.Len()
	for φ := range latents {
		x.share[φ], x.total[φ] = 1, 0
	}
	depth := 0
	for x.at[0] = 0; depth >= 0; {
		rule := &x.rules[depth]
		if x.at[depth] == len(rule.At) {
			if depth--; depth >= 0 {
				x.at[depth]++
			}
			continue
		}
		before, share := x.share[depth*latents:(depth+1)*latents], x.share[(depth+1)*latents:(depth+2)*latents]
		top := 0.0
		for φ, p := range before {
			share[φ] = p * rule.Prob(x.at[depth], φ)
			top = max(top, share[φ])
		}
		switch {
		case top < 1e-9:
			x.at[depth]++
		case depth+1 < axes:
			depth++
			x.at[depth] = 0
		default:
			m.add(z, s, action, x, share)
			x.at[depth]++
		}
	}
	for i := first; i < z.Len(); i++ {
		_, prob, _ := z.Row(i)
		for φ := range prob {
			prob[φ] /= x.total[φ]
		}
	}
}

// add adds the place at which x is, with its probabilities.
func (m *gaussianModel) add(z *Successors, s []float64, action int, x *gaussianScratch, share []float64) {
	next, prob, reward := z.Add(false)
	for i, k := range x.at {
		next[i] = x.rules[i].At[k]
	}
	z.Done[z.Len()-1] = m.ends(next)
	for φ, p := range share {
		if p > 0 {
			prob[φ] = p
			x.total[φ] += p
			reward[φ] = m.g.Reward(s, φ, action, next)
		}
	}
}
