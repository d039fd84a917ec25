package bcpace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// Policy chooses an action from a state and a belief. What it can do beyond that is PolicyAbilities.
type Policy interface {
	// Act returns an action id, or −1 for a state or belief that the policy's model does
	// not have. rng is for policies that randomise; nothing else may be random.
	Act(s []float64, b Belief, rng *rand.Rand) int
}

// Act is Act of can, the abilities of a policy: the action at (state, b), drawn from rng. A policy that takes long ends soon after ctx,
// with its error. If it panics there, with action −1, or returns no action of the model, the error is an *InputError.
func (s *Spec) Act(ctx context.Context, can *PolicyAbilities, state []float64, b Belief, rng *rand.Rand) (action int, err error) {
	action = -1
	defer s.guardPolicy(&err, "Act", state, b)
	action, err = can.Act(ctx, state, b, rng)
	return action, s.judge(action, err, state)
}

// Plan is Plan of can, the abilities of a policy that plans. If that panics or decides for no action of the model, the error is an
// *InputError.
func (s *Spec) Plan(ctx context.Context, can *PolicyAbilities, state []float64, b Belief, rng *rand.Rand) (d Decision, err error) {
	defer s.guardPolicy(&err, "Plan", state, b)
	d, err = can.Plan(ctx, state, b, rng)
	return d, s.judge(d.Action, err, state)
}

// guardPolicy, deferred around a call of a policy, turns a panic in it into an *InputError, or into the fault of a model that the
// policy has asked.
func (s *Spec) guardPolicy(err *error, call string, state []float64, b Belief) {
	switch x := recover().(type) {
	case nil:
	case *ConformanceError:
		*err = fmt.Errorf("%s: %w", policyAt(state), x)
	default:
		cause, _ := x.(error)
		*err = &InputError{Where: policyAt(state), What: call, Got: fmt.Sprintf("a panic (%v)", x), Err: cause,
			Want: fmt.Sprintf("an action: the states of model %s have %d entries, and its beliefs %d", strconv.Quote(s.Name), len(state), len(b))}
	}
}

// judge returns the error of a policy that has returned an action and an error.
func (s *Spec) judge(action int, err error, state []float64) error {
	if err != nil {
		return fmt.Errorf("%s: %w", policyAt(state), err)
	}
	if !s.IsAction(action) {
		return In(policyAt(state)).Bad("action", action, s.WantAction())
	}
	return nil
}

// policyAt is what errors of a policy at a state belong to.
func policyAt(state []float64) string { return fmt.Sprintf("policy at state %v", state) }

// PolicyFunc is a function as a Policy. It must be safe for concurrent use.
type PolicyFunc func(s []float64, b Belief, rng *rand.Rand) int

func (f PolicyFunc) Act(s []float64, b Belief, rng *rand.Rand) int { return f(s, b, rng) }

// RandomPolicy draws actions of m, and controls, with equal probability.
func RandomPolicy(m Model) Policy {
	spec := m.Spec()
	return PolicyFunc(func(_ []float64, _ Belief, rng *rand.Rand) int { return spec.DrawAction(rng) })
}

// ControlPolicy returns a policy of m, whose first action has a Box, from a function that sets the
// control u at a state and belief. It must be safe for concurrent use. The control played is the place
// next to u, see Spec.ActionID; one outside of the Box is an *InputError of whoever plays the policy.
func ControlPolicy(m Model, control func(u, s []float64, b Belief)) Policy {
	spec := m.Spec()
	return DerivePolicy(RandomPolicy(m), func(_ Policy, can *PolicyAbilities) {
		can.Act = func(_ context.Context, s []float64, b Belief, _ *rand.Rand) (id int, err error) {
			if spec.Actions[0].Box == nil {
				return -1, spec.in().Bad("the first action of a ControlPolicy", strconv.Quote(spec.Actions[0].Name),
					"an action with a Box; a PolicyFunc with Spec.ActionID takes any")
			}
			u := make([]float64, len(spec.Actions[0].Box))
			control(u, s, b)
			return spec.ActionID(0, u)
		}
	})
}

// Decision is what a planner has found at a state and belief.
type Decision struct {
	Action int // the id of the action to take
	// Actions are the ids of the actions that the planner has compared: all of them, in their
	// order, if they are a list. Q estimates the value of each, in reward units, NaN where it
	// was not tried, and Visits counts the simulations that took it first.
	Actions      []int
	Q            []float64
	Visits       []int
	Lower, Upper float64 // of V*(s, b), in reward units: −Inf and +Inf for a planner that bounds nothing
	Simulations  int     // simulated episodes, or trials of a search, of this decision
	Depth        int     // of the deepest node of the search, in steps
	Timed        bool    // the Budget was a time, so that the decision is not the same again
}

// SearchNode is a node of a search tree: a state and belief that may follow.
type SearchNode struct {
	Parent int // its place in the list, which is before this one; −1 at the root
	Action int // the id of the action that led here from there; −1 at the root
	// Prob is the probability of the node, given that action: exact where a search lists what
	// follows, and otherwise the share of the simulations or scenarios that came here. What ends
	// the episode may have no node.
	Prob   float64
	State  []float64
	Belief Belief
	Depth  int // steps from the root
	Visits int // simulations that came here or, of a search between bounds, nodes expanded from here on
	// Value is the search's estimate of V*(State, Belief), in reward units: of a search between
	// bounds the lower one. Lower and Upper bound V*: −Inf and +Inf where nothing is known.
	Value, Lower, Upper float64
	Best                int // the id of the best action so far; −1 where none was tried
}

// Budget bounds a decision of a planner. 0 means the planner's default.
type Budget struct {
	Simulations int           `json:",omitempty"` // most simulations of a decision; 0 with a Time is no limit
	Time        time.Duration `json:",omitempty"` // most time of a decision, with which results depend on the machine; 0 is no limit
	Depth       int           `json:",omitempty"` // most steps of a simulation; 0 is as many as matter, see solverkit.SearchDepth
}

// PolicyAbilities are what a policy can do: a function for each ability, nil where it has it not. A policy of a type of its own
// has an ability if it has the method in brackets. DerivePolicy makes a policy of another one, which keeps its abilities.
type PolicyAbilities struct {
	// Act [Decide] returns the id of an action, or −1 where there is none, with the reason as an error if there is one. It soon
	// ends after ctx, with an error that wraps that of ctx. It is there for every policy: without Decide or Plan it is Policy.Act.
	Act func(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (action int, err error)
	// Plan [Plan] searches from (s, b) anew at every decision, within a Budget, such as the planners of package online do. All
	// that is random comes from rng. If ctx ends, it soon returns the decision so far beside the error of ctx. Other errors are
	// an *InputError for what is no state and belief of the policy's model, and a *ConformanceError.
	Plan func(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (Decision, error)
	// Nodes [Nodes] returns the top of the search tree of the last decision, so many nodes at most: the root, and then again and
	// again the most visited of those that follow a node before it. Ask before Observe. It returns nothing where there was no
	// decision or the search has no tree; the error is that of the Bayes estimator.
	Nodes func(most int) ([]SearchNode, error)
	// Begin and Observe [both of them] are of a policy with memory within an episode, such as a search tree. Begin says that an
	// episode begins in s with belief b, and Observe what followed the action of the last Act, and that the episode goes on.
	// Who plays episodes calls both. Exact evaluation refuses such a policy. Act must do without them, as if an episode began.
	Begin   func(s []float64, b Belief)
	Observe func(action int, reward float64, next []float64)
	// Fork [Fork] returns the policy for another goroutine. Without it, one policy is safe for all goroutines.
	Fork func() Policy
	// Keep [Keep] returns the kind of the policy, and its data for package json. The error says why this policy has none.
	Keep func() (kind string, data any, err error)
	// PlayedIn [PlayedIn] is ForPolicy.
	PlayedIn func(m Model) (Model, error)
	// Inside is the policy itself or, of a policy of PolicyOf, the one that PolicyOf was given. It is nil for one of DerivePolicy.
	Inside Policy
}

// PolicyAbilitiesOf asks p what it can do.
func PolicyAbilitiesOf(p Policy) PolicyAbilities {
	if d, ok := p.(*derivedPolicy); ok {
		return d.can
	}
	can := PolicyAbilities{Inside: p, Act: func(_ context.Context, s []float64, b Belief, rng *rand.Rand) (int, error) {
		return p.Act(s, b, rng), nil
	}}
	if x, ok := p.(interface {
		Plan(context.Context, []float64, Belief, *rand.Rand) (Decision, error)
	}); ok {
		can.Plan, can.Act = x.Plan, func(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (int, error) {
			d, err := x.Plan(ctx, s, b, rng)
			return d.Action, err
		}
	}
	if x, ok := p.(interface {
		Decide(context.Context, []float64, Belief, *rand.Rand) (int, error)
	}); ok {
		can.Act = x.Decide
	}
	if x, ok := p.(interface {
		Nodes(int) ([]SearchNode, error)
	}); ok {
		can.Nodes = x.Nodes
	}
	if x, ok := p.(interface {
		Begin([]float64, Belief)
		Observe(int, float64, []float64)
	}); ok {
		can.Begin, can.Observe = x.Begin, x.Observe
	}
	if x, ok := p.(interface{ Fork() Policy }); ok {
		can.Fork = x.Fork
	}
	if x, ok := p.(interface{ Keep() (string, any, error) }); ok {
		can.Keep = x.Keep
	}
	if x, ok := p.(interface{ PlayedIn(Model) (Model, error) }); ok {
		can.PlayedIn = x.PlayedIn
	}
	return can
}

// DerivePolicy returns a policy made of p: it can do what p can, but for what change does to can, the abilities of p. change must
// set to nil what is no longer true. It is called anew for each Fork, with the fork of p, so that memory which it makes is that
// of one goroutine.
func DerivePolicy(p Policy, change func(p Policy, can *PolicyAbilities)) Policy {
	can := PolicyAbilitiesOf(p)
	can.Inside = nil
	can.Fork = func() Policy { return DerivePolicy(Fork(p), change) }
	change(p, &can)
	return &derivedPolicy{can}
}

// derivedPolicy is the Policy that has given abilities.
type derivedPolicy struct{ can PolicyAbilities }

// Act implements Policy.
func (p *derivedPolicy) Act(s []float64, b Belief, rng *rand.Rand) int {
	action, _ := p.can.Act(context.Background(), s, b, rng)
	return action
}

// Fork returns a policy that another goroutine may use beside p.
func Fork(p Policy) Policy {
	if fork := PolicyAbilitiesOf(p).Fork; fork != nil {
		return fork()
	}
	return p
}

// PolicyOf returns p, a policy for the states and actions of m, in the form that ForPolicy recognises
// if m comes from FiniteHorizon, KeepHorizon or Discretised. It takes no action in a state without the steps left.
func PolicyOf(m Model, p Policy) Policy {
	d := asDerived(m)
	if d == nil || d.can.StepsLeft == 0 && d.can.Behind == nil {
		return p
	}
	of := playedIn{len(d.can.Spec.Axes), d.can.StepsLeft, d.can.Points}
	return DerivePolicy(p, func(p Policy, can *PolicyAbilities) {
		can.PlayedIn, can.Inside = of.model, PolicyAbilitiesOf(p).Inside
		act := can.Act
		can.Act = func(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (int, error) {
			if len(s) != of.axes {
				return -1, nil
			}
			return act(ctx, s, b, rng)
		}
	})
}

// ForPolicy returns the model to play p in for episodes of m: m itself, or, if p is a policy of
// PolicyOf that reads the steps left or takes actions of a list, m with the steps left behind the
// state or with that list. Package eval calls it; your own loop over a Simulator must call it too. The
// error is an *InputError if m has another horizon than the policy's model.
func ForPolicy(m Model, p Policy) (Model, error) {
	if can := PolicyAbilitiesOf(p); can.PlayedIn != nil && m != nil {
		return can.PlayedIn(m)
	}
	return m, nil
}

// playedIn says for which states and actions a policy is that PolicyOf has made.
type playedIn struct {
	axes, steps, points int // steps left at the start, 0 where the states do not have them; points on each axis of a Box, 0 without a list
}

// model is ForPolicy.
func (p playedIn) model(m Model) (Model, error) {
	if spec := m.Spec(); p.points > 0 && spec.HasBox() {
		var err error
		if m, err = Discretised(m, p.points); err != nil {
			return nil, err
		}
	}
	spec := m.Spec()
	switch {
	case p.steps == 0 || len(spec.Axes) == p.axes:
		return m, nil
	case len(spec.Axes) == p.axes-1 && spec.Horizon == p.steps && AbilitiesOf(m).CutsEpisodes():
		return KeepHorizon(m), nil
	}
	return nil, spec.in().Bad("Spec.Horizon, for a policy that reads the steps left", spec.Horizon, fmt.Sprintf("%d, or the model of the policy's run", p.steps))
}
