package bcpace

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// Policy chooses an action from a state and a belief.
type Policy interface {
	// Act returns an action id, or −1 for a state or belief that the policy's model does
	// not have. rng is for policies that randomise; nothing else may be random.
	Act(s []float64, b Belief, rng *rand.Rand) int
}

// Act returns the action of p at (state, b), drawn from rng. The error is an *InputError
// if p panics there, with action −1, or returns no action of the model: it may be for
// another model.
func (s *Spec) Act(p Policy, state []float64, b Belief, rng *rand.Rand) (action int, err error) {
	defer func() {
		if x := recover(); x != nil {
			action = -1
			err = &InputError{Where: fmt.Sprintf("policy at state %v", state), What: "Act", Got: fmt.Sprintf("a panic (%v)", x),
				Want: fmt.Sprintf("an action: the states of model %s have %d entries, and its beliefs %d", quote(s.Name), len(state), len(b))}
		}
	}()
	if action = p.Act(state, b, rng); action < 0 || action >= len(s.Actions) {
		return action, &InputError{Where: fmt.Sprintf("policy at state %v", state), What: "action", Got: fmt.Sprint(action),
			Want: fmt.Sprintf("an id from 0 to %d", len(s.Actions)-1)}
	}
	return action, nil
}

// Forker is a Policy with working memory. Only one goroutine may call Act of a Forker;
// Fork returns a copy of the policy for another goroutine.
type Forker interface {
	Fork() Policy
}

// Fork returns a policy that another goroutine may use beside p.
func Fork(p Policy) Policy {
	if f, ok := p.(Forker); ok {
		return f.Fork()
	}
	return p
}

// LongActor is a Policy whose Act may take long, as it plans while it acts.
type LongActor interface {
	// Within returns the same policy with a context: if ctx ends during Act, Act returns
	// soon, and its action is meaningless.
	Within(ctx context.Context) Policy
}

// Within returns p with a context if p is a LongActor, and p itself otherwise. The caller
// of Act must check ctx before it uses the action.
func Within(ctx context.Context, p Policy) Policy {
	if l, ok := p.(LongActor); ok {
		return l.Within(ctx)
	}
	return p
}

// PolicyFunc is a function as a Policy. It must be safe for concurrent use.
type PolicyFunc func(s []float64, b Belief, rng *rand.Rand) int

// Act calls f.
func (f PolicyFunc) Act(s []float64, b Belief, rng *rand.Rand) int { return f(s, b, rng) }

// RandomPolicy draws each of the given number of actions with equal probability.
func RandomPolicy(actions int) Policy {
	return PolicyFunc(func(_ []float64, _ Belief, rng *rand.Rand) int { return rng.IntN(actions) })
}

// QMDPPolicy returns the LatentPolicy of m, on the values of SolveLatent. If m has a
// horizon, the policy reads the steps left; see ForPolicy. The error is that of
// SolveLatent.
func QMDPPolicy(ctx context.Context, m Model) (Policy, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	m = KeepHorizon(m)
	q, err := SolveLatent(ctx, m)
	if err != nil {
		return nil, err
	}
	return FiniteHorizonPolicy(m, LatentPolicy(q, len(m.Spec().Actions))), nil
}

// LatentPolicy is QMDP (Littman et al. 1995): it acts greedily on
// Σ_φ b(φ)·Q(s, φ, a), as if the latent were known after the next step.
func LatentPolicy(q LatentValues, actions int) Policy {
	latents := -1 // any number
	if v, ok := q.(interface{ beliefs() int }); ok {
		latents = v.beliefs()
	}
	return PolicyFunc(func(s []float64, b Belief, _ *rand.Rand) int {
		best, act := 0.0, -1
		if latents >= 0 && len(b) != latents {
			return act
		}
		for a := range actions {
			if v := Expected(q, s, b, a); v > best || act < 0 && !math.IsNaN(v) {
				best, act = v, a
			}
		}
		return act
	})
}
