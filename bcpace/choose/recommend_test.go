package choose_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/online/despot"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/bcpace/online/thompson"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

// unlisted is a model that does not list what follows a state.
type unlisted struct{ bcpace.Model }

// vast has more states than tables have room for.
type vast struct{ envs.Chain }

func (vast) NumStates() int { return 100_000_000 }

// own is vast with latent values of its own.
type own struct {
	vast
	dp.LatentFunc
}

// bounded is vast with bounds of its own, those of the rewards.
type bounded struct{ vast }

func (bounded) Lower([]float64, bcpace.Belief) (value float64, action int) { return 0, 0 }

func (m bounded) Upper([]float64, bcpace.Belief) float64 {
	spec := m.Spec()
	return spec.VMax()
}

// long has more whole numbers on its axis than a grid has points.
type long struct{ envs.LightDarkTiger }

func (m long) Spec() bcpace.Spec {
	spec := m.LightDarkTiger.Spec()
	spec.Axes = slices.Clone(spec.Axes)
	spec.Axes[0].Max, spec.Axes[0].Discrete = 1e6, true
	return spec
}

func (long) IsFinite() bool { return false }

// Warnings come where they are due, and for the paper's problems with tuned settings
// there are none.
func TestForeseeWarns(t *testing.T) {
	for want, c := range map[runs.WarningKind]struct {
		model  bcpace.Model
		solver bcpace.Solver
	}{
		choose.TooManySamples: {envs.Chain{}, cpace.Solver{Epsilon: 0.1, K: 2000}},
		choose.OneForAll:      {envs.Chain{}, cpace.Solver{Epsilon: 100, LipQ: 1, K: 50, Horizon: 20}},
		choose.NoiseIgnored:   {envs.Tiger{}, cpace.Solver{Epsilon: 1}},
		choose.TooMuchMemory:  {vast{}, certified.Solver{Epsilon: 1}},
		runs.OneStep:          {envs.Chain{}, cpace.Solver{Epsilon: 1e4, LipQ: 1e4}},
	} {
		f, err := choose.Foresee(t.Context(), c.model, c.solver)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(f.Warnings, func(w runs.Warning) bool { return w.Kind == want && w.What != "" && w.Do != "" }) {
			t.Errorf("%s: no warning in\n%v", want, f)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel() // a refusal comes all the same
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.LightDarkTiger{Width: 9, Height: 9}, envs.LightDarkTiger{Sigma: 0.1}} {
		for _, name := range solvers.Names() {
			s, err := solvers.New(name, m)
			if err != nil {
				t.Fatal(err)
			}
			f, err := choose.Foresee(t.Context(), m, s)
			if _, refusal := s.Solve(over, m, bcpace.Control{}); errors.As(refusal, new(*bcpace.UnsupportedError)) {
				if !errors.As(err, new(*bcpace.UnsupportedError)) {
					t.Errorf("%v, %v, want %v", f, err, refusal)
				}
				continue
			}
			if err != nil || f.Warnings != nil {
				t.Errorf("%v, %v", f, err)
			}
		}
	}
	for _, c := range []struct {
		m bcpace.Model
		s bcpace.Solver
	}{{envs.Tiger{}, nil}, {nil, sarsop.Solver{}}, {envs.Tiger{}, cpace.Solver{}}} {
		if _, err := choose.Foresee(t.Context(), c.m, c.s); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("error %v, want an *InputError", err)
		}
	}
}

// What makes no tables has no set-up, where a solver that does would have no room for them.
func TestForeseeOfNoTables(t *testing.T) {
	for _, c := range []struct {
		model  bcpace.Model
		solver bcpace.Solver
		tables bool
	}{
		{vast{}, lookahead.Solver{}, true}, {vast{}, adaops.Solver{}, true}, {vast{}, despot.Solver{}, true}, {vast{}, thompson.Solver{}, true},
		{vast{}, pomcp.Solver{}, false}, {vast{}, pomcp.Solver{Rollout: online.ToldRollout}, true}, {vast{}, pomcpow.Solver{}, false},
		{bounded{}, lookahead.Solver{}, false}, {bounded{}, adaops.Solver{}, false}, {bounded{}, despot.Solver{}, true}, {bounded{}, certified.Solver{Epsilon: 1}, true},
		{own{}, lookahead.Solver{}, true}, {own{}, despot.Solver{}, false}, {own{}, qmdp.Solver{}, false}, {own{}, cpace.Solver{Epsilon: 0.1}, false},
	} {
		f, err := choose.Foresee(t.Context(), c.model, c.solver)
		if err != nil {
			t.Fatal(err)
		}
		full := slices.ContainsFunc(f.Warnings, func(w runs.Warning) bool { return w.Kind == choose.TooMuchMemory })
		if full != c.tables || f.SetUp.Points > 0 != c.tables {
			t.Errorf("%T: %v\nwant tables: %v", c.model, f, c.tables)
		}
	}
}

// drift moves on each of its axes, with so many nodes of quadrature, 0 for the default.
func drift(t *testing.T, axes, nodes int) bcpace.Model {
	spec := bcpace.Spec{Name: "drift", Actions: bcpace.Actions("left", "right"), Latents: []string{"weak", "strong"}, Discount: 0.9, RewardMin: -1}
	start, sigma := make([]float64, axes), make([]float64, axes)
	for i := range axes {
		spec.Axes = append(spec.Axes, bcpace.Axis{Name: fmt.Sprint("x", i), Min: -2, Max: 2})
		sigma[i] = 0.1
	}
	m, err := bcpace.FromGaussian(bcpace.Gaussian{Spec: spec, Starts: [][]float64{start}, Sigma: sigma, Nodes: nodes,
		Mean: func(mean, s []float64, latent, action int) {
			for i := range mean {
				mean[i] = 0.9*s[i] + 0.2*float64((1+latent)*(2*action-1))
			}
		},
		Reward: func(s []float64, _, _ int, _ []float64) float64 { return -min(s[0]*s[0], 1) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Where further visits would ask for more samples, the number is a floor.
func TestForeseeOfCoverThatGrows(t *testing.T) {
	f, err := choose.Foresee(t.Context(), drift(t, 1, 0), cpace.Solver{Epsilon: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	if !f.AtLeast || !strings.Contains(f.String(), "more than") || len(f.Warnings) == 0 || f.Warnings[0].Kind != choose.TooManySamples {
		t.Errorf("%v", f)
	}
}

// A look at many axes takes a coarse grid, and one without time says so.
func TestRecommendOnManyAxes(t *testing.T) {
	m := drift(t, 3, 0)
	r, err := choose.Recommend(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	if r.Solver.Name() == "qmdp" && !strings.Contains(r.Why, "as far as its grid goes") {
		t.Errorf("%v", r)
	}
	if strings.Contains(r.String(), "what comes later") {
		t.Errorf("whole episodes, and\n%v", r)
	}
	x, err := choose.Take(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	if q := x.Latent.(*dp.GridValues); len(q.Table) > 2000*4 {
		t.Errorf("%d values of the look", len(q.Table))
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := choose.Recommend(over, m); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "give it more time") {
		t.Errorf("without time: %v", err)
	}
}

// Between more axes than a grid is good for, policy search is advised, or the user's own controller.
func TestRecommendAController(t *testing.T) {
	m := drift(t, 5, 1)
	r, err := choose.Recommend(t.Context(), m)
	if err != nil || r.Solver.Name() != "policy-search" || !strings.Contains(r.Why, "a grid between 5 axes tells little of the values, and a search among policies needs none; or take certified, and give as Controller") {
		t.Errorf("%v, %v", r, err)
	}
	f, err := choose.Foresee(t.Context(), m, cpace.Solver{Epsilon: 0.1})
	if err != nil || !slices.ContainsFunc(f.Warnings, func(w runs.Warning) bool {
		return w.Kind == runs.CoarseGrid && strings.Contains(w.Do, "Controller")
	}) {
		t.Errorf("%v, %v", f, err)
	}
}

// What is earned in episodes that the look has cut says so.
func TestRecommendOfLongEpisodes(t *testing.T) {
	r, err := choose.Recommend(t.Context(), envs.Chain{Discount: 0.999})
	if err != nil || !strings.Contains(r.String(), "in episodes of 200 steps at most") {
		t.Errorf("%v, %v", r, err)
	}
}

// In a hundred episodes of Chain QMDP happens to earn more than the optimum, 48.08. Why says how
// far such a mean can be trusted, and in how many episodes it was earned.
func TestRecommendSaysHowWellMeansAreKnown(t *testing.T) {
	r, err := choose.Recommend(t.Context(), envs.Chain{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Earned {
		if e.Name != "qmdp" && e.Name != "informed" {
			continue
		}
		if want := fmt.Sprintf("%.4g (95%%: %.4g to %.4g)", e.Mean, e.CI95[0], e.CI95[1]); !strings.Contains(r.Why, want) {
			t.Errorf("%q does not say that %s earns %s", r.Why, e.Name, want)
		}
		if want := fmt.Sprintf("in %d episodes", e.Episodes); !strings.Contains(r.Why, want) {
			t.Errorf("%q does not say %q", r.Why, want)
		}
	}
}

func TestRecommend(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 5))
	many := make([]float64, choose.ManyLatents+1)
	for i := range many {
		many[i] = 0.1 + 0.8*float64(i)/float64(len(many))
	}
	for want, models := range map[string][]bcpace.Model{
		"qmdp":             {randmodel.New(rng, randmodel.Options{Latents: 1}), envs.LightDarkTiger{StartAt: []float64{0, 2}}},
		solvers.Certified:  {envs.LightDarkTiger{}, envs.Tiger{}},
		solvers.SARSOP:     {envs.Chain{Slips: many, Discount: 0.5}},
		solvers.BayesCPACE: {unlisted{envs.Tiger{}}, vast{}, long{}},
		"lookahead":        {bounded{}},
	} {
		for _, m := range models {
			r, err := choose.Recommend(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			if r.Solver.Name() != want || r.Why == "" {
				t.Errorf("%s: want %s, not\n%v", m.Spec().Name, want, r)
			}
		}
	}
}

// The recommended solver solves, to a policy that is no worse than QMDP.
func TestRecommendedSolverSolves(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 4))
	names := map[string]int{}
	for i := range 24 {
		o := randmodel.Varied(rng)
		o.Horizon = 1 + rng.IntN(4)
		m := randmodel.New(rng, o)
		var given bcpace.Model = m
		if i%4 == 0 {
			given = unlisted{m}
		}
		r, err := choose.Recommend(t.Context(), given)
		if err != nil {
			t.Fatal(err)
		}
		names[r.Solver.Name()]++
		found, err := r.Solver.Solve(t.Context(), given, bcpace.Control{})
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		if i%4 == 0 {
			continue // its policy is for the model without a list
		}
		value := func(p bcpace.Policy) float64 {
			e, err := eval.Evaluate(t.Context(), m, p, eval.ExactOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return e.Value
		}
		p, err := dp.QMDPPolicy(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if own, other := value(found.Policy), value(p); own < other-1e-3 && own < other-found.Certificate.Gap() {
			t.Errorf("%s of %s is worth %v, and QMDP %v", r.Solver.Name(), m.Spec().Name, own, other)
		}
	}
	if len(names) < 3 {
		t.Errorf("only %v were recommended", names)
	}
}

func ExampleForesee() {
	f, err := choose.Foresee(context.Background(), envs.Tiger{}, cpace.Solver{Epsilon: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f)
	// Output:
	// solver           bayes-cpace on tiger
	// horizon          151 steps
	// known radius     0.000455, and two places are 0.492 apart
	// samples          about 30
	// set-up           3 points, 24 entries, 720 bytes, about 0s
	// warning          what a step pays varies by 54.2, which the mean of K = 1 samples hardly smooths
	// what would help  K = 2934 or more, so that a mean of K varies by ε or less, or a larger Epsilon
}

func ExampleRecommend() {
	r, err := choose.Recommend(context.Background(), envs.LightDarkTiger{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s\n", r.Solver.Name(), r.Why)
	// Output:
	// certified: in 100 episodes QMDP earns 0 (95%: -4.798 to 1.35) and the informed policy 8.574 (95%: 3.371 to 10): what lies between may be worth learning; states are numbered, so that its bounds are proved
}

// TestRecommendOfSamples: of a model that lists nothing, what is recommended is not what its own forecast warns of: the search among
// policies where a random walk on four axes hardly ever comes near a place again, or where nothing is discounted.
func TestRecommendOfSamples(t *testing.T) {
	walk := func(axes int, discount float64, horizon int) bcpace.Model {
		spec := bcpace.Spec{Name: "drift", Actions: bcpace.Actions("left", "right"), Latents: []string{"slow", "fast"}, Discount: discount, Horizon: horizon, RewardMax: 1}
		for i := range axes {
			spec.Axes = append(spec.Axes, bcpace.Axis{Name: string(rune('a' + i)), Min: -50, Max: 50})
		}
		m, err := bcpace.FromFuncs(bcpace.Funcs{
			Spec:  spec,
			Start: func(s []float64, _ int, _ *rand.Rand) { clear(s) },
			Step: func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
				for i := range s {
					next[i] = 0.95*s[i] + float64(2*action-1)*float64(1+latent)/4 + rng.NormFloat64()/2
				}
				return bcpace.Outcome{Reward: 1 / (1 + next[0]*next[0])}
			},
			LogLikelihood: func(s []float64, action int, next []float64, latent int) (log float64) {
				for i := range s {
					z := 2 * (next[i] - 0.95*s[i] - float64(2*action-1)*float64(1+latent)/4)
					log -= z * z / 2
				}
				return log
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, m := range []bcpace.Model{walk(4, 0.95, 0), walk(1, 1, 10), walk(1, 0.5, 0)} {
		r, err := choose.Recommend(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		f, err := choose.Foresee(t.Context(), m, r.Solver)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Warnings) > 0 {
			t.Errorf("discount %v on %d axes: %s is recommended, and %q warned of", m.Spec().Discount, len(m.Spec().Axes), r.Solver.Name(), f.Warnings[0].What)
		}
		if searched := r.Solver.Name() == "policy-search"; searched != (len(m.Spec().Axes) > 1 || m.Spec().Discount == 1) {
			t.Errorf("discount %v on %d axes: %s is recommended", m.Spec().Discount, len(m.Spec().Axes), r.Solver.Name())
		}
	}
}
