package viz

import (
	"math"
	"strings"
	"testing"

	"bayescpace/bcpace"
)

// coveredBeliefs is a spiral of beliefs with a greedy cover of 0.4.
func coveredBeliefs() BeliefCover {
	v := BeliefCover{Title: "A spiral", Latents: []string{"cold", "mild", "hot"}, Epsilon: 0.4}
	for i := range 40 {
		r, turn := float64(i)/120, float64(i)/4
		x, y := r*math.Cos(turn), r*math.Sin(turn)
		b := bcpace.Belief{1.0/3 + x, 1.0/3 - x/2 + y/2, 0}
		b[2] = 1 - b[0] - b[1]
		at := 0
		for ; at < len(v.Centre) && v.Beliefs[v.Centre[at]].L1(b) > v.Epsilon; at++ {
		}
		if at == len(v.Centre) {
			v.Centre = append(v.Centre, i)
		}
		v.Beliefs, v.Node = append(v.Beliefs, b), append(v.Node, at)
	}
	return v
}

// TestBall: the corners of a ball are beliefs, at most its radius away and, but where it is cut,
// exactly that; and what lies farther is outside of their hull.
func TestBall(t *testing.T) {
	for _, b := range []bcpace.Belief{{1.0 / 3, 1.0 / 3, 1.0 / 3}, {0.9, 0.05, 0.05}, {1, 0, 0}, {0.5, 0.5, 0}} {
		for _, epsilon := range []float64{0.05, 0.3, 1, 3} {
			corners := ball(b, epsilon)
			for _, c := range corners {
				if err := c.Validate(); err != nil {
					t.Errorf("ball of %v around %v: %v", epsilon, b, err)
				}
				d := c.L1(b)
				if inside := min(c[0], c[1], c[2]) > 1e-12; d > epsilon+1e-12 || inside && d < epsilon-1e-12 {
					t.Errorf("ball of %v around %v: corner %v is %v away", epsilon, b, c, d)
				}
			}
			area := 0.0
			for i, c := range corners {
				d := corners[(i+1)%len(corners)]
				area += math.Abs((c[0]-b[0])*(d[1]-b[1])-(c[1]-b[1])*(d[0]-b[0])) / 2
			}
			// A fine grid of the triangle, of area ½ in these coordinates, counted.
			inside, all := 0, 0
			for i := range 400 {
				for j := range 400 - i {
					x := bcpace.Belief{(float64(i) + 1.0/3) / 400, (float64(j) + 1.0/3) / 400, 0}
					x[2] = 1 - x[0] - x[1]
					if all++; x.L1(b) <= epsilon {
						inside++
					}
				}
			}
			if want := float64(inside) / float64(all) / 2; math.Abs(area-want) > 0.005 {
				t.Errorf("ball of %v around %v has area %v, want %v", epsilon, b, area, want)
			}
		}
	}
}

func TestBeliefCoverChecks(t *testing.T) {
	for want, spoil := range map[string]func(*BeliefCover){
		"want three":             func(v *BeliefCover) { v.Latents = v.Latents[:2] },
		"has no beliefs":         func(v *BeliefCover) { v.Beliefs = nil },
		"Epsilon is 0":           func(v *BeliefCover) { v.Epsilon = 0 },
		"Epsilon is NaN":         func(v *BeliefCover) { v.Epsilon = math.NaN() },
		"belief 3 is":            func(v *BeliefCover) { v.Beliefs[3] = bcpace.Belief{1, 1, 0} },
		"Centre 0 is 99":         func(v *BeliefCover) { v.Centre[0] = 99 },
		"Node for 1":             func(v *BeliefCover) { v.Node = v.Node[:1] },
		"Node of belief 2 is -1": func(v *BeliefCover) { v.Node[2] = -1 },
	} {
		v := coveredBeliefs()
		spoil(&v)
		if _, err := v.Figure(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for kind, s := range hostile {
		v := coveredBeliefs()
		v.Title, v.Subtitle, v.Latents = s, s, []string{s, s, s}
		checkMargins(t, "BeliefCover of "+kind+" names", must(v.Figure()))
	}
	without := coveredBeliefs()
	without.Node = nil
	if a, b := len(must(coveredBeliefs().Figure()).Legend), len(must(without.Figure()).Legend); a != b+1 {
		t.Errorf("%d entries with lines and %d without, want one more", a, b)
	}
}
