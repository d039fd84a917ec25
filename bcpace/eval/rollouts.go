package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/rollout"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/solverkit"
)

// Options of Rollouts. Every zero value is useful.
type Options struct {
	// Episodes is how many episodes are played. If it is 0, 1000 are.
	Episodes int
	// Horizon is the number of steps after which an episode is cut, at most the model's
	// own horizon. If it is 0, it is that or, without one, Spec.DefaultHorizon.
	Horizon int
	// Seed makes the result: the same model, policy, options and seed give the
	// same returns bit for bit.
	Seed uint64
	// Workers is the number of episodes side by side. If it is 0, there is one
	// for each processor. It changes the time, never the result.
	Workers int
	// Undiscounted adds rewards up without the discount.
	Undiscounted bool
	// Belief is the belief that episodes start from, and their latents are drawn
	// from. If it is nil, it is the model's prior.
	Belief bcpace.Belief
	// Every, if it is not 0, is the number of steps after each of which Result.Course says how
	// much was returned so far.
	Every int
	// World is the model that episodes are of, if it is not the one that the policy
	// believes in: bcpace.Simulator.Enter. So one sees what is lost by a model that is
	// not the truth, such as one with few latents for a density. Latents are then those
	// of the world, drawn from its prior. nil means the policy's own model.
	World bcpace.Model
	// Progress, if set, is called after every episode with the number of those
	// done, from any goroutine but one at a time. It must return quickly.
	Progress func(done int)
}

// Result of Rollouts. All but Elapsed are the same for
// every number of workers, and at every call, unless Timed.
type Result struct {
	Episodes int       // episodes played to their end
	Returns  []float64 // return of each, in the order of their streams
	Lengths  []int     // steps of each
	Horizon  int       // steps after which an episode was cut
	Cut      int       // how many were cut rather than ended by the model
	Steps    int       // over all episodes
	Discount float64   // γ of the returns: 1 where they are undiscounted
	// MeanTotal is the mean of the sums of rewards without the discount, NaN of no episode.
	MeanTotal float64
	// Course has the mean return so far after each Every steps, with its 95% interval by
	// Student's t; an episode that has ended keeps its return. It is empty if Every is 0.
	Course []Interval
	Every  int // of the options
	// Simulations is the number of simulations of all decisions of these episodes, if the
	// policy plans.
	Simulations int
	// MeanInterval is the mean of Upper − Lower of these decisions, in reward units: +Inf for
	// a policy that bounds nothing, NaN of no episode.
	MeanInterval float64
	// Timed says that the policy planned within a time, so that the result is not the same
	// again.
	Timed bool
	// Surprises counts the starts and steps which nothing in the belief explained, over all episodes, of an agent that goes on
	// then. Where it is more than a few, a belief of a hidden vector has too few particles, or LogDensity does not fit Step.
	Surprises int

	// Mean is the mean return, StdDev the standard deviation of a return and
	// StdErr that of the mean. CI95 is the interval that is to hold the expected
	// return with probability 0.95, and CI95By says how it was made, and so when it does.
	// StdDev, StdErr and CI95 are NaN for fewer than two episodes, and CI95By is "".
	Mean, StdDev, StdErr float64
	CI95                 [2]float64
	CI95By               IntervalKind
	// Range is the range of what an episode can return: that of the model's returns or of
	// its rewards up to the cut, whichever is tighter.
	Range [2]float64
	// Truncation bounds how far cutting at Horizon moves the expected return:
	// γ^Horizon · max|reward|/(1−γ), or 0 where the model's own horizon is the
	// cut, and +Inf for undiscounted returns cut elsewhere, of which Cut says how many there were.
	Truncation float64

	elsewhere bool // not from the model's own start, or in another world

	Elapsed time.Duration // wall clock
}

// modelFor is bcpace.ForPolicy for a policy that is there.
func modelFor(m bcpace.Model, p bcpace.Policy, where, want string) (bcpace.Model, error) {
	if p == nil {
		return nil, bcpace.In(where).Bad("the policy", "nil", want)
	}
	return bcpace.ForPolicy(m, p)
}

// modelFor is the function modelFor, and changes the world of o as it does the model.
func (o *Options) modelFor(m bcpace.Model, p bcpace.Policy, where, want string) (bcpace.Model, error) {
	m, err := modelFor(m, p, where, want)
	if err == nil && o.World != nil {
		o.World, err = bcpace.ForPolicy(o.World, p)
	}
	return m, err
}

// Rollouts plays episodes of m with policy p, forked for each worker, and
// returns the statistics of their returns.
//
// Episode i has two random streams of its own, one for the start and the
// environment, one for the policy, made from Seed and i alone. Two policies
// with the same seed are thus compared on the same latents and start states,
// and Difference makes use of it.
//
// Cancelled, it returns, beside ctx's error, the first half, fourth, eighth … of the episodes, the largest part that has
// ended, and none where fewer than 64 of many episodes have, or a thirty-second part, or 8 of few. These numbers do not go by
// how long episodes take: those that had ended by then would be too many of the short ones, and their mean wrong.
// At the first error of the model or policy, an *InputError for a bad option or action among them, it returns the episodes
// before that one.
func Rollouts(ctx context.Context, m bcpace.Model, p bcpace.Policy, o Options) (Result, error) {
	m, err := o.modelFor(m, p, "rollouts", "a policy to play")
	if err != nil {
		return Result{}, err
	}
	return o.play(ctx, m, func(*bcpace.Simulator) bcpace.Policy { return bcpace.Fork(p) })
}

// play plays episodes of m, with a policy for each worker that may read the worker's
// simulator.
func (o Options) play(ctx context.Context, m bcpace.Model, policy func(*bcpace.Simulator) bcpace.Policy) (Result, error) {
	spec, err := o.resolve(m)
	if err != nil {
		return Result{}, err
	}
	r := Result{elsewhere: o.Belief != nil || o.World != nil, Range: [2]float64{math.Inf(-1), math.Inf(1)}}
	if !o.Undiscounted || spec.Discount == 1 {
		r.Range[0], r.Range[1] = solverkit.RangeOfReturns(cmp.Or(o.World, m))
	}
	err = r.Play(ctx, spec, o, func() *rollout.Game {
		g, _ := o.game(m, policy)
		return g
	})
	return r, err
}

// Play sets r to the statistics of so many episodes of games, one for each worker, within the Range that r has. spec describes the
// world; of o all is read but what makes a game. It is for packages that have other worlds and agents than models and policies.
func (r *Result) Play(ctx context.Context, spec bcpace.Spec, o Options, game func() *rollout.Game) error {
	returns, lengths, cut := make([]float64, o.Episodes), make([]int, o.Episodes), make([]bool, o.Episodes)
	totals, simulations, timed := make([]float64, o.Episodes), make([]int, o.Episodes), make([]bool, o.Episodes)
	intervals, surprises, courses := make([]float64, o.Episodes), make([]int, o.Episodes), make([][]float64, o.Episodes)
	r.Horizon, r.Discount = o.Horizon, spec.Discount
	if o.Undiscounted {
		r.Discount = 1
	}
	within := rangeOfReturns(spec, r.Discount, r.Horizon)
	r.Range = [2]float64{max(r.Range[0], within[0]), min(r.Range[1], within[1])}
	// Within an episode a flag is looked at, which costs a step nothing. It may be
	// set late, so that between episodes the context itself is asked.
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	began := time.Now()
	n, err := rollout.Episodes(ctx, o.Episodes, o.Workers, func() rollout.Player {
		g := game()
		g.Discount, g.Stop = r.Discount, &stop
		var course []float64
		if o.Every > 0 {
			g.Each = func() {
				if g.Steps > 0 && g.Steps%o.Every == 0 {
					course = append(course, g.Return)
				}
			}
		}
		return func(i int) error {
			course = nil
			err := g.Play(ctx, i)
			returns[i], lengths[i], cut[i] = g.Return, g.Steps, !g.World.Over()
			totals[i], simulations[i], timed[i] = g.Total, g.Simulations, g.Decision.Timed
			intervals[i], surprises[i], courses[i] = g.Intervals, g.Surprises, course
			return rollout.InEpisode(i, err)
		}
	}, o.Progress)
	r.Elapsed = time.Since(began)
	r.Returns, r.Lengths = returns[:n], lengths[:n]
	r.summarise(spec, cut[:n])
	r.MeanTotal, _, _, _ = summary(totals[:n])
	for i, k := range simulations[:n] {
		r.Simulations += k
		r.Surprises += surprises[i]
		r.Timed = r.Timed || timed[i]
		r.MeanInterval += intervals[i]
	}
	r.MeanInterval /= float64(r.Steps)
	r.setCourse(o.Every, courses[:n])
	return err
}

// resolve checks o against the model, fills in the defaults and returns the description
// of the world.
func (o *Options) resolve(m bcpace.Model) (bcpace.Spec, error) {
	if err := bcpace.Validate(m); err != nil {
		return bcpace.Spec{}, err
	}
	spec := m.Spec()
	if err := rollout.Settle(&o.Episodes, &o.Horizon, &o.Workers); err != nil {
		return spec, err
	}
	if o.Every < 0 {
		return spec, rollout.Bad("Every", o.Every, "a number of steps, or 0 for no course")
	}
	if o.Belief != nil {
		if err := checkBelief(o.Belief, spec); err != nil {
			return spec, err
		}
	}
	if o.World != nil {
		if err := bcpace.NewSimulator(m).Enter(o.World); err != nil {
			return spec, err
		}
		spec = o.World.Spec()
	}
	if o.Horizon == 0 {
		if o.Undiscounted && spec.Horizon == 0 && !spec.Goal {
			return spec, rollout.Bad("Horizon", 0, "a number of steps, as undiscounted returns grow with it and the model has no horizon of its own")
		}
		o.Horizon = spec.DefaultHorizon()
	}
	return spec, rollout.Within(&o.Horizon, spec.Horizon)
}

// checkBelief returns an *InputError unless b is a belief over the latents of spec.
func checkBelief(b bcpace.Belief, spec bcpace.Spec) error {
	return cmp.Or(
		bcpace.In("belief").Need(len(b) == len(spec.Latents), "its length", len(b), fmt.Sprintf("%d, one weight for each latent", len(spec.Latents))),
		b.Validate())
}

// game returns a game of m, with options that were resolved for it, for one goroutine.
func (o Options) game(m bcpace.Model, policy func(*bcpace.Simulator) bcpace.Policy) (*rollout.Game, *rollout.Simulated) {
	sim := bcpace.NewSimulator(m)
	if o.World != nil {
		_ = sim.Enter(o.World) // resolve has looked at its error
	}
	g, x := rollout.NewGame(m, sim, policy(sim), o.Horizon)
	x.From = o.Belief
	var envSrc, actSrc rand.PCG
	env, act := rand.New(&envSrc), rand.New(&actSrc)
	g.Streams = func(episode int) (world, belief, choice *rand.Rand) {
		// PCG's two words of state: the seed, and the number of the stream. Streams
		// count down from the last one, as exploration counts up from 0: with the
		// same seed, a policy would be judged by the very draws it was made from.
		envSrc.Seed(o.Seed, ^uint64(2*episode))
		actSrc.Seed(o.Seed, ^uint64(2*episode+1))
		return env, nil, act
	}
	return g, x
}

// Score is what the policy of one solver earned in a comparison, beside the bounds of
// the optimal value that the solver claims.
type Score struct {
	Name   string // of the solver
	Policy bcpace.Policy
	Result // of the episodes that Policy played
	// Certificate is that of the solver's solution, or zero if the episodes of Result are of
	// another problem. If the model has no horizon, it bounds the value of episodes for
	// ever, and Result is about as many steps as were played.
	Certificate bcpace.Certificate
	// Objective is what the solver was asked for, of which the Certificate bounds the optimum, and Result.At says what Policy scores.
	Objective bcpace.Objective
}

// CertificateOf returns the statistical certificate of episodes from the model's start: the lower
// bound of the optimal value is that of what the policy earns, which is false with probability delta
// at most; rewards after the last step of an episode count as the least that they can be. The upper
// bound is the largest return. Where the episodes say no more than the range of returns does, and
// where r is not of discounted returns from the model's own start, it is bcpace.NoCertificate.
//
// planned is the number of episodes that were to be played; fewer may have been, as where time was up.
func CertificateOf(m bcpace.Model, r Result, planned int, delta float64) bcpace.Certificate {
	spec := m.Spec()
	none := solverkit.RangeCertificate(spec)
	none.Lower, none.Upper = solverkit.RangeOfReturns(m)
	if len(r.Returns) == 0 || r.Discount != spec.Discount || r.elsewhere {
		return none
	}
	c := bcpace.Certificate{Kind: bcpace.StatisticalCertificate, Upper: none.Upper, LowerBy: bcpace.BySimulation, UpperBy: bcpace.ByRange, PolicyEarns: bcpace.BySimulation,
		Delta: delta, Episodes: len(r.Returns), Horizon: r.Horizon, Assumes: none.Assumes}
	c.Lower = stat.MeanLower(r.Returns, none.Lower, none.Upper, delta, planned)
	if r.Horizon != spec.Horizon {
		c.Lower += math.Pow(spec.Discount, float64(r.Horizon)) * none.Lower
	}
	if !(c.Lower > none.Lower) {
		return none
	}
	return c
}

// Summarise returns the statistics of episodes that were played elsewhere: what
// each of them returned, its length and whether it was cut at the horizon rather
// than ended by the model. Of spec, the discount, the rewards' range and the
// horizon are read; returns are sums of such rewards. For differences of returns see
// Difference.
func Summarise(spec bcpace.Spec, horizon int, returns []float64, lengths []int, cut []bool) Result {
	r := Result{Returns: returns, Lengths: lengths, Horizon: horizon, Discount: spec.Discount,
		Range: rangeOfReturns(spec, spec.Discount, horizon)}
	r.summarise(spec, cut)
	return r
}

// setCourse sets Course from the returns so far of each episode.
func (r *Result) setCourse(every int, courses [][]float64) {
	if r.Every = every; every == 0 {
		return
	}
	for k := range r.Horizon / every {
		so := make([]float64, len(courses))
		for i, c := range courses {
			if so[i] = r.Returns[i]; k < len(c) {
				so[i] = c[k]
			}
		}
		r.Course = append(r.Course, IntervalOf(so))
	}
}

// Oracle plays episodes of m with the informed policy, which sees the latent at every
// step and acts greedily on Q(s, φ, a): what it earns is what knowing the latent is
// worth, and no policy that has to learn earns more in expectation.
//
// q are the values of the latent MDPs, for a model with a horizon those of
// bcpace.KeepHorizon(m); nil means those of dp.SolveLatent. If they are not exact, as
// on a grid, the policy may be a little worse than the best informed one.
//
// Episode i has the latent, the start and the random numbers of episode i of Rollouts with
// the same options, so that Difference tells what a policy has to gain. With o.World, the
// latents and the values are those of the world. For errors see Rollouts and
// dp.SolveLatent.
func Oracle(ctx context.Context, m bcpace.Model, q bcpace.LatentValues, o Options) (Result, error) {
	if o.World != nil { // the belief does not matter
		m, o.World, o.Belief = o.World, nil, nil
	}
	if _, err := o.resolve(m); err != nil {
		return Result{}, err
	}
	if spec := m.Spec(); q != nil && spec.HasBox() {
		return Result{}, bcpace.In("the informed policy").Bad("its values", "given for a model whose actions have a Box", "nil, or the model of Discretised that they are for")
	}
	m, err := bcpace.Discretised(m, 0)
	if err != nil {
		return Result{}, err
	}
	m = bcpace.KeepHorizon(m)
	if q == nil {
		if q, err = dp.SolveLatent(ctx, m); err != nil {
			return Result{}, err
		}
	}
	actions := len(m.Spec().Actions)
	return o.play(ctx, m, func(x *bcpace.Simulator) bcpace.Policy { return informed{x, q, actions} })
}

// informed is the policy that sees the latent of the simulator which it acts in.
type informed struct {
	*bcpace.Simulator
	q       bcpace.LatentValues
	actions int
}

// Act implements bcpace.Policy. It returns −1 where no action has a value.
func (p informed) Act(s []float64, _ bcpace.Belief, _ *rand.Rand) int {
	best, act := 0.0, -1
	for a := range p.actions {
		if v := p.q.Q(s, p.Latent, a); v > best || act < 0 && !math.IsNaN(v) {
			best, act = v, a
		}
	}
	return act
}
