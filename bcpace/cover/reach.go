package cover

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/solverkit"
)

// Reached are the points (s, b) that a model reaches, with their embedding: the L1
// distance of two embedded points is the paper's distance of the points.
type Reached struct {
	Model string
	// Points are the embedded points. They leave out axes of infinite Scale, so that
	// different (s, b) may have the same embedding.
	Points *Points
	// States and Beliefs are the points themselves, n × axes and n × latents. Depth is
	// the number of steps after which each point was reached first.
	States, Beliefs []float64
	Depth           []int32
	// Sampled says that the points come from simulations, so that there may be others.
	Sampled bool

	axes, latents int
	metric        metric.Metric
}

// ReachOptions are the options of Reach, OptimallyReach and Sample. The zero value of
// every field is useful.
type ReachOptions struct {
	// Alpha is α > 0, the weight of the state's distance. 0 means 1.
	Alpha float64
	// Depth is the largest number of steps from the start, or the model's horizon if that
	// is less. 0 means the horizon, or without one any number of steps, but 50 for Sample.
	Depth int
	// MaxNodes is the largest number of points (s, b). 0 means 1,000,000.
	MaxNodes int
	// Tolerance is for OptimallyReach: an action counts as optimal if its value is at most
	// this much below that of the best, in reward units. 0 means 1e-6·max(solverkit.Unit, range of
	// rewards).
	Tolerance float64
	// Episodes and Seed are for Sample: the number of episodes of each policy, where 0
	// means 1,000, and the seed of the random numbers.
	Episodes int
	Seed     uint64
}

func newReached(m bcpace.Model, o ReachOptions) (*Reached, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	in := bcpace.In("reachable points")
	if err := cmp.Or(in.Need(o.Alpha >= 0 && !math.IsInf(o.Alpha, 1), "Alpha", o.Alpha, "α > 0, or 0 for 1"),
		in.Need(o.Tolerance >= 0 && !math.IsInf(o.Tolerance, 1), "Tolerance", o.Tolerance, "an error in reward units, or 0 for the default"),
		in.Need(o.Episodes >= 0, "Episodes", o.Episodes, "a number of episodes, or 0 for 1000"),
		in.Need(o.Depth >= 0 && o.Depth <= num.MaxHorizon && o.MaxNodes >= 0, "Depth, MaxNodes", fmt.Sprintf("%d, %d", o.Depth, o.MaxNodes), fmt.Sprintf("numbers of steps, up to %d, and of points, or 0 for the defaults", num.MaxHorizon))); err != nil {
		return nil, err
	}
	o.Alpha = cmp.Or(o.Alpha, 1)
	spec := m.Spec()
	r := &Reached{Model: spec.Name, metric: metric.New(spec, o.Alpha), axes: len(spec.Axes), latents: len(spec.Latents)}
	r.Points = &Points{Dim: r.metric.Dim(), Periods: r.metric.Periods()}
	return r, nil
}

// depth returns the most steps in m, or 0 for no limit.
func (o ReachOptions) depth(m bcpace.Model) int {
	if h := m.Spec().Horizon; h > 0 && (o.Depth == 0 || o.Depth > h) {
		return h
	}
	return o.Depth
}

// sampledSteps returns the most steps of an episode of Sample in m.
func (o ReachOptions) sampledSteps(m bcpace.Model) int { return cmp.Or(o.depth(m), 50) }

// Len returns the number of points.
func (r *Reached) Len() int { return len(r.Depth) }

// State returns the state of a point, a view.
func (r *Reached) State(i int) []float64 { return r.States[i*r.axes : (i+1)*r.axes : (i+1)*r.axes] }

// Belief returns the belief of a point, a view.
func (r *Reached) Belief(i int) bcpace.Belief {
	return r.Beliefs[i*r.latents : (i+1)*r.latents : (i+1)*r.latents]
}

func (r *Reached) add(s []float64, b bcpace.Belief, depth int32) {
	r.States, r.Beliefs, r.Depth = append(r.States, s...), append(r.Beliefs, b...), append(r.Depth, depth)
	n := len(r.Points.Coords)
	r.Points.Coords = append(r.Points.Coords, make([]float64, r.Points.Dim)...)
	r.metric.Embed(r.Points.Coords[n:], s, b)
}

// Keep returns the points for which f is true.
func (r *Reached) Keep(f func(i int) bool) *Reached {
	q := *r
	q.States, q.Beliefs, q.Depth, q.Points = nil, nil, nil, &Points{Dim: r.Points.Dim, Periods: r.Points.Periods}
	for i := range r.Len() {
		if f(i) {
			q.add(r.State(i), r.Belief(i), r.Depth[i])
		}
	}
	return &q
}

// Reduced returns the points whose belief is farther than radius from every one-hot
// belief. With radius = ε/(L_Q(1+γ)) these are the ones that samples must cover
// where Known Latent Initialization has the values of the others (Proposition Known
// Latent Initialization): N′ is their covering number.
func (r *Reached) Reduced(radius float64) *Reached {
	return r.Keep(func(i int) bool {
		_, near := metric.NearOneHot(r.Belief(i), radius)
		return !near
	})
}

// Reach lists all (s, b) that some policy reaches in m within o.Depth steps, those
// whose beliefs coincide once. The errors are those of eval.Reach, among them an
// *eval.LimitError where there are more than o.MaxNodes, and an *bcpace.InputError for
// a bad option.
func Reach(ctx context.Context, m bcpace.Model, o ReachOptions) (*Reached, error) {
	r, err := newReached(m, o)
	if err != nil {
		return nil, err
	}
	g, err := eval.Reach(ctx, m, eval.ReachOptions{Depth: o.depth(m), MaxNodes: o.MaxNodes})
	if err != nil {
		return nil, err
	}
	s := make([]float64, r.axes)
	for n := range g.Len() {
		g.State(s, n)
		r.add(s, g.Belief(n), g.Depth[n])
	}
	return r, nil
}

// OptimallyReach lists the (s, b) that the optimal policies reach in m within o.Depth
// steps (Hsu, Lee and Rong 2008): from the start on, every action is followed that may
// be optimal, being within o.Tolerance of the best by the bounds of an Optimum. The
// errors are those of Reach and NewOptimum.
func OptimallyReach(ctx context.Context, m bcpace.Model, o ReachOptions) (*Reached, error) {
	r, err := newReached(m, o)
	if err != nil {
		return nil, err
	}
	x, err := NewOptimum(ctx, m, o)
	if err != nil {
		return nil, err
	}
	g := x.Graph
	depth := slices.Repeat([]int32{-1}, g.Len())
	var queue []int32
	for _, n := range g.Starts {
		if depth[n] < 0 {
			depth[n], queue = 0, append(queue, n)
		}
	}
	s := make([]float64, r.axes)
	for i := 0; i < len(queue); i++ {
		n := int(queue[i])
		g.State(s, n)
		r.add(s, g.Belief(n), depth[n])
		if o.Depth > 0 && int(depth[n]) >= o.Depth {
			continue
		}
		for a := range x.actions {
			if !x.Optimal(n, a) {
				continue
			}
			row := n*x.actions + a
			for k := g.Row[row]; k < g.Row[row+1]; k++ {
				if to := g.To[k]; depth[to] < 0 {
					depth[to], queue = depth[n]+1, append(queue, to)
				}
			}
		}
	}
	return r, nil
}

// Sample plays o.Episodes episodes with each policy and returns the points met, each
// distinct (s, b) once, in the order of their first visit. Policies that see little
// of the set, such as an optimal one, are the way to its optimally reachable part, and
// random ones to the rest. The errors are an *bcpace.InputError for options or
// policies that cannot be used, the model's, or the context's.
func Sample(ctx context.Context, m bcpace.Model, o ReachOptions, policies ...bcpace.Policy) (*Reached, error) {
	var err error
	for _, p := range policies {
		if m, err = bcpace.ForPolicy(m, p); err != nil {
			return nil, err
		}
	}
	r, err := newReached(m, o)
	if err != nil {
		return nil, err
	}
	if len(policies) == 0 {
		return nil, bcpace.In("reachable points").Bad("policies", "none", "one at least, such as bcpace.RandomPolicy")
	}
	r.Sampled = true
	steps := o.sampledSteps(m)
	o.Episodes = cmp.Or(o.Episodes, 1000)
	o.MaxNodes = cmp.Or(o.MaxNodes, 1_000_000)
	seen := make(map[string]bool)
	var key []byte
	sim := bcpace.NewSimulator(m)
	meet := func(t int) bool {
		key = num.AppendKey(num.AppendKey(key[:0], sim.State), sim.Belief)
		if !seen[string(key)] {
			seen[string(key)] = true
			r.add(sim.State, sim.Belief, int32(t))
		}
		return r.Len() < o.MaxNodes
	}
	for k, p := range policies {
		play := bcpace.Rollout{Simulator: sim, Policy: bcpace.Fork(p), Context: ctx, Horizon: steps, Discount: 1}
		for e := range o.Episodes {
			more, err := playEpisode(&play, k, e, rand.New(rand.NewPCG(o.Seed, uint64(k)<<40+uint64(e))), meet)
			if err != nil {
				return nil, err
			}
			if !more {
				return r, nil
			}
		}
	}
	return r, nil
}

// playEpisode plays an episode and calls meet, with the number of steps, wherever a query is made, until meet returns
// false; more says that it never did. The numbers of policy and episode are for errors.
func playEpisode(play *bcpace.Rollout, policy, episode int, rng *rand.Rand, meet func(t int) bool) (more bool, err error) {
	if err := play.Context.Err(); err != nil {
		return false, err
	}
	if err := play.Reset(rng); err != nil {
		return false, err
	}
	for play.More() {
		if !meet(play.Steps) {
			return false, nil
		}
		err := play.Step(rng, rng)
		if ended := play.Context.Err(); ended != nil { // the action may mean nothing
			return false, ended
		}
		if err != nil {
			return false, fmt.Errorf("policy %d, episode %d, %w", policy, episode, err)
		}
	}
	// No query is made where the episode has ended.
	return play.Done || meet(play.Steps), nil
}

// Mixture takes at every step the action of p with probability weight and that of q
// otherwise: with q random, it reaches what lies around the paths of p.
//
// Where one of the two remembers what has happened, so does the mixture: both are asked at every step then, and
// are told what was done, so that each remembers the episode that it is in.
func Mixture(weight float64, p, q bcpace.Policy) bcpace.Policy {
	return bcpace.DerivePolicy(bcpace.Fork(p), func(_ bcpace.Policy, can *bcpace.PolicyAbilities) {
		two := [2]bcpace.PolicyAbilities{*can, bcpace.PolicyAbilitiesOf(bcpace.Fork(q))}
		can.Plan, can.Nodes, can.Keep = nil, nil, nil // two decisions are none, nor are two trees, and no file has two policies
		remembers := two[0].Begin != nil || two[1].Begin != nil
		can.Act = func(ctx context.Context, s []float64, b bcpace.Belief, rng *rand.Rand) (action int, err error) {
			chosen := 1
			if rng.Float64() < weight {
				chosen = 0
			}
			action = -1
			for i, x := range two {
				if i != chosen && !remembers { // Observe follows an Act
					continue
				}
				if a, fault := x.Act(ctx, s, b, rng); i == chosen {
					action, err = a, fault
				}
			}
			return action, err
		}
		can.Begin, can.Observe = nil, nil
		if remembers {
			can.Begin = func(s []float64, b bcpace.Belief) {
				for _, x := range two {
					if x.Begin != nil {
						x.Begin(s, b)
					}
				}
			}
			can.Observe = func(action int, reward float64, next []float64) {
				for _, x := range two {
					if x.Observe != nil {
						x.Observe(action, reward, next)
					}
				}
			}
		}
		can.PlayedIn = func(m bcpace.Model) (bcpace.Model, error) {
			for _, x := range two {
				if x.PlayedIn == nil {
					continue
				}
				var err error
				if m, err = x.PlayedIn(m); err != nil {
					return nil, err
				}
			}
			return m, nil
		}
	})
}

// Optimum brackets V*(s, b) at the nodes of a model's reachable graph, from dynamic
// programming: the graph is cut some steps below the depth asked for, the values there
// are anywhere from the least to the QMDP bound, and backups carry both up.
type Optimum struct {
	Graph *eval.Graph
	// Lower and Upper bound V* at each node, but for rounding and for the merging of
	// beliefs within eval.Quantum, which Error covers.
	Lower, Upper []float64
	Error        float64

	actions             int
	discount, tolerance float64
}

// NewOptimum reads Depth, MaxNodes and Tolerance of o; to that depth, Upper − Lower is
// at most Tolerance. The errors are those of Reach, and an *bcpace.UnsupportedError
// for a model with a horizon, whose best action depends on the steps left.
func NewOptimum(ctx context.Context, m bcpace.Model, o ReachOptions) (*Optimum, error) {
	if _, err := newReached(m, o); err != nil { // for its checks
		return nil, err
	}
	spec := m.Spec()
	if spec.Horizon > 0 {
		return nil, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "a search for what optimal policies reach",
			Need: "episodes without a horizon, so that the best action depends on state and belief alone"}
	}
	x := &Optimum{actions: len(spec.Actions), discount: spec.Discount,
		tolerance: cmp.Or(o.Tolerance, 1e-6*max(solverkit.Unit(spec), spec.RewardMax-spec.RewardMin))}
	spread := spec.VMax() - spec.VMin()
	depth := o.Depth
	if depth > 0 {
		depth += 1 + int(math.Ceil(math.Log(x.tolerance/2/max(spread, x.tolerance))/math.Log(spec.Discount)))
	}
	g, err := eval.Reach(ctx, m, eval.ReachOptions{Depth: depth, MaxNodes: o.MaxNodes})
	if err != nil {
		return nil, err
	}
	x.Graph = g
	x.Lower, x.Upper = make([]float64, g.Len()), make([]float64, g.Len())
	f, _ := bcpace.AsFinite(m)
	q, err := dp.SolveFinite(ctx, f, 0)
	if err != nil {
		return nil, err
	}
	s := make([]float64, len(spec.Axes))
	for n := range x.Lower {
		g.State(s, n)
		x.Lower[n], x.Upper[n] = spec.VMin(), math.Inf(-1)
		for a := range x.actions {
			x.Upper[n] = max(x.Upper[n], dp.Expected(q, s, g.Belief(n), a)+q.Error)
		}
	}
	// Merging moves a value by ½·spread·Merged at each of the steps to come.
	x.Error = spread / 2 * g.Merged * spec.Discount / (1 - spec.Discount)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		moved, gap := 0.0, 0.0
		for n := g.Expanded - 1; n >= 0; n-- {
			lo, up := math.Inf(-1), math.Inf(-1)
			for a := range x.actions {
				l, u := x.Q(n, a)
				lo, up = max(lo, l), max(up, u)
			}
			moved = max(moved, lo-x.Lower[n], x.Upper[n]-up)
			x.Lower[n], x.Upper[n] = max(lo, x.Lower[n]), min(up, x.Upper[n])
			if o.Depth == 0 || int(g.Depth[n]) <= o.Depth {
				gap = max(gap, x.Upper[n]-x.Lower[n])
			}
		}
		if gap <= x.tolerance || moved <= 0x1p-50*spread {
			return x, nil
		}
	}
}

// Q bounds Q* of an action at a node that has transitions listed: n < Graph.Expanded.
func (o *Optimum) Q(n, action int) (lower, upper float64) {
	g, row := o.Graph, n*o.actions+action
	for k := g.Row[row]; k < g.Row[row+1]; k++ {
		lower += g.Prob[k] * o.Lower[g.To[k]]
		upper += g.Prob[k] * o.Upper[g.To[k]]
	}
	return g.Reward[row] + o.discount*lower, g.Reward[row] + o.discount*upper
}

// Optimal reports whether an action may be optimal at a node: whether the upper bound of
// its Q is within the tolerance of the node's lower bound.
func (o *Optimum) Optimal(n, action int) bool {
	_, up := o.Q(n, action)
	return up >= o.Lower[n]-o.tolerance
}
