package nb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
)

// Must returns v, or ends the cell with err on one line.
//
//	q := nb.Must(dp.SolveLatent(nb.Context(), tiger))
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Check ends the cell where err is not nil, with the error on one line. Where that is
// of a variable that a cell declares, a second line says how to be rid of it.
func Check(err error) {
	if err == nil {
		return
	}
	standard().fail(os.Stderr, err)
	if declaring() {
		fmt.Fprintln(os.Stderr, "Every cell computes the variables that are declared: declare this one anew, or take it away with %rm and its name.")
	}
	exit(1)
}

// declaring tells whether a variable that a cell declares is being computed, as it is
// at the beginning of every cell.
func declaring() bool { return bytes.Contains(debug.Stack(), []byte("\nmain.init()")) }

// exit is replaced in tests.
var exit = os.Exit

// fail writes the error that ends the cell. It goes to standard error, which a
// notebook marks as an error and a grader does not take for output.
func (o *output) fail(w io.Writer, err error) {
	o.mu.Lock()
	open := slices.Clone(o.open) // what an unfinished computation has left
	o.mu.Unlock()
	for _, p := range open {
		p.Close()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.screen.flush()
	text := "error: " + clean(err.Error())
	if errors.Is(err, context.Canceled) {
		text = "interrupted: " + clean(err.Error())
	}
	fmt.Fprintln(w, text)
}

// Context is cancelled when the cell is interrupted: by Kernel > Interrupt in
// a notebook, by Ctrl-C on a terminal. A second interrupt ends the process.
func Context() context.Context { return interrupts() }

var interrupts = sync.OnceValue(func() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx
})

// Setting is a line of Spreads: options under a name.
type Setting struct {
	Name    string
	Options cpace.Solver
}

// Spreads explores m with each setting under several seeds, counted from that of
// its options, and sums every setting up: the exact values of the greedy
// policies over the given number of steps (0 for no end), samples, episodes and
// sweeps. No certificate is simulated unless options ask for one. Runs come from the store
// where they are in it, as with Explore. An error, such as a model that is not finite, ends the
// cell. Package sweep and Sweep are for more trials than a few.
func Spreads(m bcpace.Model, seeds, horizon int, settings ...Setting) []eval.Spread {
	var rows []eval.Spread
	for _, s := range settings {
		var all []*runs.Run
		for i := range seeds {
			o := s.Options
			o.Seed += uint64(i)
			if o.CertificateEpisodes == 0 {
				o.CertificateEpisodes = -1 // their exact values are asked for anyway
			}
			all = append(all, Explore(m, o))
		}
		rows = append(rows, Must(eval.SpreadOf(Context(), s.Name, m, all, eval.ExactOptions{Horizon: horizon})))
	}
	return rows
}

// Optimum returns the exact value of the best policy of m at its start, in reward
// units: over the given number of steps, at most the model's own horizon, or 0 for that
// or, without one, for no end. It is eval.Optimal, which also gives the value of each action, and
// from another state or belief. An error, such as a model that is not finite, ends the
// cell with one line.
func Optimum(m bcpace.Model, horizon int) float64 {
	return Must(eval.Optimal(Context(), m, eval.ExactOptions{Horizon: horizon})).Value
}

// Value returns the exact value of policy p of m at its start, in reward units, over a
// number of steps as Optimum has it. It is eval.Evaluate. An error, such as a model that
// is not finite or a policy that reaches too many beliefs, ends the cell with one line.
func Value(m bcpace.Model, p bcpace.Policy, horizon int) float64 {
	return Must(eval.Evaluate(Context(), m, p, eval.ExactOptions{Horizon: horizon})).Value
}

// QMDP returns the policy of m that acts as if the latent were known after the next
// step, dp.QMDPPolicy: greedily on the values of the latent MDPs. An error, such as a model that does not list its
// successors, ends the cell with one line.
func QMDP(m bcpace.Model) bcpace.Policy { return Must(dp.QMDPPolicy(Context(), m)) }

// Oracle plays episodes with the policy that is told the latent at every step,
// eval.Oracle, and returns a row for the table of Compare: no policy that has to learn
// earns more. The score has no Policy, as a bcpace.Policy sees no latent. An error, such as
// a model that does not list its successors, ends the cell with one line.
//
//	nb.Show(append(nb.Compare(tiger, play, qmdp.Solver{}), nb.Oracle(tiger, play)))
func Oracle(m bcpace.Model, o eval.Options) eval.Score {
	return eval.Score{Name: "informed", Result: Must(eval.Oracle(Context(), m, nil, o))}
}

// Decide returns the decision of a planner of package online at a state and belief of its
// model, with random numbers of seed 0. A policy that is no planner, and an error of Plan, end
// the cell with one line.
//
//	d := nb.Decide(tiger, nb.Solve(tiger, pomcp.Solver{}).Policy, s, b)
//	nb.Show(frame.Decision(tiger.Spec(), d))
func Decide(m bcpace.Model, p bcpace.Policy, s []float64, b bcpace.Belief) bcpace.Decision {
	return Must(decide(m, p, s, b))
}

// SearchTree returns the top of the tree that a planner of package online has searched for its
// last decision, so many nodes at most. A policy that shows no tree, and a planner that has not
// decided, end the cell with one line.
//
//	nodes := nb.SearchTree(p, 20) // after nb.Decide(tiger, p, s, b)
//	nb.Show(frame.SearchTree(tiger.Spec(), nodes))
//	nb.Show(viz.SearchTree{Spec: tiger.Spec(), Nodes: nodes})
func SearchTree(p bcpace.Policy, most int) []bcpace.SearchNode { return Must(searchTree(p, most)) }

func searchTree(p bcpace.Policy, most int) ([]bcpace.SearchNode, error) {
	can := bcpace.PolicyAbilitiesOf(p)
	if can.Nodes == nil {
		return nil, noPlanner("SearchTree", p)
	}
	nodes, err := can.Nodes(most)
	if err == nil && len(nodes) == 0 {
		err = bcpace.In("SearchTree").Bad("the tree", "empty", "1 node or more, after a decision (nb.Decide) of a planner that grows a tree, as all do but sparse")
	}
	return nodes, err
}

func noPlanner(function string, p bcpace.Policy) error {
	return bcpace.In(function).Bad("the policy", fmt.Sprintf("%T", p), "a planner: the policy of a solver of package online")
}

func decide(m bcpace.Model, p bcpace.Policy, s []float64, b bcpace.Belief) (bcpace.Decision, error) {
	can := bcpace.PolicyAbilitiesOf(p)
	if can.Plan == nil {
		return bcpace.Decision{}, noPlanner("Decide", p)
	}
	spec := m.Spec()
	return spec.Plan(Context(), &can, s, b, rand.New(rand.NewPCG(0, 0)))
}
