package robust_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/robust"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// optimum returns min over b of max over v of b·v, for priors b whose entries are within box of the centre's, by searches of
// convex functions of one number.
func optimum(values [][]float64, centre []float64, box float64) float64 {
	low, high := make([]float64, len(centre)), make([]float64, len(centre))
	for φ, p := range centre {
		low[φ], high[φ] = max(p-box, 0), min(p+box, 1)
	}
	return least(values, low, high, nil)
}

func least(values [][]float64, low, high, b []float64) float64 {
	rest, restLow, restHigh := 1.0, 0.0, 0.0
	for _, p := range b {
		rest -= p
	}
	k := len(b)
	for i := k + 1; i < len(low); i++ {
		restLow, restHigh = restLow+low[i], restHigh+high[i]
	}
	if k == len(low)-1 {
		best := math.Inf(-1)
		for _, v := range values {
			best = max(best, dot(append(append([]float64(nil), b...), rest), v))
		}
		return best
	}
	at := func(p float64) float64 { return least(values, low, high, append(append([]float64(nil), b...), p)) }
	from, to := max(low[k], rest-restHigh), min(high[k], rest-restLow)
	for range 70 {
		x, y := from+(to-from)*0.45, from+(to-from)*0.55
		if at(x) < at(y) {
			to = y
		} else {
			from = x
		}
	}
	return at((from + to) / 2)
}

// TestAgainstAllPolicies: bounds of the robust value of random models hold, for all priors and for a box around one, and the mixture earns
// what it promises under every latent.
func TestAgainstAllPolicies(t *testing.T) {
	models := uint64(50)
	if testing.Short() {
		models = 20
	}
	for seed := range models {
		rng := rand.New(rand.NewPCG(seed, 1))
		tab := pomdptest.RandomTables(rng)
		m, err := bcpace.FromTables(tab)
		if err != nil {
			t.Fatal(err)
		}
		set, box := robust.PriorSet{}, 1.0
		if seed%2 == 1 {
			box = 0.05 + 0.4*rng.Float64()
			set = robust.PriorSet{Kind: robust.Box, Radius: box}
		}
		const epsilon = 0.05
		found, err := robust.Solver{Set: set, Epsilon: epsilon}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := optimum(pomdptest.EveryPolicy(tab, tab.R), tab.Prior, box)
		c := found.Certificate
		if c.Lower > want+1e-7 || c.Upper < want-1e-7 || found.Stop != stop.Certified || c.Gap() > epsilon {
			t.Errorf("seed %d, %v: [%v, %v] (%s), want around %v", seed, set, c.Lower, c.Upper, found.Stop, want)
		}
		worst, _ := set.Worst(tab.Prior, robust.Of(found).Values)
		any, err := bcpace.WithPrior(m, bcpace.Uniform(len(tab.P)))
		if err != nil {
			t.Fatal(err)
		}
		for φ := range tab.P {
			if seed%10 > 0 {
				break
			}
			sure := make(bcpace.Belief, len(tab.P))
			sure[φ] = 1
			world, err := bcpace.WithPrior(m, sure)
			if err != nil {
				t.Fatal(err)
			}
			r, err := eval.Rollouts(t.Context(), any, found.Policy, eval.Options{Episodes: 4000, World: world, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if r.Mean < robust.Of(found).Values[φ]-5*r.StdErr-1e-9 { // one in millions
				t.Errorf("seed %d, latent %d: earns %v ± %v, want %v at least (worst prior %v)", seed, φ, r.Mean, r.StdErr, robust.Of(found).Values[φ], worst)
			}
		}
	}
}

// TestWorst: the worst prior is in the set, and no other one is worse.
func TestWorst(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 2 + rng.IntN(4)
		centre, v := bcpace.Belief(pomdptest.Row(rng, n, 1)), make([]float64, n)
		for i := range v {
			v[i] = math.Round(10 * rng.NormFloat64())
		}
		for _, set := range []robust.PriorSet{{}, {Kind: robust.Box, Radius: rng.Float64()}, {Kind: robust.L1, Radius: 2 * rng.Float64()}, {Kind: robust.KL, Radius: 2 * rng.Float64()}} {
			b, least := set.Worst(centre, v)
			if err := b.Validate(); err != nil || apart(set, centre, b) > set.Radius+1e-6 {
				t.Fatalf("seed %d, %v of %v: %v is not in the set (%v, %v)", seed, set, centre, b, err, apart(set, centre, b))
			}
			if got := dot(b, v); least > got+1e-9 || least < got-1e-5 {
				t.Errorf("seed %d, %v of %v: %v is worth %v, the bound is %v", seed, set, centre, b, got, least)
			}
			for range 200 {
				other, share := pomdptest.Row(rng, n, 1), rng.Float64()
				for φ := range other {
					other[φ] = centre[φ] + (other[φ]-centre[φ])*share
				}
				if apart(set, centre, other) <= set.Radius && dot(other, v) < least-1e-9 {
					t.Errorf("seed %d, %v of %v and %v: %v is worth %v, less than %v", seed, set, centre, v, other, dot(other, v), least)
				}
			}
		}
	}
}

// TestSmallRadius: the bound has all its digits where a divergence is small, and is no more than what the worst prior is worth. With two
// latents that is where the divergence, by its terms without cancellation, is the radius.
func TestSmallRadius(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p, radius := 0.05+0.9*rng.Float64(), math.Pow(10, -3-9*rng.Float64())
		v := []float64{rng.NormFloat64(), rng.NormFloat64()}
		high := 0
		if v[1] > v[0] {
			high = 1
		}
		centre := bcpace.Belief{p, 1 - p}
		c := centre[high]
		from, to := 0.0, c
		for range 200 {
			x := (from + to) / 2
			if (c-x)*math.Log1p(-x/c)+(1-c+x)*math.Log1p(x/(1-c)) <= radius {
				from = x
			} else {
				to = x
			}
		}
		want := v[high]*(c-from) + v[1-high]*(1-c+from)
		if _, got := (robust.PriorSet{Kind: robust.KL, Radius: radius}).Worst(centre, v); got > want+1e-15 || got < want-1e-13 {
			t.Errorf("seed %d: a radius of %v around %v: %v, want %v, by less %v", seed, radius, centre, got, want, got-want)
		}
	}
}

// apart is how far a prior is from the centre of a set.
func apart(set robust.PriorSet, centre, b bcpace.Belief) (d float64) {
	for φ, p := range b {
		switch set.Kind {
		case robust.Box:
			d = max(d, math.Abs(p-centre[φ]))
		case robust.L1:
			d += math.Abs(p - centre[φ])
		case robust.KL:
			if p > 0 {
				d += p * math.Log(p/centre[φ])
			}
		}
	}
	return d
}

func dot(b, v []float64) (sum float64) {
	for i, p := range b {
		sum += p * v[i]
	}
	return sum
}

// Tiger is the same behind either door, so that the prior of the model is the least favourable one.
func TestTiger(t *testing.T) {
	found, err := robust.Solver{Epsilon: 0.1}.Solve(t.Context(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if c := found.Certificate; c.Lower > 19.3714 || c.Upper < 19.3713 || found.Stop != stop.Certified || math.Abs(robust.Of(found).Prior[0]-0.5) > 0.01 {
		t.Errorf("[%v, %v] at %v", c.Lower, c.Upper, robust.Of(found).Prior)
	}
}
