package viz

import (
	"fmt"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// recorded is an episode of a random policy.
func recorded(t *testing.T, m bcpace.Model, steps int) *eval.Trajectory {
	t.Helper()
	e, err := eval.RecordEpisode(m, bcpace.RandomPolicy(m), eval.Options{Horizon: steps, Seed: 7}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEpisodeGolden(t *testing.T) {
	room := envs.LightDarkTiger{}
	for name, e := range map[string]Episode{
		"episode_room":     {Model: room, Trajectory: recorded(t, room, 12), Step: 6},
		"episode_triangle": {Model: envs.Chain{}, Trajectory: recorded(t, envs.Chain{}, 30), Step: 20},
		"episode_time":     {Model: envs.Chain{}, Trajectory: recorded(t, envs.Chain{}, 30), Step: 20, OverTime: true},
	} {
		checkGolden(t, name, e)
	}
}

// The frames of an episode have one size and the same axes, and tell the step and the belief.
func TestEpisodeSteps(t *testing.T) {
	for _, m := range []bcpace.Model{envs.LightDarkTiger{}, envs.Chain{}, envs.Tiger{}} {
		e := Episode{Model: m, Trajectory: recorded(t, m, 9)}
		n := e.Trajectory.Len()
		frames := e.Steps()
		if len(frames) != n+1 {
			t.Fatalf("%T: %d figures, want %d", m, len(frames), n+1)
		}
		first := must(frames[0].(Chart).Figure())
		for i, c := range frames {
			f := must(c.(Chart).Figure())
			checkMargins(t, fmt.Sprintf("%T, step %d", m, i), f)
			a, b := f.Panels[0], first.Panels[0]
			if f.Width != first.Width || f.Height != first.Height || a.X.Min != b.X.Min || a.X.Max != b.X.Max || a.Y.Min != b.Y.Min || a.Y.Max != b.Y.Max {
				t.Errorf("%T, step %d: %v × %v, want %v × %v and the same axes", m, i, f.Width, f.Height, first.Width, first.Height)
			}
			if fmt.Sprint(c) != fmt.Sprint(i) || !strings.Contains(f.Alt, fmt.Sprintf("Step %d of %d", i, n)) {
				t.Errorf("%T: frame %d is called %v and says %q", m, i, c, f.Alt)
			}
			for k, p := range e.Trajectory.Belief(i) {
				if want := fmt.Sprintf("%s %.2f", m.Spec().Latents[k], p); !strings.Contains(f.Alt, want) || f.Legend[1+k].Text != want {
					t.Errorf("%T, step %d: no %q in %q", m, i, want, f.Alt)
				}
			}
		}
	}
}

// chainInRoom is a room with three latents.
type chainInRoom struct{ envs.Chain }

func (chainInRoom) Walls() [4]float64   { return [4]float64{0, 0, 4, 4} }
func (chainInRoom) Goals() [][4]float64 { return nil }
func (chainInRoom) Light() [][4]float64 { return nil }

// Each latent has a colour of its own in the bar of the belief.
func TestEpisodeInARoomOfThree(t *testing.T) {
	m := chainInRoom{}
	f := must(Episode{Model: m, Trajectory: recorded(t, m, 9)}.Figure())
	for k := range 3 {
		if got, want := f.Legend[1+k].Fill, styleOf(k).color; got != want {
			t.Errorf("latent %d has the colour %v, want %v", k, got, want)
		}
	}
}

// A long episode has sixty frames, from its first step to its last.
func TestLongEpisode(t *testing.T) {
	for _, steps := range []int{59, 60, 61, 500} {
		e := Episode{Model: envs.Chain{}, Trajectory: recorded(t, envs.Chain{}, steps)}
		frames := e.Steps()
		if len(frames) != 60 || fmt.Sprint(frames[0]) != "0" || fmt.Sprint(frames[59]) != fmt.Sprint(steps) {
			t.Errorf("%d steps: %d frames from %v to %v", steps, len(frames), frames[0], frames[len(frames)-1])
		}
		for i := range frames[1:] {
			if frames[i].(episodeStep).Step >= frames[i+1].(episodeStep).Step {
				t.Errorf("%d steps: frame %d is of step %v, and the next of %v", steps, i, frames[i], frames[i+1])
			}
		}
	}
}

func TestEpisodeThatCannotBe(t *testing.T) {
	tiger := recorded(t, envs.Tiger{}, 3)
	for want, e := range map[string]Episode{
		"Model is nil":         {Trajectory: tiger},
		"Trajectory is nil":    {Model: envs.Tiger{}},
		"Step is 4, want 0 to": {Model: envs.Tiger{}, Trajectory: tiger, Step: 4},
		"Step is -1":           {Model: envs.Tiger{}, Trajectory: tiger, Step: -1},
		"viz: Episode":         {Model: envs.Chain{}, Trajectory: tiger},
	} {
		if _, err := e.Figure(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if frames := (Episode{}).Steps(); len(frames) != 1 {
		t.Errorf("%d frames of no episode, want one with the error", len(frames))
	}
}
