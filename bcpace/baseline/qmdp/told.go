package qmdp

import (
	"context"
	"errors"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// Told returns the solution of a solver s whose policy acts as that of QMDP does where a latent
// is certain, which is the best for that latent; make makes it from the policy of QMDP. Value
// and bounds are those of Solver.
func Told(ctx context.Context, s bcpace.Solver, controlPoints int, m bcpace.Model, c bcpace.Control, make func(qmdp bcpace.Policy, latents int) bcpace.Policy) (*bcpace.Solution, error) {
	found, err := Solver{ControlPoints: controlPoints}.Solve(ctx, m, c)
	if other := new(bcpace.UnsupportedError); errors.As(err, &other) {
		other.Algorithm = s.Name()
	}
	if err != nil {
		return nil, err
	}
	list, err := solverkit.ListControls(m, controlPoints, s.Name())
	if err != nil {
		return nil, err
	}
	found.Solver, found.Policy = s, bcpace.PolicyOf(bcpace.KeepHorizon(list), make(found.Policy, len(found.Spec.Latents)))
	return found, nil
}
