package scoreboard

import (
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// jumpsInfo describes random models of continuous states whose values jump at the borders of
// pits and of a goal.
var jumpsInfo = envs.Info{
	Name: "jumps",
	Doc:  "A way past pits to a goal, on so many continuous axes, against one of several unknown drifts.",
	Params: []envs.ParamInfo{
		{Key: "axes", Default: "2", Doc: "continuous axes of the state", Want: "a number of axes from 2 to 5"},
		{Key: "layout", Default: "1", Doc: "seed of pits, goal and drifts; an odd one has two velocities, with 4 axes or more", Want: "a number from 1 up"},
	},
}

// layout is what a random model has drawn.
type layout struct {
	places, speeds int // axes: places first, then the speeds of the first two places
	goal           box
	pits           []box
	push           float64     // what an action adds to a place, or to a speed
	drift          [][]float64 // by latent: what is added to the two axes with noise
	noisy          [2]int
}

// box is an interval for each place.
type box struct{ low, high []float64 }

func (b box) holds(x []float64) bool {
	for i := range b.low {
		if x[i] < b.low[i] || x[i] > b.high[i] {
			return false
		}
	}
	return true
}

func newLayout(axes int, rng *rand.Rand, speeds bool) layout {
	l := layout{places: axes, push: 0.15, noisy: [2]int{0, 1}}
	if speeds && axes >= 4 {
		l.places, l.speeds = axes-2, 2
		l.push = 0.05
		l.noisy = [2]int{l.places, l.places + 1}
	}
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	around := func(lo, hi, half float64) (b box) {
		for range l.places {
			x := between(lo, hi)
			b.low, b.high = append(b.low, x-half), append(b.high, x+half)
		}
		return b
	}
	l.goal = around(0.75, 0.9, 0.15)
	for range 2 * l.places {
		pit := around(0.3, 0.7, between(0.05, 0.15))
		if l.places > 2 { // as wide as all on one axis, or few would meet it
			i := rng.IntN(l.places)
			pit.low[i], pit.high[i] = 0, 1
		}
		l.pits = append(l.pits, pit)
	}
	for range 3 {
		d := []float64{between(-0.4, 0.4) * l.push, between(-0.4, 0.4) * l.push}
		l.drift = append(l.drift, d)
	}
	return l
}

// end returns what a place pays, and whether the episode ends there.
func (l *layout) end(x []float64) (reward float64, ends bool) {
	for _, pit := range l.pits {
		if pit.holds(x) {
			return -50, true
		}
	}
	if l.goal.holds(x) {
		return 50, true
	}
	return -1, false
}

// newJumps makes a random model.
func newJumps(v *envs.Values) (bcpace.Model, error) {
	axes, seed := v.Count("axes"), v.Count("layout")
	if axes < 2 || axes > 5 {
		return nil, bcpace.In("jumps").Bad("axes", axes, "a number from 2 to 5")
	}
	l := newLayout(axes, rand.New(rand.NewPCG(uint64(axes), uint64(seed))), seed%2 == 1)
	spec := bcpace.Spec{Name: v.Name(), Params: v.Params(), Discount: 0.95, RewardMin: -50, RewardMax: 50,
		Latents: []string{"first drift", "second drift", "third drift"}}
	start, sigma := make([]float64, axes), make([]float64, axes)
	for i := range axes {
		axis := bcpace.Axis{Name: fmt.Sprint("x", i+1), Max: 1}
		if i >= l.places {
			axis = bcpace.Axis{Name: fmt.Sprint("v", i-l.places+1), Min: -0.2, Max: 0.2, Scale: 0.2}
		} else {
			start[i] = 0.1
		}
		spec.Axes = append(spec.Axes, axis)
	}
	for _, i := range l.noisy {
		sigma[i] = l.push / 5
	}
	// Action 0 pushes nothing; 2i+1 and 2i+2 push place i up and down.
	names := []string{"none"}
	for i := range l.places {
		names = append(names, fmt.Sprint("up ", i+1), fmt.Sprint("down ", i+1))
	}
	spec.Actions = bcpace.Actions(names...)
	return bcpace.FromGaussian(bcpace.Gaussian{
		Spec: spec, Starts: [][]float64{start}, Sigma: sigma,
		Mean: func(mean, s []float64, latent, action int) {
			copy(mean, s)
			for i := range l.speeds {
				mean[i] += s[l.places+i]
				mean[l.places+i] *= 0.85
			}
			if action > 0 {
				i, push := (action-1)/2, l.push
				if action%2 == 0 {
					push = -push
				}
				if i < l.speeds {
					i += l.places
				} else if l.speeds > 0 { // a place without a speed
					push *= 3
				}
				mean[i] += push
			}
			for k, i := range l.noisy {
				mean[i] += l.drift[latent][k]
			}
		},
		Reward: func(_ []float64, _, _ int, next []float64) float64 { r, _ := l.end(next); return r },
		Ends:   func(next []float64) bool { _, ends := l.end(next); return ends },
	})
}
