package problem_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/constrained"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/risk"
	"bayescpace/bcpace/robust"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/store"
)

// door is what takes a solution.
type door func(t *testing.T, m bcpace.Model, found *bcpace.Solution)

// doors are what every question's solution goes through.
var doors = map[string]door{
	"findings": func(t *testing.T, _ bcpace.Model, found *bcpace.Solution) {
		if len(solverkit.Findings(found)) == 0 || len(solverkit.Rows(found, func(float64, int) string { return "" })) == 0 {
			t.Error("nothing was found beside the bounds")
		}
	},
	"JSON": func(t *testing.T, _ bcpace.Model, found *bcpace.Solution) {
		text, err := json.Marshal(found.Objective)
		var again bcpace.Objective
		if err == nil {
			err = json.Unmarshal(text, &again)
		}
		if err != nil || !reflect.DeepEqual(again, found.Objective) || again.Bounds == "" {
			t.Errorf("%s becomes %+v, %v", text, again, err)
		}
	},
	"score": func(t *testing.T, m bcpace.Model, found *bcpace.Solution) {
		holds(t, m, found, found.Policy)
	},
	"file": func(t *testing.T, m bcpace.Model, found *bcpace.Solution) {
		p := problem.Problem{Model: m}
		file, err := p.Keep(&problem.PolicyFound{Solution: found}, found.Policy)
		if err != nil {
			t.Fatal(err)
		}
		read := throughFile(t, file)
		if asked, err := problem.Asked(read); err != nil || !reflect.DeepEqual(asked, found.Objective) {
			t.Errorf("asked %+v, %v", asked, err)
		}
		read.Objective = nil // as in older files
		if asked, err := problem.Asked(read); err != nil || asked.Question != found.Objective.Question || asked.Share != found.Objective.Share {
			t.Errorf("an older file: asked %+v, %v", asked, err)
		}
		if differs := p.Differs(read, found.Solver); differs != "" {
			t.Error(differs)
		}
		opened, err := p.Open(t.Context(), read)
		if err != nil {
			t.Fatal(err)
		}
		holds(t, m, found, opened.Policy)
	},
	"whole": func(t *testing.T, m bcpace.Model, found *bcpace.Solution) {
		file, err := kept.OfSolution(m, found)
		if err != nil {
			t.Fatal(err)
		}
		again, err := throughFile(t, file).Solution(t.Context(), m, found.Solver)
		if err != nil {
			t.Fatal(err)
		}
		same(t, found, again)
		holds(t, m, found, again.Policy)
	},
	"store": func(t *testing.T, m bcpace.Model, found *bcpace.Solution) {
		for _, cached := range []bool{false, true} {
			again, origin, err := store.Solve(t.Context(), m, found.Solver, bcpace.Control{})
			if err != nil || origin.Cached != cached || origin.Unsaved != nil {
				t.Fatalf("%+v, %v, want cached %v", origin, err, cached)
			}
			same(t, found, again)
		}
	},
}

// throughFile writes a file and reads it.
func throughFile(t *testing.T, f *kept.PolicyFile) *kept.PolicyFile {
	t.Helper()
	var b bytes.Buffer
	if _, err := f.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	again, err := kept.ReadFile(&b)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// same compares all but the policies of two solutions.
func same(t *testing.T, found, again *bcpace.Solution) {
	t.Helper()
	if again.Certificate != found.Certificate || again.Value != found.Value || again.Stop != found.Stop || !reflect.DeepEqual(again.Trace, found.Trace) || !reflect.DeepEqual(again.Record, found.Record) {
		t.Errorf("%+v becomes %+v", found, again)
	}
}

// holds plays a policy, which scores what was promised.
func holds(t *testing.T, m bcpace.Model, found *bcpace.Solution, p bcpace.Policy) {
	t.Helper()
	r, err := eval.Rollouts(t.Context(), m, p, eval.Options{Episodes: 400, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	x, err := r.At(found.Objective)
	c := found.Certificate
	if least := found.Objective.Below != nil; err != nil || least && x.Lo > c.Upper+0.1 || !least && x.Mean+2*(x.Hi-x.Mean) < c.Lower-1e-9 {
		t.Errorf("scores %+v, %v, want %v to %v", x, err, c.Lower, c.Upper)
	}
}

// TestQuestions: every question's solution of random models goes through every door.
func TestQuestions(t *testing.T) {
	t.Setenv("BAYESCPACE_STORE", t.TempDir())
	for name, of := range map[string]func(lo, hi float64) bcpace.Solver{
		"robust": func(lo, hi float64) bcpace.Solver {
			return robust.Solver{Set: robust.PriorSet{Kind: robust.L1, Radius: 0.3}, Epsilon: 0.05}
		},
		"constrained": func(lo, hi float64) bcpace.Solver {
			return constrained.Solver{Cost: constrained.Losses("losses", 0), Limit: 4, Epsilon: 0.05}
		},
		"cvar":   func(lo, hi float64) bcpace.Solver { return risk.Solver{Share: 0.3, Epsilon: 0.5} },
		"chance": func(lo, hi float64) bcpace.Solver { return risk.Chance{Level: (lo + hi) / 2, Epsilon: 0.05} },
	} {
		for seed := range uint64(4) {
			m, err := bcpace.FromTables(pomdptest.RandomTables(rand.New(rand.NewPCG(seed, 1))))
			if err != nil {
				t.Fatal(err)
			}
			lo, hi := solverkit.RangeOfReturns(m)
			found, err := of(lo, hi).Solve(t.Context(), m, bcpace.Control{})
			if err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			for at, through := range doors {
				t.Run(name+"/"+at, func(t *testing.T) { through(t, m, found) })
			}
		}
	}
}
