package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"

	"bayescpace/bcpace"
	"bayescpace/bcpace/act"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
)

// savedArgs are the flags of what solve --out has saved: a run, or a policy. --run and --policy take either.
type savedArgs struct {
	run, policy, model, property string
	simulated                    simulator
}

func (a *savedArgs) flags(f *flags, ofRun string) {
	f.value("run", "FILE", "what bcpace solve --out has saved: a run, or a policy"+ofRun, text(&a.run))
	a.policyFlags(f)
	f.value("model", "FILE", "of a policy, the model file, if it lies elsewhere than when the policy was found, or where the policy is a .policy or .alpha file, or a controller", text(&a.model))
	propertyFlag(f, &a.property)
	a.simulated.flags(f)
}

func (a *savedArgs) policyFlags(f *flags) {
	f.value("policy", "FILE", "the same as --run; with --model also a .policy file of bcpace or APPL, a .alpha or .pg file of pomdp-solve, or the JSON of a controller of Storm. Of a controller, the policy is that of the values of its nodes, "+
		"which earns no less", text(&a.policy))
}

// saved is what such a file holds.
type saved struct {
	run   *runs.Run
	kept  *kept.PolicyFile // nil of a run, and of a .policy or .alpha file; of a controller, what is known of its value
	model bcpace.Model     // nil where the model file holds no BAMDP
	// policy is nil where the model file holds no BAMDP, and refused says why.
	policy  bcpace.Policy
	refused error
	play    problem.EpisodePlayer
	// tables are those of a model file, and found is a policy of them, with the tables that it acts on; nil of any other policy.
	tables   *pomdp.Model
	found    *pomdp.Solution
	controls any // what a controller earns, a number; nil of any other policy
	// vectors is a policy for a hidden vector; nil of any other.
	vectors *problem.Vectors
}

// open reads the run or the policy.
func (a *savedArgs) open(p program, f *flags) (*saved, error) {
	switch {
	case f.given["run"] && f.given["policy"]:
		return nil, misuse("--run and --policy contradict each other: leave one of them out")
	case !f.given["run"] && !f.given["policy"]:
		return nil, misuse("--run or --policy is missing")
	case !a.holdsRun():
		s, err := a.openPolicy(p.ctx, f)
		if err == nil {
			p.note(s.tables)
		}
		return s, interrupted(err)
	case f.given["model"]:
		return nil, misuse("--model and --run contradict each other: leave one of them out")
	}
	r, err := readRunFile(p.ctx, a.file(), a.simulated.finder(p.ctx))
	if err != nil {
		return nil, err
	}
	return &saved{run: r, model: r.Model(), policy: r.Policy(), play: problem.OnModel(r.Model(), r.Policy())}, nil
}

// file is the name that --run or --policy gives.
func (a *savedArgs) file() string { return cmp.Or(a.run, a.policy) }

// holdsRun says whether the file is read as a run: it is one, or it is nothing known and --run names it.
func (a *savedArgs) holdsRun() bool {
	file, err := disk.Open(a.file())
	if err != nil {
		return a.run != "" // reading it fails too
	}
	defer file.Close()
	return runKind.is(file) || a.run != "" && !isPolicy(file)
}

// isPolicy says that a file is a policy of any format.
func isPolicy(f *os.File) bool { return keptKind.is(f) || isVectors(f) }

// isVectors says that a file holds the vectors of a .policy or .alpha file, or a controller.
func isVectors(f *os.File) bool {
	return policyKind.is(f) || extension(f.Name()) == ".policy" && !keptKind.is(f) || extension(f.Name()) == ".alpha" || isController(f)
}

// isController says that a file holds a finite-state controller, of which the policy is that of its values.
func isController(f *os.File) bool { return problem.IsGraph(f.Name()) || stormKind.is(f) }

// playable is open, of what is a policy of a BAMDP.
func (a *savedArgs) playable(p program, f *flags) (*saved, error) {
	s, err := a.open(p, f)
	if err == nil && s.policy == nil {
		return nil, fmt.Errorf("%s: a policy whose states and beliefs are not those of a Bayes-adaptive MDP, as this verb needs them: %w", a.file(), s.refused)
	}
	return s, err
}

// openPolicy reads a policy file of any format.
func (a *savedArgs) openPolicy(ctx context.Context, f *flags) (*saved, error) {
	file, err := readFile(ctx, a.file(), func(f *os.File) (*kept.PolicyFile, error) {
		if isVectors(f) {
			return nil, nil
		}
		return kept.ReadFile(f)
	})
	switch {
	case err != nil:
		return nil, err
	case file == nil && !f.given["model"]:
		return nil, misuse("--policy %s needs the --model that it is for", a.file())
	case file == nil:
		return a.openVectors(ctx)
	}
	p, err := a.problem(ctx, file)
	var found *problem.PolicyFound
	if err == nil {
		found, err = p.Open(ctx, file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.file(), err)
	}
	s := &saved{kept: file, model: p.Model, policy: found.Policy, refused: p.NoBAMDP, play: found.Play, tables: p.Tables, found: found.Tables, vectors: found.Vectors}
	if s.policy == nil && s.refused == nil {
		s.refused = errors.New("its states are those of the file with what observations reveal; --algorithm certified finds one for the model")
	}
	return s, nil
}

// readFile returns what read makes of a file, or the error of ctx where that ends first.
func readFile[T any](ctx context.Context, name string, read func(*os.File) (T, error)) (T, error) {
	return await(ctx, func() (x T, err error) {
		file, err := disk.Open(name)
		if err != nil {
			return x, err
		}
		defer file.Close()
		if x, err = read(file); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return x, err
	})
}

// problem makes the problem of a policy file.
func (a *savedArgs) problem(ctx context.Context, k *kept.PolicyFile) (p problem.Problem, err error) {
	if isFile(k.Model, k.Params) {
		return problemOfFile(ctx, cmp.Or(a.model, k.Params[0].Value), k.Params)
	}
	if a.model != "" {
		return p, misuse("--model is for the policy of a model file, and this one is for %s", k.Model)
	}
	if isHidden(k.Model) {
		return problem.Named(k.Model, k.Params, 0, 0)
	}
	p.Model, err = a.simulated.finder(ctx)(k.Model, k.Params)
	return p, err
}

// openVectors reads the α-vectors of a .policy or .alpha file.
func (a *savedArgs) openVectors(ctx context.Context) (*saved, error) {
	m, err := problem.ReadModel(ctx, a.model, a.property)
	if err != nil {
		return nil, err
	}
	s := &saved{tables: m}
	if controls, err := readFile(ctx, a.file(), func(f *os.File) (bool, error) { return isController(f), nil }); err != nil {
		return nil, err
	} else if controls {
		if s.found, err = (problem.ModelFile{Name: a.model, Property: a.property, Tables: m}).OpenController(ctx, a.file()); err != nil {
			return nil, err
		}
		s.controls = number(s.found.Value)
		s.kept = &kept.PolicyFile{Model: m.Name, Solver: "a controller", Claim: kept.ClaimOf(s.found.Value, s.found.Certificate, s.found.Stop)}
	} else if s.found, err = problem.OpenVectors(ctx, a.file(), m); err != nil {
		return nil, err
	}
	of, v := s.found.Model, s.found.Policy
	s.play, m.Horizon = problem.OnTables(of, v), of.Horizon
	p, err := ofFile(ctx, m, a.model, a.property)
	if err != nil {
		return nil, err
	}
	if s.model, s.refused = p.Model, p.NoBAMDP; p.Model != nil {
		s.policy, s.refused = pomdp.OnSeen(ctx, p.Model, m, of, v)
	}
	return s, nil
}

// keptKind is a policy file of this program.
var keptKind = fileKind{"a policy", begins(`^\s*\{\s*"format":\s*"` + kept.Format + `"`)}

// stormKind is a controller in Storm's JSON, and graphKind one in another format that export writes.
var (
	stormKind = fileKind{"a controller", begins(`^\s*\{\s*"(deterministic|initial-node|nodes)"\s*:`)}
	graphKind = fileKind{"a controller", begins(`^digraph\b|^0 [0-9]+  `)}
)

// named finds the name of the model in the head of a .policy file.
var named = regexp.MustCompile(`<Policy\b[^>]*\bmodel="([^"]*)"`)

// checkPolicyReplaced returns what is to be said where the file holds another policy than one for p by s, and "" where it does not.
func checkPolicyReplaced(f *os.File, p problem.Problem, s bcpace.Solver) string {
	head := headOf(f, 4096)
	switch {
	case keptKind.is(f):
		was, err := kept.ReadFile(f)
		if err != nil {
			return "cannot be read: " + err.Error()
		}
		if differs := p.Differs(was, s); differs != "" {
			return "holds another policy: " + differs
		}
		return ""
	case len(head) == 0 || p.Tables == nil:
		return ""
	}
	if name := named.FindSubmatch(head); name == nil || html.UnescapeString(string(name[1])) != p.Tables.Name {
		return "holds a policy that is not for " + p.Tables.Name
	}
	return ""
}

// keepFound is Problem.Keep, with where the model is from, and whether a solver was named.
func (t task) keepFound(found *problem.PolicyFound, policy bcpace.Policy) (io.WriterTo, error) {
	k, err := t.problem.Keep(found, policy)
	if err != nil {
		return nil, err
	}
	if k.ByDefault = t.best && k.Question == ""; t.from != nil && t.problem.Model == nil {
		k.Params = t.from
	}
	return k, nil
}

// openRun reads a run that solve saved.
func openRun(ctx context.Context, name string) (*runs.Run, error) {
	return readRunFile(ctx, name, modelFinder(ctx))
}

// readRunFile reads a run whose model find makes.
func readRunFile(ctx context.Context, name string, find runs.ModelFinder) (*runs.Run, error) {
	r, err := readFile(ctx, name, func(f *os.File) (*runs.Run, error) {
		if isPolicy(f) {
			return nil, errors.New("it is a policy, and here the samples of a run are read: solve --algorithm certified --out FILE saves one, or --algorithm bayes-cpace")
		}
		return runs.Read(f, find, nil)
	})
	return r, cutOff(err, fmt.Errorf("out of time while reading the run %s; give more time", name), fmt.Errorf("interrupted while reading the run %s", name))
}

var actVerb = newVerb[actArgs]("act", "answer states or observations with actions, beliefs and bounds, a line of JSON each",
	"(--run FILE | --policy FILE [--model FILE [--property TEXT]]) [--process COMMAND] [--seed N]",
	"act --run tiger.bcp",
	"act --policy careful.json")

// actArgs are the flags of act.
type actArgs struct {
	saved savedArgs
	seed  uint64
}

func (a *actArgs) flags(f *flags) {
	f.section("policy")
	a.saved.flags(f, ". A line of standard input such as {\"state\": [0]} begins an episode, and {\"reward\": -1, \"next\": [1]} says what followed the "+
		"action of the last answer; where another one was taken, \"action\" has its name or number. A policy of a POMDP, as in a .policy file, takes what is seen: a value of each visible variable in both lists, "+
		"and behind these, in \"next\", the observation. {\"ask\": \"hello\"} is answered by what the lists hold. A line of standard output has the action, its name, its controls, the belief, or an error, after which all is as before")
	f.value("seed", "N", "seed of the random numbers of policies that draw (default 0)", unsigned(&a.seed))
}

// agent is what acts: by the observations of a POMDP where the policy is for the tables of a file, and by states where not.
func (s *saved) agent(ctx context.Context, seed uint64) (*act.Agent, error) {
	if v := s.vectors; v != nil {
		return act.NewVectors(v.Model, v.Policy, v.Filter, seed)
	}
	if s.found != nil {
		return act.NewObserver(ctx, s.tables, s.found.Model, s.found.Policy)
	}
	return act.New(s.model, s.policy, seed)
}

// act is the verb act.
func (a *actArgs) run(p program, f *flags) error {
	s, err := a.saved.open(p, f)
	if err != nil {
		return err
	}
	agent, err := s.agent(p.ctx, a.seed)
	if err != nil {
		return err
	}
	defer a.saved.simulated.asked.Within(p.ctx)()
	_, err = await(p.ctx, func() (struct{}, error) { return struct{}{}, agent.Serve(p.ctx, p.stdin, p.stdout) })
	return cutOff(err, err, errors.New("interrupted"))
}
