package envs_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// TestControllers: a textbook controller that is told the latent does what its problem asks,
// and one that does nothing does not.
func TestControllers(t *testing.T) {
	pd := func(m bcpace.Model, gains []float64) bcpace.Policy { // towards the middle, by the likeliest gain
		return bcpace.ControlPolicy(m, func(u, s []float64, b bcpace.Belief) {
			sign := 1.0
			for φ, p := range b {
				if p > 0.5 && gains[φ] < 0 {
					sign = -1
				}
			}
			for i := range u {
				u[i] = sign * min(max(-0.4*s[i]-1.2*s[len(u)+i], -1), 1)
			}
		})
	}
	balance := func(u, s []float64, _ bcpace.Belief) { // pushes the cart under the pole
		u[0] = min(max(60*s[2]+12*s[3]+1*s[0]+2*s[1], -10), 10)
	}
	rest := func(u, _ []float64, _ bcpace.Belief) { clear(u) }
	puck, cart := made(t, envs.DoubleIntegrator{}), made(t, envs.CartPole{})
	for _, x := range []struct {
		name        string
		m           bcpace.Model
		p           bcpace.Policy
		least, idle float64 // what the controller earns at least, and doing nothing at most
	}{
		{"puck", puck, pd(puck, []float64{1, -1}), 18, 17},
		{"pole", cart, bcpace.ControlPolicy(cart, balance), 19.5, 19},
	} {
		o := eval.Options{Episodes: 200, Seed: 1, Horizon: 150}
		r, err := eval.Rollouts(t.Context(), x.m, x.p, o)
		if err != nil || r.Mean < x.least {
			t.Errorf("%s: the controller earns %v (error %v), want %v", x.name, r.Mean, err, x.least)
		}
		r, err = eval.Rollouts(t.Context(), x.m, bcpace.ControlPolicy(x.m, rest), o)
		if err != nil || r.Mean > x.idle {
			t.Errorf("%s: doing nothing earns %v (error %v), want %v at most", x.name, r.Mean, err, x.idle)
		}
	}
}
