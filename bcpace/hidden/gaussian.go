package hidden

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
)

// Gaussian says how the hidden vector moves and what is seen of it, as means with normal noise that is independent
// between axes:
//
//	x'_i = Move_i(s, x, a) + MoveNoise_i·ξ_i
//	z_k  = Observe_k(s, a, x') + ObserveNoise_k·ζ_k
//
// where z are the entries of the next state on the axes Of, and the other entries tell nothing of x. It is for models
// whose values stay inside of their axes, but for a negligible part, and in which it tells nothing of x that an episode goes on.
type Gaussian struct {
	// Mean and Deviation are those of the hidden vector as an episode begins.
	Mean, Deviation []float64
	// Move fills mean with the mean of x'. nil means that x stays where it is.
	Move func(mean, s, x []float64, action int)
	// MoveNoise fills deviation with that of each entry of x'. nil means none.
	MoveNoise func(deviation, s, x []float64, action int)
	// Observe fills mean with the mean of z. Required.
	Observe func(mean, s []float64, action int, nextX []float64)
	// ObserveNoise fills deviation with that of each entry of z, above 0. Required.
	ObserveNoise func(deviation, s []float64, action int, nextX []float64)
	// Of are the axes of the state that have z.
	Of []int
}

// move fills mean and deviation with those of where a step leads from x.
func (g *Gaussian) move(mean, deviation, s, x []float64, action int) {
	copy(mean, x)
	if g.Move != nil {
		g.Move(mean, s, x, action)
	}
	if g.MoveNoise != nil {
		g.MoveNoise(deviation, s, x, action)
	}
}

// check returns a *bcpace.InputError for a Gaussian that does not fit m.
func (g *Gaussian) check(m *Model) error {
	n := len(m.Spec.Hidden)
	in := m.in()
	if err := cmp.Or(
		in.Need(len(g.Mean) == n && len(g.Deviation) == n, "Gaussian.Mean, Deviation", fmt.Sprintf("%d and %d numbers", len(g.Mean), len(g.Deviation)), fmt.Sprintf("%d, one for each hidden axis", n)),
		in.Need(g.Observe != nil && g.ObserveNoise != nil, "Gaussian.Observe, ObserveNoise", "nil", "two functions"),
		in.Need(len(g.Of) != 0, "Gaussian.Of", "none", "the axes of the state that tell of the hidden vector")); err != nil {
		return err
	}
	for _, k := range g.Of {
		if k < 0 || k >= len(m.Spec.Axes) {
			return in.Bad("Gaussian.Of", g.Of, fmt.Sprintf("axes of the state, from 0 to %d", len(m.Spec.Axes)-1))
		}
	}
	for i, d := range g.Deviation {
		if !(d >= 0) || math.IsInf(d, 1) || math.IsNaN(g.Mean[i]) {
			return in.Bad(fmt.Sprintf("Gaussian.Mean[%d], Deviation[%d]", i, i), fmt.Sprintf("%v, %v", g.Mean[i], d), "a number, and one that is not negative")
		}
	}
	return nil
}

// logNormal returns the log density of a normal distribution.
func logNormal(x, mean, deviation float64) float64 {
	z := (x - mean) / deviation
	return -0.5*z*z - math.Log(deviation*math.Sqrt(2*math.Pi))
}

// LogDensity returns the log density of what is seen of nextX, for the LogDensity of a model; room holds twice as many numbers as Of.
func (g *Gaussian) LogDensity(s []float64, action int, next, nextX, room []float64) (sum float64) {
	k := len(g.Of)
	mean, deviation := room[:k], room[k:2*k]
	g.Observe(mean, s, action, nextX)
	g.ObserveNoise(deviation, s, action, nextX)
	for i, axis := range g.Of {
		sum += logNormal(next[axis], mean[i], deviation[i])
	}
	return sum
}

// Unscented is the unscented Kalman filter (Julier and Uhlmann 1997; Wan and van der Merwe 2000) for a model that
// states its Gaussian. Where the means are linear in x and the noise does not depend on it, it is the Kalman
// filter, and exact.
type Unscented struct{}

// Begin implements Filter.
func (Unscented) Begin(m *Model, s []float64, _ *rand.Rand) (Belief, error) {
	g := m.Gaussian
	if g == nil {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "the unscented filter", Need: "Model.Gaussian; Particles need none"}
	}
	if m.StartLogDensity != nil {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "the unscented filter", Need: "a first state that tells nothing of the hidden vector (StartLogDensity nil); Particles need that not"}
	}
	n := len(g.Mean)
	b := &NormalBelief{model: m, mean: mat.NewVecDense(n, slices.Clone(g.Mean)), cov: mat.NewSymDense(n, nil)}
	for i, d := range g.Deviation {
		b.cov.SetSym(i, i, d*d)
	}
	return b, b.factor()
}

// NormalBelief is a normal distribution over the hidden vector.
type NormalBelief struct {
	model *Model
	mean  *mat.VecDense
	cov   *mat.SymDense
	root  *mat.Dense // root·rootᵀ is cov
}

var _ Belief = (*NormalBelief)(nil)

// Draw implements Belief. Values beyond the axes are put on their ends.
func (b *NormalBelief) Draw(x []float64, rng *rand.Rand) {
	n := len(x)
	copy(x, b.mean.RawVector().Data)
	for j := range n {
		z := rng.NormFloat64()
		for i := range n {
			x[i] += b.root.At(i, j) * z
		}
	}
	for i, a := range b.model.Spec.Hidden {
		x[i] = min(max(x[i], a.Min), a.Max)
	}
}

// Moments implements Belief.
func (b *NormalBelief) Moments(mean, variance []float64) {
	for i := range mean {
		mean[i], variance[i] = b.mean.AtVec(i), b.cov.At(i, i)
	}
}

// Clone implements Belief.
func (b *NormalBelief) Clone() Belief {
	c := *b
	c.mean, c.cov, c.root = mat.VecDenseCopyOf(b.mean), mat.NewSymDense(b.cov.SymmetricDim(), nil), mat.DenseCopyOf(b.root)
	c.cov.CopySym(b.cov)
	return &c
}

// factor computes root from the eigenvalues of cov, which may be 0. The error says that cov is none.
func (b *NormalBelief) factor() error {
	var e mat.EigenSym
	if !e.Factorize(b.cov, true) {
		return fmt.Errorf("%s: the covariance of the hidden vector has no eigenvalues", b.model.in())
	}
	n := b.cov.SymmetricDim()
	values := e.Values(nil)
	b.root = mat.NewDense(n, n, nil)
	e.VectorsTo(b.root)
	for j, v := range values {
		for i := range n {
			b.root.Set(i, j, b.root.At(i, j)*math.Sqrt(max(v, 0)))
		}
	}
	return nil
}

// sigma returns the 2n+1 sigma points of the distribution, with the weights of spread κ = 3−n, or 0 where that is negative.
func (b *NormalBelief) sigma() (points [][]float64, weights []float64) {
	n := b.mean.Len()
	κ := max(0, 3-float64(n))
	scale := float64(n) + κ
	points, weights = [][]float64{slices.Clone(b.mean.RawVector().Data)}, []float64{κ / scale}
	for j := range n {
		for _, sign := range []float64{1, -1} {
			x := slices.Clone(b.mean.RawVector().Data)
			for i := range x {
				x[i] += sign * math.Sqrt(scale) * b.root.At(i, j)
			}
			points, weights = append(points, x), append(weights, 0.5/scale)
		}
	}
	return points, weights
}

// Update implements Belief.
func (b *NormalBelief) Update(s []float64, action int, next []float64, _ *rand.Rand) error {
	after := b.Clone().(*NormalBelief)
	if err := after.update(s, action, next); err != nil {
		return err
	}
	*b = *after
	return nil
}

// update is Update, which an error may leave half done.
func (b *NormalBelief) update(s []float64, action int, next []float64) (err error) {
	g := b.model.Gaussian
	defer b.model.Spec.Guard(&err, "Gaussian", s, action, -1)
	if err := b.predict(s, action); err != nil {
		return err
	}
	n, k := b.mean.Len(), len(g.Of)
	seen, err := b.images(k, func(z, deviation, x []float64) error {
		g.Observe(z, s, action, x)
		g.ObserveNoise(deviation, s, action, x)
		if !finite(z) || !finite(deviation) {
			return b.model.Spec.Fault(s, action, -1, "Gaussian.Observe and ObserveNoise of hidden vector %v are %v and %v, want numbers", x, z, deviation)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var chol mat.Cholesky
	if !chol.Factorize(seen.cov) {
		return b.model.in().Bad("the deviation of what is seen", seen.noise, "above 0 (Gaussian.ObserveNoise)")
	}
	cross := mat.NewDense(n, k, nil)
	for i, w := range seen.weights {
		cross.RankOne(cross, w, seen.from[i], seen.to[i])
	}
	gain := mat.NewDense(k, n, nil) // transposed
	if err := chol.SolveTo(gain, cross.T()); err != nil {
		return fmt.Errorf("%s: %w", b.model.in(), err)
	}
	surprise := mat.NewVecDense(k, nil)
	for j, axis := range g.Of {
		surprise.SetVec(j, next[axis]-seen.mean[j])
	}
	if z := surprise.RawVector().Data; !finite(z) {
		return b.model.in().Bad("the next state", text(next), "numbers on the axes that tell of the hidden vector")
	}
	var shift mat.VecDense
	shift.MulVec(gain.T(), surprise)
	b.mean.AddVec(b.mean, &shift)
	var less mat.Dense
	less.Mul(cross, gain)
	for i := range n {
		for j := i; j < n; j++ {
			b.cov.SetSym(i, j, b.cov.At(i, j)-(less.At(i, j)+less.At(j, i))/2)
		}
	}
	return b.factor()
}

// images are what a function makes of the sigma points.
type images struct {
	weights     []float64
	from, to    []*mat.VecDense // how far the points are from their mean, and the images from theirs
	mean, noise []float64       // of the images: the mean, and the mean variance of the noise
	cov         *mat.SymDense   // of the images with the noise
}

// images returns what of makes of the sigma points: n numbers with deviations.
func (b *NormalBelief) images(n int, of func(y, deviation, x []float64) error) (*images, error) {
	points, weights := b.sigma()
	m := &images{weights: weights, mean: make([]float64, n), noise: make([]float64, n), cov: mat.NewSymDense(n, nil)}
	deviation := make([]float64, n)
	for i, x := range points {
		y := make([]float64, n)
		if err := of(y, deviation, x); err != nil {
			return nil, err
		}
		for j, v := range y {
			m.mean[j] += weights[i] * v
			m.noise[j] += weights[i] * deviation[j] * deviation[j]
		}
		from := mat.NewVecDense(len(x), x)
		from.SubVec(from, b.mean)
		m.from, m.to = append(m.from, from), append(m.to, mat.NewVecDense(n, y))
	}
	for i, to := range m.to {
		to.SubVec(to, mat.NewVecDense(n, m.mean))
		m.cov.SymRankOne(m.cov, weights[i], to)
	}
	for j, v := range m.noise {
		m.cov.SetSym(j, j, m.cov.At(j, j)+v)
	}
	return m, nil
}

// finite reports whether all of xs are numbers, and none is infinite.
func finite(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return !num.Finite(x) })
}

// predict moves the belief as the hidden vector moves.
func (b *NormalBelief) predict(s []float64, action int) error {
	n := b.mean.Len()
	moved, err := b.images(n, func(y, deviation, x []float64) error {
		if b.model.Gaussian.move(y, deviation, s, x, action); !finite(y) || !finite(deviation) {
			return b.model.Spec.Fault(s, action, -1, "Gaussian.Move and MoveNoise of hidden vector %v are %v and %v, want numbers", x, y, deviation)
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.mean, b.cov = mat.NewVecDense(n, moved.mean), moved.cov
	return b.factor()
}
