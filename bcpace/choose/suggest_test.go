package choose_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// What is suggested can be used, each parameter that is set has its reason, and it is the
// same every time.
func TestSuggestOnRandomModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 6))
	for i := range 15 {
		var m bcpace.Model = randmodel.New(rng, randmodel.Varied(rng))
		if i%3 == 0 {
			m = unlisted{m}
		}
		s, err := choose.Suggest(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := choose.Suggest(t.Context(), m)
		if err != nil || !reflect.DeepEqual(again.Options, s.Options) || !reflect.DeepEqual(again.Reasons, s.Reasons) {
			t.Errorf("%s: %+v, and then %+v, %v", m.Spec().Name, s.Options, again.Options, err)
		}
		o := reflect.ValueOf(s.Options)
		for k := range o.NumField() {
			name := o.Type().Field(k).Name
			said := false
			for _, r := range s.Reasons {
				said = said || r.Parameter == name && r.Why != ""
			}
			if !o.Field(k).IsZero() && !said && name != "Batch" {
				t.Errorf("%s: %s is %v without a reason", m.Spec().Name, name, o.Field(k))
			}
		}
		s.Options.MaxSamples, s.Options.MaxEpisodes, s.Options.CertificateEpisodes = 200, 50, 20
		found, err := s.Options.Solve(t.Context(), m, bcpace.Control{})
		if err != nil || found.Policy == nil {
			t.Errorf("%s: %v", m.Spec().Name, err)
		}
	}
}

// The suggestion for the dark room leads to the optimum, as settings found by search do.
func TestSuggestedSettingsSolve(t *testing.T) {
	room := envs.LightDarkTiger{}
	s, err := choose.Suggest(t.Context(), room)
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Options.Solve(t.Context(), room, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := eval.Evaluate(t.Context(), room, found.Policy, eval.ExactOptions{})
	if err != nil || e.Value < 6.983 {
		t.Errorf("the policy %s is worth %v, want the optimum 6.98337, %v", runs.Of(found).Choice.Name(), e.Value, err)
	}
	if w := runs.Of(found).Warnings(); w != nil {
		t.Errorf("warnings %v", w)
	}
}

func ExampleSuggest() {
	s, err := choose.Suggest(context.Background(), envs.LightDarkTiger{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range s.Reasons {
		fmt.Printf("%s %s: %s\n", r.Parameter, r.Value, r.Why)
	}
	// Output:
	// LipQ 0.46: where the look has been, nine tenths of the latent values of sensible actions differ by 0.463 or less between two latents, per unit of the beliefs' distance
	// Alpha 1.1: nine tenths of those values differ by 0.487 or less between two states, per unit of their distance
	// Epsilon 0.086: 1% of what lies between always up (0) and the informed policy (8.574), with which about 15 places × 4 actions × k samples are needed
	// K 1: what a step leads to is as good as certain
	// Bound qmdp: never looser than the best case, and the latent values are there
	// SeedOneHot true: the latent is not drawn anew, so that its values hold once it is known
	// MaxSamples 20000: a first budget; Resume goes on from there
}

// TestSuggestOutOfTime: a look that time has cut short still suggests settings that solve, and
// says so. Where an action has a Box, the settings are those of a list of its controls.
func TestSuggestOutOfTime(t *testing.T) {
	control, err := envs.New("treatment", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.LightDarkTiger{Sigma: 0.1}, control, unlisted{control}} {
		s, err := choose.Suggest(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		if r := s.Reasons[0]; r.Value != "cut short" {
			t.Errorf("reasons %v, want that the look was cut short", s.Reasons)
		}
		found, err := s.Options.Solve(ctx, m, bcpace.Control{})
		if err != nil || found.Policy == nil {
			t.Errorf("%v, %v", found, err)
		}
	}
}
