package bcpace_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/act"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/leaderboard"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// asking are types that ask another policy and have no test by plannertest.HandsOn, each with the reason.
var asking = map[string]string{
	"bcpace.derivedPolicy":                    "TestPolicyOfHandsOn, and a test of each caller of DerivePolicy",
	"bcpace/hidden/discretise.discretePolicy": "a policy of another kind of model: TestPolicyHandsOn there",
	"bcpace/cpace.greedyPolicy":               "its options name a Controller, which it does not ask",
	"bcpace/cpace.worker":                     "its options name a Controller, which it does not ask",
	"bcpace/pomdp.onBAMDP":                    "a pomdp.Policy can only act and fork, and keeps its vectors",
	"bcpace/pomdp.onSeen":                     "a pomdp.Policy can only act and fork: TestOnSeen there",
	"bcpace/pomdp.PlacedPolicy":               "a pomdp.Policy can only act and fork: TestOnSeen there",
	"bcpace/online/thompson.policy":           "it asks QMDP where a latent is certain, which can only act",
}

// TestEveryAskingPolicyIsCompared: each type of a policy that holds another one has a test that it hands
// on what that can do.
func TestEveryAskingPolicyIsCompared(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := filepath.ToSlash(dir)
		if name = strings.TrimPrefix(name, "../"); strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata" || d.Name() == "plannertest" {
			return fs.SkipDir
		}
		for _, of := range askingIn(t, dir) {
			found[name+"."+of] = true
			if _, ok := asking[name+"."+of]; !ok && !hasTest(t, dir, fmt.Sprintf("plannertest.HandsOn(t, %q", of)) {
				t.Errorf("%s.%s asks another policy, and no test compares them: want plannertest.HandsOn(t, %q, …)", name, of, of)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for of := range asking {
		if !found[of] {
			t.Errorf("%s asks no other policy", of)
		}
	}
}

var policyType = regexp.MustCompile(`\b(bcpace\.|pomdp\.|hidden\.)?(Policy|Planner|Episodic|Inspector)\b`)

// askingIn returns the types of the package in a folder that have a method Act and hold a policy.
func askingIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	set := token.NewFileSet()
	pkgs, err := parser.ParseDir(set, dir, func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		fields, acts := map[string][]string{}, map[string]bool{} // the types of fields, by struct
		ast.Inspect(p, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.TypeSpec:
				if s, ok := x.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						if _, ok := f.Type.(*ast.FuncType); !ok {
							fields[x.Name.Name] = append(fields[x.Name.Name], types.ExprString(f.Type))
						}
					}
				}
			case *ast.FuncDecl:
				if x.Recv != nil && x.Name.Name == "Act" {
					acts[strings.TrimPrefix(types.ExprString(x.Recv.List[0].Type), "*")] = true
				}
			}
			return true
		})
		var holds func(of string, seen map[string]bool) bool
		holds = func(of string, seen map[string]bool) bool {
			if seen[of] {
				return false
			}
			seen[of] = true
			for _, f := range fields[of] {
				f = strings.TrimLeft(f, "[]*")
				if m := policyType.FindString(f); m == f && (strings.Contains(f, ".") || fields[f] == nil) || holds(f, seen) {
					return true
				}
			}
			return false
		}
		for of := range acts {
			if holds(of, map[string]bool{}) {
				names = append(names, of)
			}
		}
	}
	return names
}

// hasTest reports whether a test file in a folder has that text.
func hasTest(t *testing.T, dir, text string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), text) {
			return true
		}
	}
	return false
}

// TestPolicyOfHandsOn: a policy of PolicyOf can do what the one inside can.
func TestPolicyOfHandsOn(t *testing.T) {
	short := bcpace.Derive(envs.Tiger{}, func(_ bcpace.Model, can *bcpace.Abilities) { can.Spec.Horizon = 4 })
	with := bcpace.KeepHorizon(short)
	plannertest.HandsOn(t, "policyOf", with, plannertest.Except{},
		func(p bcpace.Policy) bcpace.Policy { return bcpace.PolicyOf(with, p) })
}

// TestEveryPlayerTells: wherever episodes of a policy are simulated, it is told of their beginning and of
// each step between two of its actions, and a policy that takes long gets the context.
//
//test:race
func TestEveryPlayerTells(t *testing.T) {
	m := envs.Tiger{}
	run, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 10, Bound: cpace.BoundConstant, MaxSamples: 5})
	if err != nil {
		t.Fatal(err)
	}
	for name, play := range map[string]func(ctx context.Context, p bcpace.Policy) error{
		"eval.Rollouts": func(ctx context.Context, p bcpace.Policy) error {
			_, err := eval.Rollouts(ctx, m, p, eval.Options{Episodes: 3, Horizon: 4, Workers: 1})
			return err
		},
		"eval.RecordWithin": func(ctx context.Context, p bcpace.Policy) error {
			_, err := eval.RecordWithin(ctx, m, p, eval.Options{Episodes: 3, Horizon: 4, Workers: 1}, 1)
			return err
		},
		"leaderboard.Of": func(ctx context.Context, p bcpace.Policy) error {
			_, err := leaderboard.Of(ctx, m, []leaderboard.Entry{{Name: "it", Policy: p}}, eval.Options{Episodes: 3, Horizon: 4, Workers: 1})
			return err
		},
		"cover.Sample": func(ctx context.Context, p bcpace.Policy) error {
			_, err := cover.Sample(ctx, m, cover.ReachOptions{Episodes: 3, Depth: 4}, p)
			return err
		},
		"cover.MeasureHoles": func(ctx context.Context, p bcpace.Policy) error {
			_, err := cover.MeasureHoles(ctx, run, cover.HoleOptions{Radius: 1, Draws: 3, Policy: p})
			return err
		},
		"cpace.Solver.Controller": func(ctx context.Context, p bcpace.Policy) error {
			_, err := cpace.Solver{Epsilon: 10, Bound: cpace.BoundConstant, MaxSamples: 5, CertificateEpisodes: 5, Controller: p}.Solve(ctx, m, bcpace.Control{Workers: 1})
			return err
		},
		"pomcp.Solver.RolloutPolicy": func(ctx context.Context, p bcpace.Policy) error {
			found, err := pomcp.Solver{Budget: bcpace.Budget{Simulations: 20, Depth: 4}, RolloutPolicy: p}.Solve(ctx, m, bcpace.Control{})
			if err == nil {
				_, err = eval.Rollouts(ctx, m, found.Policy, eval.Options{Episodes: 1, Horizon: 2, Workers: 1})
			}
			return err
		},
		"act.Agent": func(ctx context.Context, p bcpace.Policy) error {
			a, err := act.New(m, p, 1)
			if err == nil {
				_, err = a.Begin(ctx, []float64{0})
			}
			for range 3 {
				if err == nil {
					_, err = a.Observe(ctx, 0, -1, []float64{1})
				}
			}
			return err
		},
	} {
		p := plannertest.EpisodicPolicy{Recorder: plannertest.NewRecorder(m)}
		if err := play(t.Context(), p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if p.Begins == 0 || p.Acts < p.Begins || p.Observes < p.Acts-p.Begins || p.Observes > p.Acts {
			t.Errorf("%s: %+v", name, *p.Calls)
		}
		long := plannertest.Deciding{Recorder: plannertest.NewRecorder(m)}
		ctx, cancel := context.WithCancel(t.Context())
		if err := play(ctx, long); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
		endless := slices.ContainsFunc(long.Contexts, func(ctx context.Context) bool { return ctx.Err() == nil })
		if len(long.Contexts) == 0 || endless {
			t.Errorf("%s: a policy that takes long gets no context, or another one", name)
		}
	}
}
