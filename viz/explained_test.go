package viz_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
	"bayescpace/viz"
)

// explained explains the estimate of opening a door at a belief.
func explained(t testing.TB, belief float64) *bcpace.Explanation {
	r, err := bcpace.Explore(t.Context(), envs.Tiger{}, bcpace.Options{Epsilon: 4, LipQ: 20, K: 12, Batch: 10, MaxEpisodes: 60, CertificateEpisodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	x, err := r.Explain([]float64{0}, bcpace.Belief{belief, 1 - belief}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestExplained(t *testing.T) {
	f, err := viz.Explained{Explanation: explained(t, 0.3)}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	png, err := f.PNG(2)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(f.Alt, f.Subtitle, len(png))
	if _, err := (viz.Explained{}).Figure(); err == nil {
		t.Error("no error without an explanation")
	}
	if _, err := (viz.Explained{Explanation: &bcpace.Explanation{Spec: envs.Tiger{}.Spec(), Latent: 1}}).Figure(); err == nil {
		t.Error("no error of a query near a one-hot belief")
	}
}
