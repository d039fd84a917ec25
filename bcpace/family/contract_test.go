package family

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
)

// CheckOptions of Check. Every zero value is useful.
type CheckOptions struct {
	// Draws is the number of draws that are compared with Quantile, LogDensity and Support. If
	// it is 0, it is 20,000: distribution functions are then told apart by 0.06.
	Draws int
	// Latents is the number of θ in the models that are compared. If it is 0, it is 4.
	Latents int
	// Seed makes the check.
	Seed uint64
	// Model are the options with which a model of the family is checked.
	Model check.Options
}

// falseAlarm is the probability that the statistical tests of Check refuse a sound family, all
// of them together but for those of check.Model, which have as much.
const falseAlarm = 1e-6

// Check tries a family against its contract, and returns the first fault that it finds:
//
//   - Draw sets every entry of θ to a number within its limits, and is a function of its random
//     numbers;
//   - Quantile has the distribution of Draw, entry by entry (by Massart's bound of the
//     difference of distribution functions);
//   - LogDensity has the integral that the draws say, for up to six entries, over the box in
//     which nine tenths of each entry lie, to about 2 %;
//   - Support lists the values that are drawn, with their probabilities;
//   - what a model says of one θ does not depend on the others nor on their order: Start, Step,
//     LogLikelihood and, if it is Finite, Starts and Successors; nor do axes, actions, discount,
//     horizon and the ranges of rewards and returns;
//   - a model passes check.Model.
//
// Faults of the parameters are *bcpace.InputError, and so is a model of too many latents or
// with a prior of its own; all others are *bcpace.ConformanceError, in which Model is the name
// of the family's models. A sound family is refused with probability 2·10⁻⁶ at most.
func Check(f Family, o CheckOptions) error {
	if err := validate(f); err != nil {
		return err
	}
	if o.Draws == 0 {
		o.Draws = 20_000
	}
	if o.Latents == 0 {
		o.Latents = 4
	}
	switch {
	case o.Draws < 100 || o.Draws > maxDraws:
		return bcpace.In("check of "+where(f)).Bad("Draws", o.Draws, fmt.Sprintf("a number from 100 to %d, or 0 for 20,000", maxDraws))
	case o.Latents < 1:
		return bcpace.In("check of "+where(f)).Bad("Latents", o.Latents, "a number of latents, or 0 for 4")
	}
	c := familyCheck{f: f, o: o, params: f.Params(), name: where(f)}
	for _, test := range []func() error{c.draw, c.quantile, c.support, c.density, c.models} {
		if err := test(); err != nil {
			return err
		}
	}
	return nil
}

// familyCheck is a check under way.
type familyCheck struct {
	f      Family
	o      CheckOptions
	params []Param
	name   string
	draws  [][]float64
}

func (c *familyCheck) fault(format string, args ...any) error {
	return &bcpace.ConformanceError{Model: c.name, What: fmt.Sprintf(format, args...)}
}

// within returns a fault unless θ, which call has made, is within its limits.
func (c *familyCheck) within(θ []float64, call string) error {
	for j, p := range c.params {
		if low, high := p.limits(); !(θ[j] >= low && θ[j] <= high) || math.IsInf(θ[j], 0) {
			return c.fault("%s set parameter %s to %v, want a finite number in [%v, %v]", call, strconv.Quote(p.Name), θ[j], low, high)
		}
	}
	return nil
}

// draw draws θ, each twice.
func (c *familyCheck) draw() error {
	c.draws = rows(c.o.Draws, len(c.params))
	again := make([]float64, len(c.params))
	for i, θ := range c.draws {
		for j := range θ {
			θ[j], again[j] = math.NaN(), math.Inf(1)
		}
		c.f.Draw(θ, rand.New(rand.NewPCG(c.o.Seed, uint64(i))))
		if err := c.within(θ, "Draw"); err != nil {
			return err
		}
		if c.f.Draw(again, rand.New(rand.NewPCG(c.o.Seed, uint64(i)))); !slices.Equal(θ, again) {
			return c.fault("Draw drew %v and then %v from equal random numbers, want the same", θ, again)
		}
	}
	return nil
}

// quantile compares the entries of Quantile at uniform points to those of the draws.
func (c *familyCheck) quantile() error {
	q, ok := c.f.(Quantiled)
	if !ok {
		return nil
	}
	n, d := len(c.draws), len(c.params)
	made, u := rows(n, d), make([]float64, d)
	rng := rand.New(rand.NewPCG(c.o.Seed, 1<<63))
	for _, θ := range made {
		for j := range θ {
			θ[j], u[j] = math.NaN(), inside(rng.Float64())
		}
		q.Quantile(θ, u)
		if err := c.within(θ, "Quantile"); err != nil {
			return err
		}
	}
	// Each of the two distribution functions is off by more with a probability of falseAlarm
	// over 8·d at most (Massart 1990).
	limit := 2 * math.Sqrt(math.Log(16*float64(d)/falseAlarm)/(2*float64(n)))
	for j, p := range c.params {
		x, y := Column(c.draws, j), Column(made, j)
		slices.Sort(x)
		slices.Sort(y)
		k := 0
		for i, at := range x {
			for k < n && y[k] <= at {
				k++
			}
			if i+1 < n && x[i+1] == at {
				continue
			}
			if off := math.Abs(float64(i+1-k)) / float64(n); off > limit {
				return c.fault("parameter %s is at most %v in %.1f%% of the draws and in %.1f%% of the quantiles of uniform points, want the same distribution",
					strconv.Quote(p.Name), at, 100*float64(i+1)/float64(n), 100*float64(k)/float64(n))
			}
		}
	}
	return nil
}

// support compares the list of a prior to the draws.
func (c *familyCheck) support() error {
	thetas, prob := support(c.f)
	if thetas == nil {
		return nil
	}
	if err := checkThetas(c.name, c.params, thetas); err != nil {
		return err
	}
	if len(prob) != len(thetas) || prob.Validate() != nil {
		return c.fault("Support lists %d values with the probabilities %.4v, want a probability for each, with sum 1", len(thetas), []float64(prob))
	}
	all, number := numbered(append(clone(thetas), c.draws...))
	if len(all) > len(thetas) {
		return c.fault("Draw drew %v, which Support does not list", all[len(thetas)])
	}
	n, share := float64(len(c.draws)), make([]float64, len(thetas))
	for _, i := range number[len(thetas):] {
		share[i] += 1 / n
	}
	limit := math.Sqrt(math.Log(16*float64(len(thetas))/falseAlarm) / (2 * n)) // Hoeffding
	for i, p := range prob {
		if math.Abs(share[i]-p) > limit {
			return c.fault("θ = %v is %.1f%% of the draws, and has the probability %v in Support, want the same", thetas[i], 100*share[i], p)
		}
	}
	return nil
}

// density compares the integral of the density over a box to the share of the draws there.
func (c *familyCheck) density() error {
	f, ok := c.f.(Dense)
	if !ok {
		return nil
	}
	listed := false
	for _, p := range c.params {
		_, points := p.Prior.(PointMasses)
		listed = listed || points
	}
	for _, θ := range c.draws[:100] {
		if x := f.LogDensity(θ); math.IsNaN(x) || math.IsInf(x, -1) {
			return c.fault("LogDensity is %v at %v, which Draw drew, want a number above −Inf", x, θ)
		}
	}
	const most, shifts, points = 6, 16, 4096
	d := len(c.params)
	if list, _ := support(f); list != nil || listed || d > most {
		return nil
	}
	half := len(c.draws) / 2
	low, high, volume := make([]float64, d), make([]float64, d), 1.0
	for j := range low {
		x := Column(c.draws[:half], j)
		slices.Sort(x)
		low[j], high[j] = x[half/20], x[half-1-half/20]
		volume *= high[j] - low[j]
	}
	share := 0.0
	for _, θ := range c.draws[half:] {
		in := true
		for j, x := range θ {
			in = in && x >= low[j] && x <= high[j]
		}
		if in {
			share += 1 / float64(len(c.draws)-half)
		}
	}
	rng := rand.New(rand.NewPCG(c.o.Seed, 1<<63+1))
	integrals, θ, shift := make([]float64, shifts), make([]float64, d), make([]float64, d)
	for k := range integrals {
		for j := range shift {
			shift[j] = rng.Float64()
		}
		for i := range points {
			for j := range θ {
				_, u := math.Modf(radicalInverse(i, primes[j]) + shift[j])
				θ[j] = low[j] + u*(high[j]-low[j])
			}
			integrals[k] += volume * math.Exp(f.LogDensity(θ)) / points
		}
	}
	integral, stderr := summary(integrals)
	slack := 0.01 + 8*stderr + math.Sqrt(math.Log(16/falseAlarm)/float64(2*(len(c.draws)-half)))
	if !(math.Abs(integral-share) <= slack) {
		return c.fault("LogDensity has the integral %.4g from %.4v to %.4v, where %.1f%% of the draws are, want a density with the integral 1 that agrees with Draw",
			integral, low, high, 100*share)
	}
	return nil
}
