package problem_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/estimated"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/bcpace/solvers"
)

// maze is a random model whose episodes end, by the latent, on arrival at some places.
type maze struct {
	places, latents int
	move            [][][][]float64 // by latent, action and place: probabilities of the next place
	end             [][]float64     // by latent and place
	pays            [][]float64     // by latent and place: for an end there
}

const mazeSteps, mazeDiscount = 4, 0.9

// newMaze makes a maze in which ends are certain or have the probability ½. With plain ends they do not depend on the latent.
func newMaze(rng *rand.Rand, certain, plain bool) *maze {
	m := &maze{places: 2 + rng.IntN(2), latents: 2 + rng.IntN(2)}
	for φ := range m.latents {
		var moves [][][]float64
		for range 2 {
			var rows [][]float64
			for range m.places {
				row := make([]float64, m.places)
				if row[rng.IntN(m.places)] += 0.5; certain {
					clear(row)
				}
				k := rng.IntN(m.places)
				for row[k] += 0.5; certain && row[k] < 1; {
					row[k] = 1
				}
				rows = append(rows, row)
			}
			moves = append(moves, rows)
		}
		end, pays := make([]float64, m.places), make([]float64, m.places)
		for i := range end {
			if end[i] = float64(rng.IntN(3)) / 2; certain {
				end[i] = float64(rng.IntN(2))
			}
			pays[i] = float64(rng.IntN(21) - 10)
		}
		if φ > 0 && rng.IntN(2) == 0 { // so that the next place tells nothing
			moves = m.move[0]
		}
		if φ > 0 && plain {
			end = m.end[0]
		}
		m.move, m.end, m.pays = append(m.move, moves), append(m.end, end), append(m.pays, pays)
	}
	return m
}

// tells reports whether ends depend on the latent at all.
func (m *maze) tells() bool {
	for φ := range m.latents {
		for i := range m.places {
			if m.end[φ][i] != m.end[0][i] {
				return true
			}
		}
	}
	return false
}

// value returns what the best policy earns that sees whether episodes end, from unnormalised belief b.
func (m *maze) value(at int, b []float64, steps int) float64 {
	if steps == 0 {
		return 0
	}
	best := math.Inf(-1)
	for a := range 2 {
		q := 0.0
		for next := range m.places {
			on := make([]float64, m.latents)
			for φ, p := range b {
				p *= m.move[φ][a][at][next]
				on[φ] = p * (1 - m.end[φ][next])
				q += p*m.end[φ][next]*m.pays[φ][next] - on[φ]
			}
			q += mazeDiscount * m.value(next, on, steps-1)
		}
		best = max(best, q)
	}
	return best
}

// model returns the maze as functions, with the end on an axis or not.
func (m *maze) model(t *testing.T, shown bool) bcpace.Model {
	t.Helper()
	spec := bcpace.Spec{Name: "maze", Axes: []bcpace.Axis{{Name: "place", Max: float64(m.places - 1), Discrete: true}}, Actions: bcpace.Actions("a", "b"),
		Discount: mazeDiscount, Horizon: mazeSteps, RewardMin: -10, RewardMax: 10}
	if shown {
		spec.Axes = append(spec.Axes, bcpace.Axis{Name: "ended", Max: 1, Discrete: true})
	}
	for φ := range m.latents {
		spec.Latents = append(spec.Latents, fmt.Sprint(φ))
	}
	f, err := bcpace.FromFuncs(bcpace.Funcs{Spec: spec,
		Step: func(next, s []float64, φ, a int, rng *rand.Rand) bcpace.Outcome {
			at := bcpace.Belief(m.move[φ][a][int(s[0])]).Sample(rng)
			done := rng.Float64() < m.end[φ][at]
			if next[0] = float64(at); shown {
				next[1] = 0
			}
			if !done {
				return bcpace.Outcome{Reward: -1}
			}
			if shown {
				next[1] = 1
			}
			return bcpace.Outcome{Reward: m.pays[φ][at], Done: true}
		},
		LogLikelihood: func(s []float64, a int, next []float64, φ int) float64 {
			p, end := m.move[φ][a][int(s[0])][int(next[0])], m.end[φ][int(next[0])]
			switch {
			case !shown:
			case next[1] == 1:
				p *= end
			default:
				p *= 1 - end
			}
			return math.Log(p)
		}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// typed is a model as a type, of which AbilitiesOf knows nothing but its methods.
type typed struct{ bcpace.Model }

// TestHiddenEnds: where the end of an episode tells of the latent what the state does not, every solver refuses the model, however it is
// wrapped. Where the state shows it, or it tells nothing, solvers take the model, and their bounds have the exact value.
func TestHiddenEnds(t *testing.T) {
	refused, solved := 0, 0
	for seed := range uint64(14) {
		certain, plain := seed%2 == 0, seed%3 == 0
		m := newMaze(rand.New(rand.NewPCG(seed, 3)), certain, plain)
		b := bcpace.Uniform(m.latents)
		want := m.value(0, b, mazeSteps)
		for _, shown := range []bool{false, true} {
			model := m.model(t, shown)
			err := bcpace.Validate(model)
			if fault := (*bcpace.ConformanceError)(nil); err != nil && (shown || plain || !m.tells() || !errors.As(err, &fault) || !strings.Contains(fault.What, "tells of the latent")) {
				t.Errorf("seed %d, shown %t: %v", seed, shown, err)
			}
			solvers := []bcpace.Solver{cpace.Solver{Epsilon: 2, LipQ: 1, Horizon: mazeSteps, MaxEpisodes: 200, CertificateEpisodes: 200},
				policysearch.Solver{MaxSteps: 500, CertificateEpisodes: 200}, pomcpow.Solver{Budget: bcpace.Budget{Simulations: 30}}}
			for _, s := range solvers {
				found, solveErr := s.Solve(t.Context(), model, bcpace.Control{Workers: 1})
				if (solveErr != nil) != (err != nil) {
					t.Errorf("seed %d, shown %t, %s: %v, and Validate says %v", seed, shown, s.Name(), solveErr, err)
				} else if err == nil && (found.Certificate.Upper < want-1e-9 || found.Certificate.Lower > want+1e-9) {
					t.Errorf("seed %d, shown %t, %s: bounds %v and %v, want about %v", seed, shown, s.Name(), found.Certificate.Lower, found.Certificate.Upper, want)
				}
			}
			if err == nil {
				solved++
				continue
			}
			refused++
			for name, try := range map[string]func() error{
				"a type":    func() error { return bcpace.Validate(typed{model}) },
				"the check": func() error { return check.Model(model, check.Options{}) },
				"a horizon": func() error { return bcpace.Validate(bcpace.KeepHorizon(typed{model})) },
				"a prior":   func() error { _, err := bcpace.WithPrior(typed{model}, b); return err },
				"estimated": func() error { _, err := estimated.Likelihoods(typed{model}, estimated.Options{}); return err },
				"a vector":  func() error { _, err := hidden.FromModel(model); return err },
			} {
				if err := try(); err == nil || !strings.Contains(err.Error(), "tells of the latent") {
					t.Errorf("seed %d, %s: %v", seed, name, err)
				}
			}
		}
		if p := (problem.Problem{Model: m.listed(t)}); p.Model != nil {
			s, err := p.Solver(solvers.Certified)
			if err != nil {
				t.Fatal(err)
			}
			found, err := p.Solve(t.Context(), s, bcpace.Control{Workers: 1})
			if err != nil || found.Certificate.Upper < want-1e-6 || found.Certificate.Lower > want+1e-6 {
				t.Errorf("seed %d, listed: %+v, error %v, want about %v", seed, found, err, want)
			}
		}
	}
	if refused < 3 || solved < 14 {
		t.Errorf("%d models were refused and %d solved", refused, solved)
	}
}

// listed returns the maze, with the end on an axis, as lists.
func (m *maze) listed(t *testing.T) bcpace.Model {
	t.Helper()
	spec := m.model(t, true).Spec()
	f, err := bcpace.FromOutcomes(bcpace.Outcomes{Spec: spec, Transitions: func(s []float64, φ, a int) (list []bcpace.Transition) {
		for next, p := range m.move[φ][a][int(s[0])] {
			end := m.end[φ][next]
			list = append(list, bcpace.Transition{Next: []float64{float64(next), 0}, Prob: p * (1 - end), Reward: -1},
				bcpace.Transition{Next: []float64{float64(next), 1}, Prob: p * end, Reward: m.pays[φ][next], Done: true})
		}
		return list
	}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestHiddenEndsOfNoise: an end beyond a line that depends on the latent is found where noise makes no state come twice, with a next
// state that tells nothing and with one that does; and an end beyond a line that all latents have is legal.
func TestHiddenEndsOfNoise(t *testing.T) {
	for _, c := range []struct {
		drift, line float64 // by which the latents differ
		want        bool
	}{{0, 0, false}, {0.3, 0, false}, {0, 1, true}, {0.3, 1, true}} {
		m, err := bcpace.FromFuncs(bcpace.Funcs{
			Spec:  bcpace.Spec{Name: "cliff", Axes: []bcpace.Axis{{Name: "x", Min: -100, Max: 100}}, Actions: bcpace.Actions("on"), Latents: []string{"near", "far"}, Discount: 0.9, RewardMin: -1},
			Start: func(s []float64, _ int, _ *rand.Rand) { s[0] = -5 },
			Step: func(next, s []float64, φ, _ int, rng *rand.Rand) bcpace.Outcome {
				next[0] = s[0] + 1 + float64(φ)*c.drift + rng.NormFloat64()/2
				return bcpace.Outcome{Reward: -1, Done: next[0] > float64(φ)*c.line}
			},
			LogLikelihood: func(s []float64, _ int, next []float64, φ int) float64 {
				z := 2 * (next[0] - s[0] - 1 - float64(φ)*c.drift)
				return -z * z / 2
			}})
		if err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{"Validate": bcpace.Validate(m), "check": check.Model(m, check.Options{})} {
			if (err != nil) != c.want {
				t.Errorf("%+v, %s: %v", c, name, err)
			}
		}
	}
}

// TestForgottenEnds: where the latent is drawn anew with a step, it does not matter what its end tells.
func TestForgottenEnds(t *testing.T) {
	m, err := bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "reels", Axes: []bcpace.Axis{{Name: "x", Max: 1, Discrete: true}}, Actions: bcpace.Actions("pull"), Latents: []string{"lucky", "not"}, Discount: 0.9, RewardMax: 1},
		Step: func(next, _ []float64, φ, _ int, _ *rand.Rand) bcpace.Outcome {
			next[0] = 0
			return bcpace.Outcome{Reward: float64(1 - φ), Done: φ == 0}
		},
		LogLikelihood: func([]float64, int, []float64, int) float64 { return 0 },
		LatentKind:    bcpace.Redrawn,
		LatentTransition: func(p []float64, _ []float64, _, _ int) bool {
			p[0], p[1] = 0.5, 0.5
			return true
		}})
	if err != nil {
		t.Fatal(err)
	}
	if err := bcpace.Validate(m); err != nil {
		t.Error(err)
	}
}
