// Package check tries a model against the contract of bcpace.Model, and names the
// state, action and latent where the model breaks it.
package check

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/solverkit"
)

// Model is Examine without the report: it returns nil for a model in which it finds no
// fault. What may be meant, such as a reward that tells of the latent what the state does not
// (the test Rewards) or a LogLikelihood that never tells two latents apart, is no fault: it stands
// in the Notes of the report, so look at that of Examine once for a model of your own.
func Model(m bcpace.Model, opts Options) error {
	_, err := Examine(m, opts)
	return err
}

// Examine tries a model against its contract, and returns what it has tried, or the first
// fault that it finds. Faults of the parameters and of the Spec are *bcpace.InputError;
// all others are *bcpace.ConformanceError and name the state, action and latent.
//
// It looks at the states that episodes reach with random actions, with one action all the
// time, and with Options.Policies, and at Options.States. It checks that states lie on
// their axes, rewards within [RewardMin, RewardMax], and LogLikelihood allows what Step
// draws. Each of the other tests has a name, by which Options.Skip leaves it out:
//   - Repeats: Spec and Prior stay the same from call to call, Step is a function of its
//     arguments and its random numbers, and nothing writes to a slice that it is only
//     given to read;
//   - Latents: rows of LatentDynamics are distributions and agree with LatentKind, and
//     NextLatent and LatentMoves with the rows;
//   - Numbering: the numbering of a Finite model is one to one, and its successors are
//     states of the set;
//   - Starts: Start, Starts and StartLogLikelihood agree;
//   - Lists: the lists of an Enumerator hold no state twice, have probabilities that sum
//     to 1 under each latent, and agree with LogLikelihood in the ratios between latents. By
//     them, a model's own LatentValues keep to the Bellman equation, and its ValueBounds to
//     the inequalities by which they are bounds;
//   - Draws: Step draws what the lists say, in probabilities, rewards and Done. A list
//     that the draws do not keep to is taken for a quadrature: of it, means of the state
//     are compared to 1% of an axis, and rewards and Done, which may jump, to a quarter of
//     their range. And E[P(s'|φ')/P(s'|φ)] ≤ 1 for s' ~ P(·|φ), for every φ';
//   - Calibration: of two latents drawn with equal chances, the one that LogLikelihood
//     favours after a step is as often the one drawn as it says. That needs no lists, and
//     finds a density in place of its logarithm, one of another width than that of Step,
//     and one that ignores that Step stops at a limit of an axis. It goes on where steps
//     come to such limits far from the start, and the report names those that none came to;
//   - Scales: from two states that differ on an axis of Scale +Inf alone, equal random
//     numbers lead to the same entries of the other axes, reward and Done, and LogLikelihood
//     tells as much of the latent;
//   - Smooth: LogLikelihood is that of normal noise around the means that Smoothness states; these
//     means and the expected rewards bend between two places no more than it states; and the
//     rewards of steps have the expected reward for their mean;
//   - Goroutines: goroutines side by side get what one alone gets. A model that shares a
//     map without a lock may end the program here, as it would in any solver;
//   - Ends: whether a step ends the episode tells nothing of the latent that the next state does not. Of two latents that lead to the
//     same state, neither ends it more often; where states do not come again, LogLikelihood is right about the steps that go on;
//   - Rewards: no reward tells of the latent what the state does not. This one makes a
//     note in the report instead of an error, as an agent need not see its rewards.
//
// Likelihoods that are estimated (bcpace.Spec.Estimated) are never quite right. What Draws, Calibration and
// Scales find in such a model is a note, too, which says how far off beliefs may be.
//
// A mistake that makes all likelihoods equally wrong does not matter, and is not looked
// for. The statistical tests together refuse a correct model with probability below 10⁻⁶,
// over all seeds. A panic inside the model is reported as a fault, too.
func Examine(m bcpace.Model, opts Options) (report *Report, err error) {
	return Within(context.Background(), m, opts)
}

// Within is Examine up to the end of ctx. Where that cuts it short, the report has what was tried until then, and says so; the error is that
// of ctx where no state was looked at before.
func Within(ctx context.Context, m bcpace.Model, opts Options) (report *Report, err error) {
	if m == nil {
		return nil, bcpace.In("check.Model").Bad("the model", "nil", "a model")
	}
	c := &checker{m: m, given: m, action: -1, latent: -1, opt: opts, tried: make(map[string]int), ctx: ctx}
	defer func() {
		if c.call == "" {
			return // not in the model: a panic, if any, is not its fault
		}
		if p := recover(); p == errCut {
			if report, err = c.report(), nil; report.States == 0 {
				report, err = nil, ctx.Err()
			}
		} else if p != nil {
			report, err = nil, c.spec.Panicked(p, c.call, c.state, c.action, c.latent)
		}
	}()
	c.enter("Validate", nil, -1, -1)
	if err := bcpace.Validate(bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.ShowsEnds = true })); err != nil { // ends are tried last
		return nil, err
	}
	c.enter("Spec", nil, -1, -1)
	c.first = m.Spec()
	c.leave()
	if c.spec = c.first; c.spec.HasBox() {
		if c.m, err = listed(m, &c.spec); err != nil {
			return nil, err
		}
		c.spec = c.m.Spec()
	}
	if err := c.run(); err != nil {
		return nil, err
	}
	return c.report(), nil
}

// listed returns m with a list in the place of boxes of actions, whose corners are in it.
func listed(m bcpace.Model, spec *bcpace.Spec) (bcpace.Model, error) {
	axes := 0
	for _, a := range spec.Actions {
		axes = max(axes, len(a.Box))
	}
	return bcpace.Discretised(m, [...]int{2, 9, 4, 3}[axes])
}

func (c *checker) run() error {
	o := &c.opt
	if err := o.checkSkip(); err != nil {
		return err
	}
	if err := settle("check.Options", number{"Episodes", &o.Episodes, 30}, number{"Steps", &o.Steps, 50}, number{"Transitions", &o.Transitions, 200}, number{"Draws", &o.Draws, 4000}); err != nil {
		return err
	}
	if err := solverkit.CheckHorizon("check.Options", "Steps", c.opt.Steps, "the default"); err != nil {
		return err
	}
	if _, _, err := solverkit.LipschitzOf(c.m); err != nil {
		return err
	}
	c.rng = rand.New(rand.NewPCG(c.opt.Seed, 0x636865636b)) // a stream of its own
	c.known = make(map[string]bool)
	c.bets = make(map[[3]int]*stat.Bet)
	c.limits = limitsOf(c.spec.Axes)
	c.prior = make(bcpace.Belief, len(c.spec.Latents))
	c.can = bcpace.AbilitiesOf(c.m)
	c.enter("Prior", nil, -1, -1)
	c.m.Prior(c.prior)
	c.leave()

	c.noteEstimated()
	if err := c.reach(); err != nil {
		return err
	}
	for i, look := range []func() error{c.latentRows, c.numbering, c.starts, c.lists, c.estimated(c.sampled), c.estimated(c.calibrateAtLimits), c.estimated(c.scales),
		c.smooth, c.goroutines, c.hiddenEnds, c.rewards, c.stable} { // in the order of tests, of which the first is the last
		name := tests[(i+1)%len(tests)].name
		if own := name == Draws || name == Calibration; own || !c.skips(name) { // these two go together
			if err := look(); err != nil {
				return err
			}
		}
		c.enter("nothing", nil, -1, -1) // ends where there is no more time
		c.leave()
		c.ended++
	}
	return nil
}

// sampled compares what Step draws with LogLikelihood and Successors. What lists say is
// plainer than what beliefs do, and that plainer than what single ratios do.
func (c *checker) sampled() error {
	belief, swapped := c.calibrate()
	err := c.draws()
	if err != nil && (err != c.odds || swapped || belief == nil) {
		return err
	}
	return belief
}
