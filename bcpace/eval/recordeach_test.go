package eval_test

import (
	"errors"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// TestRecordEachLatent: they are episodes of Rollouts, the first of each latent.
func TestRecordEachLatent(t *testing.T) {
	m, p, o := envs.Chain{}, bcpace.RandomPolicy(envs.Chain{}), eval.Options{Episodes: 50, Horizon: 5, Seed: 4}
	each, err := eval.RecordEachLatent(m, p, o)
	if err != nil {
		t.Fatal(err)
	}
	all, err := eval.RecordEpisodes(m, p, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(each) != len(m.Spec().Latents) {
		t.Fatalf("%d episodes, want one for each of %d latents", len(each), len(m.Spec().Latents))
	}
	for latent, got := range each {
		for _, x := range all {
			if x.Latents[0] == latent {
				if got.Latents[0] != latent || got.Return != x.Return || got.Len() != x.Len() {
					t.Errorf("latent %d: return %v, want %v of the first episode with it", latent, got.Return, x.Return)
				}
				break
			}
		}
	}

	// Latents that the belief rules out have no episode.
	o.Belief = bcpace.Belief{0, 1, 0}
	if each, err = eval.RecordEachLatent(m, p, o); err != nil || len(each) != 1 || each[0].Latents[0] != 1 {
		t.Errorf("belief in latent 1: %d episodes, %v", len(each), err)
	}
	o.Belief, o.Episodes = nil, 1
	var input *bcpace.InputError
	if _, err := eval.RecordEachLatent(m, p, o); !errors.As(err, &input) || !strings.Contains(err.Error(), "slip 0.") {
		t.Errorf("a single episode: error %v, want an *InputError that names the latents", err)
	}
	if _, err := eval.RecordEachLatent(m, p, eval.Options{Horizon: -1}); !errors.As(err, &input) {
		t.Errorf("horizon −1: error %v", err)
	}
}
