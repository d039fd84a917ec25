package check_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
)

// What a model states of its smoothness is compared with what it does.
func TestSmooth(t *testing.T) {
	sound := bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "swing", Axes: []bcpace.Axis{{Name: "x", Min: -2, Max: 2, Scale: 0.5}}, Actions: bcpace.Actions("left", "right"),
			Latents: []string{"weak", "strong"}, Discount: 0.9, RewardMin: -1, RewardMax: 1},
		Starts: [][]float64{{-1}, {0}, {1}}, Sigma: []float64{0.4},
		Mean: func(mean, s []float64, latent, action int) {
			mean[0] = math.Sin(s[0]) + float64(1+latent)*(float64(action)-0.5)
		},
		Reward: func(s []float64, _, _ int, _ []float64) float64 { return math.Cos(s[0]) },
	}
	curve := bcpace.GaussianCurve{Mean: []float64{0.25}, Reward: 0.25, Expected: func(s []float64, _, _ int, _ []float64) float64 { return math.Cos(s[0]) }}
	for words, spoil := range map[string]func(g *bcpace.Gaussian, c *bcpace.GaussianCurve){
		"":                          func(*bcpace.Gaussian, *bcpace.GaussianCurve) {},
		"off the middle of those":   func(_ *bcpace.Gaussian, c *bcpace.GaussianCurve) { c.Mean = []float64{0.05} },
		"above the middle of those": func(_ *bcpace.Gaussian, c *bcpace.GaussianCurve) { c.Reward = 0.05 },
		"states an expected reward": func(_ *bcpace.Gaussian, c *bcpace.GaussianCurve) {
			c.Expected = func(s []float64, _, _ int, _ []float64) float64 { return math.Cos(s[0]) - 0.3 }
		},
	} {
		g, c := sound, curve
		spoil(&g, &c)
		g.Curve = &c
		m, err := bcpace.FromGaussian(g)
		if err != nil {
			t.Fatal(err)
		}
		report, err := check.Examine(m, check.Options{Draws: 1000, Episodes: 10})
		fault := new(bcpace.ConformanceError)
		switch {
		case words == "" && (err != nil || !strings.Contains(report.String(), "compared with what Smoothness states")):
			t.Errorf("a sound model: %v\n%v", err, report)
		case words != "" && (!errors.As(err, &fault) || !strings.Contains(err.Error(), words)):
			t.Errorf("%v, want a fault that says %q", err, words)
		}
	}
	m, err := bcpace.FromGaussian(sound)
	if err != nil {
		t.Fatal(err)
	}
	narrow := bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) {
		a.Smoothness = func() bcpace.Smoothness {
			return bcpace.Smoothness{Sigma: []float64{0.3}, MeanCurve: []float64{0.25}, RewardCurve: 0.25, Mean: sound.Mean,
				Reward: func(s []float64, _, _ int) float64 { return math.Cos(s[0]) }}
		}
	})
	if err := check.Model(narrow, check.Options{Draws: 100, Episodes: 10}); err == nil || !strings.Contains(err.Error(), "times as likely as") {
		t.Errorf("another standard deviation: %v", err)
	}
}

// Noise that wavers, kinks at jumps and latents that move are compared, too.
func TestSmoothNoise(t *testing.T) {
	wide := func(x float64) float64 { return 0.3 + 0.1*math.Abs(x) + 0.02*x*x } // with a kink at 0
	g := bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "fog", Axes: []bcpace.Axis{{Name: "x", Min: -2, Max: 2, Scale: 0.5}}, Actions: bcpace.Actions("left", "right"),
			Latents: []string{"thin", "thick"}, Discount: 0.9, RewardMax: 1},
		Starts: [][]float64{{-1}, {0}, {1}}, Sigma: []float64{0.4},
		Mean: func(mean, s []float64, _, action int) { mean[0] = s[0] + float64(action) - 0.5 },
		SigmaAt: func(sigma, s []float64, latent, _ int, _ []float64) {
			sigma[0] = wide(s[0]) * (1 + 0.2*float64(latent))
		},
		Reward: func(s []float64, _, _ int, _ []float64) float64 { return math.Abs(s[0]) / 2 },
		Curve: &bcpace.GaussianCurve{Sigma: []float64{0.012}, Jumps: [][]float64{{0}}, Expected: func(s []float64, _, _ int, _ []float64) float64 {
			return math.Abs(s[0]) / 2
		}},
	}
	mixes := func(p []float64, _ []float64, _, latent int) bool {
		p[latent], p[1-latent] = 0.9, 0.1
		return true
	}
	for words, spoil := range map[string]func(s *bcpace.Smoothness){
		"":                            func(*bcpace.Smoothness) {},
		"times as likely as [":        func(s *bcpace.Smoothness) { s.SigmaAt = nil },
		"as likely as under latent":   func(s *bcpace.Smoothness) { s.SigmaAt = thin(s.SigmaAt) },
		"deviation of axis 0 is":      func(s *bcpace.Smoothness) { s.SigmaCurve = nil },
		"by a SigmaCurve of 0.012":    func(s *bcpace.Smoothness) { s.Jumps = nil },
		"and by [0.5 0.5] in Smooth":  func(s *bcpace.Smoothness) { s.Moves = func(p []float64, _, _ int) { p[0], p[1] = 0.5, 0.5 } },
		"the latent moves by [0.9 0.": func(s *bcpace.Smoothness) { s.Moves = func(p []float64, _, _ int) { p[0], p[1] = 0, 1 } },
	} {
		m, err := bcpace.FromGaussian(g)
		if err != nil {
			t.Fatal(err)
		}
		stated := bcpace.AbilitiesOf(m).Smoothness()
		stated.Moves = func(p []float64, latent, action int) { mixes(p, nil, action, latent) }
		spoil(&stated)
		moving := bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) {
			a.LatentKind = bcpace.Redrawn
			a.LatentTransition = mixes
			a.Smoothness = func() bcpace.Smoothness { return stated }
		})
		err = check.Model(moving, check.Options{Draws: 100, Episodes: 10})
		if words == "" && err != nil || words != "" && (err == nil || !strings.Contains(err.Error(), words)) {
			t.Errorf("%v, want a fault that says %q", err, words)
		}
	}
}

// thin has the standard deviations of the first latent for all.
func thin(of func(sigma, s []float64, latent, action int)) func(sigma, s []float64, latent, action int) {
	return func(sigma, s []float64, _, action int) { of(sigma, s, 0, action) }
}
