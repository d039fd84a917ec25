package hidden

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Update implements Belief.
func (b *GridBelief) Update(s []float64, action int, next []float64, rng *rand.Rand) error {
	before := slices.Clone(b.prob)
	update := b.simulate
	if b.gaussian != nil {
		update = b.predict
	}
	possible, err := update(s, action, next, rng)
	if err != nil {
		copy(b.prob, before)
		return err
	}
	b.normalise()
	if possible {
		return nil
	}
	return &ImpossibleError{Model: b.model.Spec.Name, State: slices.Clone(s), Next: slices.Clone(next), Action: b.model.Spec.ActionName(action), Tried: len(b.prob)}
}

// predict moves the probabilities as the normal distributions of the model say, and weighs them by what is seen. Where that
// is impossible in all cells, it moves them alone.
func (b *GridBelief) predict(s []float64, action int, next []float64, _ *rand.Rand) (possible bool, err error) {
	defer b.model.Spec.Guard(&err, "Gaussian", s, action, -1)
	g := b.gaussian
	if g.Move != nil || g.MoveNoise != nil {
		dim, points := len(b.axes), b.pointsOf(gaussPoints)
		x, mean, deviation := make([]float64, dim), make([]float64, dim), make([]float64, dim)
		clear(b.moved)
		for i, p := range b.prob {
			if p < negligible {
				continue
			}
			for k := range points {
				b.point(x, i, k, gaussPoints)
				g.move(mean, deviation, s, x, action)
				b.addNormal(b.moved, mean, deviation, p/float64(points))
			}
		}
		b.prob, b.moved = b.moved, b.prob
	}
	copy(b.moved, b.prob)
	room := make([]float64, 2*len(g.Of))
	err = b.weigh(func(x []float64) (float64, error) {
		l := g.LogDensity(s, action, next, x, room)
		if math.IsNaN(l) || math.IsInf(l, 1) {
			return 0, b.model.Spec.Fault(s, action, -1, "Gaussian gives next state %v with hidden vector %v the log density %v, want a number", next, x, l)
		}
		return l, nil
	})
	if err != nil {
		return false, err
	}
	if slices.Max(b.prob) > 0 {
		return true, nil
	}
	copy(b.prob, b.moved)
	return false, nil
}

// simulate is predict by steps from points in each cell.
func (b *GridBelief) simulate(s []float64, action int, next []float64, rng *rand.Rand) (possible bool, err error) {
	defer b.model.Spec.Guard(&err, "Step or LogDensity", s, action, -1)
	m := b.model
	onAxis := gridPoints
	if len(b.axes) == 2 {
		onAxis = int(math.Sqrt(gridPoints))
	}
	// Whole numbers have one point, from which as many steps are simulated.
	different := b.pointsOf(onAxis)
	x, moved, to := make([]float64, len(b.axes)), make([]float64, len(b.axes)), make([]float64, len(s))
	b.steps = b.steps[:0]
	top := math.Inf(-1)
	for i, p := range b.prob {
		if p < negligible {
			continue
		}
		for k := range gridPoints {
			b.point(x, i, k%different, onAxis)
			y := gridStep{prob: p / gridPoints, log: math.Inf(-1)}
			out := m.Step(to, moved, s, x, action, rng)
			if y.to = b.axes.Cell(moved); !out.Done {
				if y.log, err = m.Weigh(s, x, action, next, moved); err != nil {
					return false, err
				}
			}
			top = max(top, y.log)
			b.steps = append(b.steps, y)
		}
	}
	clear(b.prob)
	for _, y := range b.steps {
		if math.IsInf(top, -1) {
			b.prob[y.to] += y.prob
		} else {
			b.prob[y.to] += y.prob * math.Exp(y.log-top)
		}
	}
	return !math.IsInf(top, -1), nil
}
