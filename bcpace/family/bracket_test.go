package family_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/family"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// banditValue is the value of the bandit with a uniform prior, by dynamic programming over the
// wins and losses of the unknown arm (Gittins and Jones 1974).
func banditValue(discount float64) float64 {
	const depth = 400
	known := 0.5 / (1 - discount)
	v := make([]float64, depth+1) // by wins, at a depth of as many plays
	for w := range v {
		v[w] = max(known, float64(w+1)/(depth+2)/(1-discount))
	}
	for n := depth - 1; n >= 0; n-- {
		for w := range n + 1 {
			p := float64(w+1) / float64(n+2)
			v[w] = max(known, p*(1+discount*v[w+1])+(1-p)*discount*v[w])
		}
	}
	return v[0]
}

// chainValue is the value of the chain of five states whose slip is uniform in [low, high], by
// dynamic programming over the state and the numbers of slips and others.
func chainValue(low, high, discount float64) float64 {
	const depth, length = 160, 5
	x, w := make([]float64, 120), make([]float64, 120)
	quad.Legendre{}.FixedLocations(x, w, low, high)
	moment := func(slips, others int) float64 {
		sum := 0.0
		for i, p := range x {
			sum += w[i] * math.Pow(p, float64(slips)) * math.Pow(1-p, float64(others))
		}
		return sum
	}
	v := make([][length + 1]float64, depth+2) // by slips, with the state from 1 on
	for n := depth; n >= 0; n-- {
		after := v
		v = make([][length + 1]float64, depth+2)
		for k := range n + 1 {
			slip := moment(k+1, n-k) / moment(k, n-k)
			for s := 1; s <= length; s++ {
				up := 0.0
				if s == length {
					up = 10
				}
				to := min(s+1, length)
				slipped := [2]float64{2 + discount*after[k+1][1], up + discount*after[k+1][to]} // of action A, and of B
				straight := [2]float64{up + discount*after[k][to], 2 + discount*after[k][1]}
				v[k][s] = max(slip*slipped[0]+(1-slip)*straight[0], slip*slipped[1]+(1-slip)*straight[1])
			}
		}
	}
	return v[0][1]
}

// unknown are two families with the values of their priors, from dynamic programming.
func unknown() []struct {
	name  string
	f     family.Family
	value float64
} {
	return []struct {
		name  string
		f     family.Family
		value float64
	}{
		{"bandit", bandit(between(0, 1), 0.9), banditValue(0.9)},
		{"chain", slips(between(0.1, 0.9)), chainValue(0.1, 0.9, 0.9)},
	}
}

// TestBracket compares brackets of families with a density to their values. A bracket fails
// with probability 0.05 at most; BenchmarkBracket repeats it with many seeds.
func TestBracket(t *testing.T) {
	for _, c := range unknown() {
		bracket := func(n int, d family.Design) float64 {
			const episodes, sets = 300, 10
			b, err := family.Bracket(t.Context(), c.f, certified.Solver{Epsilon: 0.1}, family.BracketOptions{Draws: n, Design: d, Episodes: episodes, Sets: sets, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			if !(b.Lower <= c.value && c.value <= b.Upper) || b.LowerBy != bcpace.BySimulation || b.UpperBy != bcpace.BySimulation {
				t.Errorf("%s, %d draws, %s: [%v, %v] (%s, %s) does not hold %v", c.name, n, d, b.Lower, b.Upper, b.LowerBy, b.UpperBy, c.value)
			}
			if b.Stop != "" || b.Sets != sets || b.Episodes != episodes || b.Told != 100*sets*n || b.Listed || b.Refuted != "" || b.Surprises != 0 {
				t.Errorf("%s: %+v", c.name, b)
			}
			if b.Earned > c.value+5*b.EarnedErr || b.Optimum < c.value-5*b.OptimumErr {
				t.Errorf("%s: earned %v±%v, optimum of sets %v±%v, value %v", c.name, b.Earned, b.EarnedErr, b.Optimum, b.OptimumErr, c.value)
			}
			return b.Gap()
		}
		few := bracket(2, family.Independent)
		for _, d := range []family.Design{family.Independent, family.Stratified, family.Shifted} {
			if many := bracket(8, d); many > few || many > 0.25*c.value {
				t.Errorf("%s, %s: gap %v with 8 draws, %v with 2", c.name, d, many, few)
			}
		}
	}
}

// TestBracketListed compares the bracket of a family whose prior is a list to the solver's own,
// and brackets it by fewer draws than there are values.
func TestBracketListed(t *testing.T) {
	f := slips(family.PointMasses{Values: []float64{0.2, 0.3, 0.5, 0.8}, Weights: []float64{0.4, 0.3, 0.2, 0.1}})
	direct := envs.Chain{Slips: []float64{0.2, 0.3, 0.5, 0.8}, SlipPrior: []float64{0.4, 0.3, 0.2, 0.1}, Discount: 0.9}
	want, err := certified.Solver{Epsilon: 0.01}.Solve(t.Context(), direct, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	c := want.Certificate
	b, err := family.Bracket(t.Context(), f, certified.Solver{Epsilon: 0.01}, family.BracketOptions{Draws: 4})
	if err != nil {
		t.Fatal(err)
	}
	if b.Lower != c.Lower || b.Upper != c.Upper || b.LowerBy != c.LowerBy || b.UpperBy != c.UpperBy || !b.Listed || b.Draws != 4 || b.Stop != "" {
		t.Errorf("%+v, want %+v", b, c)
	}
	few, err := family.Bracket(t.Context(), f, certified.Solver{Epsilon: 0.01}, family.BracketOptions{Draws: 3, Episodes: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if few.Listed || few.Draws != 3 || few.Lower > c.Upper || few.Upper < c.Lower {
		t.Errorf("3 draws of 4 values: %+v, want one that holds [%v, %v]", few, c.Lower, c.Upper)
	}
	// QMDP proves no lower bound: its policy is simulated.
	b, err = family.Bracket(t.Context(), f, qmdp.Solver{}, family.BracketOptions{Draws: 4, Episodes: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if b.LowerBy != bcpace.BySimulation || b.Episodes != 2000 || b.Lower > c.Upper || b.Upper < c.Lower {
		t.Errorf("by QMDP: %+v", b)
	}
}

// TestBracketWorkers makes the same bracket with 1 and 3 goroutines.
//
//test:race
func TestBracketWorkers(t *testing.T) {
	var all [2]*family.ValueBracket
	for i, workers := range []int{1, 3} {
		b, err := family.Bracket(t.Context(), bandit(between(0, 1), 0.8), certified.Solver{Epsilon: 0.1},
			family.BracketOptions{Draws: 4, Sets: 5, Episodes: 200, Told: 300, Seed: 9, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		b.Model, b.Solution = nil, nil
		all[i] = b
	}
	if *all[0] != *all[1] {
		t.Errorf("%+v and %+v", all[0], all[1])
	}
}

// TestBracketCut ends the context in each phase: what there is holds.
func TestBracketCut(t *testing.T) {
	f, value := bandit(between(0, 1), 0.9), banditValue(0.9)
	for _, phase := range []string{"policy", "optima of sets", "values of known θ", "episodes"} {
		ctx, cancel := context.WithCancel(t.Context())
		b, err := family.Bracket(ctx, f, certified.Solver{Epsilon: 0.1}, family.BracketOptions{Seed: 1, Progress: func(p bcpace.Progress) {
			if p.Phase == phase {
				cancel()
			}
		}})
		cancel()
		if err != nil {
			if phase != "policy" || !errors.Is(err, context.Canceled) {
				t.Errorf("cut in %s: %v", phase, err)
			}
			continue
		}
		if b.Stop != stop.Interrupted || !(b.Lower <= value && value <= b.Upper) {
			t.Errorf("cut in %s: [%v, %v], stop %q", phase, b.Lower, b.Upper, b.Stop)
		}
	}
}

// TestBracketInput asks for what cannot be.
//
//test:race
func TestBracketInput(t *testing.T) {
	f, s := bandit(between(0, 1), 0.9), certified.Solver{Epsilon: 0.1}
	payer := slips(between(0.1, 0.9))
	payer.Build = func(thetas [][]float64) (bcpace.Model, error) {
		m, err := slips(nil).Build(thetas)
		return paying{m.(bcpace.Finite), 10 + thetas[0][0]}, err
	}
	for want, try := range map[string]func() error{
		"the solver is nil":    func() error { return bracketErr(t, f, nil, family.BracketOptions{}) },
		"want a Family":        func() error { return bracketErr(t, nil, s, family.BracketOptions{}) },
		"Confidence is 1":      func() error { return bracketErr(t, f, s, family.BracketOptions{Confidence: 1}) },
		"Confidence is NaN":    func() error { return bracketErr(t, f, s, family.BracketOptions{Confidence: math.NaN()}) },
		"Draws is -1":          func() error { return bracketErr(t, f, s, family.BracketOptions{Draws: -1}) },
		"Sets is -1":           func() error { return bracketErr(t, f, s, family.BracketOptions{Sets: -1}) },
		"Episodes is -1":       func() error { return bracketErr(t, f, s, family.BracketOptions{Episodes: -1}) },
		"Told is -2":           func() error { return bracketErr(t, f, s, family.BracketOptions{Told: -2}) },
		"Workers is -1":        func() error { return bracketErr(t, f, s, family.BracketOptions{Workers: -1}) },
		`Design is "x"`:        func() error { return bracketErr(t, f, s, family.BracketOptions{Design: "x"}) },
		"hold for every θ":     func() error { return bracketErr(t, payer, s, family.BracketOptions{}) },
		"such as a Truncated":  func() error { return bracketErr(t, bandit(distuv.UnitNormal, 0.9), s, family.BracketOptions{}) },
		"Epsilon is 0, want a": func() error { return bracketErr(t, f, certified.Solver{}, family.BracketOptions{}) },
	} {
		var input *bcpace.InputError
		if err := try(); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
	endless := slips(between(0.1, 0.9))
	endless.Build = func(thetas [][]float64) (bcpace.Model, error) {
		m, err := slips(nil).Build(thetas)
		return withoutDiscount{m.(bcpace.Finite)}, err
	}
	if err := bracketErr(t, endless, s, family.BracketOptions{}); !errors.As(err, new(*bcpace.UnsupportedError)) {
		t.Errorf("without a discount and a horizon: error %v, want an *UnsupportedError", err)
	}
}

// withoutDiscount is a model whose values have no bound.
type withoutDiscount struct{ bcpace.Finite }

func (m withoutDiscount) Spec() bcpace.Spec {
	s := m.Finite.Spec()
	s.Discount, s.Goal = 1, true
	return s
}

func bracketErr(t *testing.T, f family.Family, s bcpace.Solver, o family.BracketOptions) error {
	_, err := family.Bracket(t.Context(), f, s, o)
	return err
}

// paying is a model that states another largest reward.
type paying struct {
	bcpace.Finite
	most float64
}

func (m paying) Spec() bcpace.Spec {
	s := m.Finite.Spec()
	s.RewardMax = m.most
	return s
}

// TestBracketSurprises plays a policy whose two draws rule out most of what happens: a state
// that tells in which tenth θ is. A step pays where the action names that tenth.
func TestBracketSurprises(t *testing.T) {
	p := []family.Param{{Name: "θ", Min: 0, Max: 1, Prior: between(0, 1)}}
	f := family.Parametric{Name: "tenths", Entries: p, Build: func(thetas [][]float64) (bcpace.Model, error) {
		tenth := func(latent int) float64 { return math.Floor(10 * thetas[latent][0]) }
		pay := func(s []float64, action int) float64 {
			if s[0] == float64(action) {
				return 1
			}
			return 0
		}
		return bcpace.FromFuncs(bcpace.Funcs{
			Spec: bcpace.Spec{Name: "tenths", Axes: []bcpace.Axis{{Name: "tenth", Min: -1, Max: 9, Discrete: true}},
				Actions: bcpace.Actions("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"), Latents: family.Names(p, thetas), Discount: 0.5, RewardMax: 1},
			Step: func(next, s []float64, latent, action int, _ *rand.Rand) bcpace.Outcome {
				next[0] = tenth(latent)
				return bcpace.Outcome{Reward: pay(s, action)}
			},
			LogLikelihood: func(_ []float64, _ int, next []float64, latent int) float64 {
				if next[0] == tenth(latent) {
					return 0
				}
				return math.Inf(-1)
			},
			Successors: func(z *bcpace.Successors, s []float64, action int) {
				for k := range 10 {
					hit := false
					for i := range thetas {
						hit = hit || tenth(i) == float64(k)
					}
					if !hit {
						continue
					}
					next, prob, reward := z.Add(false)
					next[0] = float64(k)
					for i := range thetas {
						if tenth(i) == float64(k) {
							prob[i] = 1
						}
						reward[i] = pay(s, action)
					}
				}
			},
		})
	}}
	b, err := family.Bracket(t.Context(), f, certified.Solver{Epsilon: 0.01}, family.BracketOptions{Draws: 2, Episodes: 500})
	if err != nil {
		t.Fatal(err)
	}
	// The first action pays nothing, and every later one 1.
	if b.Surprises == 0 || b.Lower > 1 || b.Upper < 1 {
		t.Errorf("%d surprises, [%v, %v], want some, and 1 within", b.Surprises, b.Lower, b.Upper)
	}
}

// TestBracketContinuous brackets a family of models with continuous states, whose upper bounds are
// proved for each set of draws, or rest on grids where the models do not state their curves.
func TestBracketContinuous(t *testing.T) {
	for _, silent := range []bool{false, true} {
		testBracketContinuous(t, silent)
	}
}

func testBracketContinuous(t *testing.T, silent bool) {
	f := family.Parametric{Name: "gains", Entries: []family.Param{{Name: "gain", Min: -2, Max: 2, Prior: distuv.Uniform{Min: 0.5, Max: 1.5}}},
		Build: func(thetas [][]float64) (bcpace.Model, error) {
			m, err := envs.DualControl{Gains: family.Column(thetas, 0)}.Model()
			if err != nil {
				return nil, err
			}
			if !silent {
				return bcpace.Discretised(m, 5)
			}
			return bcpace.Discretised(bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.Smoothness = nil }), 5)
		}}
	b, err := family.Bracket(t.Context(), f, certified.Solver{Epsilon: 1, MaxEpisodes: 5, CertificateEpisodes: 100}, family.BracketOptions{Draws: 2, Sets: 3, Episodes: 300})
	if err != nil {
		t.Fatal(err)
	}
	// With a gain of 1 that is known, staying in the middle earns more than 9 of the 10.
	want := bcpace.BySimulation
	if silent {
		want = bcpace.ByAssumption
	}
	if b.UpperBy != want || silent != (b.Assumes != "") || b.Told != 0 || b.Lower > b.Earned || b.Earned > b.Optimum || b.Earned < 8 || b.Upper > 10 {
		t.Errorf("a model that is silent on its curves: %v: %+v", silent, b)
	}
}

// BenchmarkBracket repeats brackets with other seeds, and reports how many hold the value, how
// wide they are in percent of it, and how far its ends are from it: -benchtime 100x repeats 100
// times. Of 100 brackets with independent draws, 20 sets of 20, 97 held the value of the bandit
// and 97 that of the chain; they were 4.0 % and 4.4 % wide on average. With 100 stratified sets, as
// here, ten were 2.2 % and 2.4 % wide.
func BenchmarkBracket(b *testing.B) {
	for _, c := range unknown() {
		for _, n := range []int{2, 5, 20} {
			b.Run(fmt.Sprintf("%s/draws=%d", c.name, n), func(b *testing.B) {
				held, width, low, high, widest := 0.0, 0.0, 0.0, 0.0, 0.0
				for i := range b.N {
					x, err := family.Bracket(b.Context(), c.f, certified.Solver{Epsilon: 0.05}, family.BracketOptions{Draws: n, Design: family.Stratified, Sets: 100, Seed: uint64(i)})
					if err != nil {
						b.Fatal(err)
					}
					if x.Lower <= c.value && c.value <= x.Upper {
						held++
					}
					percent := 100 / c.value / float64(b.N)
					width, low, high = width+percent*x.Gap(), low+percent*(c.value-x.Lower), high+percent*(x.Upper-c.value)
					widest = max(widest, 100/c.value*x.Gap())
				}
				b.ReportMetric(100*held/float64(b.N), "%held")
				b.ReportMetric(width, "%wide")
				b.ReportMetric(widest, "%widest")
				b.ReportMetric(low, "%below")
				b.ReportMetric(high, "%above")
			})
		}
	}
}
