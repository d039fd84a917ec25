package pomdp_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/pomdp"
	"bayescpace/envs"
)

func optimal(t *testing.T, m bcpace.Model, horizon int) eval.ExactValue {
	t.Helper()
	e, err := eval.Optimal(context.Background(), m, eval.ExactOptions{Horizon: horizon})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestTiger: the value of the textbook's Tiger is that of envs.Tiger, whose
// oracle is a separate dynamic program.
func TestTiger(t *testing.T) {
	m, err := pomdp.AsBAMDP(t.Context(), pomdptest.Tiger())
	if err != nil {
		t.Fatal(err)
	}
	if k := bcpace.KindOf(m); k != bcpace.Redrawn {
		t.Errorf("the latent is %v", k)
	}
	if err := check.Model(m, check.Options{}); err != nil {
		t.Error(err)
	}
	for _, o := range []struct {
		horizon    int
		want, unit float64
	}{{50, 17.760, 1e-3}, {100, 19.247, 1e-3}, {0, 19.3714, 1e-4}} {
		if e := optimal(t, m, o.horizon); math.Abs(e.Value-o.want) > o.unit/2+e.Error {
			t.Errorf("T = %d: %v, want %v", o.horizon, e.Value, o.want)
		}
	}
}

// thereAndBack returns the POMDP of m and what comes back of it.
func thereAndBack(t rapid.TB, m bcpace.Finite) (*pomdp.Model, bcpace.Finite) {
	t.Helper()
	p, err := pomdp.FromBAMDP(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	back, err := pomdp.AsBAMDP(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return p, back
}

// TestRoundTrip: a model and what comes back of its POMDP have the same values.
func TestRoundTrip(t *testing.T) {
	for _, m := range []bcpace.Finite{envs.Tiger{}, envs.Tiger{Ends: true}, envs.Chain{}, envs.LightDarkTiger{}} {
		for _, horizon := range []int{10, 30, 0} {
			p, back := thereAndBack(t, m)
			if bcpace.KindOf(back) != bcpace.KindOf(m) {
				t.Errorf("%s: the latent is %v, was %v", p.Name, bcpace.KindOf(back), bcpace.KindOf(m))
			}
			a, b := optimal(t, m, horizon), optimal(t, back, horizon)
			if math.Abs(a.Value-b.Value) > a.Error+b.Error+1e-9 {
				t.Errorf("%s, T = %d: %v, was %v", p.Name, horizon, b.Value, a.Value)
			}
		}
	}
}

// TestHorizon: a model with a horizon of its own keeps it.
func TestHorizon(t *testing.T) {
	for _, discount := range []float64{0.95, 1} {
		m := limited{envs.Chain{}, discount}
		p, err := pomdp.FromBAMDP(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		want := optimal(t, m, 4).Value
		if got := search(p, 6); math.Abs(got-want) > 1e-9 {
			t.Errorf("γ = %v: %v in 6 steps, want %v of 4", discount, got, want)
		}
		if n := p.NumVisible(); n != 5*5+1 {
			t.Errorf("%d visible states, want those of the finite horizon and the end", n)
		}
		if _, err := pomdp.AsBAMDPPolicy(m, p, pomdp.PolicyFunc(func(int, []float64) int { return 0 })); err == nil {
			t.Error("a policy of other states is no error")
		}
	}
}

type limited struct {
	bcpace.Finite
	discount float64
}

func (l limited) Spec() bcpace.Spec {
	s := l.Finite.Spec()
	s.Discount, s.Horizon = l.discount, 4
	return s
}

// search is the value of m by expectimax over dense joint beliefs.
func search(m *pomdp.Model, depth int) float64 {
	n := m.NumStates()
	value := 0.0
	for x := range m.NumVisible() {
		joint := make([]float64, n)
		for _, e := range m.Start {
			if int(e.At)/m.NumHidden() == x {
				joint[e.At] = e.Value
			}
		}
		value += weighted(m, joint, depth)
	}
	return value
}

// weighted is the value of an unnormalised joint belief times its mass.
func weighted(m *pomdp.Model, joint []float64, depth int) float64 {
	mass := 0.0
	for _, p := range joint {
		mass += p
	}
	if depth == 0 || mass == 0 {
		return 0
	}
	best := math.Inf(-1)
	for a := range m.Actions {
		q := 0.0
		after := make([]float64, len(joint))
		for s, p := range joint {
			q += p * m.Reward[a][s]
			col, value := m.Move[a].At(s)
			for i, to := range col {
				after[to] += p * value[i]
			}
		}
		for x := range m.NumVisible() {
			for o := range m.Observations {
				part := make([]float64, len(joint))
				for y := range m.NumHidden() {
					s := x*m.NumHidden() + y
					col, value := m.Sense[a].At(s)
					for i, seen := range col {
						if int(seen) == o {
							part[s] = after[s] * value[i]
						}
					}
				}
				q += m.Discount * weighted(m, part, depth-1)
			}
		}
		best = max(best, q)
	}
	return best
}

// quick are options of a short check. What goroutines may share does not depend on the numbers of a model, and an eighth of them is enough.
func quick(rng *rand.Rand) check.Options {
	o := check.Options{Draws: 10, Episodes: 2, Steps: 5}
	if rng.IntN(8) > 0 {
		o.Skip = []string{check.Goroutines}
	}
	return o
}

// TestFromBAMDP: the POMDP of a random BAMDP has its value, by expectimax on
// tables against backward induction over beliefs, and comes back.
func TestFromBAMDP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := bcpace.LatentKind(rapid.IntRange(0, 2).Draw(t, "kind"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m := randmodel.New(rng, randmodel.Options{States: 2 + rng.IntN(3), Latents: 2 + rng.IntN(2), Actions: 2, Branch: 2, Kind: kind})
		p, back := thereAndBack(t, m)
		if err := check.Model(back, quick(rng)); err != nil {
			t.Fatal(err)
		}
		want := search(p, 3)
		for _, x := range []bcpace.Model{m, back} {
			e, err := eval.Optimal(context.Background(), x, eval.ExactOptions{Horizon: 3})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(e.Value-want) > 1e-8 {
				t.Fatalf("%s is worth %v, its POMDP %v", x.Spec().Name, e.Value, want)
			}
		}
	})
}

// randomPOMDP draws a POMDP with observations whose hidden part is static where
// still is set; otherwise it changes with what is seen.
func randomPOMDP(rng *rand.Rand, still bool) *pomdp.Model {
	nx, ny, na, no := 1+rng.IntN(3), 2+rng.IntN(2), 2, 1+rng.IntN(3)
	row := func(n int) []float64 { return pomdptest.Row(rng, n, 1) }
	m := pomdptest.New(nx, ny, na, no, 0.9, row(nx*ny))
	for range na {
		var move, sense [][]float64
		var reward []float64
		for s := range nx * ny {
			r := row(nx * ny)
			if still {
				clear(r)
				for x, p := range row(nx) {
					r[x*ny+s%ny] = p
				}
			}
			move, sense, reward = append(move, r), append(sense, row(no)), append(reward, rng.Float64()-.5)
		}
		pomdptest.Append(m, move, sense, reward)
	}
	return m
}

// TestAsBAMDP: a POMDP with a static hidden part has the value of its BAMDP.
func TestAsBAMDP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m := randomPOMDP(rng, true)
		b, err := pomdp.AsBAMDP(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Model(b, quick(rng)); err != nil {
			t.Fatal(err)
		}
		e, err := eval.Optimal(context.Background(), b, eval.ExactOptions{Horizon: 3})
		if err != nil {
			t.Fatal(err)
		}
		if want := search(m, 3); math.Abs(e.Value-want) > 1e-9 {
			t.Fatalf("%v, want %v", e.Value, want)
		}
	})
}

// TestAsBAMDPRefuses: where y' can be told from what was seen, the error says
// so, and otherwise the values agree.
func TestAsBAMDPRefuses(t *testing.T) {
	refused := 0
	for seed := range uint64(200) {
		m := randomPOMDP(rand.New(rand.NewPCG(seed, 1)), false)
		b, err := pomdp.AsBAMDP(t.Context(), m)
		var dependence *pomdp.DependenceError
		switch {
		case errors.As(err, &dependence):
			refused++
			if dependence.Joint == dependence.Independent || !strings.Contains(err.Error(), dependence.Action) {
				t.Errorf("seed %d: %v", seed, err)
			}
		case err != nil:
			t.Errorf("seed %d: %v", seed, err)
		default:
			if e, want := optimal(t, b, 3), search(m, 3); math.Abs(e.Value-want) > 1e-8 {
				t.Errorf("seed %d: %v, want %v", seed, e.Value, want)
			}
		}
	}
	if refused < 100 || refused == 200 {
		t.Errorf("%d of 200 refused", refused)
	}
	// A redraw is independent of what is seen unless the sound tells of it.
	m := pomdptest.Tiger()
	m.Sense[1] = m.Sense[0]
	_, err := pomdp.AsBAMDP(t.Context(), m)
	if want := (*pomdp.DependenceError)(nil); !errors.As(err, &want) {
		t.Errorf("error %v", err)
	}
}

// TestAsBAMDPSeesSmallProbabilities: a dependence or a move of the hidden part counts
// however improbable it is, as rewards of its reciprocal show. A rewarding y = 1
// comes with probability p.
func TestAsBAMDPSeesSmallProbabilities(t *testing.T) {
	stay := [][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	for _, p := range []float64{1e-3, 1e-9, 1e-10, 1e-15, 1e-100} {
		bet := func(draw []float64, observations int, sense [][]float64) *pomdp.Model {
			m := pomdptest.New(2, 2, 2, observations, 0.5, []float64{1, 0, 0, 0})
			pomdptest.Append(m, [][]float64{draw, draw, draw, draw}, sense, make([]float64, 4))
			pomdptest.Append(m, stay, sense, []float64{-1 / p, 1 / p, -1 / p, 1 / p})
			return m
		}
		silent := [][]float64{{1}, {1}, {1}, {1}}
		for name, m := range map[string]*pomdp.Model{
			"a bell tells":                      bet([]float64{1 - p, p, 0, 0}, 2, [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}),
			"x tells":                           bet([]float64{1 - p, 0, 0, p}, 1, silent),
			"x excludes":                        bet([]float64{0.5, p / 2, 0.5 - p/2, 0}, 1, silent),
			"x tells of what is improbable":     bet([]float64{0.5, p * 0.9, 0.5 - p, p * 0.1}, 1, silent),
			"x tells by a billionth of p":       bet([]float64{0.5 - p/2, p / 2 * (1 + 1e-9), 0.5 - p/2, p / 2}, 1, silent),
			"x excludes a second improbability": bet([]float64{1 - 2*p, p, p, 0}, 1, silent),
		} {
			_, err := pomdp.AsBAMDP(t.Context(), m)
			if want := (*pomdp.DependenceError)(nil); !errors.As(err, &want) || want.Joint == want.Independent {
				t.Errorf("p = %v, %s: error %v", p, name, err)
			}
		}
		m := bet([]float64{1 - p, p, 0, 0}, 1, silent) // nothing tells, and the latent moves
		m.Reward[1] = []float64{0, 1 / p, 0, 0}
		b, err := pomdp.AsBAMDP(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := pomdp.FromBAMDP(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if got := search(back, 2); math.Abs(got-0.5) > 1e-9 || bcpace.KindOf(b) != bcpace.Redrawn {
			t.Errorf("p = %v: value %v of a %v latent, want 0.5 of one that is redrawn", p, got, bcpace.KindOf(b))
		}
	}
}

// TestAsBAMDPTellsRounding: products of probabilities of any size are taken, however
// they round, and one of them that is larger by 10⁻¹⁰ of itself is not.
func TestAsBAMDPTellsRounding(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		nx, ny, no := 1+rng.IntN(4), 2+rng.IntN(4), 2+rng.IntN(3)
		distribution := func(n int) []float64 {
			p, sum := make([]float64, n), 0.0
			for i := range p {
				p[i] = math.Pow(10, -12*rng.Float64())
				sum += p[i]
			}
			for i := range p {
				p[i] /= sum
			}
			return p
		}
		m := pomdptest.New(nx, ny, 1, no, 0.5, distribution(nx*ny))
		var move, sense [][]float64
		for range nx {
			sound := distribution(no)
			for range ny {
				row := make([]float64, 0, nx*ny)
				to, after := distribution(nx), distribution(ny)
				for _, p := range to {
					for _, q := range after {
						row = append(row, p*q)
					}
				}
				move, sense = append(move, row), append(sense, sound)
			}
		}
		pomdptest.Append(m, move, sense, make([]float64, nx*ny))
		if _, err := pomdp.AsBAMDP(t.Context(), m); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		s, o := rng.IntN(nx*ny), rng.IntN(no)
		m.Sense[0].Value[s*no+o] *= 1 + 1e-10
		_, err := pomdp.AsBAMDP(t.Context(), m)
		if want := (*pomdp.DependenceError)(nil); !errors.As(err, &want) {
			t.Errorf("seed %d: error %v", seed, err)
		}
	}
}

// TestUpdate: Bayes' rule against the joint distribution.
func TestUpdate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m := randomPOMDP(rng, false)
		ny := m.NumHidden()
		b := make(bcpace.Belief, ny)
		b.SampleSimplex(rng)
		x, a := rng.IntN(m.NumVisible()), rng.IntN(len(m.Actions))
		next, total := make([]float64, ny), 0.0
		for to := range m.NumVisible() {
			for o := range m.Observations {
				want, sum := make([]float64, ny), 0.0
				for y2 := range ny {
					for y, p := range b {
						want[y2] += p * pomdptest.At(m.Move[a], x*ny+y, to*ny+y2) * pomdptest.At(m.Sense[a], to*ny+y2, o)
					}
					sum += want[y2]
				}
				p := m.Update(next, b, x, a, to, o)
				total += p
				if math.Abs(p-sum) > 1e-12 {
					t.Fatalf("probability %v, want %v", p, sum)
				}
				for y := range ny {
					if sum > 0 && math.Abs(next[y]-want[y]/sum) > 1e-9 || sum == 0 && next[y] != 0 {
						t.Fatalf("belief %v, want %v/%v", next, want, sum)
					}
				}
			}
		}
		if math.Abs(total-1) > 1e-9 {
			t.Fatalf("probabilities sum to %v", total)
		}
	})
}

// threshold listens until a side is believed in, as is optimal in Tiger.
var threshold = pomdp.PolicyFunc(func(_ int, b []float64) int {
	switch {
	case b[0] > .95:
		return 2
	case b[1] > .95:
		return 1
	}
	return 0
})

// TestRollouts: the mean return against the exact value of the policy. The
// interval of 4.9 standard errors misses with probability 1e-6.
func TestRollouts(t *testing.T) {
	m, ctx := pomdptest.Tiger(), context.Background()
	bamdp, err := pomdp.AsBAMDP(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	p := bcpace.PolicyFunc(func(_ []float64, b bcpace.Belief, _ *rand.Rand) int { return threshold(0, b) })
	exact, err := eval.Evaluate(ctx, bamdp, p, eval.ExactOptions{Horizon: 40})
	if err != nil {
		t.Fatal(err)
	}
	var first eval.Result
	for workers := 1; workers <= 4; workers++ {
		r, err := pomdp.Rollouts(ctx, m, threshold, eval.Options{Episodes: 20000, Horizon: 40, Seed: 3, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			first = r
			if math.Abs(r.Mean-exact.Value) > 4.9*r.StdErr || r.StdErr > 0.3 || r.Cut != 20000 {
				t.Errorf("mean %v ± %v, want %v", r.Mean, r.StdErr, exact.Value)
			}
			continue
		}
		if r.Mean != first.Mean || r.StdErr != first.StdErr {
			t.Errorf("%d workers: %v, one: %v", workers, r.Mean, first.Mean)
		}
	}
}

// TestRolloutsEnd: episodes of Light-Dark Tiger end, in the POMDP as in the
// model, and a policy goes from one to the other.
func TestRolloutsEnd(t *testing.T) {
	ctx, m := context.Background(), envs.LightDarkTiger{}
	p, err := pomdp.FromBAMDP(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	right := pomdp.PolicyFunc(func(x int, _ []float64) int { return x % 3 })
	r, err := pomdp.Rollouts(ctx, p, right, eval.Options{Episodes: 200})
	if err != nil {
		t.Fatal(err)
	}
	on, err := pomdp.AsBAMDPPolicy(m, p, right)
	if err != nil {
		t.Fatal(err)
	}
	q, err := eval.Evaluate(ctx, m, on, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Mean-q.Value) > 4.9*r.StdErr+1e-4 {
		t.Errorf("%v ± %v, exactly %v", r.Mean, r.StdErr, q.Value)
	}
}

func TestRolloutsStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := eval.Options{Episodes: 1_000_000, Workers: 2, Progress: func(done int) {
		if done == 50 {
			cancel()
		}
	}}
	r, err := pomdp.Rollouts(ctx, pomdptest.Tiger(), threshold, o)
	// The episodes under way are dropped; all before the first of them count.
	if err != context.Canceled || r.Episodes > 1000 || len(r.Returns) != r.Episodes {
		t.Errorf("%d episodes, %v", r.Episodes, err)
	}
	wrong := pomdp.PolicyFunc(func(int, []float64) int { return 7 })
	var input *bcpace.InputError
	if _, err := pomdp.Rollouts(context.Background(), pomdptest.Tiger(), wrong, eval.Options{}); !errors.As(err, &input) {
		t.Errorf("an unknown action: %v", err)
	}
	for _, o := range []eval.Options{{Episodes: -1}, {Horizon: -1}, {Workers: -1}, {Belief: bcpace.Belief{1, 0}}, {Undiscounted: true}} {
		if _, err := pomdp.Rollouts(context.Background(), pomdptest.Tiger(), threshold, o); !errors.As(err, &input) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestLargestReward: a model with the largest rewards has values that are finite
// numbers, and so do their squares.
func TestLargestReward(t *testing.T) {
	for _, discount := range []float64{0, 0.5, 0.999, math.Nextafter(1, 0), 1} {
		m := pomdptest.Tiger()
		m.Discount = discount
		r := pomdp.MaxReward(discount)
		m.Reward = [][]float64{{r, -r}, {-r, r}, {0, 0}}
		if err := m.Validate(); err != nil {
			t.Error(discount, err)
		}
		m.Reward[1][0] *= 1 + 1e-15
		if input := (*bcpace.InputError)(nil); !errors.As(m.Validate(), &input) {
			t.Error(discount, "a reward beyond the limit is accepted")
		}
		if high := r / max(1-discount, 1e-300); discount < 1 && math.IsInf(4*high*high, 0) {
			t.Error(discount, r)
		}
	}
}

// TestValidate: what is broken is named.
func TestValidate(t *testing.T) {
	if err := pomdptest.Tiger().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		break_ func(m *pomdp.Model)
		want   string
	}{
		{func(m *pomdp.Model) { m.Discount = math.NaN() }, "Discount is NaN"},
		{func(m *pomdp.Model) { m.Actions = nil }, "Actions is none"},
		{func(m *pomdp.Model) { m.Observations = nil }, "Observations is none"},
		{func(m *pomdp.Model) { m.Actions[1] = "listen" }, `"listen" twice`},
		{func(m *pomdp.Model) { m.Hidden[0].Values = nil }, `variable "tiger" is without values`},
		{func(m *pomdp.Model) { m.Visible = m.Hidden }, `"tiger" twice`},
		{func(m *pomdp.Model) { m.Move = m.Move[:2] }, "Move is 2 long, want 3"},
		{func(m *pomdp.Model) { m.Move[1] = nil }, `Move of action "open-left" is missing`},
		{func(m *pomdp.Model) { m.Start[1].Value = .4 }, "the sum of Start is 0.9, want 1"},
		{func(m *pomdp.Model) { m.Start[1].At = 0 }, "the state of Start[1] is 0"},
		{func(m *pomdp.Model) { m.Start[1].At = 2 }, "the state of Start[1] is 2"},
		{func(m *pomdp.Model) { m.Start[1].Value = math.NaN() }, "Start at state right is NaN"},
		{func(m *pomdp.Model) { m.Sense[0] = pomdptest.Matrix([]float64{.8, .15}, []float64{0, 1}) }, `Sense of action "listen" in the row of state left: the sum is 0.95`},
		{func(m *pomdp.Model) { m.Move[2] = pomdptest.Matrix([]float64{1, 0}, []float64{2, -1}) }, `Move of action "open-right" in the row of state right, column 0 is 2`},
		{func(m *pomdp.Model) { m.Move[2] = pomdptest.Matrix([]float64{1, 0}) }, `its rows is 1, want 2`},
		{func(m *pomdp.Model) { m.Move[0] = pomdptest.Matrix([]float64{0, 0, 1}, []float64{0, 1}) }, `a column is 2`},
		{func(m *pomdp.Model) { m.Move[0].Row = []int{0, 2, 1} }, `lengths`},
		{func(m *pomdp.Model) { m.Offers = [][]int32{{0, 1, 2}} }, "Offers is 1 long, want 2"},
		{func(m *pomdp.Model) { m.Offers = [][]int32{{0, 1, 2}, {0, 1, 3}} }, "Offers of state right is [0 1 3], want 3 numbers"},
		{func(m *pomdp.Model) { m.Move[0].Row = []int{0, 9, 2} }, `from 0 to 9`},
		{func(m *pomdp.Model) { m.Reward[0] = m.Reward[0][:1] }, `Reward of action "listen" is 1 long`},
		{func(m *pomdp.Model) { m.Reward[0][1] = math.Inf(1) }, `Reward of action "listen" in state right is +Inf`},
		{func(m *pomdp.Model) { m.Reward[0][1] = 1e308 }, `Reward of action "listen" in state right is 1e+308, want a number of size 2.5e+148 at most`},
		{func(m *pomdp.Model) { m.Name = "a\nb" }, `Name is "a\nb", want one without control characters`},
		{func(m *pomdp.Model) { m.Actions[1] = "\x00" }, `a name among Actions is "\x00"`},
		{func(m *pomdp.Model) { m.Observations[1] = "x\x7f" }, `a name among Observations is "x\x7f"`},
		{func(m *pomdp.Model) { m.Hidden[0].Name = "x\u0085" }, `a name among Visible, Hidden is "x\u0085"`},
		{func(m *pomdp.Model) { m.Hidden[0].Values[0] = "\t" }, `a name among the values of variable "tiger" is "\t"`},
	} {
		m := pomdptest.Tiger()
		c.break_(m)
		var input *bcpace.InputError
		if err := m.Validate(); !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
