package envs

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
)

// Peg is the search for a hole by touch (in the manner of Lozano-Pérez, Mason and Taylor
// 1984, who insert a peg by contact under uncertainty): a hand moves a peg over a plate in
// which there is one hole, at an unknown place of a square of holes·holes places, 1.2 cm
// apart. The state is the place of the peg in cm, whether it has dropped, and its tilt:
//
//	x' = x + u,   dropped' = [|x' − hole|∞ ≤ clearance],   tilt' = e^(−‖x' − hole‖²/(2·0.5²)) + N(0, 0.1²)
//
// with a displacement u of up to 1 cm on each axis. Where the peg rests on the rim of the hole
// it tilts; farther away it tells nothing but that the hole is elsewhere. A step earns −1, and
// that in which the peg drops 10, which ends the episode.
type Peg struct {
	// Holes is the number of places on each side, from 2 to 6. If it is 0, 3 is used.
	Holes int
	// Clearance in cm is how far from the middle of the hole the peg drops, on each axis. If
	// it is 0, 0.3 is used.
	Clearance float64
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const (
	pegName    = "peg"
	pegSpacing = 1.2 // cm
)

var pegParameters = parameters[Peg]{
	{"holes", wantNumber, "places of the hole on each side", counted(func(p *Peg) *int { return &p.Holes }, 3, 2, 6)},
	{"clearance", wantNumber, "how far from the middle of the hole the peg drops, in cm", positive(func(p *Peg) *float64 { return &p.Clearance }, 0.3, 0.01, pegSpacing/2)},
	discounted(func(p *Peg) *float64 { return &p.Discount }, defaultDiscount),
}

// Model returns the model. The error is a *bcpace.InputError.
func (p Peg) Model() (bcpace.Enumerator, error) {
	p, err := pegParameters.sound(pegName, p)
	if err != nil {
		return nil, err
	}
	n, side := p.Holes, float64(p.Holes)
	limit := pegSpacing*(side-1)/2 + 0.6
	holes := listOf(n*n, func(i int) [2]float64 {
		return [2]float64{pegSpacing * (float64(i%n) - (side-1)/2), pegSpacing * (float64(i/n) - (side-1)/2)}
	})
	plate := func(name string) bcpace.Axis {
		return bcpace.Axis{Name: name, Unit: "cm", Min: -limit, Max: limit}
	}
	return bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{
			Name: pegName, Params: pegParameters.of(p),
			Axes:     []bcpace.Axis{plate("x"), plate("y"), {Name: "dropped", Max: 1, Discrete: true}, {Name: "tilt", Min: -1, Max: 2, Scale: math.Inf(1)}},
			Actions:  control("move", 1, "cm", "dx", "dy"),
			Latents:  listOf(n*n, func(i int) string { return fmt.Sprintf("hole %.4g, %.4g", holes[i][0], holes[i][1]) }),
			Discount: p.Discount, RewardMin: -1, RewardMax: 10,
		},
		Starts: [][]float64{{-limit, -limit, 0, 0}},
		MeanAt: func(mean, s []float64, latent, _ int, u []float64) {
			mean[0], mean[1] = min(max(s[0]+u[0], -limit), limit), min(max(s[1]+u[1], -limit), limit)
			dx, dy := mean[0]-holes[latent][0], mean[1]-holes[latent][1]
			if mean[2] = 0; max(math.Abs(dx), math.Abs(dy)) <= p.Clearance {
				mean[2] = 1
			}
			mean[3] = math.Exp(-(dx*dx + dy*dy) / (2 * square(0.5)))
		},
		Sigma: []float64{0, 0, 0, 0.1},
		Ends:  func(next []float64) bool { return next[2] == 1 },
		RewardAt: func(_ []float64, _, _ int, _, next []float64) float64 {
			return pick(next[2] == 1, 10.0, -1)
		},
	})
}
