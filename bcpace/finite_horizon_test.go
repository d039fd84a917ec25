package bcpace_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// TestFiniteHorizon: the optimum without a horizon of the model that counts down is
// that of the model with one. In Chain, where both actions tell the same, QMDP
// attains it once it knows how much time is left.
func TestFiniteHorizon(t *testing.T) {
	ctx := context.Background()
	for _, m := range []bcpace.Finite{envs.Chain{}, envs.Chain{Intended: true}, envs.Tiger{}} {
		c, err := bcpace.FiniteHorizon(m, 10)
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Model(c, check.Options{}); err != nil {
			t.Error(err)
		}
		if bcpace.KindOf(c) != bcpace.KindOf(m) {
			t.Errorf("%s: latent is %v, want %v", m.Spec().Name, bcpace.KindOf(c), bcpace.KindOf(m))
		}
		want, err := eval.Optimal(ctx, m, eval.ExactOptions{Horizon: 10})
		if err != nil {
			t.Fatal(err)
		}
		got, err := eval.Optimal(ctx, c, eval.ExactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Value-want.Value) > 1e-9 {
			t.Errorf("%s: optimum %v, want %v", m.Spec().Name, got.Value, want.Value)
		}
		if _, chain := m.(envs.Chain); !chain {
			continue
		}
		q, err := dp.SolveLatent(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		qmdp, err := eval.Evaluate(ctx, c, dp.LatentPolicy(q, 2), eval.ExactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(qmdp.Value-want.Value) > 1e-9 {
			t.Errorf("%s: QMDP that knows the time is worth %v, want the optimum %v", m.Spec().Name, qmdp.Value, want.Value)
		}
	}
	var input *bcpace.InputError
	if _, err := bcpace.FiniteHorizon(envs.Chain{}, 0); !errors.As(err, &input) {
		t.Errorf("no steps: error %v", err)
	}
}
