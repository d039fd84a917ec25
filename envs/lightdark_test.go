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

// TestDarkStates expects no number for what is no state.
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
