package runs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// bestOfChain is an exploration of Chain whose greedy policy is worse than QMDP.
func bestOfChain(t *testing.T, c bcpace.Control) *runs.Run {
	t.Helper()
	o := cpace.Solver{Epsilon: 1, LipQ: 2, K: 5, Batch: 50, MaxEpisodes: 50, CertificateEpisodes: 500, Seed: 1}
	found, err := o.Solve(t.Context(), envs.Chain{Discount: 0.8}, c)
	if err != nil {
		t.Fatal(err)
	}
	return runs.Of(found)
}

// A verification whose time is up says that, and not that the choice is another one.
//
//test:race
func TestVerifyChoiceInTime(t *testing.T) {
	r := bestOfChain(t, bcpace.Control{})
	for patience := time.Millisecond; ; patience *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, err := runs.Verify(ctx, r)
		cancel()
		if err == nil {
			return
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("within %v: %v", patience, err)
		}
	}
}

// shortTiger is Tiger of 20 steps.
type shortTiger struct{ envs.Tiger }

func (m shortTiger) Spec() bcpace.Spec {
	spec := m.Tiger.Spec()
	spec.Horizon = 20
	return spec
}

// A controller of the user's own is tried and returned where it earns most, and such a run
// is not saved.
//
//test:race
func TestController(t *testing.T) {
	sure := bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, _ *rand.Rand) int {
		switch {
		case len(s) != 1:
			return -1
		case b[0] > 0.9:
			return 2
		case b[0] < 0.1:
			return 1
		}
		return 0
	})
	o := cpace.Solver{Epsilon: 10, Bound: cpace.BoundConstant, MaxSamples: 20, CertificateEpisodes: 200, Controller: sure}
	for _, m := range []bcpace.Model{envs.Tiger{}, shortTiger{}} {
		r, err := runs.Explore(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Choice == nil || r.Choice.Name() != "controller" {
			t.Fatalf("the choice is %+v, want the controller", r.Choice)
		}
		if c, err := runs.Verify(t.Context(), r); err != nil || !(c.Upper > r.Certificate.Lower) {
			t.Errorf("%+v, %v", c, err)
		}
		if _, err := r.WriteTo(&bytes.Buffer{}); !errors.As(err, new(*bcpace.InputError)) || !strings.Contains(err.Error(), "Controller") {
			t.Errorf("saved: %v", err)
		}
		more := o
		more.MaxSamples, more.Controller = 30, nil
		whole, err := runs.Explore(t.Context(), m, more)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := runs.Resume(t.Context(), r, more); err != nil || !bytes.Equal(runtest.Bytes(t, again), runtest.Bytes(t, whole)) {
			t.Errorf("resumed without it, the run differs: %v", err)
		}
		// Its set-up cut off, a run has the controller all the same.
		over, cancel := context.WithCancel(t.Context())
		cancel()
		o := o
		o.Bound = ""
		if r, err = runs.Explore(over, m, o); err != nil || !r.InSetUp() || r.Choice.Name() != "controller" {
			t.Errorf("without time: %v", err)
		}
	}
	o.Policy = runs.PolicyGreedy
	for _, s := range []bcpace.Solver{o, certified.Solver{Epsilon: 1, Controller: sure}} {
		if _, err := s.Solve(t.Context(), envs.Tiger{}, bcpace.Control{}); !errors.As(err, new(*bcpace.InputError)) || !strings.Contains(err.Error(), "Controller") {
			t.Errorf("%s: %v, want an *InputError", s.Name(), err)
		}
	}
}

// A controller is simulated in the time that a set-up leaves, and the bounds hold.
//
//test:race
func TestControllerInSetUp(t *testing.T) {
	m := runtest.NewLine(rand.New(rand.NewPCG(10, 6)), false)
	right := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 2 })
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, s := range []runs.Explorer{
		cpace.Solver{Epsilon: 1, CertificateEpisodes: 200, Controller: right},
		certified.Solver{Epsilon: 1, CertificateEpisodes: 200, Controller: right},
	} {
		plan, err := s.Plan(m)
		if err != nil {
			t.Fatal(err)
		}
		r, err := runs.UnfinishedRun(t.Context(), over, over.Err(), m, s, plan, runs.SoFar{}, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		low, high := solverkit.RangeOfReturns(m)
		if want := r.Choice.Name() + ", which was simulated"; r.StandIn() != want {
			t.Errorf("what stands in is %q, want %q", r.StandIn(), want)
		}
		if c := r.Certificate; !r.InSetUp() || r.Choice.Name() == "qmdp" || c.Kind != bcpace.StatisticalCertificate || !(c.Lower > low && c.Upper == high) {
			t.Errorf("%s: choice %+v, certificate %+v", s.Name(), r.Choice, c)
		}
		if w := r.Warnings(); len(w) == 0 || w[0].Kind != runs.CutShort {
			t.Errorf("%s: warnings %v", s.Name(), w)
		}
		if _, err := runs.Verify(t.Context(), r); err == nil {
			t.Errorf("%s: what ended in its set-up is verified", s.Name())
		}
	}
}

// Solve returns the best policy, Explore the greedy one, and all else of their runs is the
// same.
//
//test:race
func TestChoice(t *testing.T) {
	best := bestOfChain(t, bcpace.Control{})
	if best.Choice == nil || best.Choice.Name() != "qmdp" {
		t.Fatalf("the choice is %+v, want qmdp", best.Choice)
	}
	o := best.Solver.(cpace.Solver)
	o.Policy = ""
	greedy, err := runs.Explore(t.Context(), envs.Chain{Discount: 0.8}, o)
	if err != nil {
		t.Fatal(err)
	}
	if greedy.Choice != nil || !reflect.DeepEqual(greedy.Trace, best.Trace) || !reflect.DeepEqual(greedy.Samples, best.Samples) || greedy.Value != best.Value {
		t.Error("the choice has changed the exploration")
	}
	if !(best.Certificate.Lower > greedy.Certificate.Lower) {
		t.Errorf("at least %v by the best policy and %v by the greedy one", best.Certificate.Lower, greedy.Certificate.Lower)
	}
	play := eval.Options{Episodes: 100, Seed: 3}
	own, err := eval.Rollouts(t.Context(), envs.Chain{Discount: 0.8}, best.Greedy(), play)
	if err != nil {
		t.Fatal(err)
	}
	want, err := eval.Rollouts(t.Context(), envs.Chain{Discount: 0.8}, greedy.Policy(), play)
	if err != nil || !reflect.DeepEqual(own.Returns, want.Returns) {
		t.Errorf("Greedy is not the greedy policy: %v", err)
	}
	if again := bestOfChain(t, bcpace.Control{Workers: 3}); !reflect.DeepEqual(again.Choice, best.Choice) || again.Certificate != best.Certificate {
		t.Errorf("3 workers choose %+v, want %+v", again.Choice, best.Choice)
	}
	o.Policy = "worst"
	if _, err := o.Solve(t.Context(), envs.Chain{Discount: 0.8}, bcpace.Control{}); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("an unknown rule: %v", err)
	}
}

// An exploration that knows little, and that has no time to compare policies, returns QMDP
// and says so; its file holds that.
//
//test:race
func TestChoiceWithoutTime(t *testing.T) {
	m := envs.Chain{Discount: 0.8}
	ctx, cancel := context.WithCancel(t.Context())
	o := cpace.Solver{Epsilon: 0.01, K: 20, CertificateEpisodes: 20}
	found, err := o.Solve(ctx, m, bcpace.Control{Progress: func(p bcpace.Progress) {
		if p.Episodes == 3 {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := runs.Of(found)
	if r.Choice == nil || r.Choice.Name() != "qmdp" || r.Choice.Tried[1].Episodes != 0 || !slices.Contains(warned(r), runs.HastyChoice) {
		t.Errorf("the choice is %+v with %v, want qmdp and %q", r.Choice, r.Warnings(), runs.HastyChoice)
	}
	var file bytes.Buffer
	if _, err := r.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	again, err := runs.Read(&file, runs.FixedModel(m), nil)
	if err != nil || !reflect.DeepEqual(again.Choice, r.Choice) {
		t.Fatalf("read: %+v, %v", again, err)
	}
}

// A run file holds the choice, Verify repeats it, and a resumed exploration chooses again.
func TestChoiceIsSaved(t *testing.T) {
	best := bestOfChain(t, bcpace.Control{})
	var file bytes.Buffer
	if _, err := best.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	read := func() *runs.Run {
		r, err := runs.Read(bytes.NewReader(file.Bytes()), runs.FixedModel(envs.Chain{Discount: 0.8}), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := read()
	if !reflect.DeepEqual(r.Choice, best.Choice) {
		t.Errorf("the file has the choice %+v, want %+v", r.Choice, best.Choice)
	}
	if _, err := runs.Verify(t.Context(), r); err != nil {
		t.Error(err)
	}
	r.Choice.Chosen = 0 // another policy than the certificate's
	if _, err := runs.Verify(t.Context(), r); err == nil || !strings.Contains(err.Error(), `"qmdp", which earned more`) {
		t.Errorf("another choice: %v", err)
	}
	r = read()
	r.Choice.Tried[1].Mean++
	if _, err := runs.Verify(t.Context(), r); err == nil || !strings.Contains(err.Error(), `what policy "qmdp" earned`) {
		t.Errorf("another mean: %v", err)
	}
	r.Choice.Tried = r.Choice.Tried[:2]
	file.Reset()
	if _, err := r.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := runs.Read(&file, runs.FixedModel(envs.Chain{Discount: 0.8}), nil); !errors.Is(err, runs.ErrFormat) {
		t.Errorf("a choice of fewer policies: %v", err)
	}

	o := best.Solver.(cpace.Solver)
	o.MaxEpisodes = 25
	half, err := runs.Explore(t.Context(), envs.Chain{Discount: 0.8}, o)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := runs.Resume(t.Context(), half, best.Solver)
	if err != nil || !reflect.DeepEqual(whole.Choice, best.Choice) || whole.Certificate != best.Certificate {
		t.Errorf("resumed: %+v, %v, want %+v, %v; %v", whole.Choice, whole.Certificate, best.Choice, best.Certificate, err)
	}
}

// After few samples or many, the policy is worth as much as QMDP and as every blind one,
// but for what the simulation leaves open, and at least the certificate's bound.
func TestChoiceOnRandomModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 7))
	names := map[string]int{}
	for range 40 {
		model := randmodel.Varied(rng)
		model.Horizon = 1 + rng.IntN(4)
		m := randmodel.New(rng, model)
		o := cpace.Solver{Epsilon: 0.5, MaxSamples: 1 + rng.IntN(60), CertificateEpisodes: 300, Delta: 1e-6, Seed: rng.Uint64()}
		found, err := o.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		exact := func(p bcpace.Policy) float64 {
			e, err := eval.Evaluate(t.Context(), m, p, eval.ExactOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return e.Value
		}
		c := runs.Of(found).Choice
		names[strings.Fields(c.Name())[0]]++
		value, doubt := exact(found.Policy), 10*c.Tried[c.Chosen].StdErr+1e-9
		if value < found.Certificate.Lower-1e-9 {
			t.Errorf("%s: the policy is worth %v, and certified to be worth %v", m.Spec().Name, value, found.Certificate.Lower)
		}
		qmdp, err := dp.QMDPPolicy(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		others := []bcpace.Policy{runs.Of(found).Greedy(), qmdp}
		for a := range m.Spec().Actions {
			others = append(others, bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return a }))
		}
		for i, p := range others {
			if x := exact(p); value < x-doubt-10*c.Tried[i].StdErr {
				t.Errorf("%s: %s is worth %v, and %s %v", m.Spec().Name, c.Name(), value, c.Tried[i].Name, x)
			}
		}
	}
	if len(names) < 2 {
		t.Errorf("of the policies, only %v were chosen", names)
	}
}

// chainRun is an exploration of Chain that was too short.
func chainRun(rule runs.PolicyRule) *runs.Run {
	o := cpace.Solver{Epsilon: 1, LipQ: 2, K: 5, Batch: 50, MaxEpisodes: 50, CertificateEpisodes: 500, Seed: 1, Policy: rule}
	r, err := runs.Explore(context.Background(), envs.Chain{Discount: 0.8}, o)
	if err != nil {
		panic(err)
	}
	return r
}

func ExamplePolicyRule() {
	for _, rule := range []runs.PolicyRule{runs.PolicyGreedy, runs.PolicyBest} {
		fmt.Printf("%s: worth at least %.1f\n", rule, chainRun(rule).Certificate.Lower)
	}
	// Output:
	// greedy: worth at least 6.3
	// best: worth at least 7.0
}

func ExampleChoice() {
	fmt.Println(chainRun(runs.PolicyBest).Choice.Name())
	// Output: qmdp
}

func ExampleTriedPolicy() {
	for _, x := range chainRun(runs.PolicyBest).Choice.Tried {
		fmt.Printf("%s: %.1f in %d episodes\n", x.Name, x.Mean, x.Episodes)
	}
	// Output:
	// greedy: 6.9 in 220 episodes
	// qmdp: 7.9 in 1000 episodes
	// always A: 7.7 in 240 episodes
	// always B: 7.5 in 1000 episodes
}
