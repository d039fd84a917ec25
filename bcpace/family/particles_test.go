package family_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/family"

	"gonum.org/v1/gonum/stat/distuv"
)

// level returns the family of walks whose next place is normal around an unknown level.
func level(prior family.Prior, sigma float64) family.Parametric {
	p := []family.Param{{Name: "level", Prior: prior}}
	return family.Parametric{Name: "level", Entries: p, Build: func(thetas [][]float64) (bcpace.Model, error) {
		return bcpace.FromGaussian(bcpace.Gaussian{
			Spec: bcpace.Spec{Name: "level", Axes: []bcpace.Axis{{Name: "x", Min: -1e3, Max: 1e3}}, Actions: bcpace.Actions("wait"),
				Latents: family.Names(p, thetas), Discount: 0.9, RewardMax: 1},
			Starts: [][]float64{{0}},
			Mean:   func(mean, _ []float64, latent, _ int) { mean[0] = thetas[latent][0] },
			Sigma:  []float64{sigma},
			Reward: func([]float64, int, int, []float64) float64 { return 0 },
		})
	}}
}

// undense is a family without a density.
type undense struct{ family.Family }

// TestParticlesBeta compares the posterior of a chance to the beta distribution, after many
// resamplings. The tolerance is five standard errors of 2,000 independent draws.
func TestParticlesBeta(t *testing.T) {
	const n = 2000
	p, err := family.NewParticles(bandit(distuv.Beta{Alpha: 2, Beta: 3}, 0.9), family.ParticleOptions{Draws: n, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	s, next, mean := []float64{0}, []float64{0}, []float64{0}
	wins, losses := 2.0, 3.0
	for i := 1; i <= 3000; i++ {
		next[0] = 1
		if rng.Float64() < 0.83 {
			next[0] = 2
			wins++
		} else {
			losses++
		}
		if err := p.Observe(s, 1, next); err != nil {
			t.Fatal(err)
		}
		copy(s, next)
		if i != 1 && i != 10 && i != 100 && i != 3000 {
			continue
		}
		want := distuv.Beta{Alpha: wins, Beta: losses}
		p.Mean(mean)
		if slack := 5 * want.StdDev() / math.Sqrt(n/3); math.Abs(mean[0]-want.Mean()) > slack {
			t.Errorf("after %d: mean %v, want %v ± %v", i, mean[0], want.Mean(), slack)
		}
		spread := math.Sqrt(p.Expect(func(θ []float64) float64 { return (θ[0] - mean[0]) * (θ[0] - mean[0]) }))
		if math.Abs(spread/want.StdDev()-1) > 0.15 {
			t.Errorf("after %d: standard deviation %v, want %v", i, spread, want.StdDev())
		}
		for _, u := range []float64{0.05, 0.5, 0.95} {
			if q := p.Quantile(0, u); math.Abs(want.CDF(q)-u) > 5*math.Sqrt(0.25/(n/3)) {
				t.Errorf("after %d: the quantile of %v is %v, of probability %v", i, u, q, want.CDF(q))
			}
		}
	}
	r := p.Report()
	if r.Observations != 3000 || r.Distinct > 6 || r.Resamplings < 3 || !(r.Acceptance() > 0.2 && r.Acceptance() < 0.9) || r.LeastESS < 0.3*n || r.ESS != p.ESS() {
		t.Errorf("%+v", r)
	}
}

// TestParticlesNormal compares the posterior of a mean to the normal distribution, from an
// observation that says more than the prior by far, and from many.
func TestParticlesNormal(t *testing.T) {
	const n, sigma = 1000, 0.02
	p, err := family.NewParticles(level(distuv.Normal{Mu: 1, Sigma: 2}, sigma), family.ParticleOptions{Draws: n, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	s, next, mean := []float64{0}, []float64{0}, []float64{0}
	precision, sum := 1.0/4, 1.0/4
	for i := 1; i <= 200; i++ {
		next[0] = 3.1 + sigma*rng.NormFloat64()
		precision, sum = precision+1/(sigma*sigma), sum+next[0]/(sigma*sigma)
		if err := p.Observe(s, 0, next); err != nil {
			t.Fatal(err)
		}
		copy(s, next)
		if i == 1 || i == 200 {
			p.Mean(mean)
			if sd := 1 / math.Sqrt(precision); math.Abs(mean[0]-sum/precision) > 5*sd/math.Sqrt(n/5) {
				t.Errorf("after %d: mean %v, want %v, of standard deviation %v; %+v", i, mean[0], sum/precision, sd, p.Report())
			}
		}
	}
}

// TestParticlesExact compares weights without resampling to Bayes' rule, for a prior that is a
// list and for a family without a density.
func TestParticlesExact(t *testing.T) {
	list := bandit(family.PointMasses{Values: []float64{0.2, 0.5, 0.9}, Weights: []float64{0.5, 0.3, 0.2}}, 0.9)
	for _, f := range []family.Family{list, undense{bandit(between(0, 1), 0.9)}} {
		p, err := family.NewParticles(f, family.ParticleOptions{Draws: 50, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		prior, err := p.Model()
		if err != nil {
			t.Fatal(err)
		}
		b := make(bcpace.Belief, len(prior.Spec().Latents))
		prior.Prior(b)
		bayes := bcpace.NewBayes(prior)
		rng := rand.New(rand.NewPCG(5, 6))
		s, next := []float64{0}, []float64{0}
		for range 300 {
			next[0] = 1 + float64(rng.IntN(2))
			if err := p.Observe(s, 1, next); err != nil && !errors.As(err, new(*family.FewParticlesError)) { // which was taken in
				t.Fatal(err)
			}
			if err := bayes.Update(b, b, s, 1, next); err != nil {
				t.Fatal(err)
			}
			copy(s, next)
		}
		m, err := p.Model()
		if err != nil {
			t.Fatal(err)
		}
		got := make(bcpace.Belief, len(b))
		if m.Prior(got); got.L1(b) > 1e-9 {
			t.Errorf("posterior %v, want %v", got, b)
		}
		if r := p.Report(); r.Resamplings != 0 || r.LeastESS > r.ESS {
			t.Errorf("%+v", r)
		}
		θ := []float64{0}
		counts := 0
		for range 1000 {
			if p.Draw(θ, rng); math.Abs(θ[0]-0.5) < 0.1 {
				counts++
			}
		}
		if counts < 900 {
			t.Errorf("%d of 1000 draws are near 0.5", counts)
		}
	}
}

// TestParticlesFew takes in so much that few particles without a density are left.
func TestParticlesFew(t *testing.T) {
	p, err := family.NewParticles(undense{bandit(between(0, 1), 0.9)}, family.ParticleOptions{Draws: 100, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	var few *family.FewParticlesError
	for i := range 100_000 {
		if err := p.Observe([]float64{2}, 1, []float64{float64(1 + i%2)}); err != nil {
			if !errors.As(err, &few) || few.Dense || few.Observation != i || few.ESS >= 10 || !strings.Contains(err.Error(), "LogDensity") {
				t.Fatalf("observation %d: %v", i, err)
			}
		}
	}
	mean := []float64{0}
	if p.Mean(mean); few == nil || math.Abs(mean[0]-0.5) > 0.05 || p.ESS() < 1-1e-9 {
		t.Errorf("mean %v, effective size %v, first error %v", mean, p.ESS(), few)
	}
}

// TestParticlesErrors observes what cannot be.
func TestParticlesErrors(t *testing.T) {
	p, err := family.NewParticles(slips(between(0.1, 0.9)), family.ParticleOptions{Draws: 20})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Begin([]float64{1}); err != nil {
		t.Fatal(err)
	}
	var impossible *family.ImpossibleDataError
	if err := p.Observe([]float64{1}, 0, []float64{4}); !errors.As(err, &impossible) || impossible.Draws != 20 || !strings.Contains(err.Error(), "a wider prior") {
		t.Errorf("an impossible transition: %v", err)
	}
	if r := p.Report(); r.Observations != 0 || r.ESS < 20-1e-9 {
		t.Errorf("after it: %+v", r)
	}
	listed, err := family.NewParticles(slips(family.PointMasses{Values: []float64{0, 0.001}}), family.ParticleOptions{Draws: 20})
	if err != nil {
		t.Fatal(err)
	}
	if err := listed.Observe([]float64{3}, 0, []float64{2}); !errors.As(err, &impossible) || !strings.Contains(err.Error(), "more values") {
		t.Errorf("an impossible transition: %v", err)
	}
	for want, try := range map[string]func() error{
		"s is 2 long":     func() error { return p.Observe([]float64{1, 2}, 0, []float64{2}) },
		"next is 0 long":  func() error { return p.Observe([]float64{1}, 0, nil) },
		"action is 7":     func() error { return p.Observe([]float64{1}, 7, []float64{2}) },
		"s is 0 long":     func() error { return p.Begin(nil) },
		"Draws is -1":     func() error { return newErr(family.ParticleOptions{Draws: -1}) },
		"family: the fam": func() error { _, err := family.NewParticles(nil, family.ParticleOptions{}); return err },
	} {
		var input *bcpace.InputError
		if err := try(); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
}

func newErr(o family.ParticleOptions) error {
	_, err := family.NewParticles(bandit(between(0, 1), 0.9), o)
	return err
}

// TestParticlesMixed moves two entries of θ, one of which is a list.
func TestParticlesMixed(t *testing.T) {
	f := level(nil, 0.1)
	f.Entries = []family.Param{{Name: "level", Prior: distuv.Normal{Mu: 0, Sigma: 1}}, {Name: "sign", Prior: family.PointMasses{Values: []float64{-1, 1}}}}
	f.Build = func(thetas [][]float64) (bcpace.Model, error) {
		return bcpace.FromGaussian(bcpace.Gaussian{
			Spec: bcpace.Spec{Name: "level", Axes: []bcpace.Axis{{Name: "x", Min: -1e3, Max: 1e3}}, Actions: bcpace.Actions("wait"),
				Latents: family.Names(f.Entries, thetas), Discount: 0.9, RewardMax: 1},
			Starts: [][]float64{{0}},
			Mean:   func(mean, _ []float64, latent, _ int) { mean[0] = thetas[latent][0] * thetas[latent][1] },
			Sigma:  []float64{0.1},
			Reward: func([]float64, int, int, []float64) float64 { return 0 },
		})
	}
	p, err := family.NewParticles(f, family.ParticleOptions{Draws: 500, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if err := p.Observe([]float64{0}, 0, []float64{0.7}); err != nil {
			t.Fatal(err)
		}
	}
	// 0.7 and 1, or −0.7 and −1, as likely as each other.
	if product := p.Expect(func(θ []float64) float64 { return θ[0] * θ[1] }); math.Abs(product-0.7) > 0.01 {
		t.Errorf("the mean of the product is %v, want 0.7", product)
	}
	if even := p.Expect(func(θ []float64) float64 { return θ[1] }); math.Abs(even) > 0.3 {
		t.Errorf("the mean of the sign is %v, want 0", even)
	}
	if r := p.Report(); r.Resamplings == 0 || r.Accepted == 0 {
		t.Errorf("%+v", r)
	}
}

// BenchmarkParticles takes in 100,000 steps with 10,000 particles, of a finite model, whose
// history is short, and 10,000 with 1,000 of one with continuous states.
func BenchmarkParticles(b *testing.B) {
	for _, c := range []struct {
		f                    family.Parametric
		draws, steps, action int
		next                 func(rng *rand.Rand) float64
	}{
		{bandit(between(0, 1), 0.9), 10_000, 100_000, 1, func(rng *rand.Rand) float64 { return 1 + float64(rng.IntN(2)) }},
		{level(distuv.Normal{Mu: 0, Sigma: 1}, 0.5), 1_000, 10_000, 0, func(rng *rand.Rand) float64 { return 0.3 + 0.5*rng.NormFloat64() }},
	} {
		b.Run(fmt.Sprintf("%s/draws=%d/steps=%d", c.f.Name, c.draws, c.steps), func(b *testing.B) {
			for range b.N {
				p, err := family.NewParticles(c.f, family.ParticleOptions{Draws: c.draws})
				if err != nil {
					b.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(1, 1))
				for range c.steps {
					if err := p.Observe([]float64{0}, c.action, []float64{c.next(rng)}); err != nil {
						b.Fatal(err)
					}
				}
				r := p.Report()
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				runtime.KeepAlive(p)
				b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB")
				b.ReportMetric(float64(r.Resamplings), "resamplings")
				b.ReportMetric(100*r.Acceptance(), "%accepted")
				b.ReportMetric(r.LeastESS, "leastESS")
			}
		})
	}
}

// TestParticlesOfControls compares the posterior of a gain to the normal distribution that it
// has, after pushes with controls of a Box. The tolerance is five standard errors of 1,000
// independent draws.
func TestParticlesOfControls(t *testing.T) {
	params := []family.Param{{Name: "gain", Prior: distuv.UnitNormal}}
	f := family.Parametric{Name: "pushes", Entries: params, Build: func(thetas [][]float64) (bcpace.Model, error) {
		return bcpace.FromGaussian(bcpace.Gaussian{
			Spec: bcpace.Spec{Name: "pushes", Axes: []bcpace.Axis{{Name: "x", Min: -1e3, Max: 1e3}},
				Actions: []bcpace.Action{{Name: "push", Box: []bcpace.Axis{{Name: "u", Min: -1, Max: 1}}}},
				Latents: family.Names(params, thetas), Discount: 0.9, RewardMax: 1},
			Starts:   [][]float64{{0}},
			MeanAt:   func(mean, s []float64, latent, _ int, u []float64) { mean[0] = s[0] + thetas[latent][0]*u[0] },
			Sigma:    []float64{0.5},
			RewardAt: func([]float64, int, int, []float64, []float64) float64 { return 0 },
		})
	}}
	const n = 1000
	p, err := family.NewParticles(f, family.ParticleOptions{Draws: n, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Model([][]float64{{0.7}})
	if err != nil {
		t.Fatal(err)
	}
	spec, rng := m.Spec(), rand.New(rand.NewPCG(3, 3))
	s, next := []float64{0}, []float64{0}
	precision, sum := 1.0, 0.0
	for range 100 {
		id := spec.DrawAction(rng)
		var v [3]float64
		_, u := spec.Control(v[:], id)
		m.Step(next, s, 0, id, rng)
		if err := p.Observe(s, id, next); err != nil {
			t.Fatal(err)
		}
		precision += u[0] * u[0] / 0.25
		sum += u[0] * (next[0] - s[0]) / 0.25
		copy(s, next)
	}
	mean := []float64{0}
	p.Mean(mean)
	if want, dev := sum/precision, 1/math.Sqrt(precision); math.Abs(mean[0]-want) > 5*dev/math.Sqrt(n) {
		t.Errorf("posterior mean %v, want %v ± %v", mean[0], want, dev)
	}
}
