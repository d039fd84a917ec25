package bcpace

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"

	"bayescpace/bcpace/internal/num"
)

// try calls the functions at the start states.
func (m *gaussianModel) try() error {
	t := &gaussianTrial{m: m, x: m.pool.Get().(*gaussianScratch)}
	defer m.pool.Put(t.x)
	for _, s := range m.g.Starts {
		for _, a := range m.g.Spec.CornerActions() {
			for φ := range m.g.Spec.Latents {
				t.start, t.s, t.latent, t.action = s, slices.Clone(s), φ, a
				for _, call := range []func() error{t.mean, t.sigma, t.after, t.rest} {
					if err := call(); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// gaussianTrial calls the functions of a model at a state, under a latent and for an action.
type gaussianTrial struct {
	m              *gaussianModel
	x              *gaussianScratch
	start, s       []float64 // s is given to the functions, and must stay as start is
	latent, action int
}

func (t *gaussianTrial) bad(what, got, want string) error {
	return In(t.m.g.Spec.where(t.start, t.latent, t.action)).Bad(what, got, want)
}

// call calls a function of that name. The error is that of a panic in it, or that it has written to s.
func (t *gaussianTrial) call(name, want, to string, f func()) error {
	if p := panicOf(f); p != nil {
		got := "a panic"
		err, fails := p.(error)
		if fails && !errors.As(err, new(runtime.Error)) {
			got = "an error"
		}
		return &InputError{Where: t.m.g.Spec.where(t.start, t.latent, t.action), What: "the result of " + name, Got: fmt.Sprintf("%s (%v)", got, p), Want: want, Err: err}
	}
	if !slices.Equal(t.start, t.s) {
		return t.bad(name, "a function that writes to s", "one that writes to "+to+" alone")
	}
	return nil
}

// mean sets t.x.next to the mean.
func (t *gaussianTrial) mean() error {
	m, mean := t.m, t.x.next
	for i := range mean {
		mean[i] = math.NaN()
	}
	if err := t.call("Mean", "a mean for every state, latent and action", "mean", func() { m.g.Mean(mean, t.s, t.latent, t.action) }); err != nil {
		return err
	}
	for i, x := range mean {
		if left := m.g.After != nil && m.noise[i].Sigma == 0 && math.IsNaN(x); !num.Finite(x) && !left {
			return t.bad("the mean of "+strconv.Quote(m.g.Spec.Axes[i].Name), fmt.Sprint(x), "a finite number: Mean sets every entry")
		}
		mean[i] = m.noise[i].Onto(x)
	}
	return nil
}

func (t *gaussianTrial) sigma() error {
	if t.m.g.SigmaAt == nil {
		return nil
	}
	i, want := 0, ""
	if err := t.call("SigmaAt", "a standard deviation for each axis", "sigma", func() { i, want = t.m.noiseAt(t.x, t.s, t.latent, t.action) }); err != nil {
		return err
	}
	if want != "" {
		return t.bad("the standard deviation of "+strconv.Quote(t.m.g.Spec.Axes[i].Name)+" by SigmaAt", fmt.Sprint(t.x.sigma[i]), want)
	}
	return nil
}

// after has After change the mean in t.x.next.
func (t *gaussianTrial) after() error {
	m, next := t.m, t.x.next
	if m.g.After == nil {
		return nil
	}
	drawn := slices.Clone(next)
	if err := t.call("After", "the entries that follow from others, for every state and action", "next", func() { m.derive(next, t.s, t.action) }); err != nil {
		return err
	}
	for i, x := range next {
		name := strconv.Quote(m.g.Spec.Axes[i].Name)
		switch {
		case m.noise[i].Sigma > 0 && x != drawn[i]:
			return t.bad("After", "a function that writes to the entry of "+name+", which has noise", "one that writes to entries without noise alone")
		case !num.Finite(x):
			return t.bad("the entry of "+name+" behind After", fmt.Sprint(x), "a finite number: Mean or After sets every entry")
		}
	}
	return nil
}

// rest calls Reward and what says where episodes end, for arriving at t.x.next.
func (t *gaussianTrial) rest() error {
	m, spec, next, r := t.m, &t.m.g.Spec, t.x.next, 0.0
	if err := t.call("Reward or Ends", "one for every state on the axes", "nothing", func() {
		r = m.g.Reward(t.s, t.latent, t.action, next)
		m.ends(t.s, t.action, next)
	}); err != nil {
		return err
	}
	if !spec.AllowsReward(r) {
		return t.bad("the reward for reaching "+fmt.Sprint(next), fmt.Sprint(r), fmt.Sprintf("a number within [RewardMin, RewardMax] = [%v, %v]", spec.RewardMin, spec.RewardMax))
	}
	return nil
}

// panicOf calls f and returns what it panicked with.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}
