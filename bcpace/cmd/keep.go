package cmd

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/internal/regularfile"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
)

// savedArgs are the flags of what solve --out has saved: a run, or a policy.
type savedArgs struct {
	run, policy, model string
	simulated          simulator
}

func (a *savedArgs) flags(f *flags, ofRun string) {
	f.value("run", "FILE", "run saved by bcpace solve --out"+ofRun, text(&a.run))
	a.policyFlags(f)
	f.value("model", "FILE", "with --policy, the model file, if it lies elsewhere than when the policy was found, or where the policy is a .policy or .alpha file", text(&a.model))
	a.simulated.flags(f)
}

func (a *savedArgs) policyFlags(f *flags) {
	f.value("policy", "FILE", "policy saved by bcpace solve --out, in place of --run; with --model also a .policy file of bcpace or APPL, or a .alpha file of pomdp-solve", text(&a.policy))
}

// saved is what such a file holds.
type saved struct {
	run   *runs.Run
	kept  *problem.Kept // nil of a run, and of a .policy or .alpha file
	model bcpace.Model  // nil where the model file holds no BAMDP
	// policy is nil where the model file holds no BAMDP, and refused says why.
	policy  bcpace.Policy
	refused error
	play    problem.Player
	// tables are those of a model file, and found is a policy of them, with the tables that it acts on; nil of any other policy.
	tables *pomdp.Model
	found  *pomdp.Solution
}

// open reads the run or the policy.
func (a *savedArgs) open(p program, f *flags) (*saved, error) {
	switch {
	case f.given["run"] && f.given["policy"]:
		return nil, misuse("--run and --policy contradict each other: leave one of them out")
	case f.given["run"] && f.given["model"]:
		return nil, misuse("--run and --model contradict each other: leave one of them out")
	case f.given["policy"]:
		s, err := a.openPolicy(p.ctx, f)
		if err == nil {
			p.note(s.tables)
		}
		return s, interrupted(err)
	case !f.given["run"]:
		return nil, misuse("--run or --policy is missing")
	}
	r, err := readRunFile(p.ctx, a.run, a.simulated.finder(p.ctx))
	if err != nil {
		return nil, err
	}
	return &saved{run: r, model: r.Model(), policy: r.Policy(), play: problem.OnModel(r.Model(), r.Policy())}, nil
}

// playable is open, of what is a policy of a BAMDP.
func (a *savedArgs) playable(p program, f *flags) (*saved, error) {
	s, err := a.open(p, f)
	if err == nil && s.policy == nil {
		return nil, fmt.Errorf("%s: a policy whose states and beliefs are not those of a Bayes-adaptive MDP, as this verb needs them: %w", a.policy, s.refused)
	}
	return s, err
}

// openPolicy reads a policy file of any format.
func (a *savedArgs) openPolicy(ctx context.Context, f *flags) (*saved, error) {
	kept, err := a.readKept(ctx)
	if err != nil {
		return nil, err
	}
	if kept == nil {
		if !f.given["model"] {
			return nil, misuse("--policy %s needs the --model that it is for", a.policy)
		}
		return a.openVectors(ctx)
	}
	p, err := a.problem(ctx, kept)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.policy, err)
	}
	found, err := kept.On(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.policy, err)
	}
	return &saved{kept: kept, model: p.Model, policy: found.Policy, refused: p.NoBAMDP, play: found.Play, tables: p.Tables, found: found.Tables}, nil
}

// readKept reads a policy file of this program; nil for a .policy or .alpha file.
func (a *savedArgs) readKept(ctx context.Context) (*problem.Kept, error) {
	return await(ctx, func() (*problem.Kept, error) {
		file, err := regularfile.Open(a.policy)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		switch {
		case runKind.is(file):
			return nil, inputError("--policy", fmt.Sprintf("%q, which is a run", a.policy), "a policy; --run takes runs")
		case extension(a.policy) == ".pg":
			return nil, inputError("--policy", fmt.Sprintf("%q, the policy graph of pomdp-solve, which does not say where it begins", a.policy),
				"the .alpha file that pomdp-solve writes beside it: a node of the graph is a vector there")
		case policyKind.is(file), extension(a.policy) == ".policy" && !keptKind.is(file), extension(a.policy) == ".alpha":
			return nil, nil
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		k, err := problem.ReadKept(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.policy, err)
		}
		return k, nil
	})
}

// problem makes the problem of a policy file.
func (a *savedArgs) problem(ctx context.Context, k *problem.Kept) (p problem.Problem, err error) {
	if isFile(k.Model, k.Params) {
		return problemOfFile(ctx, cmp.Or(a.model, k.Params[0].Value), k.Params)
	}
	if a.model != "" {
		return p, misuse("--model is for the policy of a model file, and this one is for %s", k.Model)
	}
	p.Model, err = a.simulated.finder(ctx)(k.Model, k.Params)
	return p, err
}

// openVectors reads the α-vectors of a .policy or .alpha file.
func (a *savedArgs) openVectors(ctx context.Context) (*saved, error) {
	m, err := pomdpfile.ReadFile(ctx, a.model)
	if err != nil {
		return nil, err
	}
	v, of, err := problem.OpenVectors(ctx, a.policy, m)
	if err != nil {
		return nil, err
	}
	s := &saved{play: problem.OnTables(of, v), tables: m, found: &pomdp.Solution{Model: of, Policy: v}}
	m.Horizon = of.Horizon
	p, err := ofFile(ctx, m, a.model)
	if err != nil {
		return nil, err
	}
	if s.model, s.refused = p.Model, p.NoBAMDP; p.Model != nil {
		s.policy, s.refused = pomdp.OnSeen(p.Model, m, of, v)
	}
	return s, nil
}

// keptKind is a policy file of this program.
var keptKind = fileKind{"a policy", begins(`^\s*\{\s*"format":\s*"` + problem.KeptFormat + `"`)}

// named finds the name of the model in the head of a .policy file.
var named = regexp.MustCompile(`<Policy\b[^>]*\bmodel="([^"]*)"`)

// checkPolicyReplaced returns what is to be said where the file holds another policy than one for p by s, and "" where it does not.
func checkPolicyReplaced(f *os.File, p problem.Problem, s bcpace.Solver, question string) string {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "cannot be read: " + err.Error()
	}
	if keptKind.is(f) {
		_, err := f.Seek(0, io.SeekStart)
		was, bad := problem.ReadKept(f)
		if err = cmp.Or(err, bad); err != nil {
			return "cannot be read: " + err.Error()
		}
		if differs := was.Differs(p, s, question); differs != "" {
			return "holds another policy: " + differs
		}
		return ""
	}
	head := make([]byte, 4096)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "cannot be read: " + err.Error()
	}
	n, _ := io.ReadFull(f, head)
	if n == 0 || p.Tables == nil {
		return ""
	}
	if name := named.FindSubmatch(head[:n]); name == nil || html.UnescapeString(string(name[1])) != p.Tables.Name {
		return "holds a policy that is not for " + p.Tables.Name
	}
	return ""
}

// keepFound returns what is saved of a policy that a solver has found, beside what was said of it.
func (t task) keepFound(found *problem.Found, policy bcpace.Policy) (io.WriterTo, error) {
	made := !found.InSetUp && found.Stop != stop.Deadline && found.Stop != stop.Interrupted
	return t.keepPolicy(t.solver, policy, made, "", problem.ClaimOf(found.Value, found.Stated(), found.Stop))
}

// keepPolicy is Problem.Keep, with where the model is from.
func (t task) keepPolicy(s bcpace.Solver, policy bcpace.Policy, made bool, question string, claim problem.Claim) (io.WriterTo, error) {
	k, err := t.problem.Keep(s, policy, made, question, claim)
	if err != nil {
		return nil, err
	}
	if t.problem.Model == nil {
		k.Params = t.from
	}
	return k, nil
}
