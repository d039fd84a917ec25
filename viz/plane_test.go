package viz

import (
	"context"
	"math"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
)

// boat is a model of two axes of the state among three, with a current in one of three directions.
func boat() bcpace.Model {
	return made(bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "boat", Discount: 0.9, RewardMin: -1, Actions: bcpace.Actions("south", "east", "north"), Latents: []string{"south wind", "calm", "north wind"},
			Axes: []bcpace.Axis{{Name: "x", Unit: "km", Max: 6}, {Name: "fuel", Max: 9, Scale: math.Inf(1)}, {Name: "y", Unit: "km", Max: 3}}},
		Starts: [][]float64{{0.5, 9, 1.5}}, Sigma: []float64{0.1, 0, 0.2},
		Mean: func(mean, s []float64, latent, action int) {
			mean[0], mean[1], mean[2] = s[0]+0.4, max(s[1]-0.1, 0), s[2]+0.3*float64(action-1)+0.3*float64(1-latent)
		},
		Reward: func([]float64, int, int, []float64) float64 { return -0.5 },
		Ends:   func(s []float64) bool { return s[0] >= 5 },
	}))
}

// boatPlan is a plane of the boat with a goal and an island.
func boatPlan() RoomPlan {
	return RoomPlan{X: "x", Y: "y", Goals: []Goal{{Rect{5, 1, 6, 2}, "harbour"}}, Walls: []Rect{{3.8, 1.3, 4.4, 2}}}
}

// boatRun is an exploration of the boat.
func boatRun(m bcpace.Model) *runs.Run {
	return made(runs.Explore(context.Background(), m, cpace.Solver{Epsilon: 1, LipQ: 2, MaxSamples: 150, Horizon: 20, CertificateEpisodes: -1}))
}

func boatPaths() Room {
	m := boat()
	return boatPlan().Of(m, made(eval.RecordEachLatent(m, bcpace.RandomPolicy(m), eval.Options{Horizon: 30, Seed: 2}))...)
}

// planeGoldens are the figures of rooms for a model that is none.
func planeGoldens() map[string]Chart {
	run := boatRun(boat())
	return map[string]Chart{
		"plane_paths":   boatPaths(),
		"plane_samples": Coverage{Run: run, Plan: boatPlan()},
		"plane_known":   KnownRoom{Run: run, Plan: boatPlan()},
		"plane_scales":  Coverage{Title: "Of two units", Run: run, Plan: RoomPlan{Y: "fuel"}},
	}
}

func TestPlaneGolden(t *testing.T) {
	for name, chart := range planeGoldens() {
		t.Run(name, func(t *testing.T) { checkGolden(t, name, chart) })
	}
}

// A path stands where its episode was on the two axes that are named, with all of its belief.
func TestPlanOf(t *testing.T) {
	m := boat()
	list := made(eval.RecordEachLatent(m, bcpace.RandomPolicy(m), eval.Options{Horizon: 30, Seed: 2}))
	r := boatPlan().Of(m, list...)
	if len(r.Paths) != 3 || r.Plan.Room != (Rect{0, 0, 6, 3}) || r.Plan.Unit != "km" || len(r.Latents) != 3 {
		t.Fatalf("room %+v", r)
	}
	for i, p := range r.Paths {
		for k := range p.X {
			s, b := list[i].State(k), list[i].Belief(k)
			if p.X[k] != s[0] || p.Y[k] != s[2] || p.Belief[k][2] != b[2] {
				t.Errorf("path %d, step %d: (%v, %v) with %v, want those of %v and %v", i, k, p.X[k], p.Y[k], p.Belief[k], s, b)
			}
		}
	}
	if f := must(r.Figure()); !f.EqualScale || !strings.Contains(f.Alt, "Goal around (5.5, 1.5): harbour") {
		t.Errorf("equal scale %v: %s", f.EqualScale, f.Alt)
	}
	if f := must(RoomOf(m, list...).Figure()); f.EqualScale { // km and a number
		t.Error("axes of two units have one scale")
	}
	run := boatRun(m)
	hole := cover.Holes{Draws: 10, Radius: 0.1, Largest: 1, State: []float64{2, 1, 2.5}}
	if f := must(Coverage{Run: run, Holes: hole, Plan: boatPlan()}.Figure()); !strings.Contains(f.Alt, "largest hole is around (2, 2.5)") {
		t.Error(f.Alt)
	}
	for want, c := range map[string]Chart{
		`X is "z", want an axis`:          RoomPlan{X: "z"}.Of(m, list...),
		`two different axes of the state`: KnownRoom{Run: run, Plan: RoomPlan{X: "x", Y: "calm"}},
		`Plan.Walls[0][0] is NaN`:         Room{Plan: RoomPlan{Room: Rect{0, 0, 1, 1}, Walls: []Rect{{X0: math.NaN()}}}},
		`State has 1 entries, want 3`:     KnownRoom{Run: run, State: []float64{1}},
	} {
		if _, err := c.Figure(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// The colour of a belief is that of the likeliest latent, and grey where none is likelier.
func TestColorOf(t *testing.T) {
	for k := range 3 {
		b := bcpace.Belief{0, 0, 0}
		b[k] = 1
		if got := colorOf(b); got != styleOf(k).color {
			t.Errorf("certain of latent %d: %v, want %v", k, got, styleOf(k).color)
		}
	}
	if c, want := colorOf(bcpace.Belief{0.25, 0.75}), beliefColor(0.25); c != want {
		t.Errorf("two latents: %v, want %v", c, want)
	}
}
