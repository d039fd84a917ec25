package policysearch

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
)

// TestInforming: the reward is the information between latent and next state, by its definition, and its mean
// over the latents is the mutual information H(s') − H(s'|φ).
func TestInforming(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 30 {
		m := randmodel.New(rng, randmodel.Options{})
		spec := m.Spec()
		prior := make(bcpace.Belief, len(spec.Latents))
		m.Prior(prior)
		told, own := bcpace.NewLister(informing(m)), bcpace.NewLister(m)
		s := make([]float64, len(spec.Axes))
		for i := range m.NumStates() {
			m.StateAt(s, i)
			for a := range spec.Actions {
				if err := own.List(s, a); err != nil {
					t.Fatal(err)
				}
				if err := told.List(s, a); err != nil {
					t.Fatal(err)
				}
				entropy := func(p float64) float64 {
					if p <= 0 {
						return 0
					}
					return -p * math.Log(p)
				}
				ends, want, mean := false, 0.0, 0.0
				for k := range own.Successors.Len() {
					_, prob, _ := own.Successors.Row(k)
					all := 0.0
					for φ, p := range prob {
						all += prior[φ] * p
						want -= prior[φ] * entropy(p)
					}
					want += entropy(all)
					ends = ends || own.Successors.Done[k]
				}
				for φ, r := range told.Reward {
					mean += prior[φ] * r
				}
				if !ends && math.Abs(mean-want) > 1e-9 || ends && mean > want+1e-9 {
					t.Fatalf("state %v, action %d: it tells %v, want %v", s, a, mean, want)
				}
			}
		}
	}
}

// lookFirst is a corridor of 7 places with a prize at one end and a pit at the other. Which is where can be read at the
// start alone, where a look costs 1: QMDP, which takes it that the next step tells all, never looks.
func lookFirst(t *testing.T) bcpace.Finite {
	m, err := bcpace.FromOutcomes(bcpace.Outcomes{
		Spec: bcpace.Spec{Name: "look first", Axes: []bcpace.Axis{{Name: "x", Min: -3, Max: 3, Discrete: true}, {Name: "read", Max: 2, Labels: []string{"nothing", "left", "right"}}},
			Actions: bcpace.Actions("left", "right", "look"), Latents: []string{"left", "right"}, Discount: 0.95},
		Starts: []bcpace.Transition{{Next: []float64{0, 0}, Prob: 1}},
		Transitions: func(s []float64, latent, action int) []bcpace.Transition {
			if action == 2 && s[0] == 0 {
				return []bcpace.Transition{{Next: []float64{0, float64(1 + latent)}, Prob: 0.85, Reward: -1}, {Next: []float64{0, float64(2 - latent)}, Prob: 0.15, Reward: -1}}
			} else if action == 2 {
				return []bcpace.Transition{{Next: []float64{s[0], 0}, Prob: 1, Reward: -1}}
			}
			x := s[0] + float64(2*action-1)
			next := bcpace.Transition{Next: []float64{x, 0}, Prob: 1, Done: math.Abs(x) == 3}
			if next.Done {
				if next.Reward = -50; (x > 0) == (latent == 1) {
					next.Reward = 20
				}
			}
			return []bcpace.Transition{next}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLooksFirst: values of what is told lead to a look where QMDP does not look, and within few steps.
func TestLooksFirst(t *testing.T) {
	m := lookFirst(t)
	value := func(p bcpace.Policy) float64 {
		e, err := eval.Evaluate(t.Context(), m, p, eval.ExactOptions{Horizon: 14})
		if err != nil {
			t.Fatal(err)
		}
		return e.Value
	}
	q, err := qmdp.Solver{}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	found := solve(t, t.Context(), m, Solver{MaxSteps: 2_000_000, CertificateEpisodes: -1}, 0)
	if blind, looks := value(q.Policy), value(found.Policy); blind > 0 || looks < 8 {
		t.Errorf("the policy earns %v, and QMDP's %v; want 8 at least, and 0 at most", looks, blind)
	}
}

// TestAsGoodAsQMDP: QMDP's policy is one of those tried, so that on random finite models what is found is
// no worse, but for what the validation may miss: its standard error times 5 for each of both.
func TestAsGoodAsQMDP(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 10 {
		m := randmodel.New(rng, randmodel.Options{})
		q, err := qmdp.Solver{}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		found := solve(t, t.Context(), m, Solver{MaxSteps: 60_000, CertificateEpisodes: -1}, 0)
		at := func(p bcpace.Policy) (mean, slack float64) {
			r, err := eval.Rollouts(t.Context(), m, p, eval.Options{Episodes: 1000, Seed: 4})
			if err != nil {
				t.Fatal(err)
			}
			return r.Mean, 5 * r.StdErr * math.Sqrt(1000./mostValid)
		}
		got, miss := at(found.Policy)
		if least, other := at(q.Policy); got < least-miss-other {
			t.Errorf("it earns %v, QMDP %v", got, least)
		}
	}
}

// TestGoesOn: a search that begins with what another one has found loses nothing of it, with a horizon as
// without, and refuses the policies of others.
func TestGoesOn(t *testing.T) {
	for _, horizon := range []int{0, 12} {
		m := lookFirst(t)
		if horizon > 0 {
			m = bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.Spec.Horizon = horizon }).(bcpace.Finite)
		}
		first := solve(t, t.Context(), m, Solver{MaxSteps: 300_000, CertificateEpisodes: -1}, 0)
		s := Solver{Seed: 1, MaxSteps: 1, CertificateEpisodes: -1, From: first.Policy}
		next := solve(t, t.Context(), m, s, 0)
		o := eval.Options{Episodes: 1000, Seed: 2}
		was, err := eval.Rollouts(t.Context(), m, first.Policy, o)
		if err != nil {
			t.Fatal(err)
		}
		is, err := eval.Rollouts(t.Context(), m, next.Policy, o)
		if err != nil {
			t.Fatal(err)
		}
		if was.Mean < 4 || is.Mean != was.Mean {
			t.Errorf("horizon %d: it has begun with a policy that earns %v, and returns one that earns %v", horizon, was.Mean, is.Mean)
		}
		q, err := qmdp.Solver{}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		other := bcpace.Derive(bcpace.KeepHorizon(m), func(_ bcpace.Model, a *bcpace.Abilities) { a.Spec.Name = "another" })
		for _, from := range []bcpace.Policy{q.Policy, newPolicy(newFamily(randmodel.SmallGoal(3, 0.1)), nil), newPolicy(newFamily(other), nil)} {
			s.From = from
			if _, err := s.Solve(t.Context(), m, bcpace.Control{}); !errors.As(err, new(*bcpace.InputError)) {
				t.Errorf("the error for a %T is %v", from, err)
			}
		}
	}
}

// closures is a model that lists nothing.
type closures struct{ bcpace.Model }

// TestTurnsAbout: where the latent says which way a push goes, the search finds a policy that is linear in
// products of belief and coordinates, without any values.
func TestTurnsAbout(t *testing.T) {
	gain := []float64{-1, -0.4, 0.4, 1}
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "turned", Discount: 0.9, RewardMax: 1, Actions: bcpace.Actions("minus", "none", "plus"), Latents: []string{"-1", "-.4", ".4", "1"},
			Axes: []bcpace.Axis{{Name: "x", Min: -3, Max: 3}, {Name: "v", Min: -2, Max: 2}}},
		Starts: [][]float64{{2, 0}, {-2, 0}}, Sigma: []float64{0, 0.15},
		Mean: func(mean, s []float64, latent, action int) {
			mean[0], mean[1] = s[0]+0.2*s[1], 0.95*s[1]+0.4*gain[latent]*float64(action-1)
		},
		Reward: func(_ []float64, _, _ int, next []float64) float64 { return math.Exp(-4 * next[0] * next[0]) },
	})
	if err != nil {
		t.Fatal(err)
	}
	rule := bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, _ *rand.Rand) int {
		u := 0.0
		for φ, p := range b {
			u += p * gain[φ] * (-0.8*s[0] - 1.2*s[1])
		}
		if u > 0 {
			return 2
		}
		return 0
	})
	o := eval.Options{Episodes: 1000, Seed: 4}
	want, err := eval.Rollouts(t.Context(), m, rule, o)
	if err != nil {
		t.Fatal(err)
	}
	found := solve(t, t.Context(), closures{m}, Solver{MaxSteps: 2_000_000, CertificateEpisodes: -1}, 0)
	got, err := eval.Rollouts(t.Context(), m, found.Policy, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v ± %v, the rule %v", got.Mean, got.StdErr, want.Mean)
	if got.Mean < want.Mean-5*got.StdErr {
		t.Errorf("%v ± %v, and the rule %v", got.Mean, got.StdErr, want.Mean)
	}
}
