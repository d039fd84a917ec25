package viz

import (
	"slices"
	"testing"

	"bayescpace/bcpace/lipschitz"
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
		"mine; 1,465 of 5,000 pairs are within the figure":                 must(Differences{Subtitle: "mine", Data: part}.Figure()),
		"markers are samples":                                              must(alone.figure()),
		"markers are samples, one inside another where they share a place": must(tigerValues(false).figure()),
	} {
		if f.Subtitle != want {
			t.Errorf("subtitle %q, want %q", f.Subtitle, want)
		}
	}
}
