package certified_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
)

// spike pays 1 per step at a single place that no grid has, to which "go" leads.
// Elsewhere it pays 0.2 where the action is the latent, which nothing tells. So it is worth
// 9, and at most 2 on a grid.
type spike struct{}

const (
	spikeAt       = 0.6180339887
	spikeDiscount = 0.9
)

func (spike) Spec() bcpace.Spec {
	return bcpace.Spec{Name: "spike", Axes: []bcpace.Axis{{Name: "x", Max: 1}}, Actions: bcpace.Actions("one", "two", "go"), Latents: []string{"one", "two"},
		Discount: spikeDiscount, RewardMax: 1}
}
func (spike) Prior(b bcpace.Belief)                  { b[0], b[1] = 0.5, 0.5 }
func (spike) Start(s []float64, _ int, _ *rand.Rand) { s[0] = 0 }
func (spike) Step(next, s []float64, latent, action int, _ *rand.Rand) bcpace.Outcome {
	next[0] = s[0]
	switch {
	case action == 2:
		next[0] = spikeAt
	case s[0] == spikeAt:
		return bcpace.Outcome{Reward: 1}
	case action == latent:
		return bcpace.Outcome{Reward: 0.2}
	}
	return bcpace.Outcome{}
}
func (spike) LogLikelihood(_ []float64, _ int, _ []float64, _ int) float64 { return 0 }
func (spike) Starts(z *bcpace.Successors) {
	_, p, _ := z.Add(false)
	p[0], p[1] = 1, 1
}
func (m spike) Successors(z *bcpace.Successors, s []float64, action int) { addStep(z, m, s, action) }

// addStep adds the one successor of a model of two latents whose Step leads, for certain, to
// the same place under both.
func addStep(z *bcpace.Successors, m bcpace.Model, s []float64, action int) {
	next, p, r := z.Add(false)
	for latent := range p {
		p[latent], r[latent] = 1, m.Step(next, s, latent, action, nil).Reward
	}
}

// refutes tests that a run warns of what its certificate refutes, that its file says the
// same, that Verify finds the same, and that it finds no forgery. It returns the file.
func refutes(t *testing.T, m bcpace.Model, r *runs.Run, forgeries map[string]func(*runs.Run)) []byte {
	t.Helper()
	c := r.Certificate
	if w := r.Warnings(); len(w) == 0 || w[0].Kind != runs.BracketRefuted || !strings.Contains(w[0].What, c.Refuted) {
		t.Errorf("warnings %v", w)
	}
	var file bytes.Buffer
	if _, err := r.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	back, err := runs.Read(bytes.NewReader(file.Bytes()), runs.FixedModel(m), nil)
	if err != nil {
		t.Fatal(err)
	}
	if back.Stop != r.Stop || back.Certificate != c {
		t.Errorf("read %q and %+v", back.Stop, back.Certificate)
	}
	if _, err := runs.Verify(t.Context(), back); err != nil {
		t.Errorf("Verify: %v", err)
	}
	for name, forge := range forgeries {
		forged := *back
		forge(&forged)
		if _, err := runs.Verify(t.Context(), &forged); err == nil {
			t.Errorf("Verify accepts a run that says %s", name)
		}
	}
	return file.Bytes()
}

// TestRefutedBracket: bounds that the run's own simulation contradicts are withdrawn, in the
// certificate, the reason to stop and the file, and Verify finds the same.
func TestRefutedBracket(t *testing.T) {
	r, err := runs.Explore(t.Context(), spike{}, certified.Solver{Epsilon: 0.1, MaxSamples: 200, LipState: 5, CertificateEpisodes: 500})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Certificate
	if r.Stop != stop.Refuted || c.Lower < 8 || c.Lower > 9 || c.UpperBy != bcpace.ByRange || !strings.Contains(c.Refuted, "as its policy earns 8.") || !strings.Contains(c.Refuted, "that is assumed") {
		t.Errorf("stop %q, value %v, certificate %+v, want both upper bounds of 2 withdrawn, and 9 within the certificate", r.Stop, r.Value, c)
	}
	file := refutes(t, spike{}, r, map[string]func(*runs.Run){
		"searched":       func(r *runs.Run) { r.Stop = stop.Searched },
		"certified":      func(r *runs.Run) { r.Stop = stop.Certified },
		"nothing":        func(r *runs.Run) { r.Certificate.Refuted = "" },
		"something else": func(r *runs.Run) { r.Certificate.Refuted = "the weather" },
	})
	sound, err := runs.Read(bytes.NewReader(file), runs.FixedModel(spike{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := runs.Resume(t.Context(), sound, sound.Solver); err != nil || again.Stop != r.Stop || again.Certificate != c {
		t.Errorf("resumed: %+v, %v", again, err)
	}
}

// hole pays 1 per step but at a single place that no grid has, to which every action
// leads. So it is worth 1, and 10 on a grid, whatever the policy.
type hole struct{ spike }

func (hole) Spec() bcpace.Spec {
	return bcpace.Spec{Name: "hole", Axes: []bcpace.Axis{{Name: "x", Max: 1}}, Actions: bcpace.Actions("left", "right"), Latents: []string{"one", "two"},
		Discount: spikeDiscount, RewardMax: 1}
}
func (hole) Step(next, s []float64, _, _ int, _ *rand.Rand) bcpace.Outcome {
	next[0] = spikeAt
	if s[0] == spikeAt {
		return bcpace.Outcome{}
	}
	return bcpace.Outcome{Reward: 1}
}
func (m hole) Successors(z *bcpace.Successors, s []float64, action int) { addStep(z, m, s, action) }

// TestRefutedLowerBound: a search whose lower bound exceeds what its own policy earns says
// so, in the certificate, the reason to stop, the warnings and the file, and Verify finds the
// same.
func TestRefutedLowerBound(t *testing.T) {
	r, err := runs.Explore(t.Context(), hole{}, certified.Solver{Epsilon: 0.1, MaxSamples: 200, CertificateEpisodes: 500})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Certificate
	if r.Stop != stop.Refuted || c.Lower > 1 || c.Refuted != "the lower bound 10 of the search, as its policy earns 1.07251 or less in simulated episodes" {
		t.Errorf("stop %q, value %v, certificate %+v, want the lower bound of 10 refuted by a policy that earns 1", r.Stop, r.Value, c)
	}
	refutes(t, hole{}, r, map[string]func(*runs.Run){
		"searched":      func(r *runs.Run) { r.Stop = stop.Searched },
		"nothing":       func(r *runs.Run) { r.Certificate.Refuted = "" },
		"not simulated": func(r *runs.Run) { r.Stop = stop.Searched; r.Certificate.Refuted = "" },
	})
}

// TestOneStory: wherever a run that refutes its bounds is interrupted, it does not say that
// episodes refute a bound and that nothing is known of what the policy earns.
func TestOneStory(t *testing.T) {
	refuted := map[bool]int{}
	for _, m := range []bcpace.Model{spike{}, hole{}} {
		for last := range 40 {
			ctx, stop := context.WithCancel(t.Context())
			reports := 0
			r, err := certified.Solver{Epsilon: 0.1, MaxSamples: 200, CertificateEpisodes: 100}.Explore(ctx, m,
				bcpace.Control{Progress: func(bcpace.Progress) {
					if reports++; reports > last {
						stop()
					}
				}})
			stop()
			if err != nil {
				t.Fatal(err)
			}
			kinds := map[runs.WarningKind]bool{}
			for _, w := range r.Warnings() {
				kinds[w.Kind] = true
			}
			if kinds[runs.BracketRefuted] && kinds[runs.NotSimulated] {
				t.Errorf("%s, interrupted at report %d: %v", m.Spec().Name, last, r.Warnings())
			}
			refuted[kinds[runs.BracketRefuted]]++
			if reports <= last { // it was not interrupted, and no later one would be
				break
			}
		}
	}
	if refuted[true] < 5 || refuted[false] < 10 {
		t.Errorf("%d different runs refuted their bounds and %d did not, want five and ten or more", refuted[true], refuted[false])
	}
}
