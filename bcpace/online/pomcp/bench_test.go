package pomcp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// naive is POMCP as one writes it first: histories are texts in maps, nodes are pointers to
// maps, a step makes a new state, and the walk is a recursion. Exploration, rollouts and depth
// are those of the search that it stands beside; the values of histories are means of returns.
type naive struct {
	model       bcpace.Model
	spec        bcpace.Spec
	exploration float64
	depth       int
	nodes       map[string]*naiveNode
	rng         *rand.Rand
}

type naiveNode struct {
	visits int
	q      map[int]float64
	count  map[int]int
}

func (na *naive) step(s []float64, latent, action int) (next []float64, after int, out bcpace.Outcome) {
	next = make([]float64, len(s))
	out = na.model.Step(next, s, latent, action, na.rng)
	if d, ok := na.model.(bcpace.LatentDynamics); ok {
		row := make(bcpace.Belief, len(na.spec.Latents))
		if d.LatentTransition(row, s, action, latent) {
			latent = row.Sample(na.rng)
		}
	}
	return next, latent, out
}

func (na *naive) rollout(s []float64, latent, left int) float64 {
	if left == 0 {
		return 0
	}
	next, after, out := na.step(s, latent, na.rng.IntN(len(na.spec.Actions)))
	if out.Done {
		return out.Reward
	}
	return out.Reward + na.spec.Discount*na.rollout(next, after, left-1)
}

func (na *naive) simulate(history string, s []float64, latent, left int) float64 {
	if left == 0 {
		return 0
	}
	n := na.nodes[history]
	if n == nil {
		na.nodes[history] = &naiveNode{q: map[int]float64{}, count: map[int]int{}}
		return na.rollout(s, latent, left)
	}
	best, action := math.Inf(-1), 0
	for a := range na.spec.Actions {
		u := math.Inf(1)
		if n.count[a] > 0 {
			u = n.q[a] + na.exploration*math.Sqrt(math.Log(float64(n.visits))/float64(n.count[a]))
		}
		if u > best {
			best, action = u, a
		}
	}
	next, after, out := na.step(s, latent, action)
	value := out.Reward
	if !out.Done {
		value += na.spec.Discount * na.simulate(history+fmt.Sprint(action, next), next, after, left-1)
	}
	n.visits++
	n.count[action]++
	n.q[action] += (value - n.q[action]) / float64(n.count[action])
	return value
}

// BenchmarkSimulations measures simulations per second beside the naive version with the same
// rollouts and depth, and with the default rollouts.
func BenchmarkSimulations(b *testing.B) {
	rocks, err := envs.RockSample{}.Model()
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range []bcpace.Model{envs.Tiger{}, rocks} {
		spec := m.Spec()
		sim := bcpace.NewSimulator(m)
		if err := sim.Reset(rand.New(rand.NewPCG(1, 1))); err != nil {
			b.Fatal(err)
		}
		for _, c := range []struct {
			name    string
			rollout bcpace.Policy
		}{{"flat", bcpace.RandomPolicy(m)}, {"flat-blind", nil}} {
			b.Run(spec.Name+"/"+c.name, func(b *testing.B) {
				x := Solver{}.search(m, c.rollout)
				rng := rand.New(rand.NewPCG(1, 1))
				begin := func() {
					x.Forget()
					x.Root(sim.State, sim.Belief)
				}
				plannertest.Speed(b, begin, func() error {
					_, err := x.Simulate(b.Context(), rng)
					return err
				})
			})
		}
		b.Run(spec.Name+"/maps", func(b *testing.B) {
			x := &naive{model: m, spec: spec, exploration: spec.RewardMax - spec.RewardMin, depth: solverkit.SearchDepth(spec), rng: rand.New(rand.NewPCG(1, 1))}
			begin := func() { x.nodes = map[string]*naiveNode{} }
			plannertest.Speed(b, begin, func() error {
				x.simulate("", sim.State, sim.Belief.Sample(x.rng), x.depth)
				return nil
			})
		})
	}
}
