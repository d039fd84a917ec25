package bcpace_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/envs"
)

// A planner searches at the belief that it is asked about: at even odds it listens.
func ExamplePolicyAbilities() {
	tiger := envs.Tiger{}
	found, err := pomcp.Solver{Budget: bcpace.Budget{Simulations: 5000}}.Solve(context.Background(), tiger, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	planner := bcpace.PolicyAbilitiesOf(found.Policy)
	d, err := planner.Plan(context.Background(), []float64{0}, bcpace.Belief{0.5, 0.5}, rand.New(rand.NewPCG(1, 1)))
	fmt.Println(found.Spec.ActionName(d.Action), err)
	// Output: listen <nil>
}

// What a decision rests on: how often each action was tried, and what it was worth.
func ExampleDecision() {
	tiger := envs.Tiger{Ends: true}
	found, err := pomcp.Solver{}.Solve(context.Background(), tiger, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	planner := bcpace.PolicyAbilitiesOf(found.Policy)
	d, err := planner.Plan(context.Background(), []float64{0}, bcpace.Belief{0, 1}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	visits := 0
	for _, n := range d.Visits {
		visits += n
	}
	fmt.Println(found.Spec.ActionName(d.Action), d.Simulations == visits, d.Q[1] > d.Q[2])
	// Output: open left true true
}

// A budget is a number of simulations, or a time. Results of a time are not the same again,
// and say so.
func ExampleBudget() {
	for _, budget := range []bcpace.Budget{{Simulations: 200}, {Time: time.Millisecond}} {
		found, err := pomcp.Solver{Budget: budget}.Solve(context.Background(), envs.Tiger{}, bcpace.Control{})
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := eval.Rollouts(context.Background(), envs.Tiger{}, found.Policy, eval.Options{Episodes: 5, Horizon: 10})
		fmt.Println(budget, r.Episodes, "episodes, timed:", r.Timed, err)
	}
	// Output:
	// {200 0s 0} 5 episodes, timed: false <nil>
	// {0 1ms 0} 5 episodes, timed: true <nil>
}

// twice listens twice, and then opens a door.
type twice struct{ listened int }

func (p *twice) Begin([]float64, bcpace.Belief) { p.listened = 0 }

func (p *twice) Observe(action int, _ float64, _ []float64) {
	if p.listened++; action != 0 {
		p.listened = 0
	}
}

func (p *twice) Fork() bcpace.Policy { return &twice{} }

func (p *twice) Act(_ []float64, b bcpace.Belief, _ *rand.Rand) int {
	switch {
	case p.listened < 2:
		return 0 // listen
	case b[0] > b[1]:
		return 2 // open right
	}
	return 1 // open left
}

// A policy that remembers what has happened is simulated, and has no exact value.
func ExamplePolicyAbilities_observe() {
	tiger := envs.Tiger{}
	r, err := eval.Rollouts(context.Background(), tiger, &twice{}, eval.Options{Episodes: 10, Horizon: 6})
	fmt.Println(r.Steps, err)
	_, err = eval.Evaluate(context.Background(), tiger, &twice{}, eval.ExactOptions{})
	fmt.Println(errors.As(err, new(*bcpace.InputError)))
	// Output:
	// 60 <nil>
	// true
}

// nodes returns the top of the tree in which a planner has searched at even odds.
func nodes(s bcpace.Solver, m bcpace.Model, most int) ([]bcpace.SearchNode, error) {
	found, err := s.Solve(context.Background(), m, bcpace.Control{})
	if err != nil {
		return nil, err
	}
	planner := bcpace.PolicyAbilitiesOf(found.Policy)
	if _, err := planner.Plan(context.Background(), []float64{0}, bcpace.Belief{0.5, 0.5}, rand.New(rand.NewPCG(1, 1))); err != nil {
		return nil, err
	}
	return planner.Nodes(most)
}

// What a planner has searched: the root, and then what it has looked at most.
func ExamplePolicyAbilities_nodes() {
	tiger := envs.Tiger{}
	top, err := nodes(lookahead.Solver{Budget: bcpace.Budget{Simulations: 200}}, tiger, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := tiger.Spec()
	for _, n := range top {
		fmt.Printf("%d steps ahead, belief %.2f: %s\n", n.Depth, n.Belief, spec.ActionName(n.Best))
	}
	// Output:
	// 0 steps ahead, belief [0.50 0.50]: listen
	// 1 steps ahead, belief [0.85 0.15]: listen
	// 1 steps ahead, belief [0.15 0.85]: listen
}

// A node knows which one it follows, by which action, and with what probability.
func ExampleSearchNode() {
	tiger := envs.Tiger{}
	top, err := nodes(pomcp.Solver{Budget: bcpace.Budget{Simulations: 5000}}, tiger, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, spec := top[1], tiger.Spec()
	fmt.Printf("node %d, then %s, with probability %.1f: belief %.2f\n", n.Parent, spec.ActionName(n.Action), n.Prob, n.Belief)
	// Output: node 0, then listen, with probability 0.5: belief [0.15 0.85]
}

// thinking plans while it acts, until its context ends.
type thinking struct{}

func (t thinking) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	action, _ := t.Decide(context.Background(), s, b, rng)
	return action
}

func (thinking) Decide(ctx context.Context, _ []float64, _ bcpace.Belief, _ *rand.Rand) (int, error) {
	for depth := range 1000 {
		if ctx.Err() != nil {
			return depth, ctx.Err()
		}
	}
	return 0, nil
}

// A policy that takes long acts within a context.
func ExamplePolicyAbilities_decide() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := bcpace.PolicyAbilitiesOf(thinking{}).Act(ctx, nil, nil, nil)
	fmt.Println("the action means nothing:", err)
	// Output: the action means nothing: context canceled
}
