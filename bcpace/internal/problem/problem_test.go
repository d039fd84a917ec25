package problem_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

// walk is no BAMDP: its hidden part is seen as it moves.
const walk = "discount: 0.9\nvalues: reward\nstates: 2\nactions: 1\nobservations: 2\nT: 0\n0.5 0.5\n0.5 0.5\nO: 0\n0.8 0.2\n0.2 0.8\nR: 0 : 0 : * : * 1\n"

func read(t *testing.T, text string) *pomdp.Model {
	t.Helper()
	m, err := pomdpfile.Read(t.Context(), strings.NewReader(text), "walk.pomdp")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestOfTables: a file is a BAMDP, with what its observations reveal or without, or says why not.
func TestOfTables(t *testing.T) {
	for _, name := range []string{"tiger.pomdpx", "chain.pomdp"} { // all of chain.pomdp is hidden, and seen
		m, err := pomdpfile.ReadFile(t.Context(), "../../../data/"+name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.OfTables(t.Context(), m)
		if err != nil || p.Model == nil || p.Tables != m || p.NoBAMDP != nil {
			t.Errorf("%s: %+v, error %v", name, p, err)
		}
	}
	p, err := problem.OfTables(t.Context(), read(t, walk))
	if err != nil || p.Model != nil || !errors.As(p.NoBAMDP, new(*pomdp.DependenceError)) {
		t.Errorf("walk: %+v, error %v", p, err)
	}
	for _, x := range solvers.List() {
		s, err := p.Solver(x.Name)
		if _, tables := s.(pomdp.Solver); err == nil && !tables && !p.Plans(x.Name) || err != nil && err.Error() != x.Name+" needs a Bayes-adaptive MDP: "+p.NoBAMDP.Error()+"; take sarsop or qmdp, or a planner such as pomcpow" {
			t.Errorf("%s for walk: %v, error %v", x.Name, s, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := problem.OfTables(ctx, read(t, walk)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestLimitSteps: steps are those of a model that has neither a discount below 1 nor a horizon, which says so where a
// solver refuses it.
func TestLimitSteps(t *testing.T) {
	for _, c := range []struct {
		discount            string
		horizon, steps, end int
	}{
		{"0.9", 0, 7, 0}, {"1", 0, 7, 7}, {"1", 5, 7, 5}, {"1", 5, 0, 5}, {"1", 0, 0, 0},
	} {
		m := read(t, strings.Replace(walk, "0.9", c.discount, 1))
		m.Horizon = c.horizon
		if problem.LimitSteps(m, c.steps); m.Horizon != c.end {
			t.Errorf("%+v: horizon %d", c, m.Horizon)
		}
		refusal := &bcpace.UnsupportedError{Model: "x", Algorithm: "y", Need: "z"}
		err := problem.Problem{Tables: m}.NeedEnd(refusal, "--steps")
		if hint := strings.Contains(err.Error(), "--steps"); hint != m.IsGoal() || !errors.Is(err, refusal) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestSolve: a solver has the tables where it can, and the policy is played where it acts.
func TestSolve(t *testing.T) {
	for _, p := range []problem.Problem{{Model: envs.Tiger{}}, {Tables: read(t, walk)}} {
		s, err := p.Solver(solvers.SARSOP)
		if err != nil {
			t.Fatal(err)
		}
		found, err := p.Solve(t.Context(), s, bcpace.Control{Workers: 1})
		if err != nil || (found.Tables == nil) != (p.Tables == nil) || found.Stated() != found.Certificate || found.End().Samples == 0 {
			t.Fatalf("%+v, error %v", found, err)
		}
		o := eval.Options{Episodes: 20, Horizon: 20, Seed: 1, Workers: 1}
		if r, err := found.Play(t.Context(), o); err != nil || r.Episodes != 20 {
			t.Errorf("%+v, error %v", r, err)
		}
	}
}

// TestStated: without a certificate, the range of rewards says nothing; what was proved stays.
func TestStated(t *testing.T) {
	f := problem.PolicyFound{Solution: &bcpace.Solution{Certificate: bcpace.Certificate{Kind: bcpace.NoCertificate, Lower: -1, Upper: 2, LowerBy: bcpace.ByRange, UpperBy: bcpace.ByProof, PolicyEarns: bcpace.ByRange}}}
	if c := f.Stated(); !math.IsNaN(c.Lower) || c.LowerBy != "" || c.Upper != 2 || c.UpperBy != bcpace.ByProof || c.PolicyEarns != "" {
		t.Errorf("%+v", c)
	}
	if f.Certificate.Lower != -1 || f.End().Samples != 0 {
		t.Errorf("%+v, %+v", f.Certificate, f.End())
	}
	f.Certificate.Kind = bcpace.ExactCertificate
	if c := f.Stated(); c != f.Certificate {
		t.Errorf("%+v", c)
	}
}

// TestSeeded: a solver that draws gets the seed, and another one is the same.
func TestSeeded(t *testing.T) {
	for _, x := range solvers.List() {
		s, err := problem.Problem{Model: envs.Tiger{}}.Solver(x.Name)
		if err != nil {
			t.Fatal(err)
		}
		seeded, err := solvers.Seeded(s, 1<<63)
		if err != nil {
			t.Fatal(err)
		}
		want := s
		if _, draws := x.Param("seed"); draws {
			if want, err = solvers.Set(s, "seed", "9223372036854775808"); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(seeded, want) {
			t.Errorf("%s: %+v, want %+v", x.Name, seeded, want)
		}
	}
}

// TestReached covers a model whether it is finite or not.
func TestReached(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.LightDarkTiger{Sigma: 0.2}} {
		if r, err := problem.Reached(t.Context(), m, cover.ReachOptions{Depth: 2, Seed: 1}); err != nil || r.Points.Len() == 0 {
			t.Errorf("%s: %v, error %v", m.Spec().Name, r, err)
		}
	}
}
