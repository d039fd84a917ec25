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
