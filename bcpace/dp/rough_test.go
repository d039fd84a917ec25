package dp_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// TestRoughValues expects values to act by where ctx ends as soon as the large grid is begun.
func TestRoughValues(t *testing.T) {
	for _, name := range []string{"cart-pole"} {
		m, err := envs.New(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := solverkit.ListControls(m, 0, "a test")
		if err != nil {
			t.Fatal(err)
		}
		for what, solve := range map[string]func(context.Context, bcpace.Enumerator) (*dp.GridValues, error){
			"SolveGrid": func(ctx context.Context, m bcpace.Enumerator) (*dp.GridValues, error) {
				return dp.SolveGrid(ctx, m, dp.GridOptions{})
			},
			"SolveGridBounds": func(ctx context.Context, m bcpace.Enumerator) (*dp.GridValues, error) {
				b, err := dp.SolveGridBounds(ctx, m, dp.GridOptions{})
				if b == nil {
					return nil, err
				}
				return b.Latent, err
			},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			solved := false
			v, err := solve(solverkit.WithControl(ctx, bcpace.Control{Progress: func(p bcpace.Progress) {
				if p.Phase == "transitions" && solved {
					cancel()
				}
				solved = solved || p.Phase == "latent values"
			}}), list.(bcpace.Enumerator))
			cancel()
			if !errors.Is(err, context.Canceled) || v == nil {
				t.Errorf("%s of %s: values %v, error %v", what, name, v != nil, err)
				continue
			}
			starts, err := bcpace.StartsOf(list)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range starts {
				for a := range list.Spec().Actions {
					if q := v.Q(s.State, 0, a); math.IsNaN(q) {
						t.Errorf("%s of %s: the value of action %d at %v is %v", what, name, a, s.State, q)
					}
				}
			}
		}
	}
}
