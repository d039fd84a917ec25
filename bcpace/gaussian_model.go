package bcpace

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"bayescpace/bcpace/internal/normal"
	"bayescpace/bcpace/internal/num"
)

// FromGaussian makes a Model of g, which lists its successors.
//
// Step and LogLikelihood are exact: Step draws from the normal distribution, and LogLikelihood is the
// log of its density on the axes with noise and, at a limit, of the probability of stopping there;
// −Inf where an entry without noise is not the one that follows.
//
// Successors is a quadrature whose nodes are the same for all latents: on each axis the means of cells
// of the line, with their probabilities under each latent, and the limits. Nodes of a probability
// below 10⁻⁹ are left out. The expected belief after a step is the belief before it; the mean of the
// next state is exact, except close to a limit; and so is the variance, where the latents agree in
// mean and standard deviation, and nearly where they differ in the latter. What is approximated is all
// else: what is paid and ends between the nodes, and how much a step tells, of which a finer list
// tells more.
//
// The error is an *InputError for a Spec or Prior that cannot be used, for a function that is missing,
// and, with state, latent and action, for one that fails or leaves its limits at a start.
func FromGaussian(g Gaussian) (Enumerator, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	g.own()
	m := &gaussianModel{g: g, given: g, noise: make([]normal.Noise, len(g.Spec.Axes))}
	if g.Spec.HasBox() {
		m.g.decode()
	}
	for i, a := range g.Spec.Axes {
		m.noise[i] = normal.Noise{Min: a.Min, Max: a.Max, Sigma: g.Sigma[i], Wraps: a.Period > 0}
		if a.Period > 0 {
			m.noise[i].Max = a.Min + a.length()
		}
	}
	m.pool.New = func() any { return newGaussianScratch(m.noise, len(g.Spec.Latents)) }
	if err := m.try(); err != nil {
		return nil, err
	}
	return m, nil
}

// own sets what g leaves to its defaults, and makes its lists g's own.
func (g *Gaussian) own() {
	if g.Nodes == 0 {
		g.Nodes = 5
		if g.noisy() > 2 {
			g.Nodes = 3
		}
	}
	g.Prior = append(Belief(nil), g.Prior...)
	if len(g.Prior) == 0 {
		g.Prior = Uniform(len(g.Spec.Latents))
	}
	g.Sigma = slices.Clone(g.Sigma)
	if g.Lipschitz != nil {
		l := *g.Lipschitz
		l.Mean = slices.Clone(l.Mean)
		g.Lipschitz = &l
	}
	var starts [][]float64
	for _, s := range g.Starts {
		starts = append(starts, slices.Clone(s))
	}
	if g.Starts == nil {
		lowest := make([]float64, len(g.Spec.Axes))
		for i, a := range g.Spec.Axes {
			lowest[i] = a.Min
		}
		starts = [][]float64{lowest}
	}
	g.Starts = starts
}

// noisy returns the number of axes with noise.
func (g *Gaussian) noisy() (n int) {
	for _, σ := range g.Sigma {
		if σ > 0 {
			n++
		}
	}
	return n
}

// FinerList returns m with twice the nodes, for one or two axes with noise and up to maxNodes nodes.
func (m *gaussianModel) FinerList() Enumerator {
	if n := m.g.noisy(); n == 0 || n > 2 || m.g.Nodes == maxNodes {
		return nil
	}
	g := m.given
	g.Nodes = min(2*g.Nodes, maxNodes)
	finer, err := FromGaussian(g)
	if err != nil { // it was sound, so that a function has changed its mind
		return nil
	}
	return finer
}

// maxNodes bounds Gaussian.Nodes.
const maxNodes = 64

// gaussianModel is a Gaussian that is sound. The functions of g take ids of actions, and nil as
// controls.
type gaussianModel struct {
	g     Gaussian
	given Gaussian       // with functions of controls, where an action has a Box
	noise []normal.Noise // by axis; with SigmaAt, but for the standard deviations
	pool  sync.Pool      // of *gaussianScratch
}

// gaussianScratch is what a call of Step, Successors or LogLikelihood needs.
type gaussianScratch struct {
	noise         []normal.Noise // by axis: that of a step, with SigmaAt
	sigma         []float64      // by axis: what SigmaAt sets
	means, sigmas []float64      // latents × axes
	column, wide  []float64      // by latent: the means and standard deviations of an axis
	rules         []normal.Rule
	split         bool      // means without noise differ, which After may bring together
	at            []int     // by axis: a node
	next          []float64 // the state there
	share         []float64 // (axes+1) × latents: the probability of the nodes of the first axes
	total         []float64 // by latent
}

func newGaussianScratch(noise []normal.Noise, latents int) *gaussianScratch {
	axes := len(noise)
	floats := func(n int) []float64 { return make([]float64, n) }
	return &gaussianScratch{noise: slices.Clone(noise), sigma: floats(axes), means: floats(latents * axes), sigmas: floats(latents * axes), column: floats(latents), wide: floats(latents),
		rules: make([]normal.Rule, axes), at: make([]int, axes), next: floats(axes), share: floats((axes + 1) * latents), total: floats(latents)}
}

// decode sets the functions of g to functions that take ids, and call those that take controls.
func (g *Gaussian) decode() {
	d := newDecoder(g.Spec)
	mean, sigma, after, reward, ends := g.MeanAt, g.SigmaAt, g.After, g.RewardAt, g.EndsAt
	g.Mean = func(to, s []float64, latent, action int) {
		d.with(action, func(index int, u []float64) { mean(to, s, latent, index, u) })
	}
	if sigma != nil {
		g.SigmaAt = func(to, s []float64, latent, action int, _ []float64) {
			d.with(action, func(index int, u []float64) { sigma(to, s, latent, index, u) })
		}
	}
	if after != nil {
		g.After = func(next, s []float64, action int, _ []float64) {
			d.with(action, func(index int, u []float64) { after(next, s, index, u) })
		}
	}
	g.Reward = func(s []float64, latent, action int, next []float64) (r float64) {
		d.with(action, func(index int, u []float64) { r = reward(s, latent, index, u, next) })
		return r
	}
	if ends != nil {
		g.EndsAt = func(s []float64, action int, _, next []float64) (end bool) {
			d.with(action, func(index int, u []float64) { end = ends(s, index, u, next) })
			return end
		}
	}
	g.MeanAt, g.RewardAt = nil, nil
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

// motion sets mean to that of the next state, and returns the noise around it. A panic of Mean or
// SigmaAt becomes one with a fault that says where.
func (m *gaussianModel) motion(x *gaussianScratch, mean, s []float64, latent, action int) []normal.Noise {
	call := "Mean"
	defer m.g.Spec.locate(&call, s, action, latent)
	if m.g.After != nil { // which sets what Mean leaves
		for i, n := range m.noise {
			if n.Sigma == 0 {
				mean[i] = s[i]
			}
		}
	}
	m.g.Mean(mean, s, latent, action)
	if m.g.SigmaAt == nil {
		return m.noise
	}
	call = "SigmaAt"
	if i, want := m.noiseAt(x, s, latent, action); want != "" {
		panic(m.g.Spec.Fault(s, action, latent, "SigmaAt sets the standard deviation of %s to %v, want %s", strconv.Quote(m.g.Spec.Axes[i].Name), x.sigma[i], want))
	}
	return x.noise
}

// noiseAt sets x.noise by SigmaAt. It returns an axis that has a standard deviation out of its limits,
// with what would be right; "" if none has.
func (m *gaussianModel) noiseAt(x *gaussianScratch, s []float64, latent, action int) (axis int, want string) {
	copy(x.sigma, m.g.Sigma)
	m.g.SigmaAt(x.sigma, s, latent, action, nil)
	for i, σ := range x.sigma {
		switch {
		case m.g.Sigma[i] == 0 && σ != 0:
			return i, "0, as the axis has no noise by Sigma"
		case m.g.Sigma[i] > 0 && !(σ > 0):
			return i, "a positive number, as the axis has noise by Sigma"
		}
		if want := m.g.Spec.Axes[i].wantSigma(σ); want != "" {
			return i, want
		}
		x.noise[i].Sigma = σ
	}
	return 0, ""
}

// derive has After set the entries of next that follow from those with noise.
func (m *gaussianModel) derive(next, s []float64, action int) {
	if m.g.After == nil {
		return
	}
	call := "After"
	defer m.g.Spec.locate(&call, s, action, -1)
	m.g.After(next, s, action, nil)
	for i := range next {
		if n := &m.noise[i]; n.Sigma == 0 {
			next[i] = n.Onto(next[i])
		}
	}
}

func (m *gaussianModel) ends(s []float64, action int, next []float64) bool {
	if m.g.EndsAt != nil {
		call := "EndsAt"
		defer m.g.Spec.locate(&call, s, action, -1)
		return m.g.EndsAt(s, action, nil, next)
	}
	return m.g.Ends != nil && m.g.Ends(next)
}

// Step implements Model.
func (m *gaussianModel) Step(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
	var x *gaussianScratch
	if m.g.SigmaAt != nil {
		x = m.pool.Get().(*gaussianScratch)
		defer m.pool.Put(x)
	}
	noise := m.motion(x, next, s, latent, action)
	for i, mean := range next {
		next[i] = noise[i].Draw(mean, rng)
	}
	m.derive(next, s, action)
	return Outcome{Reward: m.g.Reward(s, latent, action, next), Done: m.ends(s, action, next)}
}

// LogLikelihood implements Model.
func (m *gaussianModel) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	x := m.pool.Get().(*gaussianScratch)
	defer m.pool.Put(x)
	mean := x.means[:len(next)]
	noise := m.motion(x, mean, s, latent, action)
	sum := 0.0
	for i, mean := range mean {
		if n := &noise[i]; n.Sigma > 0 || m.g.After == nil {
			sum += n.Log(next[i], mean)
			if m.g.SigmaAt != nil {
				sum += n.LogScale(next[i])
			}
		}
	}
	if m.g.After != nil && !m.follows(mean, s, action, next) {
		return math.Inf(-1)
	}
	return sum
}

// follows reports whether the entries of next without noise are those that follow from the others
// and from the means, over which it writes.
func (m *gaussianModel) follows(means, s []float64, action int, next []float64) bool {
	for i, x := range next {
		if n := &m.noise[i]; n.Sigma > 0 {
			means[i] = x
		} else {
			means[i] = n.Onto(means[i])
		}
	}
	m.derive(means, s, action)
	for i, x := range next {
		if n := &m.noise[i]; n.Sigma == 0 && n.Onto(x) != means[i] {
			return false
		}
	}
	return true
}

// ShowsEnds is Abilities.ShowsEnds: Ends does not see the latent.
func (m *gaussianModel) ShowsEnds() bool { return true }

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
		for i, n := range m.motion(x, mean, s, φ, action) {
			x.sigmas[φ*axes+i] = n.Sigma
		}
		for _, v := range mean {
			if !num.Finite(v) { // the state shows what is wrong
				next, prob, _ := z.Add(false)
				copy(next, mean)
				prob[φ] = 1
				return
			}
		}
	}
	x.split = false
	for i := range m.noise {
		n := &m.noise[i]
		for φ := range latents {
			x.column[φ], x.wide[φ] = x.means[φ*axes+i], x.sigmas[φ*axes+i]
		}
		sigmas := x.wide
		if m.g.SigmaAt == nil || n.Sigma == 0 {
			sigmas = nil
		}
		x.rules[i].Fill(n, x.column, sigmas, m.g.Nodes)
		x.split = x.split || m.g.After != nil && n.Sigma == 0 && len(x.rules[i].At) > 1
	}
	m.product(z, s, action, x)
}

// product adds the products of the rules of all axes to z.
func (m *gaussianModel) product(z *Successors, s []float64, action int, x *gaussianScratch) {
	first := z.Len()
	clear(x.total)
	normal.Product(x.rules, x.at, x.share, func(share []float64) { m.add(z, first, s, action, x, share) })
	for i := first; i < z.Len(); i++ {
		_, prob, _ := z.Row(i)
		for φ := range prob {
			prob[φ] /= x.total[φ]
		}
	}
}

// add adds the place at which x is, with its probabilities, to the list of rows from first on.
func (m *gaussianModel) add(z *Successors, first int, s []float64, action int, x *gaussianScratch, share []float64) {
	for i, k := range x.at {
		x.next[i] = x.rules[i].At[k]
	}
	m.derive(x.next, s, action)
	row := z.Len()
	for i := first; x.split && i < z.Len(); i++ {
		if to, _, _ := z.Row(i); slices.Equal(to, x.next) {
			row = i
			break
		}
	}
	if row == z.Len() {
		to, _, _ := z.Add(false)
		copy(to, x.next)
		z.Done[row] = m.ends(s, action, x.next)
	}
	next, prob, reward := z.Row(row)
	for φ, p := range share {
		if p > 0 {
			prob[φ] = p
			x.total[φ] += p
			reward[φ] = m.g.Reward(s, φ, action, next)
		}
	}
}
