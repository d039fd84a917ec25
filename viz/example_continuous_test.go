package viz_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
	"bayescpace/viz"
)

// What QMDP does in dual control: it trusts the likelier sign of the gain.
func ExampleStateMap() {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, err := dp.QMDPPolicy(context.Background(), m)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(viz.StateMap{Title: "QMDP", Model: m, Policy: policy, Cells: 21})
	// Output:
	// 520 × 323
	// QMDP. belief in gain 1, from 0 to 1, against x, from −4 to 4. u from −1 to 1; in the corners from the lower left, counter-clockwise, −1, 1, −1 and 1.
}

// swing pushes a pendulum the way it moves.
func swing(m bcpace.Model) (*eval.Trajectory, error) {
	spec := m.Spec()
	with := bcpace.PolicyFunc(func(s []float64, _ bcpace.Belief, _ *rand.Rand) int {
		id, _ := spec.ActionID(0, []float64{math.Copysign(3, s[1])})
		return id
	})
	return eval.RecordEpisode(m, with, eval.Options{Horizon: 60, Seed: 1}, 0)
}

func ExamplePhasePortrait() {
	m, err := envs.Pendulum{}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	episode, err := swing(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(viz.PhasePortrait{Title: "A push with the motion", Model: m, Episodes: []*eval.Trajectory{episode}, Latent: "mass 1 kg"})
	// Output:
	// 520 × 450
	// A push with the motion. speed (rad/s) against angle (rad). An episode with mass 1 kg of 60 steps, from (−3.142, 0), belief in mass 1 kg 0.3333, to (0.1508, −6.425), belief 1.
}

func ExampleControls() {
	m, err := envs.Pendulum{}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	episode, err := swing(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(viz.Controls{Title: "A push with the motion", Model: m, Episodes: []viz.Played{{Label: "push", Trajectory: episode}}, Step: 0.1})
	// Output:
	// 640 × 443
	// A push with the motion. torque (N m) and belief in mass 0.6 kg against time (s). push: 60 steps; the first control is 3 and the last −3; the belief goes from 0.3333 to 1.276·10⁻⁴¹.
}

// A boat goes east through a current that is not known, past an island. A model of its own two
// axes has the figures of a room: its goals and walls are said in the plan.
func ExampleRoomPlan_Of() {
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "boat", Discount: 0.9, RewardMin: -1, Actions: bcpace.Actions("east"), Latents: []string{"south", "none", "north"},
			Axes: []bcpace.Axis{{Name: "x", Unit: "km", Max: 6}, {Name: "y", Unit: "km", Max: 3}}},
		Starts: [][]float64{{0.5, 1.5}}, Sigma: []float64{0, 0.1},
		Mean:   func(mean, s []float64, latent, _ int) { mean[0], mean[1] = s[0]+0.5, s[1]+0.2*float64(latent-1) },
		Reward: func([]float64, int, int, []float64) float64 { return -1 },
		Ends:   func(s []float64) bool { return s[0] >= 5 },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	episode, err := eval.RecordEpisode(m, bcpace.RandomPolicy(m), eval.Options{Seed: 1}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := viz.RoomPlan{Goals: []viz.Goal{{Rect: viz.Rect{X0: 5, Y0: 1, X1: 6, Y1: 2}, Label: "harbour"}}, Walls: []viz.Rect{{X0: 2, Y0: 2, X1: 3, Y1: 3}}}
	show(plan.Of(m, episode))
	// Output:
	// 520 × 367
	// Boat: path and belief. y (km), from 0 to 3, against x (km), from 0 to 6. Goal around (5.5, 1.5): harbour. if none: 9 steps from (0.5, 1.5), belief in none 0.3333, to (5, 1.105), belief 1.
}
