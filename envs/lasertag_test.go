package envs_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/bcpace/online/thompson"
	"bayescpace/envs"
	"bayescpace/envs/envtest"
)

func ExampleLaserTag() {
	m, err := envs.LaserTag{Map: 3}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := m.Spec()
	fmt.Printf("%d free cells, %d numbers in a state\n", len(spec.Latents), len(spec.Axes))
	// Output: 69 free cells, 11 numbers in a state
}

// laserTag is the original, written down anew: where agent and opponent are, and what is read.
// Its map is that of a model.
type laserTag struct{ free map[[2]int]bool }

func newLaserTag(m bcpace.Model) laserTag {
	free := map[[2]int]bool{}
	for _, name := range m.Spec().Latents {
		var x, y int
		if _, err := fmt.Sscanf(name, "to %d, %d", &x, &y); err != nil {
			panic(err)
		}
		free[[2]int{x, y}] = true
	}
	return laserTag{free}
}

func (o laserTag) place(rng *rand.Rand) [2]int {
	for {
		if p := [2]int{rng.IntN(11), rng.IntN(7)}; o.free[p] {
			return p
		}
	}
}

func (o laserTag) step(p [2]int, dx, dy int) [2]int {
	if q := [2]int{p[0] + dx, p[1] + dy}; o.free[q] {
		return q
	}
	return p
}

func sign(d int) int {
	switch {
	case d > 0:
		return 1
	case d < 0:
		return -1
	}
	return 0
}

// away lists where an opponent goes, with probabilities that sum to 1.
func (o laserTag) away(agent, opponent [2]int) map[[2]int]float64 {
	p := map[[2]int]float64{opponent: 0.2}
	for axis := range 2 {
		signs := []int{sign(opponent[axis] - agent[axis])}
		if signs[0] == 0 {
			signs = []int{-1, 1}
		}
		for _, d := range signs {
			p[o.step(opponent, d*(1-axis), d*axis)] += 0.4 / float64(len(signs))
		}
	}
	return p
}

// distance is that to the first cell in a direction, of eight from north on clockwise, which
// is not free or is the opponent's.
func (o laserTag) distance(agent, opponent [2]int, direction int) float64 {
	sin, cos := math.Sincos(float64(direction) * math.Pi / 4)
	dx, dy := int(math.Round(sin)), int(math.Round(cos))
	for n := 1; ; n++ {
		if p := [2]int{agent[0] + n*dx, agent[1] + n*dy}; !o.free[p] || p == opponent {
			return float64(n) * math.Hypot(float64(dx), float64(dy))
		}
	}
}

// chance returns the probability of a reading at a distance, by Φ.
func chance(distance, reading float64) float64 {
	within := func(error float64) float64 { // P(|N(0, 2.5²)| ≤ error)
		if error < 0 {
			return 0
		}
		return 2*0.5*math.Erfc(-error/2.5/math.Sqrt2) - 1
	}
	if reading == 0 {
		return 1 - within(distance-1)
	}
	return within(distance-reading) - within(distance-reading-1)
}

var laserMoves = [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}

// laserPolicy tags what it sees, and now and then what it does not, and likes to go where
// least is read.
func laserPolicy(seen bool, readings []float64, rng *rand.Rand) int {
	switch {
	case seen || rng.IntN(20) == 0:
		return 4
	case rng.IntN(3) == 0:
		return rng.IntN(4)
	}
	best := 0
	for a := range 4 {
		if readings[2*a] < readings[2*best] {
			best = a
		}
	}
	return best
}

// play returns the return of an episode of the original. A tag before the first reading costs
// 10.
func (o laserTag) play(steps int, rng *rand.Rand) (ret float64) {
	agent, opponent := o.place(rng), o.place(rng)
	seen, readings, γ := false, make([]float64, 8), 1.0
	for t := range steps {
		a := laserPolicy(seen, readings, rng)
		if a == 4 && agent == opponent && t > 0 {
			return ret + 10*γ
		}
		u, to := rng.Float64(), opponent
		for _, dx := range []int{-1, 0, 1} { // in an order that is always the same
			for _, dy := range []int{-1, 0, 1} {
				q := [2]int{opponent[0] + dx, opponent[1] + dy}
				p := o.away(agent, opponent)[q]
				if u >= 0 && u < p {
					to = q
				}
				u -= p
			}
		}
		if a == 4 {
			ret -= 10 * γ
		} else {
			ret -= γ
			agent = o.step(agent, laserMoves[a][0], laserMoves[a][1])
		}
		opponent, γ = to, γ*0.95
		if seen = agent == opponent; seen {
			clear(readings)
			continue
		}
		for k := range readings {
			d := o.distance(agent, opponent, k)
			readings[k] = max(0, math.Floor(d-math.Abs(2.5*rng.NormFloat64())))
		}
	}
	return ret
}

// TestLaserTagAgainstOriginal plays the original beside the model.
func TestLaserTagAgainstOriginal(t *testing.T) {
	m := made(t, envs.LaserTag{Map: 2})
	o := newLaserTag(m)
	const episodes, steps = 3_000, 30
	ours := returnOf(t, m, steps, func(s []float64, rng *rand.Rand) int { return laserPolicy(s[2] == 1, s[3:], rng) })
	a, va := meanOf(episodes, 1, func(rng *rand.Rand) float64 { return o.play(steps, rng) })
	b, vb := meanOf(episodes, 2, ours)
	// Four standard errors: wrong with probability 6·10⁻⁵ for another seed.
	if math.Abs(a-b) > 4*math.Sqrt(va+vb) {
		t.Errorf("the original returns %v, the model %v, more than 4 standard errors of %v apart", a, b, math.Sqrt(va+vb))
	}
}

// TestLaserTagBeliefs: beliefs are those of the original. Its filter predicts the opponent's
// cell and weighs it by the readings; from its posterior the opponent goes to that of the
// latent.
func TestLaserTagBeliefs(t *testing.T) {
	for number := range 3 {
		m := made(t, envs.LaserTag{Map: number + 1})
		o := newLaserTag(m)
		spec := m.Spec()
		sim, rng := bcpace.NewSimulator(m), rand.New(rand.NewPCG(1, uint64(number)))
		for range 20 {
			if err := sim.Reset(rng); err != nil {
				t.Fatal(err)
			}
			where := func() [2]int { return [2]int{int(sim.State[0]), int(sim.State[1])} }
			at := map[[2]int]float64{} // where the opponent is
			for p := range o.free {
				at[p] = 1.0 / 69
			}
			for step := 0; !sim.Done && step < 30; step++ {
				moved := map[[2]int]float64{}
				for p, w := range at {
					for q, v := range o.away(where(), p) {
						moved[q] += w * v
					}
				}
				for p, w := range moved {
					φ := spec.LatentIndex(fmt.Sprintf("to %d, %d", p[0], p[1]))
					if math.Abs(sim.Belief[φ]-w) > 1e-9 {
						t.Fatalf("map %d, step %d: %s has probability %v, want %v", number+1, step, spec.Latents[φ], sim.Belief[φ], w)
					}
				}
				if _, err := sim.Step(laserPolicy(sim.State[2] == 1, sim.State[3:], rng), rng); err != nil {
					t.Fatal(err)
				}
				sum := 0.0
				for p := range moved {
					switch {
					case p == where() != (sim.State[2] == 1):
						moved[p] = 0
					case p != where():
						for k, r := range sim.State[3:] {
							moved[p] *= chance(o.distance(where(), p, k), r)
						}
					}
					sum += moved[p]
				}
				for p := range moved {
					moved[p] /= sum
				}
				at = moved
			}
		}
	}
}

// TestLaserTagReadings: what is read is as often read as its likelihood says.
func TestLaserTagReadings(t *testing.T) {
	m := made(t, envs.LaserTag{})
	const draws = 20_000
	spec, rng := m.Spec(), rand.New(rand.NewPCG(1, 2))
	s, next := make([]float64, len(spec.Axes)), make([]float64, len(spec.Axes))
	for range 10 {
		latent := rng.IntN(len(spec.Latents))
		m.Start(s, latent, rng)
		action := rng.IntN(4)
		count := [8][11]float64{}
		for range draws {
			m.Step(next, s, latent, action, rng)
			for k, r := range next[3:] {
				count[k][int(r)]++
			}
		}
		if next[2] != 0 {
			continue
		}
		most := m.LogLikelihood(s, action, next, latent)
		for k := range count {
			sum := 0.0
			for r, n := range count[k] {
				x := append([]float64(nil), next...)
				x[3+k] = float64(r)
				// The other readings have the same chance, of which the sum shows the size.
				p := math.Exp(m.LogLikelihood(s, action, x, latent) - most)
				count[k][r] = n / draws
				sum += p
			}
			for r, f := range count[k] {
				x := append([]float64(nil), next...)
				x[3+k] = float64(r)
				p := math.Exp(m.LogLikelihood(s, action, x, latent)-most) / sum
				// Hoeffding: wrong with probability 2·exp(−2·draws·0.02²) = 2·10⁻⁷.
				if math.Abs(f-p) > 0.02 {
					t.Errorf("beam %d reads %d with frequency %v, want %v", k, r, f, p)
				}
			}
		}
	}
}

// TestLaserTagTold: what is told the latent is LaserTag without its readings.
func TestLaserTagTold(t *testing.T) {
	m := made(t, envs.LaserTag{Map: 2})
	told := m.(bcpace.ToldModel).Told()
	envtest.Run(t, told)
	spec, rng := m.Spec(), rand.New(rand.NewPCG(1, 2))
	s, next, without := make([]float64, 11), make([]float64, 11), make([]float64, 3)
	row, toldRow := make([]float64, len(spec.Latents)), make([]float64, len(spec.Latents))
	for range 2000 {
		told.StateAt(s, rng.IntN(told.NumStates()))
		latent, action := rng.IntN(len(spec.Latents)), rng.IntN(len(spec.Actions))
		out := m.Step(next, s, latent, action, rng)
		if toldOut := told.Step(without, s[:3], latent, action, rng); out != toldOut || !slices.Equal(without, next[:3]) {
			t.Fatalf("after %v: %v, %v; told the latent: %v, %v", s, next, out, without, toldOut)
		}
		moved := m.(bcpace.LatentDynamics).LatentTransition(row, s, action, latent)
		if moved != told.(bcpace.LatentDynamics).LatentTransition(toldRow, s[:3], action, latent) || !slices.Equal(row, toldRow) {
			t.Fatalf("the latent moves otherwise from %v", s)
		}
	}
}

// TestLaserTagAnywhere: no state on the axes is more than the model can take, and what looks at
// states around those of episodes comes to an end.
func TestLaserTagAnywhere(t *testing.T) {
	m := made(t, envs.LaserTag{})
	spec, rng := m.Spec(), rand.New(rand.NewPCG(1, 2))
	s, next, row := make([]float64, 11), make([]float64, 11), make([]float64, len(spec.Latents))
	for range 5000 {
		for k, a := range spec.Axes {
			s[k] = a.Min + float64(rng.IntN(int(a.Max-a.Min)+1))
		}
		latent, action := rng.IntN(len(spec.Latents)), rng.IntN(len(spec.Actions))
		m.(bcpace.StartLikelihood).StartLogLikelihood(s, latent)
		m.(bcpace.LatentDynamics).LatentTransition(row, s, action, latent)
		m.Step(next, s, latent, action, rng)
		if l := m.LogLikelihood(s, action, next, latent); math.IsInf(l, -1) {
			t.Fatalf("%v cannot follow %v", next, s)
		}
		m.LogLikelihood(next, action, s, latent)
	}
	if _, err := lipschitz.FromModel(t.Context(), m, lipschitz.Options{Pairs: 200}); err != nil {
		t.Error(err)
	}
}

// TestLaserTagSolvers: what acts by the values of latents plays it, and what needs lists says so.
func TestLaserTagSolvers(t *testing.T) {
	m := made(t, envs.LaserTag{})
	found, err := thompson.Solver{}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	played, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	// It earned −11.5; always to move costs 20.
	if played.Mean < -14 || played.Mean > found.Value {
		t.Errorf("thompson earns %v, want more than −14, and at most %v", played.Mean, found.Value)
	}
	_, err = sarsop.Solver{}.Solve(t.Context(), m, bcpace.Control{})
	if want := new(bcpace.UnsupportedError); !errors.As(err, &want) {
		t.Errorf("error %v, want an UnsupportedError", err)
	}
}
