package envs_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

// madeHidden returns an environment whose hidden variable is a vector.
func madeHidden(t testing.TB, name string, params ...bcpace.Param) *hidden.Model {
	t.Helper()
	m, err := envs.NewHidden(name, params)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestHiddenConformance: each environment, by its defaults and otherwise, does what its functions say.
func TestHiddenConformance(t *testing.T) {
	param := func(key, value string) bcpace.Param { return bcpace.Param{Key: key, Value: value} }
	list := []*hidden.Model{
		madeHidden(t, "light-dark-1d", param("light", "0"), param("discount", "0.9")),
		madeHidden(t, "vdp-tag", param("barriers", "false")),
		madeHidden(t, "landing", param("gust", "0.2")),
		madeHidden(t, "mars", param("size", "4"), param("rocks", "2")),
	}
	for _, info := range envs.ListHidden() {
		list = append(list, madeHidden(t, info.Name))
	}
	for _, m := range list {
		t.Run(fmt.Sprint(m.Spec.Name, m.Spec.Params), func(t *testing.T) {
			o := check.HiddenOptions{}
			switch {
			case testing.Short():
				o = check.HiddenOptions{Episodes: 6, Places: 40, Draws: 100}
			case m.Spec.Name == "lasertag-hidden": // whose bounds are computed for the field of each place
				o.Places = 50
			}
			if _, err := check.Hidden(m, o); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLightDarkMeasured: where the agent knows its place, measurements tell nothing, and adaops has one node for all of them.
func TestLightDarkMeasured(t *testing.T) {
	m := madeHidden(t, "light-dark-1d")
	m.Prior = func(x []float64, _ *rand.Rand) { x[0] = 7 }
	rng := rand.New(rand.NewPCG(1, 1))
	b, err := hidden.Particles{}.Begin(m, []float64{0}, rng)
	if err != nil {
		t.Fatal(err)
	}
	p, err := adaops.Solver{Least: 20}.PackVectors(m, []float64{0}, b, 1, rng)
	if err != nil || len(p.States) != 20 || len(p.Centre) != 1 {
		t.Errorf("%d measurements in %d nodes, %v: want 20 in one", len(p.States), len(p.Centre), err)
	}
}

// TestHiddenList expects the list to tell the truth about keys and defaults, and each name once.
func TestHiddenList(t *testing.T) {
	var seen []string
	for _, info := range envs.List() {
		seen = append(seen, info.Name)
	}
	for _, info := range envs.ListHidden() {
		if slices.Contains(seen, info.Name) {
			t.Errorf("%q is listed twice", info.Name)
		}
		seen = append(seen, info.Name)
		spec := madeHidden(t, info.Name).Spec
		if spec.Name != info.Name || info.Doc == "" {
			t.Errorf("%q describes itself as %q", info.Name, spec.Name)
		}
		var params []bcpace.Param
		for _, p := range info.Params {
			if p.Doc == "" || p.Want == "" {
				t.Errorf("%s: parameter %s has no doc", info.Name, p.Key)
			}
			params = append(params, bcpace.Param{Key: p.Key, Value: p.Default})
		}
		if !reflect.DeepEqual(params, spec.Params) || !reflect.DeepEqual(madeHidden(t, info.Name, params...).Spec, spec) {
			t.Errorf("%s: listed parameters %v, the default's own %v", info.Name, params, spec.Params)
		}
		_, err := envs.New(info.Name, nil)
		wantInputError(t, err, "envs.NewHidden")
	}
}

func TestHiddenErrors(t *testing.T) {
	for _, x := range []struct{ name, key, value, words string }{
		{"light", "discount", "0.9", "one of light-dark-1d, subhunt, vdp-tag, lasertag-hidden, landing, mars"},
		{"tiger", "discount", "0.9", "one of light-dark-1d"},
		{"light-dark-1d", "dark", "1", "one of light, discount"},
		{"light-dark-1d", "light", "61", "light is 61, want a place from -60 to 60"},
		{"light-dark-1d", "discount", "1", "discount is 1, want a value in (0, 1)"},
		{"subhunt", "discount", "0", `discount is "0", want a value in (0, 1)`},
		{"vdp-tag", "barriers", "some", `barriers is "some", want true or false`},
		{"lasertag-hidden", "discount", "1", "discount is 1, want a value in (0, 1)"},
		{"landing", "gust", "5", "gust is 5, want a standard deviation above 0 and up to 4"},
		{"mars", "rocks", "28", "rocks is 28, want a number of rocks from 1 to 27"},
		{"mars", "size", "3", "size is 3, want a number of cells from 4 to 50"},
	} {
		_, err := envs.NewHidden(x.name, []bcpace.Param{{Key: x.key, Value: x.value}})
		wantInputError(t, err, x.words)
	}
}

// seen plays episodes with the Rollout of a model, which sees the hidden vector. It returns what they earn, and the upper bounds at their starts.
// So many episodes in turn begin in one state, with hidden vectors of their own, where a state tells nothing of these.
func seen(m *hidden.Model, episodes, alike int) (earned, upper []float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	s, x := make([]float64, len(m.Spec.Axes)), make([]float64, len(m.Spec.Hidden))
	next, nextX, start := slices.Clone(s), slices.Clone(x), slices.Clone(s)
	for i := range episodes {
		if i%alike == 0 {
			m.DrawStart(start, x, rng)
		} else {
			m.Prior(x, rng)
		}
		copy(s, start)
		_, bound := m.Bounds(s, x)
		upper = append(upper, bound)
		sum, weight := 0.0, 1.0
		for range m.Spec.Horizon {
			out := m.Step(next, nextX, s, x, m.Rollout(s, x, rng), rng)
			sum += weight * out.Reward
			weight *= m.Spec.Discount
			if out.Done {
				break
			}
			s, next, x, nextX = next, s, nextX, x
		}
		earned = append(earned, sum)
	}
	return earned, upper
}

// TestValuesOfWhoSees: where the upper bound is the value for an agent who sees the hidden vector, Rollout earns it: on average to within five standard
// errors, missed with probability 6·10⁻⁷ each, as what is earned and the bounds vary together.
func TestValuesOfWhoSees(t *testing.T) {
	for _, name := range []string{"light-dark-1d", "subhunt", "lasertag-hidden"} {
		m, episodes, alike := madeHidden(t, name), 4000, 1
		if name == "lasertag-hidden" {
			episodes, alike = 400, 10 // as the obstacles of each state have values of their own
		}
		earned, upper := seen(m, episodes, alike)
		mean, deviation := stat.PopMeanStdDev(earned, nil)
		bound, ofBounds := stat.PopMeanStdDev(upper, nil)
		if math.Abs(mean-bound) > 5*stat.StdErr(deviation+ofBounds, float64(episodes)) {
			t.Errorf("%s: Rollout earns %v ± %v, the bound is %v", name, mean, stat.StdErr(deviation, float64(episodes)), bound)
		}
	}
}

// TestLightDarkPublished: what Sunberg and Kochenderfer's program has: the noise of what is measured, and what to stop earns.
func TestLightDarkPublished(t *testing.T) {
	m, rng := madeHidden(t, "light-dark-1d"), rand.New(rand.NewPCG(1, 1))
	next, nextX := []float64{0}, []float64{0}
	if out := m.Step(next, nextX, []float64{0}, []float64{0}, 2, rng); out != (bcpace.Outcome{Reward: 100, Done: true}) {
		t.Errorf("to stop at 0 gives %+v", out)
	}
	if out := m.Step(next, nextX, []float64{0}, []float64{1}, 2, rng); out != (bcpace.Outcome{Reward: -100, Done: true}) {
		t.Errorf("to stop at 1 gives %+v", out)
	}
	for _, x := range []struct{ from, to, deviation float64 }{{-58, -60, 70.0001}, {10, 20, 10.0001}, {0, 10, 0.0001}} {
		action := 4
		if x.to < x.from {
			action = 0
		}
		const draws = 4000
		squares := 0.0
		for range draws {
			m.Step(next, nextX, []float64{0}, []float64{x.from}, action, rng)
			squares += (next[0] - x.to) * (next[0] - x.to) / draws
		}
		// A mean of squares has the relative error sqrt(2/draws) = 0.022.
		if nextX[0] != x.to || math.Abs(squares/(x.deviation*x.deviation)-1) > 0.12 {
			t.Errorf("from %v to %v with deviation %v, want %v and %v", x.from, nextX[0], math.Sqrt(squares), x.to, x.deviation)
		}
	}
}

// TestVDPFlow: the target follows the oscillator as far as the integrator of the published program is exact, by one that is finer.
func TestVDPFlow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	m := madeHidden(t, "vdp-tag")
	s, next, nextX := make([]float64, 10), make([]float64, 10), make([]float64, 2)
	for range 20 {
		x := []float64{4 * (rng.Float64() - 0.5), 4 * (rng.Float64() - 0.5)}
		mean, y := [2]float64{}, slices.Clone(x)
		const draws, steps = 4000, 50_000
		for range draws {
			m.Step(next, nextX, s, x, 0, rng)
			mean[0], mean[1] = mean[0]+nextX[0]/draws, mean[1]+nextX[1]/draws
		}
		for range steps {
			dx, dy := 2*(y[0]-y[0]*y[0]*y[0]/3-y[1]), y[0]/2
			y[0], y[1] = y[0]+dx*0.5/steps, y[1]+dy*0.5/steps
		}
		for i := range y {
			if math.Abs(mean[i]-y[i]) > 6*0.05/math.Sqrt(draws)+2e-3 {
				t.Errorf("from %v to %v on average, want %v", x, mean, y)
			}
		}
	}
}

// TestVDPBarriers: no walk of small moves leads through a barrier, and each leads as far as it would without one or ends at one.
func TestVDPBarriers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	m := madeHidden(t, "vdp-tag")
	s, next, x, nextX := make([]float64, 10), make([]float64, 10), []float64{4, 4}, make([]float64, 2)
	stopped := 0
	for i := range 20_000 {
		if i%50 == 0 {
			clear(s)
			s[0], s[1] = 6*(rng.Float64()-0.5), 6*(rng.Float64()-0.5)
		}
		var u [1]float64
		action := m.Spec.DrawAction(rng)
		m.Spec.Control(u[:], action)
		m.Step(next, nextX, s, x, action, rng)
		for axis := range 2 {
			if other := 1 - axis; s[other]*next[other] < 0 {
				part := s[other] / (s[other] - next[other])
				if at := math.Abs(s[axis] + part*(next[axis]-s[axis])); at > 0.2+1e-9 && at < 3-1e-9 {
					t.Fatalf("the agent goes from %v through a barrier to %v", s[:2], next[:2])
				}
			}
		}
		far := math.Hypot(next[0]-s[0], next[1]-s[1])
		if math.Abs(far-0.5) > 1e-9 {
			stopped++
			if math.Min(math.Abs(next[0]), math.Abs(next[1])) > 1e-9 || far > 0.5 {
				t.Fatalf("a move from %v ends at %v, which is no barrier", s[:2], next[:2])
			}
		}
		s, next = next, s
	}
	if stopped < 100 {
		t.Errorf("%d moves ended at a barrier, want some hundreds", stopped)
	}
}

// TestBeliefsKeepUp: where all that is hidden are whole numbers, a belief without a named number of particles explains what
// follows the actions of who takes a draw of it for true. On lasertag-hidden 1000 particles do not.
func TestBeliefsKeepUp(t *testing.T) {
	for _, name := range []string{"subhunt", "lasertag-hidden", "mars"} {
		m := madeHidden(t, name)
		p := hidden.PolicyFunc(func(s []float64, b hidden.Belief, rng *rand.Rand) int {
			x := make([]float64, len(m.Spec.Hidden))
			b.Draw(x, rng)
			return m.Rollout(s, x, rng)
		})
		o := hidden.Options{Episodes: 3, Seed: 1}
		r, err := hidden.Simulate(t.Context(), m, p, o)
		if err != nil || r.Surprises > 0 {
			t.Errorf("%s: %d surprises in %d steps, %v", name, r.Surprises, r.Steps, err)
		}
		if name != "lasertag-hidden" {
			continue
		}
		o.Filter, o.Episodes = hidden.Particles{Number: 1000}, 1
		steps, surprised := 0, false
		for ; o.Seed <= 40 && !surprised; o.Seed++ {
			if r, err = hidden.Simulate(t.Context(), m, p, o); err != nil {
				t.Fatal(err)
			}
			steps, surprised = steps+r.Steps, r.Surprises > 0
		}
		if !surprised {
			t.Errorf("1000 particles explain %d steps", steps)
		}
	}
}

// TestPlannersPlay: each planner plays each environment from several seeds, also with a depth that cuts off much; or it says as it is made that it
// cannot.
func TestPlannersPlay(t *testing.T) {
	for _, info := range envs.ListHidden() {
		var params []bcpace.Param
		if info.Name == "mars" { // by default it has a thousand actions
			params = []bcpace.Param{{Key: "size", Value: "4"}, {Key: "rocks", Value: "2"}}
		}
		m := madeHidden(t, info.Name, params...)
		for _, x := range solvers.ListPlanners() {
			for i, depth := range []string{"0", "3"} {
				params := []bcpace.Param{{Key: "budget", Value: "4"}, {Key: "depth", Value: depth}}
				if len(x.Params) == 0 {
					params = nil
				}
				p, err := solvers.NewPlanner(x.Name, params, m)
				if errors.As(err, new(*bcpace.UnsupportedError)) && m.Spec.HasBox() && (x.Name == "adaops" || x.Name == "despot") {
					continue
				}
				if err != nil {
					t.Fatalf("%s in %s: %v", x.Name, info.Name, err)
				}
				if _, err := hidden.Simulate(t.Context(), m, p, hidden.Options{Episodes: 1, Horizon: 3, Seed: uint64(i), Workers: 1}); err != nil {
					t.Errorf("%s with depth %s in %s: %v", x.Name, depth, info.Name, err)
				}
			}
		}
	}
}

// TestBoundsAnywhere: bounds of an environment never cross, also where the hidden vector is not the one that the state tells of.
func TestBoundsAnywhere(t *testing.T) {
	for _, info := range envs.ListHidden() {
		m, rng := madeHidden(t, info.Name), rand.New(rand.NewPCG(1, 1))
		s, x := make([]float64, len(m.Spec.Axes)), make([]float64, len(m.Spec.Hidden))
		next, nextX, other := slices.Clone(s), slices.Clone(x), slices.Clone(x)
		for range 20 {
			m.DrawStart(s, x, rng)
			for range 30 {
				m.Prior(other, rng)
				for _, x := range [][]float64{x, other} {
					if _, _, err := m.Bound(s, x); err != nil {
						t.Fatal(err)
					}
				}
				if m.Step(next, nextX, s, x, m.Rollout(s, x, rng), rng).Done {
					break
				}
				s, next, x, nextX = next, s, nextX, x
			}
		}
	}
}

// TestLaserTagBounds: in hidden LaserTag a lower bound is earned, and an upper one holds what is earned until episodes are cut, also by who is
// shut in.
func TestLaserTagBounds(t *testing.T) {
	m := madeHidden(t, "lasertag-hidden")
	s := make([]float64, len(m.Spec.Axes))
	copy(s[8:], []float64{1, 11, 14, 24, 34, 44, 54, 64}) // cell 0 is shut off
	moves := -m.Spec.EffectiveHorizon()
	for _, x := range [][]float64{{0, 0, 5, 5}, {5, 5, 0, 0}} {
		if lower, upper, err := m.Bound(s, x); err != nil || math.Abs(lower-moves) > 1e-9 || math.Abs(upper-moves) > 1e-4 {
			t.Errorf("bounds of %v are %v and %v, %v; want %v", x, lower, upper, err, moves)
		}
	}
	for i := range 8 {
		s[i] = -1
	}
	if lower, upper, err := m.Bound(s, []float64{3, 3, 3, 3}); lower != 10 || upper != 10 || err != nil {
		t.Errorf("bounds are %v and %v in one cell, %v; want 10", lower, upper, err)
	}
	if lower, upper, err := m.Bound(s, []float64{3, 3, 9, 3}); lower != moves || !(upper < 10) || err != nil {
		t.Errorf("bounds are %v and %v apart, whatever is read, %v; want %v and less than 10", lower, upper, err, moves)
	}
}
