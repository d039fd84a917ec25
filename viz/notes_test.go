package viz

import (
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// The subtitle says what a reader has to know of the drawing, and nothing that is not so.
func TestNotes(t *testing.T) {
	one := tigerBeliefs()
	one.Subtitle = "mine"
	for k := range one.Episodes {
		one.Episodes[k].True = 1
	}
	many := tigerBeliefs()
	many.Subtitle, many.Episodes = "mine", slices.Repeat(many.Episodes, 3)
	part := madeDifferences(4)
	part.Pairs = 5000
	all := &lipschitz.Observed{Pairs: 1, Kept: []lipschitz.Gap{{Distance: 1, Difference: 1}}}
	alone := tigerValues(false)
	for i := range alone.actions[1:] {
		alone.actions[1+i].sampleB, alone.actions[1+i].sampleQ = nil, nil
	}
	for want, f := range map[string]*Figure{
		"mine":                           must(one.Figure()),
		"latents are drawn a line apart": must(tigerBeliefs().Figure()),
		"mine; latents are drawn a line apart; darker: more episodes": must(many.Figure()),
		"": must(Differences{Data: all}.Figure()),
		"mine; 1,465 of 5,000 pairs are within the figure": must(Differences{Subtitle: "mine", Data: part}.Figure()),
		"markers are samples":                              must(alone.figure()),
	} {
		if f.Subtitle != want {
			t.Errorf("subtitle %q, want %q", f.Subtitle, want)
		}
	}
}

// A figure of many more samples than there is room for draws some of them, and says so: it is as good as no longer than
// one of a few samples at the same places.
func TestManySamples(t *testing.T) {
	room, tiger := envs.LightDarkTiger{Width: 3, Height: 3, Sigma: 0.1}, envs.Tiger{}
	for name, c := range map[string]struct {
		m     bcpace.Model
		chart func(*runs.Run) Chart
	}{
		"Coverage":     {room, func(r *runs.Run) Chart { return Coverage{Run: r, Holes: cover.Holes{Draws: 1}} }},
		"KnownRoom":    {room, func(r *runs.Run) Chart { return KnownRoom{Run: r, Belief: bcpace.Belief{0.5, 0.5}} }},
		"QOverBelief":  {tiger, func(r *runs.Run) Chart { return QOverBelief{Run: r} }},
		"KnownBeliefs": {envs.Chain{}, func(r *runs.Run) Chart { return KnownBeliefs{Run: r} }},
		"Simplex":      {envs.Chain{}, func(r *runs.Run) Chart { return BeliefSimplex{Run: r} }},
	} {
		r, err := runs.Explore(t.Context(), c.m, cpace.Solver{Epsilon: 1, LipQ: 10, MaxSamples: 60, Horizon: 20, CertificateEpisodes: -1})
		if err != nil {
			t.Fatal(err)
		}
		f := must(c.chart(r).Figure())
		few, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(f.Subtitle, "close together") {
			t.Errorf("%s of %d samples: subtitle %q", name, r.Samples.Len(), f.Subtitle)
		}
		for n := r.Samples.Len(); r.Samples.Len() < 3*crowd; {
			r.Samples.Add(r.Samples.At(r.Samples.Len() % n))
		}
		f = must(c.chart(r).Figure())
		if many, err := f.SVG(); err != nil || !strings.Contains(f.Subtitle, "of samples close together one is drawn") || len(many) > len(few)+2000 {
			t.Errorf("%s of %d samples: subtitle %q, %d bytes, and %d for fewer: %v", name, r.Samples.Len(), f.Subtitle, len(many), len(few), err)
		}
	}
}
