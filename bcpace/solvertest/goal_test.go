package solvertest

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/solvers"
)

// hall is a model without a discount and a horizon: a corridor of n cells, the goal at the end that the latent says.
// A step costs 1; at the wrong end the agent sees that it is the wrong one and must come back. It begins in the middle.
func hall(t *testing.T, n int) bcpace.Finite {
	t.Helper()
	goal := float64(n)
	m, err := bcpace.FromOutcomes(bcpace.Outcomes{
		Spec: bcpace.Spec{Name: "hall", Axes: []bcpace.Axis{{Name: "x", Max: goal, Discrete: true}},
			Actions: bcpace.Actions("left", "right"), Latents: []string{"left", "right"}, Discount: 1, Goal: true},
		Starts: []bcpace.Transition{{Next: []float64{float64(n / 2)}, Prob: 1}},
		Transitions: func(s []float64, latent, action int) []bcpace.Transition {
			to := min(max(s[0]+float64(2*action-1), 0), goal-1)
			if to == float64(latent)*(goal-1) {
				return []bcpace.Transition{{Next: []float64{goal}, Prob: 1, Reward: -1, Done: true}}
			}
			return []bcpace.Transition{{Next: []float64{to}, Prob: 1, Reward: -1}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A model without a discount and a horizon is solved, with bounds that hold, or refused with a sentence that names
// the solver which takes it.
func TestGoalOrRefusal(t *testing.T) {
	m := hall(t, 5)
	const want = -4. // 2 steps, and as often 6
	for _, name := range solvers.Names() {
		s, err := solvers.New(name, m)
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.Solve(t.Context(), m, bcpace.Control{})
		if name == solvers.SARSOP {
			if err != nil || found.Certificate.Lower > want+1e-9 || found.Certificate.Upper < want-1e-9 || found.Certificate.Gap() > solvers.FiniteGap {
				t.Errorf("%s: %+v, %v, want %v", name, found, err, want)
				continue
			}
			v, err := eval.Evaluate(t.Context(), m, found.Policy, eval.ExactOptions{Horizon: 100})
			if err != nil || v.Value < found.Certificate.Lower-1e-9 {
				t.Errorf("the policy of %s earns %v, %v, want %v", name, v.Value, err, found.Certificate.Lower)
			}
			continue
		}
		if !errors.As(err, new(*bcpace.UnsupportedError)) || !strings.Contains(err.Error(), "sarsop") {
			t.Errorf("%s: %v, %v, want a refusal that names sarsop", name, found, err)
		}
		if p, ok := s.(pomdp.Solver); ok {
			tables, err := pomdp.FromBAMDP(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.SolvePOMDP(t.Context(), tables, bcpace.Control{}); !errors.As(err, new(*bcpace.UnsupportedError)) || !strings.Contains(err.Error(), "sarsop") {
				t.Errorf("%s of the tables: %v, want a refusal that names sarsop", name, err)
			}
		}
	}
}

// So do the tables that solvers make.
func TestGoalTables(t *testing.T) {
	m := hall(t, 5)
	for what, solve := range map[string]func(context.Context) error{
		"SolveFinite": func(ctx context.Context) error { _, err := dp.SolveFinite(ctx, m, 0); return err },
		"SolveLatent": func(ctx context.Context) error { _, err := dp.SolveLatent(ctx, m); return err },
		"SolveBounds": func(ctx context.Context) error { _, err := dp.SolveBounds(ctx, m, 0); return err },
		"SolveFIB":    func(ctx context.Context) error { _, err := dp.SolveFIB(ctx, m); return err },
		"SolveTIB":    func(ctx context.Context) error { _, err := dp.SolveTIB(ctx, m); return err },
		"SolveWorst":  func(ctx context.Context) error { _, err := dp.SolveWorst(ctx, m); return err },
		"SolveGrid":   func(ctx context.Context) error { _, err := dp.SolveGrid(ctx, m, dp.GridOptions{}); return err },
		"GridBounds":  func(ctx context.Context) error { _, err := dp.SolveGridBounds(ctx, m, dp.GridOptions{}); return err },
		"QMDPPolicy":  func(ctx context.Context) error { _, err := dp.QMDPPolicy(ctx, m); return err },
		"lipschitz": func(ctx context.Context) error {
			_, err := lipschitz.FromModel(ctx, m, lipschitz.Options{})
			return err
		},
		"exact optimum": func(ctx context.Context) error { _, err := eval.Optimal(ctx, m, eval.ExactOptions{}); return err },
	} {
		if err := solve(t.Context()); err == nil || !strings.Contains(err.Error(), "sarsop") {
			t.Errorf("%s: %v, want an error that names sarsop", what, err)
		}
	}
	if v, err := eval.Optimal(t.Context(), m, eval.ExactOptions{Horizon: 30}); err != nil || math.Abs(v.Value+4) > 1e-9 {
		t.Errorf("the optimum of 30 steps is %v, %v, want -4", v.Value, err)
	}
}
