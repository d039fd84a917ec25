package envs_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

func rng() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func wantInputError(t *testing.T, err error, words string) {
	t.Helper()
	var input *bcpace.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), words) {
		t.Errorf("got error %v\nwant an *InputError that says %q", err, words)
	}
}

func ExampleLightDarkTiger() {
	room := envs.LightDarkTiger{Width: 9, Height: 9, Sigma: 0.1}
	s, next := make([]float64, 3), make([]float64, 3)
	room.Start(s, 0, nil)
	fmt.Println("start:", s)
	room.Step(next, []float64{0, 4, 1}, 0, 0, rand.New(rand.NewPCG(1, 2)))
	fmt.Printf("up from the left wall: %.2f\n", next)
	_, finite := bcpace.AsFinite(room)
	fmt.Println("finite:", finite)
	// Output:
	// start: [4 4 0]
	// up from the left wall: [0.04 5.01 0.00]
	// finite: false
}

// TestDarkGoals enters all corners of a grid and of a room.
func TestDarkGoals(t *testing.T) {
	const up, down, left, right = 0, 1, 2, 3
	for _, x := range []struct {
		s      []float64
		action int
		goal   int // the latent whose tiger is there, or -1
	}{
		{[]float64{3, 4, 0}, right, 0},
		{[]float64{4, 3, 0}, up, 0},
		{[]float64{3, 0, 0}, right, 1},
		{[]float64{4, 1, 0}, down, 1},
		{[]float64{1, 4, 0}, left, -1},
		{[]float64{1, 0, 0}, left, -1},
		{[]float64{3, 2, 0}, right, -1},
		{[]float64{4, 3, 0}, down, -1},
	} {
		for _, sigma := range []float64{0, 1e-6} {
			for latent := range 2 {
				want, next := 0.0, make([]float64, 3)
				if x.goal >= 0 {
					want = 10
				}
				if x.goal == latent {
					want = -100
				}
				out := envs.LightDarkTiger{Sigma: sigma}.Step(next, x.s, latent, x.action, rng())
				if out.Reward != want || out.Done != (x.goal >= 0) {
					t.Errorf("σ %v, latent %d, from %v by %d: %+v, want reward %v", sigma, latent, x.s, x.action, out, want)
				}
			}
		}
	}
}

// TestDarkLight expects the left wall, and nothing else, to tell the latent.
func TestDarkLight(t *testing.T) {
	for _, sigma := range []float64{0, 0.3} {
		m := envs.LightDarkTiger{Sigma: sigma}
		r, next := rng(), make([]float64, 3)
		walls := 0
		for range 200 {
			for latent := range 2 {
				m.Step(next, []float64{1, 2, 0}, latent, 2, r)
				if want := map[bool]float64{true: float64(latent + 1)}[next[0] == 0]; next[2] != want {
					t.Fatalf("σ %v: seen %v at x = %v with latent %d", sigma, next[2], next[0], latent)
				}
				if next[0] == 0 {
					walls++
					if l := m.LogLikelihood([]float64{1, 2, 0}, 2, next, 1-latent); !math.IsInf(l, -1) {
						t.Fatalf("σ %v: the light does not rule out the other latent: %v", sigma, l)
					}
				}
			}
		}
		// With noise, half of the moves from x = 1 fall short of the wall.
		if sigma == 0 && walls != 400 || sigma > 0 && (walls < 140 || walls > 260) {
			t.Errorf("σ %v: %d of 400 moves reached the wall", sigma, walls)
		}
	}
}

// TestDarkSame expects the grid and the room with next to no noise to agree.
func TestDarkSame(t *testing.T) {
	grid, room := envs.LightDarkTiger{}, envs.LightDarkTiger{Sigma: 1e-6, Nodes: 1}
	s := make([]float64, 3)
	for k := range grid.NumStates() {
		grid.StateAt(s, k)
		if s[0] == 0 {
			continue
		}
		for action := range 4 {
			var a, b bcpace.Successors
			a.Reset(3, 2)
			b.Reset(3, 2)
			grid.Successors(&a, s, action)
			room.Successors(&b, s, action)
			sum := func(z *bcpace.Successors) (mean, reward, done float64) {
				for i := range z.Len() {
					next, p, r := z.Row(i)
					mean += p[0] * (next[0] + 100*next[1])
					reward += p[0] * r[0]
					if z.Done[i] {
						done += p[0]
					}
				}
				return
			}
			m1, r1, d1 := sum(&a)
			m2, r2, d2 := sum(&b)
			if math.Abs(m1-m2) > 1e-3 || math.Abs(r1-r2) > 1e-9 || math.Abs(d1-d2) > 1e-9 {
				t.Errorf("from %v by %d: grid %v %v %v, room %v %v %v", s, action, m1, r1, d1, m2, r2, d2)
			}
		}
	}
}

// TestDarkTail expects a finite log likelihood for a place hundreds of standard
// deviations away: it happens to nobody, but must not look impossible.
func TestDarkTail(t *testing.T) {
	m := envs.LightDarkTiger{Sigma: 1e-3}
	for _, next := range [][]float64{{0, 2, 1}, {4, 4, 0}, {3.9, 0, 0}, {0, 0, 1}} {
		if l := m.LogLikelihood([]float64{2, 2, 0}, 0, next, 0); math.IsInf(l, 0) || math.IsNaN(l) {
			t.Errorf("log likelihood of %v is %v", next, l)
		}
	}
	for _, next := range [][]float64{{0, 2, 0}, {0, 2, 2}, {1, 2, 1}, {-1, 2, 0}, {2, 5, 0}, {math.NaN(), 2, 0}} {
		if l := m.LogLikelihood([]float64{2, 2, 0}, 0, next, 0); !math.IsInf(l, -1) {
			t.Errorf("log likelihood of %v, which cannot be, is %v", next, l)
		}
	}
}

// TestDarkStates expects no number for what is not a state.
func TestDarkStates(t *testing.T) {
	m := envs.LightDarkTiger{Width: 4, Height: 3}
	if n := m.NumStates(); n != 15 {
		t.Errorf("%d states, want 4·3 and 3 more in the light", n)
	}
	for _, s := range [][]float64{{0, 1, 0}, {1, 1, 1}, {4, 1, 0}, {1, 3, 0}, {-1, 0, 0}, {1.5, 1, 0}, {0, 1, 3}, {math.NaN(), 0, 0}} {
		if k := m.StateIndex(s); k != -1 {
			t.Errorf("%v has number %d, want -1", s, k)
		}
	}
}

func TestDarkValidate(t *testing.T) {
	for want, m := range map[string]envs.LightDarkTiger{
		"width is 1,":                         {Width: 1},
		"height is -3":                        {Height: -3},
		"height is 10001":                     {Height: 10001},
		"sigma is -0.1":                       {Sigma: -0.1},
		"sigma is NaN":                        {Sigma: math.NaN()},
		"sigma is 1e-07":                      {Sigma: 1e-7},
		"nodes is 65":                         {Nodes: 65},
		"start is 1 numbers":                  {StartAt: []float64{1}},
		"start is 5,2, want a place from 0,0": {StartAt: []float64{5, 2}},
		"start is NaN,2":                      {StartAt: []float64{math.NaN(), 2}},
		"start is 1.5,2, want whole numbers":  {StartAt: []float64{1.5, 2}},
		"start is 4,4, want a place outside":  {StartAt: []float64{4, 4}},
		"start is 3.5,0.5, want a place out":  {StartAt: []float64{3.5, 0.5}, Sigma: 0.1},
		"discount is 1":                       {Discount: 1},
	} {
		wantInputError(t, bcpace.Validate(m), want)
	}
}

// TestDarkPlan: the rectangles for figures agree with goal and with what Step
// shows.
func TestDarkPlan(t *testing.T) {
	inside := func(r [4]float64, x, y float64) bool {
		return x >= r[0] && x <= r[2] && y >= r[1] && y <= r[3]
	}
	for _, m := range []envs.LightDarkTiger{
		{}, {Width: 2, Height: 2}, {Width: 7, Height: 4}, {Sigma: 0.1}, {Width: 2, Height: 2, Sigma: 0.1, StartAt: []float64{0, 0.5}}, {Width: 7, Height: 4, Sigma: 0.3},
	} {
		walls, goals, light := m.Walls(), m.Goals(), m.Light()
		if len(goals) != 2 || len(light) != 1 {
			t.Fatalf("%+v: goals %v, light %v", m, goals, light)
		}
		r, s, next := rng(), make([]float64, 3), make([]float64, 3)
		for range 200 {
			m.Start(s, 0, r)
			for range 50 {
				out := m.Step(next, s, 0, r.IntN(4), r)
				x, y := next[0], next[1]
				if !inside(walls, x, y) {
					t.Fatalf("%+v: (%v, %v) lies outside the walls %v", m, x, y, walls)
				}
				if lit := next[2] != 0; lit != inside(light[0], x, y) {
					t.Fatalf("%+v: at (%v, %v) the tiger is seen: %v, light %v", m, x, y, lit, light)
				}
				// Latent 0 puts the tiger into the first goal.
				want := bcpace.Outcome{}
				switch {
				case inside(goals[0], x, y):
					want = bcpace.Outcome{Reward: -100, Done: true}
				case inside(goals[1], x, y):
					want = bcpace.Outcome{Reward: 10, Done: true}
				}
				if out != want {
					t.Fatalf("%+v: entering (%v, %v) is %+v, want %+v by the goals %v", m, x, y, out, want, goals)
				}
				if out.Done {
					break
				}
				copy(s, next)
			}
		}
	}
}

// A goal pays once and ends the episode, and nothing else pays.
func TestLightDarkReturnRange(t *testing.T) {
	m := envs.LightDarkTiger{Sigma: 0.2}
	spec := m.Spec()
	if lo, hi := m.ReturnRange(); lo != spec.RewardMin || hi != spec.RewardMax || lo != -100 || hi != 10 {
		t.Errorf("returns from %v to %v, rewards from %v to %v", lo, hi, spec.RewardMin, spec.RewardMax)
	}
}
