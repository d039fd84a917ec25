package family

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/solverkit"
)

// view is a model of some θ of a list: latent i of the list is latent at[i], or −1.
type view struct {
	m    bcpace.Model
	spec bcpace.Spec
	at   []int
	what string
}

// models compares the model of a list of θ to those of the list turned round, without its first
// θ, and of that one alone.
func (c *familyCheck) models() error {
	thetas, _ := merged(c.draws[:min(c.o.Latents, len(c.draws))])
	n := len(thetas)
	turned := slices.Clone(thetas)
	slices.Reverse(turned)
	lists := []struct {
		thetas [][]float64
		at     func(i int) int
		what   string
	}{
		{thetas, func(i int) int { return i }, ""},
		{turned, func(i int) int { return n - 1 - i }, "turned round"},
		{thetas[:1], func(i int) int { return -min(i, 1) }, "without the others"},
		{thetas[1:], func(i int) int { return i - 1 }, "without the first one"},
	}
	var views []view
	for _, x := range lists {
		if len(x.thetas) == 0 {
			continue
		}
		m, err := build(c.f, x.thetas)
		if err != nil {
			return err
		}
		v := view{m: m, spec: m.Spec(), what: x.what}
		c.name = v.spec.Name
		for i := range n {
			v.at = append(v.at, x.at(i))
		}
		views = append(views, v)
	}
	if err := check.Model(views[0].m, c.o.Model); err != nil {
		return err
	}
	for _, v := range views[1:] {
		if err := c.sameSpec(views[0], v); err != nil {
			return err
		}
		for i, latent := range v.at {
			if latent < 0 {
				continue
			}
			if err := c.walk(views[0], v, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// differs returns the fault of two numbers for one θ.
func (c *familyCheck) differs(v view, i int, what string, is, was any) error {
	return c.fault("%s of latent %q is %v in the list of θ %s, and %v in the whole list, want the same: what a model says of one θ does not depend on the others",
		what, v.spec.Latents[v.at[i]], is, v.what, was)
}

// sameSpec compares all but the names of two models and their latents.
func (c *familyCheck) sameSpec(all, v view) error {
	for _, x := range []struct {
		what string
		of   func(view) any
	}{
		{"axes", func(v view) any { return v.spec.Axes }},
		{"actions", func(v view) any { return v.spec.Actions }},
		{"discount", func(v view) any { return v.spec.Discount }},
		{"horizon", func(v view) any { return v.spec.Horizon }},
		{"range of rewards", func(v view) any { return [2]float64{v.spec.RewardMin, v.spec.RewardMax} }},
		{"range of returns", func(v view) any { lo, hi := solverkit.RangeOfReturns(v.m); return [2]float64{lo, hi} }},
	} {
		if was, is := x.of(all), x.of(v); !reflect.DeepEqual(was, is) {
			return c.fault("the %s: %v with the list of θ %s, and %v with the whole list, want the same for all θ", x.what, is, v.what, was)
		}
	}
	return nil
}

// walk plays episodes of latent i with random actions in both models.
func (c *familyCheck) walk(all, v view, i int) error {
	const episodes, steps = 5, 20
	axes := len(all.spec.Axes)
	s, next, other := make([]float64, axes), make([]float64, axes), make([]float64, axes)
	for e := range episodes {
		seed := uint64(i)<<32 | uint64(e)
		act := rand.New(rand.NewPCG(c.o.Seed, 1<<62|seed))
		draw := func() (a, b *rand.Rand) {
			x := act.Uint64()
			return rand.New(rand.NewPCG(x, 0)), rand.New(rand.NewPCG(x, 0))
		}
		a, b := draw()
		all.m.Start(s, i, a)
		if v.m.Start(other, v.at[i], b); !slices.Equal(s, other) {
			return c.differs(v, i, "a start", slices.Clone(other), slices.Clone(s))
		}
		if is, was := likelihood(v.m, nil, -1, s, v.at[i]), likelihood(all.m, nil, -1, s, i); !near(is, was) {
			return c.differs(v, i, fmt.Sprintf("StartLogLikelihood at %v", s), is, was)
		}
		for range steps {
			action := all.spec.DrawAction(act)
			a, b := draw()
			out := all.m.Step(next, s, i, action, a)
			where := fmt.Sprintf("at state %v, action %q", s, all.spec.ActionName(action))
			if also := v.m.Step(other, s, v.at[i], action, b); !slices.Equal(next, other) || also != out {
				return c.differs(v, i, "Step "+where, fmt.Sprint(other, also), fmt.Sprint(next, out))
			}
			if is, was := v.m.LogLikelihood(s, action, next, v.at[i]), all.m.LogLikelihood(s, action, next, i); !near(is, was) {
				return c.differs(v, i, fmt.Sprintf("LogLikelihood %s, of %v", where, next), is, was)
			}
			if err := c.sameLists(all, v, i, s, action, where); err != nil {
				return err
			}
			if copy(s, next); out.Done {
				break
			}
		}
	}
	return nil
}

// sameLists compares the successors of finite models.
func (c *familyCheck) sameLists(all, v view, i int, s []float64, action int, where string) error {
	f, ok := bcpace.AsFinite(all.m)
	g, also := bcpace.AsFinite(v.m)
	if ok != also {
		return c.fault("the model of the list of θ %s is finite: %v, and that of the whole list: %v, want the same", v.what, also, ok)
	}
	if !ok {
		return nil
	}
	list := func(f bcpace.Finite, latent int) map[string][3]float64 {
		var z bcpace.Successors
		z.Reset(len(all.spec.Axes), len(f.Spec().Latents))
		f.Successors(&z, s, action)
		m := make(map[string][3]float64)
		for k := range z.Len() {
			next, prob, reward := z.Row(k)
			done := 0.0
			if z.Done[k] {
				done = 1
			}
			if prob[latent] > 0 {
				m[fmt.Sprint(next)] = [3]float64{prob[latent], reward[latent], done}
			}
		}
		return m
	}
	was, is := list(f, i), list(g, v.at[i])
	same := len(was) == len(is)
	for next, x := range was {
		y := is[next]
		same = same && near(x[0], y[0]) && near(x[1], y[1]) && x[2] == y[2]
	}
	if !same {
		return c.differs(v, i, "the list of Successors "+where, is, was)
	}
	return nil
}

// near reports whether two numbers are the same but for rounding.
func near(x, y float64) bool {
	return x == y || math.Abs(x-y) <= 1e-9*max(1, math.Abs(x))
}
