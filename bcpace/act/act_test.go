package act_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/act"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/bcpace/risk"
	"bayescpace/envs"
)

// solved returns a policy of a solver.
func solved(t *testing.T, s bcpace.Solver, m bcpace.Model) bcpace.Policy {
	t.Helper()
	found, err := s.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	return found.Policy
}

// TestPlays: an agent has the belief of a simulator, and its actions are those that the model takes, whatever the policy.
func TestPlays(t *testing.T) {
	dual := nothing(envs.New("dual-control", nil))
	short := nothing(bcpace.FromTables(bcpace.Tables{Discount: 1, Horizon: 4, Prior: []float64{0.3, 0.7},
		P: [][][][]float64{{{{0.8, 0.2}, {0.5, 0.5}}, {{0.1, 0.9}, {1, 0}}}, {{{0.3, 0.7}, {0.5, 0.5}}, {{0.6, 0.4}, {0, 1}}}},
		R: [][][]float64{{{1, 2}, {3, -4}}, {{0, 2}, {-3, 4}}}}))
	list := nothing(bcpace.Discretised(dual, 3))
	risky := nothing(risk.Solver{Share: 0.3, Epsilon: 0.1}.Solve(t.Context(), short, bcpace.Control{}))
	for name, x := range map[string]struct {
		m bcpace.Model
		p bcpace.Policy
	}{
		"qmdp":      {envs.Tiger{}, solved(t, qmdp.Solver{}, envs.Tiger{})},
		"certified": {envs.Chain{}, solved(t, certified.Solver{Epsilon: 1}, envs.Chain{})},
		"horizon":   {short, solved(t, certified.Solver{Epsilon: 0.1}, short)},
		"risk":      {short, risky.Policy},
		"planner":   {envs.Tiger{}, solved(t, lookahead.Solver{Budget: bcpace.Budget{Simulations: 20}}, envs.Tiger{})},
		"boxes":     {dual, solved(t, pomcpow.Solver{Budget: bcpace.Budget{Simulations: 50}}, dual)},
		"behind":    {list, solved(t, certified.Solver{Epsilon: 5, MaxEpisodes: 1, CertificateEpisodes: 10}, list)},
		"list":      {dual, solved(t, qmdp.Solver{}, dual)},
	} {
		played := nothing(bcpace.ForPolicy(x.m, x.p))
		agent, err := act.New(x.m, x.p, 1)
		if err != nil {
			t.Fatal(err)
		}
		spec, sim, rng := x.m.Spec(), bcpace.NewSimulator(played), rand.New(rand.NewPCG(2, 0))
		for range 3 {
			if err := sim.Reset(rng); err != nil {
				t.Fatal(err)
			}
			seen := sim.State[:len(spec.Axes)]
			choice, err := agent.Begin(t.Context(), seen)
			for step := 0; !sim.Done && step < 10; step++ {
				if err != nil || choice.Surprised || !slices.Equal(choice.Belief, sim.Belief) || choice.Name == "" || (choice.Control != nil) != (spec.Actions[choice.Action].Box != nil || name == "behind") {
					t.Fatalf("%s: %+v, %v, want belief %v", name, choice, err, sim.Belief)
				}
				if name == "planner" && (choice.Lower == nil || *choice.Lower > *choice.Upper) {
					t.Errorf("%s: %+v has no interval", name, choice)
				}
				reward, stepped := sim.Step(choice.ID, rng)
				if stepped != nil {
					t.Fatal(stepped)
				}
				if sim.Done {
					break
				}
				choice, err = agent.Observe(t.Context(), choice.ID, reward, sim.State[:len(spec.Axes)])
			}
		}
	}
}

func nothing[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestServe: answers over lines are those of the agent, and a faulty line changes nothing.
func TestServe(t *testing.T) {
	p := solved(t, certified.Solver{Epsilon: 1}, envs.Tiger{})
	labels := envs.Tiger{}.Spec().Axes[0].Labels
	in := `{"state": ["` + labels[0] + `"]}

{"reward": -1, "next": [7]}
{"reward": -1}
{"state": [0], "next": [0]}
{"state": [0, 0]}
{"state": ["nowhere"]}
{"reward": -1, "next": [1], "action": "dance"}
{"reward": -1, "next": [1], "action": 0.5}
{"reward": null, "next": [1]}
{"wrong": 1}
not JSON
{"reward": -1, "next": [1]} and more
` + strings.Repeat(" ", 1<<20) + `{}
{"reward": -1, "next": ["` + labels[1] + `"], "action": "listen"}
`
	var out bytes.Buffer
	if err := nothing(act.New(envs.Tiger{}, p, 1)).Serve(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 14 {
		t.Fatalf("%d answers: %s", len(lines), out.String())
	}
	for i, line := range lines {
		var c act.Choice
		if err := json.Unmarshal([]byte(line), &c); err != nil || strings.HasPrefix(line, `{"error":`) != (i > 0 && i < 13) {
			t.Errorf("line %d: %v, %s", i, err, line)
		}
	}
	agent := nothing(act.New(envs.Tiger{}, p, 1))
	nothing(agent.Begin(t.Context(), []float64{0}))
	want := nothing(agent.Observe(t.Context(), 0, -1, []float64{1}))
	var got act.Choice
	if err := json.Unmarshal([]byte(lines[13]), &got); err != nil || !slices.Equal(got.Belief, want.Belief) || got.Name != want.Name {
		t.Errorf("%s, %v, want %+v", lines[13], err, want)
	}
}

func TestRefuses(t *testing.T) {
	p := solved(t, qmdp.Solver{}, envs.Tiger{})
	agent := nothing(act.New(envs.Tiger{}, p, 0))
	for what, err := range map[string]error{
		"no model":    second(act.New(nil, p, 0)),
		"no policy":   second(act.New(envs.Tiger{}, nil, 0)),
		"not begun":   second(agent.Observe(t.Context(), 0, 0, []float64{0})),
		"no state":    second(agent.Begin(t.Context(), nil)),
		"not a state": second(agent.Begin(t.Context(), []float64{math.NaN()})),
	} {
		if !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%s: %v, want an InputError", what, err)
		}
	}
	nothing(agent.Begin(t.Context(), []float64{0}))
	for what, err := range map[string]error{
		"action": second(agent.Observe(t.Context(), 9, 0, []float64{0})),
		"reward": second(agent.Observe(t.Context(), 0, math.NaN(), []float64{0})),
	} {
		if !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%s: %v, want an InputError", what, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := agent.Observe(ctx, 0, -1, []float64{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("no time: %v", err)
	}
	if c, err := agent.Observe(t.Context(), 0, -1, []float64{1}); err != nil || math.Abs(c.Belief[0]-0.85) > 1e-9 {
		t.Errorf("after an error: %+v, %v, want what one growl tells", c, err)
	}
}

func second[T any](_ T, err error) error { return err }

func FuzzServe(f *testing.F) {
	found, err := qmdp.Solver{}.Solve(context.Background(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in string) {
		var out bytes.Buffer
		if err := nothing(act.New(envs.Tiger{}, found.Policy, 0)).Serve(t.Context(), strings.NewReader(in), &out); err != nil {
			return // a line that is too long
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%q answers %q", in, line)
			}
		}
	})
}

// TestOver: an episode may end at its horizon. The last step is still learned from, and there is nothing to do after it.
func TestOver(t *testing.T) {
	m := nothing(bcpace.FromTables(bcpace.Tables{Discount: 1, Horizon: 2, Prior: []float64{0.5, 0.5},
		P: [][][][]float64{{{{0.75, 0.25}, {0, 1}}}, {{{0.25, 0.75}, {0, 1}}}}, R: [][][]float64{{{1, 0}}, {{0, 1}}}}))
	agent := nothing(act.New(m, solved(t, certified.Solver{Epsilon: 0.1}, m), 1))
	for range 2 {
		nothing(agent.Begin(t.Context(), []float64{0}))
		if c := nothing(agent.Observe(t.Context(), 0, 0, []float64{0})); c.Over || c.Action != 0 || math.Abs(c.Belief[0]-0.75) > 1e-12 {
			t.Errorf("after one step: %+v", c)
		}
		// Both steps went to state 0: 3/4·3/4 against 1/4·1/4.
		if c := nothing(agent.Observe(t.Context(), 0, 0, []float64{0})); !c.Over || c.Action != -1 || math.Abs(c.Belief[0]-0.9) > 1e-12 {
			t.Errorf("at the horizon: %+v", c)
		}
		if _, err := agent.Observe(t.Context(), 0, 0, []float64{0}); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("after the horizon: %v", err)
		}
	}
}

// TestEnded: who asks what to do need not say that the episode goes on, and learns from it.
func TestEnded(t *testing.T) {
	survives := [2]float64{0.5, 1}
	m := nothing(bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "ice", Axes: []bcpace.Axis{{Name: "place", Max: 1}, {Name: "ended", Max: 1, Discrete: true}},
			Actions: []bcpace.Action{{Name: "go"}, {Name: "wait"}}, Latents: []string{"thin", "thick"}, Discount: 0.5, RewardMax: 1},
		Start: func(s []float64, _ int, _ *rand.Rand) { s[0], s[1] = 0, 0 },
		Step: func(next, s []float64, latent, _ int, rng *rand.Rand) bcpace.Outcome {
			next[0], next[1] = s[0], 0
			if rng.Float64() >= survives[latent] {
				next[1] = 1
			}
			return bcpace.Outcome{Done: next[1] == 1}
		},
		LogLikelihood: func(_ []float64, _ int, next []float64, latent int) float64 {
			if next[1] == 1 {
				return math.Log(1 - survives[latent])
			}
			return math.Log(survives[latent])
		},
	}))
	wait := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 1 })
	agent := nothing(act.New(m, wait, 1))
	nothing(agent.Begin(t.Context(), []float64{0}))
	if c := nothing(agent.Observe(t.Context(), 1, 0, []float64{0})); c.Surprised || math.Abs(c.Belief[0]-1.0/3) > 1e-12 {
		t.Errorf("%+v, want a belief of 1/3 in thin ice", c)
	}
}

// TestModelFails: an error of the model, as of a simulator in another program, is an error of Begin or Observe, after which all is as before.
func TestModelFails(t *testing.T) {
	fails := false
	m := bcpace.Derive(envs.Tiger{}, func(_ bcpace.Model, can *bcpace.Abilities) {
		likelihood := can.LogLikelihood
		can.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
			if fails && latent == 1 {
				panic(errors.New("no power"))
			}
			return likelihood(s, action, next, latent)
		}
	})
	agent, err := act.New(m, bcpace.RandomPolicy(m), 1)
	if err != nil {
		t.Fatal(err)
	}
	first, err := agent.Begin(t.Context(), []float64{0})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		fails = true
		if _, err := agent.Observe(t.Context(), 0, -1, []float64{1}); err == nil || !strings.Contains(err.Error(), "no power") {
			t.Fatalf("%v", err)
		}
		fails = false
	}
	next, err := agent.Observe(t.Context(), 0, -1, []float64{1})
	if err != nil || slices.Equal(first.Belief, next.Belief) {
		t.Fatalf("%v after %v, %v", next.Belief, first.Belief, err)
	}
	again, err := act.New(envs.Tiger{}, bcpace.RandomPolicy(m), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = again.Begin(t.Context(), []float64{0}); err == nil {
		var want act.Choice
		if want, err = again.Observe(t.Context(), 0, -1, []float64{1}); err == nil && !slices.Equal(want.Belief, next.Belief) {
			t.Errorf("belief %v after errors, want %v", next.Belief, want.Belief)
		}
	}
	if err != nil {
		t.Error(err)
	}
}
