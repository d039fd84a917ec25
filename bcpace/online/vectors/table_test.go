package vectors

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/envs"
)

// even are the latents of Tiger, of equal weight.
type even struct{}

func (even) Len() int                               { return 2 }
func (even) At(i int) (x []float64, weight float64) { return []float64{float64(i)}, 0.5 }
func (even) Stream(int, int) *rand.Rand             { return nil }

func fromModel(t *testing.T, m bcpace.Model) *hidden.Model {
	t.Helper()
	h, err := hidden.FromModel(m)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// What an action always earns in Tiger is known: to listen costs 1 a step, and a door is −45 on average but the first one.
func TestTableOfTiger(t *testing.T) {
	table, err := NewTable(fromModel(t, envs.Tiger{}), 0)
	if err != nil || table == nil {
		t.Fatal(table, err)
	}
	sum := func(from int) (sum float64) { // of the discounts of the steps from one on
		for step := from; step < table.steps; step++ {
			sum += math.Pow(0.95, float64(step))
		}
		return sum
	}
	for latent := range 2 {
		for heard := range 3 {
			place := table.place([]float64{float64(heard)}, []float64{float64(latent)})
			if got, want := table.of(0, place, table.steps), -sum(0); math.Abs(got-want) > 1e-9 {
				t.Errorf("to listen without end is worth %v, want %v", got, want)
			}
			if got, want := table.of(0, place, 1), -1.0; math.Abs(got-want) > 1e-9 {
				t.Errorf("to listen once is worth %v, want %v", got, want)
			}
			first := 10.0
			if latent == 0 {
				first = -100
			}
			// The rewards of a step are 55 from their mean, and the weights of their variances sum to less than 10.
			if got, want, off := table.of(1, place, table.steps), first-45*sum(1), 5*math.Sqrt(55*55*10/float64(tableEpisodes/6)); math.Abs(got-want) > off {
				t.Errorf("to open the left door without end with the tiger at %d is worth %v, want %v ± %v", latent, got, want, off)
			}
		}
	}
	// A plan listens until it heard two growls more from a side. Its episodes have a standard deviation of some 40.
	best, err := eval.Optimal(t.Context(), envs.Tiger{}, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, policy := table.best([]float64{0}, even{}, table.steps); policy < 3 || got < best.Value-6 || got > best.Value+5*40/math.Sqrt(tableEpisodes/3) {
		t.Errorf("policy %d is worth %v, want a plan, and at most 6 less than %v", policy, got, best.Value)
	}
}

// In random models the best policy of the table earns no more than what is optimal.
func TestTableIsFromBelow(t *testing.T) {
	for seed := range uint64(12) {
		m, at := plannertest.Random(t, rand.New(rand.NewPCG(seed, 8)), seed, 3, 0.4)
		best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{State: at.State, Belief: at.Belief, Tolerance: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		h := fromModel(t, m)
		table, err := NewTable(h, 0)
		if err != nil || table == nil {
			t.Fatal(table, err)
		}
		b, err := hidden.DefaultFilter(h).Begin(h, at.State, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, policy := table.best(at.State, drawn(b, 10_000, 1, rand.New(rand.NewPCG(1, 1))), table.steps)
		spec := m.Spec()
		if width := spec.VMax() - spec.VMin(); got > best.Value+0.02*width {
			t.Errorf("model %d: policy %d is worth %v, want at most %v", seed, policy, got, best.Value)
		}
	}
}

// A model has no table that says itself what to do at a leaf, or that has many states, or where many steps are played.
func TestNoTable(t *testing.T) {
	rolling, bounded := fromModel(t, envs.Tiger{}), fromModel(t, envs.Tiger{})
	many := fromModel(t, envs.Tiger{})
	many.Spec.Axes = []bcpace.Axis{{Name: "heard", Discrete: true, Max: 1000}}
	rolling.Rollout = func(_, _ []float64, _ *rand.Rand) int { return 0 }
	bounded.Bounds = func(_, _ []float64) (lower, upper float64) { return -1000, 1000 }
	for name, m := range map[string]*hidden.Model{"Rollout": rolling, "Bounds": bounded, "many": many} {
		if table, err := NewTable(m, 0); table != nil || err != nil {
			t.Errorf("%s: %v, %v", name, table, err)
		}
	}
	for _, depth := range []int{-1, 1_000_000_000} {
		if table, err := NewTable(fromModel(t, envs.Tiger{}), depth); table != nil || err != nil {
			t.Errorf("%d steps: %v, %v", depth, table, err)
		}
	}
}
