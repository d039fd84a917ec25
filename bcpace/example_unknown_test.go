package bcpace_test

import (
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// learned is Chain for agents that do not know its transitions.
type learned struct{ envs.Chain }

// TransitionPrior implements bcpace.UnknownTransitions.
func (learned) TransitionPrior() bcpace.TransitionPrior {
	return bcpace.TransitionPrior{Alpha: 1, Reward: func(state, _, next int) float64 {
		switch {
		case next == 0:
			return 2
		case state == 4 && next == 4:
			return 10
		}
		return 0
	}}
}

// A model is made one of unknown transitions by a method that says what agents know.
func ExampleUnknownTransitions() {
	var m bcpace.UnknownTransitions = learned{envs.Chain{Slips: []float64{0.2}}}
	fmt.Println(m.NumStates(), "states, α =", m.TransitionPrior().Alpha)
	// Output: 5 states, α = 1
}

// In the maze, an agent may know that few states follow an action.
func ExampleTransitionPrior() {
	maze, err := envs.Maze{Sparse: true}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(maze.NumStates(), "states, few of which follow an action:", maze.TransitionPrior().Sparse)
	// Output: 264 states, few of which follow an action: true
}
