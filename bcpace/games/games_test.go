package games_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/games"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs"
)

// episodic draws tables of four states, the last of which ends the episode, two or three latents
// and two actions. The reward of the last step depends on the latent, that of others does not.
func episodic(rng *rand.Rand) bcpace.Tables {
	t := bcpace.Tables{Discount: 0.5 + 0.45*rng.Float64(), Ends: []bool{3: true}}
	latents := 2 + rng.IntN(2)
	t.Start, t.Prior = simplex(rng, 4), simplex(rng, latents)
	t.Start[0], t.Start[3] = t.Start[0]+t.Start[3], 0
	pays := func() float64 { return float64(rng.IntN(5) - 2) }
	common := make([]float64, 2*3*4)
	for i := range common {
		common[i] = pays()
	}
	for range latents {
		var p, r [][][]float64
		for a := range 2 {
			var rows, rewards [][]float64
			for s := range 3 {
				row := simplex(rng, 4)
				if none := rng.IntN(8); none < 3 { // some steps rule a latent out
					row[3], row[none] = row[3]+row[none], 0
				}
				rows = append(rows, row)
				rewards = append(rewards, append(slices.Clone(common[4*(3*a+s):][:3]), pays()))
			}
			p, r = append(p, append(rows, nil)), append(r, append(rewards, make([]float64, 4)))
		}
		t.P, t.RNext = append(t.P, p), append(t.RNext, r)
	}
	return t
}

func simplex(rng *rand.Rand, n int) []float64 {
	b := make(bcpace.Belief, n)
	b.SampleSimplex(rng)
	return b
}

// long is the value of the next steps of a game of t, times the probability of what was seen, whose
// product with that of latent φ is w[φ]. It tries every action and tells apart the next state, that
// the episode is over, and what it paid.
func long(t bcpace.Tables, redraws bool, steps, s int, over bool, w []float64) float64 {
	if steps == 0 {
		return 0
	}
	if over {
		value := 0.0
		for to, p := range t.Start {
			after, total := make([]float64, len(w)), 0.0
			for φ := range w {
				total += w[φ]
				after[φ] = w[φ] * p
			}
			if redraws {
				for φ := range w {
					after[φ] = total * t.Prior[φ] * p
				}
			}
			if p > 0 {
				value += t.Discount * long(t, redraws, steps-1, to, false, after)
			}
		}
		return value
	}
	best := math.Inf(-1)
	for a := range t.P[0] {
		type seen struct {
			to   int
			paid float64
		}
		after, value := make(map[seen][]float64), 0.0
		for φ := range w {
			for to, p := range t.P[φ][a][s] {
				x := seen{to, t.RNext[φ][a][s][to]}
				if value += w[φ] * p * x.paid; w[φ]*p == 0 {
					continue
				}
				if after[x] == nil {
					after[x] = make([]float64, len(w))
				}
				after[x][φ] += w[φ] * p
			}
		}
		for x, w := range after {
			value += t.Discount * long(t, redraws, steps-1, x.to, t.Ends[x.to], w)
		}
		best = max(best, value)
	}
	return best
}

// Games of random models whose last reward tells of the latent are worth what a dynamic program
// over everything that is seen gives.
func TestGamesAreWorthWhatIsSeen(t *testing.T) {
	for seed := range uint64(20) {
		tables := episodic(rand.New(rand.NewPCG(seed, 42)))
		m, err := bcpace.FromTables(tables)
		if err != nil {
			t.Fatal(err)
		}
		for name, make := range map[string]func(bcpace.Finite) (bcpace.Finite, error){"OneShot": games.OneShot, "Repeated": games.Repeated} {
			g, err := make(m)
			if err != nil {
				t.Fatal(err)
			}
			const steps = 5
			e, err := eval.Optimal(t.Context(), g, eval.ExactOptions{Horizon: steps})
			if err != nil {
				t.Fatal(err)
			}
			want := 0.0
			for s, p := range tables.Start {
				w := slices.Clone(tables.Prior)
				for φ := range w {
					w[φ] *= p
				}
				want += long(tables, name == "Repeated", steps, s, false, w)
			}
			if math.Abs(e.Value-want) > 1e-9 {
				t.Errorf("seed %d, %s: value %v, want %v", seed, name, e.Value, want)
			}
		}
	}
}

// A reward before the end that tells of the latent what the next state does not is refused, and no
// other one is: not where one latent alone leads there, nor where the rewards agree.
func TestGamesRefuseRewardsThatTell(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 43))
		tables := episodic(rng)
		φ, a, s, to := rng.IntN(len(tables.P)), rng.IntN(2), rng.IntN(3), rng.IntN(3)
		tables.RNext[φ][a][s][to] += 0.5
		others := 0
		for k := range tables.P {
			if k != φ && tables.P[k][a][s][to] > 0 {
				others++
			}
		}
		tell := tables.P[φ][a][s][to] > 0 && others > 0
		m, err := bcpace.FromTables(tables)
		if err != nil {
			t.Fatal(err)
		}
		for _, make := range []func(bcpace.Finite) (bcpace.Finite, error){games.OneShot, games.Repeated} {
			var unsupported *bcpace.UnsupportedError
			if _, err := make(m); errors.As(err, &unsupported) != tell {
				t.Errorf("seed %d: error %v, want one: %t", seed, err, tell)
			}
		}
	}
}

// Games of random models conform.
func TestGamesConform(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m, err := bcpace.FromTables(episodic(rng))
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 == 0 {
			m = randmodel.New(rng, randmodel.Options{States: 4, Latents: 3, InformativeStart: true, Reward: func(*rand.Rand) float64 { return 1 }})
		}
		for _, make := range []func(bcpace.Finite) (bcpace.Finite, error){games.OneShot, games.Repeated} {
			g, err := make(m)
			var unsupported *bcpace.UnsupportedError
			if errors.As(err, &unsupported) { // a repeated game whose start tells something
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			if err := check.Model(g, check.Options{Episodes: 20, Transitions: 60, Draws: 1500}); err != nil {
				t.Errorf("seed %d, %s: %v", seed, g.Spec().Params, err)
			}
		}
	}
}

// In Tiger that ends, a game that is played again with the tiger behind the same door is worth
// far more than one that is played with another tiger: what was learned pays again.
func TestGamesOfTiger(t *testing.T) {
	tiger := envs.Tiger{Ends: true}
	value := func(m bcpace.Finite, err error) float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		e, err := eval.Optimal(t.Context(), m, eval.ExactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return e.Value
	}
	once, repeated, oneShot := value(tiger, nil), value(games.Repeated(tiger)), value(games.OneShot(tiger))
	if told := 10 / (1 - math.Pow(0.95, 2)); !(once < repeated && repeated < oneShot && oneShot < told) {
		t.Errorf("values: once %v, repeated %v, one-shot %v, told %v", once, repeated, oneShot, told)
	}
}

// Behind the door that is opened the agent finds the tiger or not, and the reward says which:
// from then on it knows the door. So the one-shot game is worth what a recursion over the
// number of growls on the left, less those on the right, gives.
func TestOneShotLearnsFromTheLastReward(t *testing.T) {
	const γ, accuracy, most = 0.95, 0.85, 60
	known := 10 / (1 - γ*γ) // from the start of a game, behind which one step is over
	v := make([]float64, 2*most+1)
	for range 2000 {
		next := make([]float64, len(v))
		for i := range v {
			odds := math.Pow(accuracy/(1-accuracy), float64(i-most))
			p := odds / (1 + odds) // of the tiger on the left
			left := accuracy*p + (1-accuracy)*(1-p)
			listen := -1 + γ*(left*v[min(i+1, 2*most)]+(1-left)*v[max(i-1, 0)])
			open := 10 - 110*min(p, 1-p) + γ*γ*known
			next[i] = max(listen, open)
		}
		v = next
	}
	m, err := games.OneShot(envs.Tiger{Ends: true})
	if err != nil {
		t.Fatal(err)
	}
	e, err := eval.Optimal(t.Context(), m, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(e.Value-v[most]) > 1e-4 {
		t.Errorf("one-shot Tiger is worth %v, want %v", e.Value, v[most])
	}
	if err := check.Model(m, check.Options{}); err != nil {
		t.Error(err)
	}
}

// Two last rewards that agree in six digits are ends with different labels.
func TestOneShotNamesCloseRewards(t *testing.T) {
	tables, err := bcpace.FromTables(bcpace.Tables{Discount: 0.9, Ends: []bool{false, true},
		P: [][][][]float64{{{{0, 1}, nil}}, {{{0, 1}, nil}}}, R: [][][]float64{{{1000.001, 0}}, {{1000.002, 0}}}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := games.OneShot(tables)
	if err != nil {
		t.Fatal(err)
	}
	spec := m.Spec()
	labels := slices.Clone(spec.Axes[len(spec.Axes)-1].Labels)
	if slices.Sort(labels); len(slices.Compact(labels)) != 4 || !slices.Contains(labels, "is over, paid 1000.001") {
		t.Errorf("labels %q, want one for each of 1000.001 and 1000.002, for an end without a reward, and for going on", labels)
	}
}

func TestGamesRefuse(t *testing.T) {
	var unsupported *bcpace.UnsupportedError
	short, err := bcpace.FiniteHorizon(envs.Chain{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []bcpace.Finite{envs.Tiger{}, envs.LightDarkTiger{Sigma: 0.1}, short} {
		if _, err := games.OneShot(m); !errors.As(err, &unsupported) {
			t.Errorf("%s: error %v, want an UnsupportedError", m.Spec().Name, err)
		}
	}
	if _, err := games.Repeated(nil); err == nil {
		t.Error("no error without a model")
	}
}

// Tiger whose game begins again behind the same doors.
func ExampleOneShot() {
	m, err := games.OneShot(envs.Tiger{Ends: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.NumStates(), "states, the latent is", bcpace.KindOf(m))
	// Output: 9 states, the latent is static
}

// Tiger whose game begins again with a tiger behind one of both doors.
func ExampleRepeated() {
	m, err := games.Repeated(envs.Tiger{Ends: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.NumStates(), "states, the latent is", bcpace.KindOf(m))
	// Output: 6 states, the latent is redrawn
}

// What is made of unknown transitions would know them, so that it is refused.
func TestGamesRefuseUnknownTransitions(t *testing.T) {
	m, err := envs.DoubleLoop{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	var unsupported *bcpace.UnsupportedError
	for name, make := range map[string]func() error{
		"OneShot":       func() error { _, err := games.OneShot(m); return err },
		"Repeated":      func() error { _, err := games.Repeated(m); return err },
		"FiniteHorizon": func() error { _, err := bcpace.FiniteHorizon(m, 5); return err },
		"WithPrior":     func() error { _, err := bcpace.WithPrior(doubled{m}, bcpace.Belief{1, 0}); return err },
	} {
		if err := make(); !errors.As(err, &unsupported) {
			t.Errorf("%s: error %v, want an UnsupportedError", name, err)
		}
	}
}

// doubled is a model with the same MDP as two latents.
type doubled struct{ *envs.Table }

func (m doubled) Spec() bcpace.Spec {
	s := m.Table.Spec()
	s.Latents = []string{"one", "another"}
	return s
}

func (m doubled) Prior(b bcpace.Belief) { b[0], b[1] = 0.5, 0.5 }
