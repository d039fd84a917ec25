package runs

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/solverkit"
)

// PolicyRule names the policy that Algorithm 1 returns.
type PolicyRule string

const (
	// PolicyGreedy is the policy of the paper, which is greedy on Q̃.
	PolicyGreedy PolicyRule = "greedy"
	// PolicyBest is the one with the largest mean return, in simulated episodes, of the
	// greedy one, QMDP (dp.LatentPolicy) where the run has latent values, the user's own
	// cpace.Solver.Controller, those of dynamic programming on a grid and of the proved bounds where
	// certified has them, and the blind policies, each of which takes one action always. So more samples do not
	// hurt: Q̃ is optimistic, and its greedy policy may be worse than what it started from
	// until enough of what it reaches is known.
	PolicyBest PolicyRule = "best"
)

// ChoiceEpisodes is how many episodes of a policy a choice simulates at most.
const ChoiceEpisodes = 1000

const (
	controllerName = "controller"
	gridName       = "grid"
	proofName      = "proof"

	choiceStream = 1 << 61 // of random numbers, see simulatedStream
	choicePart   = 4       // of the first round, at the end of which time may be up
	choiceLeast  = 100     // before a policy is given up, as luck may be rare
	// Of the time that is left for the choice and the certificate each has half, but for the
	// first round of the choice, which may take most of it.
	mostOfIt = 0.8
)

// Greedy returns the policy of the run's own values, which Policy is unless Choice names
// another one: for Algorithm 1 the greedy one on Q̃, for a search that of its bounds. See
// Policy for models with a Spec.Horizon.
func (r *Run) Greedy() bcpace.Policy { return bcpace.PolicyOf(r.model, r.values.Policy()) }

// candidates returns the policies that PolicyBest chooses from, with their names.
func (r *Run) candidates() (names []string, policies []bcpace.Policy) {
	names, policies = append(names, string(PolicyGreedy)), append(policies, r.Greedy())
	// add adds p, which acts on the first axes of the states of r, if there is one. It takes no action at what is no state or
	// belief of the run.
	add := func(name string, p bcpace.Policy, axes int) {
		if p != nil {
			names, policies = append(names, name), append(policies, bcpace.PolicyOf(r.model, solverkit.Asked(p, func(s []float64, b bcpace.Belief) ([]float64, bool) {
				if len(s) != len(r.Spec.Axes) || b != nil && !r.Spec.IsPlace(r.model, s, b) {
					return nil, false
				}
				return s[:axes], true
			})))
		}
	}
	all, without := len(r.Spec.Axes), len(r.Spec.Axes) // without the steps left
	if bcpace.AbilitiesOf(r.model).StepsLeft > 0 {
		without--
	}
	if q := r.values.LatentValues(); q != nil {
		add("qmdp", dp.LatentPolicy(q, len(r.Spec.Actions)), all)
	}
	add(controllerName, r.plan.Controller, without)
	// Values may know other policies than their own: by dynamic programming on a grid, and of the finite model by which
	// bounds are proved; nil where they do not.
	if x, ok := r.values.(interface {
		Plans() (grid, proof bcpace.Policy)
	}); ok {
		grid, proof := x.Plans()
		add(gridName, grid, all)
		add(proofName, proof, all)
	}
	for _, a := range r.Spec.CornerActions() {
		add("always "+r.Spec.ActionName(a), bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return a }), all)
	}
	return names, policies
}

// Choose sets Choice as PolicyBest does, by at most so many episodes of each policy, and by
// 1,000 where that is less. The run's own policy, which Greedy returns, is the first of them.
// Where the deadline of ctx cuts it short, half of the time is left for Simulate. An error of
// the model ends the run with stop.Fault. It is for authors of explorers.
func (r *Run) Choose(ctx context.Context, episodes, workers int) error {
	first, cancel := LeaveTime(ctx, 1-mostOfIt)
	defer cancel()
	half, cancel := LeaveTime(ctx, 1-choiceShare)
	defer cancel()
	if err := r.choose(first, half, min(episodes, ChoiceEpisodes), workers); err != nil {
		return r.Failed(err)
	}
	return nil
}

// choose sets Choice by at most so many episodes of each policy, in whole rounds but for
// the first, which ends after a part where time is up. The first round ends with the
// context first, the others with ctx. The error is the model's.
func (r *Run) choose(first, ctx context.Context, episodes, workers int) error {
	names, policies := r.candidates()
	returns := make([][]float64, len(policies))
	left := num.UpTo(len(policies)) // those that are not given up
	for n := 0; n < episodes && len(left) > 1; n = len(returns[left[0]]) {
		ctx, size := ctx, choiceRound
		if n < choiceRound {
			ctx, size = first, choicePart
		}
		x := r.simulation()
		var round [][]float64
		for _, i := range left {
			if err := x.play(ctx, r, policies[i], choiceStream, n, size, workers); err != nil {
				return err
			}
			round = append(round, x.returns)
		}
		if len(x.returns) < size || ctx.Err() != nil {
			break
		}
		for k, i := range left {
			returns[i] = append(returns[i], round[k]...)
		}
		if n+size >= choiceLeast {
			left = stat.StillTried(returns, left)
		}
	}
	c := &Choice{Chosen: r.unplayed(names)}
	for i, name := range names {
		x := TriedPolicy{Name: name, Episodes: len(returns[i])}
		if x.Episodes > 0 {
			x.Mean, x.StdErr = stat.PairedMean(returns[i], nil)
		}
		c.Tried = append(c.Tried, x)
	}
	best := stat.Leader(returns, left)
	if n := len(returns[best]); n >= choiceRound || n > 0 && stat.Leads(returns[best], returns[c.Chosen]) {
		c.Chosen = best
	}
	r.Choice = c
	return nil
}

// unplayed returns which of the candidates is chosen where nothing says what they earn.
func (r *Run) unplayed(names []string) int {
	for _, planned := range []string{gridName, proofName} {
		if i := slices.Index(names, planned); i >= 0 {
			return i
		}
	}
	i := slices.Index(names, "qmdp")
	if i < 0 {
		i = slices.Index(names, controllerName)
	}
	if i < 0 || !r.InSetUp() && (r.Brackets() || r.Known(len(r.Trace)) >= mostKnown) {
		return 0
	}
	return i
}

// checkChoice returns an error that wraps ErrFormat unless c, of a file, is one that r can
// have.
func (r *Run) checkChoice(c *Choice) error {
	names, _ := r.candidates()
	if c.Chosen < 0 || c.Chosen >= len(names) || !slices.EqualFunc(c.Tried, names, func(x TriedPolicy, name string) bool {
		return x.Name == name && x.Episodes >= 0 && x.Episodes%choicePart == 0 && x.Episodes <= ChoiceEpisodes && num.Finite(x.Mean) && x.StdErr >= 0
	}) {
		return fmt.Errorf("%w: its choice of a policy is %+v, want one of the policies %q", ErrFormat, *c, names)
	}
	return nil
}

// verifyChoice repeats the choice of r, and returns an *InputError if it does not come out
// the same.
func (r *Run) verifyChoice(ctx context.Context) error {
	if r.Choice == nil {
		return nil
	}
	again, claimed, most := *r, r.Choice, 0
	for _, x := range claimed.Tried {
		most = max(most, x.Episodes)
	}
	again.Choice = nil
	if err := again.choose(ctx, ctx, most, 0); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	lo, hi := solverkit.RangeOfReturns(r.model)
	slack := 1e-12 * (hi - lo) // sums of returns round otherwise elsewhere
	for i, x := range claimed.Tried {
		if y := again.Choice.Tried[i]; !(math.Abs(x.Mean-y.Mean) <= slack) || x.Episodes != y.Episodes {
			return Claim("what policy "+strconv.Quote(x.Name)+" earned", fmt.Sprintf("%v in %d episodes", x.Mean, x.Episodes),
				"%v in %d; on another kind of processor they may go otherwise", y.Mean, y.Episodes)
		}
	}
	if again.Choice.Chosen != claimed.Chosen {
		return Claim("the policy", strconv.Quote(claimed.Name()), "%q, which earned more", again.Choice.Name())
	}
	return nil
}

// Policy returns the policy that was found: the one that Choice names or, without a
// Choice, Greedy. Where the model has a Spec.Horizon it reads the steps left; see ForPolicy.
func (r *Run) Policy() bcpace.Policy {
	if r.Choice == nil {
		return r.Greedy()
	}
	_, policies := r.candidates()
	return policies[r.Choice.Chosen]
}

// ErrFormat is wrapped by every error about a file that is not a whole run of this format: foreign,
// truncated, damaged or from another version.
var ErrFormat = columns.ErrFormat
