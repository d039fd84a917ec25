package cpace_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

func ExampleExplanation() {
	r, err := runs.Explore(context.Background(), envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 3, CertificateEpisodes: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	const listen = 0
	x, err := cpace.Explain(r, []float64{0}, bcpace.Belief{0.8, 0.2}, listen)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("Q̃ = %.2f, known: %v, upper bound %.0f\n", x.Q, x.Known, x.Upper)
	for _, n := range x.Neighbours {
		fmt.Printf("sample %d at distance %.2f: %.2f + %.2f\n", n.Sample, n.Distance, n.Value, n.Bonus)
	}
	// Output:
	// Q̃ = 27.66, known: false, upper bound 189
	// sample 9 at distance 0.10: 15.66 + 12.00
	// sample 27 at distance 0.10: 15.66 + 12.00
	// sample 29 at distance 0.10: 15.66 + 12.00
}

// TestExplain compares the terms of an explanation with all samples of the action, sorted by
// Metric.Distance, and their mean with Run.Q.
func TestExplain(t *testing.T) {
	for name, x := range map[string]struct {
		m bcpace.Model
		o cpace.Solver
	}{
		"tiger":       {envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 20, K: 3, MaxEpisodes: 30}},
		"best case":   {envs.Chain{}, cpace.Solver{Epsilon: 4, LipQ: 5, K: 4, Bound: cpace.BoundBestCase, MaxEpisodes: 20}},
		"seeded":      {envs.Chain{}, cpace.Solver{Epsilon: 4, LipQ: 5, K: 2, SeedOneHot: true, MaxEpisodes: 10}},
		"continuous":  {envs.LightDarkTiger{Sigma: 0.1}, cpace.Solver{Epsilon: 1, LipQ: 3, K: 2, Bound: cpace.BoundConstant, MaxEpisodes: 10}},
		"few samples": {envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 20, K: 50, MaxEpisodes: 1}},
	} {
		x.o.CertificateEpisodes, x.o.Horizon = -1, 20
		r, err := runs.Explore(t.Context(), x.m, x.o)
		if err != nil {
			t.Fatal(err)
		}
		spec, rng := x.m.Spec(), rand.New(rand.NewPCG(1, 2))
		metric := metric.New(spec, r.Alpha())
		b := make(bcpace.Belief, len(spec.Latents))
		for i := range 60 {
			at := r.Samples.At(rng.IntN(r.Samples.Len()))
			b.SampleSimplex(rng)
			if i%3 == 0 {
				copy(b, at.Belief)
			}
			a := rng.IntN(len(spec.Actions))
			got, err := cpace.Explain(r, at.State, b, a)
			if err != nil {
				t.Fatal(err)
			}
			q, known := r.Q(at.State, b, a)
			if got.Q != q || got.Known != known || got.Upper != r.Upper(at.State, b, a) {
				t.Fatalf("%s: %v, %v with bound %v, want %v, %v", name, got.Q, got.Known, got.Upper, q, known)
			}
			if got.K != x.o.K || got.LipQ != r.LipQ() || got.Radius != r.Radius() {
				t.Fatalf("%s: k = %d, L_Q̃ = %v, radius %v; the run has %d, %v, %v", name, got.K, got.LipQ, got.Radius, x.o.K, r.LipQ(), r.Radius())
			}
			if got.Latent >= 0 {
				if len(got.Neighbours) > 0 || b[got.Latent] < 0.5 {
					t.Errorf("%s: latent %d at belief %v, with %d neighbours", name, got.Latent, b, len(got.Neighbours))
				}
				continue
			}
			var distances []float64
			for k := range r.Samples.Len() {
				if c := r.Samples.At(k); c.Action == a {
					distances = append(distances, metric.Distance(at.State, b, c.State, c.Belief))
				}
			}
			slices.Sort(distances)
			if want := min(got.K, len(distances)); len(got.Neighbours) != want || got.Missing != got.K-want {
				t.Fatalf("%s: %d neighbours and %d missing, want %d of %d", name, len(got.Neighbours), got.Missing, want, got.K)
			}
			sum := float64(got.Missing) * got.Upper
			for k, n := range got.Neighbours {
				c := r.Samples.At(n.Sample)
				d := metric.Distance(at.State, b, c.State, c.Belief)
				if math.Abs(n.Distance-d) > 1e-12 || math.Abs(d-distances[k]) > 1e-12 || math.Abs(n.StateDistance+n.BeliefDistance-d) > 1e-12 || c.Action != a || n.Value != c.Q {
					t.Fatalf("%s: neighbour %d is %+v, want one at %v", name, k, n, distances[k])
				}
				term := min(c.Q+r.LipQ()*d, got.Upper)
				if math.Abs(n.Term-term) > 1e-9 || n.Clipped != (n.Bonus+n.Value > got.Upper) {
					t.Fatalf("%s: neighbour %d counts %v, want %v", name, k, n.Term, term)
				}
				sum += n.Term
			}
			if mean := sum / float64(got.K); math.Abs(mean-q) > 1e-9*max(1, math.Abs(q)) {
				t.Fatalf("%s: the mean of the terms is %v, Q̃ is %v", name, mean, q)
			}
			if want := len(distances) >= got.K && distances[got.K-1] <= r.Radius(); want != known && math.Abs(distances[min(got.K, len(distances))-1]-r.Radius()) > 1e-12 {
				t.Fatalf("%s: known is %v, want %v", name, known, want)
			}
		}
		refusals(t, name, r)
	}
	r, err := runs.Explore(t.Context(), envs.Tiger{}, certified.Solver{Epsilon: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cpace.Explain(r, []float64{0}, bcpace.Belief{0.5, 0.5}, 0); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("a certified run: error %v", err)
	}
}

// refusals asks a run for queries that its model does not have.
func refusals(t *testing.T, name string, r *runs.Run) {
	t.Helper()
	start := r.Samples.At(0)
	outside := slices.Clone(start.State)
	outside[0] = r.Spec.Axes[0].Max + 1
	half := slices.Clone(start.Belief)
	half[0] /= 2
	for what, x := range map[string]struct {
		s []float64
		b bcpace.Belief
		a int
	}{
		"lengths": {nil, nil, 0}, "a state": {outside, start.Belief, 0}, "a belief": {start.State, append(half[:len(half)-1:len(half)-1], 0), 0},
		"numbers": {start.State, append(half[:len(half)-1:len(half)-1], math.NaN()), 0}, "an action": {start.State, start.Belief, -1},
	} {
		if _, err := cpace.Explain(r, x.s, x.b, x.a); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%s: wrong %s: error %v", name, what, err)
		}
		if q, known := r.Q(x.s, x.b, x.a); !math.IsNaN(q) || known {
			t.Errorf("%s: wrong %s: Q is %v", name, what, q)
		}
	}
}

// A state on the axes that the model does not have is no query, whatever the upper bound.
func TestExplainOfAStateWithoutANumber(t *testing.T) {
	m, err := bcpace.FromOutcomes(bcpace.Outcomes{
		Spec: bcpace.Spec{
			Name:    "gap",
			Axes:    []bcpace.Axis{{Name: "place", Max: 2, Labels: []string{"left", "gap", "right"}}},
			Actions: bcpace.Actions("go"), Latents: []string{"one", "other"},
			Discount: 0.5, RewardMin: 0, RewardMax: 1,
		},
		Transitions: func(s []float64, latent, action int) []bcpace.Transition {
			return []bcpace.Transition{{Next: []float64{2 - s[0]}, Prob: 1, Reward: float64(latent)}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, bound := range []cpace.Bound{cpace.BoundConstant, cpace.BoundBestCase, cpace.BoundQMDP} {
		r, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 1, LipQ: 1, K: 1, Bound: bound, CertificateEpisodes: -1})
		if err != nil {
			t.Fatal(err)
		}
		b := bcpace.Belief{0.5, 0.5}
		if _, err := cpace.Explain(r, []float64{2}, b, 0); err != nil {
			t.Errorf("%s: %v", bound, err)
		}
		for _, place := range []float64{1, 0.5} {
			if x, err := cpace.Explain(r, []float64{place}, b, 0); !errors.As(err, new(*bcpace.InputError)) {
				t.Errorf("%s, place %v: %+v, error %v", bound, place, x, err)
			}
			if q, _ := r.Q([]float64{place}, b, 0); !math.IsNaN(q) {
				t.Errorf("%s, place %v: Q is %v", bound, place, q)
			}
		}
	}
}

// What a sample counts is clipped at the upper bound: far from all samples, Q̃ is that bound.
func ExampleNeighbour() {
	r, err := runs.Explore(context.Background(), envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 1000, K: 1, CertificateEpisodes: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := cpace.Explain(r, []float64{0}, bcpace.Belief{0.6, 0.4}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	n := x.Neighbours[0]
	fmt.Printf("%.0f + %.0f > %.0f: clipped %v, counts %.0f\n", n.Value, n.Bonus, x.Upper, n.Clipped, n.Term)
	// Output: 200 + 400 > 200: clipped true, counts 200
}
