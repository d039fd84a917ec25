package problem

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/risk"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
)

// solvedKind is the kind of a policy that its solver makes again when the file is read: one that plans or learns as it
// acts, or whose set-up is short.
const solvedKind = "solver"

// vectorsKind is the kind of a policy of α-vectors for the tables of a file, in the states that a search acts on.
const vectorsKind = "tables"

// onTables returns the policy of α-vectors for the tables of p, as Open does.
func (p Problem) onTables(ctx context.Context, k *kept.PolicyFile) (*PolicyFound, error) {
	if p.Tables == nil {
		return nil, kept.Bad("the model", "not of a file", "the file for which the policy was found")
	}
	var list kept.Vectors
	if err := kept.Decode(k.Policy.Data, &list); err != nil {
		return nil, err
	}
	of, err := pomdp.Searched(ctx, p.Tables, false)
	if err == nil && len(list.Count) != of.NumVisible() {
		of, err = pomdp.Searched(ctx, p.Tables, true)
	}
	if err != nil {
		return nil, err
	}
	v, err := pomdp.ReadVectors(&list, of.NumVisible(), 0, of.NumHidden(), len(of.Actions))
	if err != nil {
		return nil, err
	}
	found := &PolicyFound{Solution: &bcpace.Solution{}, Tables: &pomdp.Solution{Model: of, Policy: v}, Play: OnTables(of, v)}
	if p.Model != nil {
		if found.Policy, err = pomdp.OnSeen(ctx, p.Model, p.Tables, of, v); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// keep returns what a file holds of a policy that s has found; nil for the policy of the tables of a file. made says that s makes the same policy
// again. The error says why there is no such file.
func (p Problem) keep(s bcpace.Solver, policy bcpace.Policy, made bool, claim kept.Claim) (*kept.PolicyFile, error) {
	asked := solverkit.ObjectiveOf(s)
	s = inside(s)
	k, err := kept.NewFile(p.Spec(), s, asked, claim)
	if err != nil {
		return nil, err
	}
	k.Policy = kept.Policy{Kind: solvedKind, Data: json.RawMessage("null")}
	if asked == (bcpace.Objective{}) {
		k.Objective = nil
	}
	if a, ok := s.(adaops.Solver); ok && a.Bounds != nil {
		r := lookahead.RunOf(a.Bounds)
		if r == nil {
			return nil, errors.New("the bounds of adaops cannot be kept, as they are not those of a run")
		}
		var b bytes.Buffer
		if _, err := r.WriteTo(&b); err != nil {
			return nil, err
		}
		k.Bounds = b.Bytes()
	}
	if policy != nil {
		placed, err := kept.Place(p.Model, policy)
		if err == nil {
			k.Placed = placed
			return k, nil
		}
		if !errors.Is(err, kept.ErrNoData) || k.Question != "" {
			return nil, err
		}
		k.Points, k.StepsLeft = placed.Points, placed.StepsLeft
	}
	if !made {
		return nil, fmt.Errorf("the policy of %s cannot be kept, as its set-up was cut short (%s), and a file holds what makes it again: give more time", s.Name(), claim.Stop)
	}
	return k, nil
}

// Spec describes the model, or the tables or the model with a hidden vector where there is none.
func (p Problem) Spec() bcpace.Spec {
	switch {
	case p.Model != nil:
		return p.Model.Spec()
	case p.Tables != nil:
		return p.Tables.Spec()
	}
	return p.Hidden.Spec.Spec
}

// Open returns the policy of a file for the problem, with what plays it: as one of the model, nil where the file holds no BAMDP, and as one of
// the tables, where a solver makes it again for these. The error is that of ctx, or an *bcpace.InputError for another problem.
func (p Problem) Open(ctx context.Context, k *kept.PolicyFile) (*PolicyFound, error) {
	if spec := p.Spec(); fingerprint.OfSpec(spec) != k.Spec {
		return nil, kept.Bad("the model "+strconv.Quote(k.Model), "described in another way than where the policy was found", "the same model: "+fmt.Sprint(k.Params))
	}
	switch k.Policy.Kind {
	case solvedKind:
		return p.again(ctx, k)
	case vectorsKind:
		return p.onTables(ctx, k)
	}
	if p.Model == nil {
		return nil, p.NoBAMDP
	}
	policy, err := k.Placed.On(ctx, p.Model)
	if err != nil {
		return nil, err
	}
	return &PolicyFound{Solution: &bcpace.Solution{Policy: policy}, Play: OnModel(p.Model, policy)}, nil
}

// again has the solver find the policy again.
func (p Problem) again(ctx context.Context, k *kept.PolicyFile) (*PolicyFound, error) {
	s, err := p.Solver(k.Solver)
	if err != nil {
		return nil, err
	}
	options := reflect.New(reflect.TypeOf(s))
	d := json.NewDecoder(bytes.NewReader(k.Options))
	d.DisallowUnknownFields()
	if err := d.Decode(options.Interface()); err != nil {
		return nil, &bcpace.InputError{Where: "policy file", What: "the options of " + k.Solver, Got: string(k.Options), Err: err, Want: "those of this version"}
	}
	solver := options.Elem().Interface().(bcpace.Solver)
	if a, ok := solver.(adaops.Solver); ok && k.Bounds != nil && p.Model != nil {
		r, err := runs.Read(bytes.NewReader(k.Bounds), runs.FixedModel(p.Model), nil)
		if err == nil {
			a.Bounds, err = lookahead.Of(r)
		}
		if err != nil {
			return nil, err
		}
		solver = a
	}
	found, err := p.Solve(ctx, solver, bcpace.Control{})
	if err == nil && found.InSetUp {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if found.Tables != nil && p.Model != nil { // those of the tables act on states of their own
		on, err := solver.Solve(ctx, p.Model, bcpace.Control{})
		if err != nil {
			return nil, err
		}
		found.Policy = on.Policy
	}
	return found, nil
}

// Asked returns what the policy of a file is the best for. An older file has the question alone.
func Asked(k *kept.PolicyFile) (o bcpace.Objective, err error) {
	if k.Objective != nil {
		return *k.Objective, nil
	}
	number := 0.0
	if share, ok := strings.CutPrefix(k.Question, "risk cvar="); ok {
		number, err = numtext.Float(share)
		return risk.Solver{Share: number}.Objective(), err
	}
	if level, ok := strings.CutPrefix(k.Question, "risk below="); ok {
		number, err = numtext.Float(level)
		return risk.Chance{Level: number}.Objective(), err
	}
	return bcpace.Objective{Question: k.Question, Bounds: k.Question}, nil
}

// inside returns the solver that a file names: of a question, the one that is asked.
func inside(s bcpace.Solver) bcpace.Solver {
	if q, ok := s.(solverkit.Questioner); ok {
		return q.Inside()
	}
	return s
}

// Differs says in what the policy of a file is another one than s would find for p, or where s is nil the one of several solvers that
// earns most; "" if it is not.
func (p Problem) Differs(k *kept.PolicyFile, s bcpace.Solver) string {
	question := solverkit.ObjectiveOf(s).Question
	s = inside(s)
	options, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	var was bytes.Buffer
	if err := json.Compact(&was, k.Options); err != nil {
		return err.Error()
	}
	const mean = "the largest mean"
	switch spec := p.Spec(); {
	case spec.Name != k.Model || fingerprint.OfSpec(spec) != k.Spec:
		return fmt.Sprintf("its model is %s %v, not %s %v", k.Model, k.Params, spec.Name, spec.Params)
	case k.Question != question:
		return fmt.Sprintf("it was found for %s, not for %s", cmp.Or(k.Question, mean), cmp.Or(question, mean))
	case s == nil && k.ByDefault:
	case s == nil:
		return fmt.Sprintf("its algorithm, %s, was asked for by name", k.Solver)
	case k.Solver != s.Name():
		return fmt.Sprintf("its algorithm is %s, not %s", k.Solver, s.Name())
	case was.String() != string(options):
		return fmt.Sprintf("its options are %s, not %s", was.String(), options)
	}
	return ""
}

// RunDiffers says what a file holds that is another run than one of p by s, or where s is nil than one of the first of several
// solvers that are tried; "" if it is not.
func (p Problem) RunDiffers(f io.ReadSeeker, s bcpace.Solver) string {
	if p.Model == nil {
		return "holds a run, not a policy"
	}
	_, err := f.Seek(0, io.SeekStart)
	was, bad := runs.ReadInfo(f)
	if s == nil && err == nil && bad == nil {
		first, _ := choose.One(p.Model, choose.Asked{File: p.Tables != nil})
		if s, err = p.Solver(first); err == nil {
			s = p.onGridOf(s, was)
		}
	}
	if err = cmp.Or(err, bad); err != nil {
		return "cannot be read: " + err.Error()
	}
	if differs := was.Differs(p.Model, s); differs != "" {
		return "holds another run: " + differs
	}
	return ""
}

// onGridOf returns s with the grid of a run, which goes by the time that there is.
func (p Problem) onGridOf(s bcpace.Solver, was runs.Info) bcpace.Solver {
	c, ok := s.(certified.Solver)
	var own certified.Solver
	if ok && was.Algorithm == c.Name() && json.Unmarshal(was.Parameters, &own) == nil {
		c.Grid.MaxPoints = own.Grid.MaxPoints
		return c
	}
	return s
}

// Keep returns what a file holds of what was found; policy is nil on the tables of a file. The error says why there is no such file.
func (p Problem) Keep(found *PolicyFound, policy bcpace.Policy) (*kept.PolicyFile, error) {
	claim := kept.ClaimOf(found.Value, found.Stated(), found.Stop)
	if found.Tables != nil {
		if v, ok := found.Tables.Policy.(*pomdp.VectorPolicy); ok {
			k, err := p.keep(found.Solver, nil, true, claim)
			if err != nil {
				return nil, err
			}
			k.Policy.Kind = vectorsKind
			k.Policy.Data, err = json.Marshal(v.Kept())
			return k, err
		}
	}
	made := !found.InSetUp && !found.Stop.ByContext()
	return p.keep(found.Solver, policy, made, claim)
}

// PolicyFound is what a solver has found: on the model of a problem, or on its tables.
type PolicyFound struct {
	// Solution is that of the model. On tables, all but its Policy is that of Tables.
	*bcpace.Solution
	Tables  *pomdp.Solution // nil but on tables
	Vectors *Vectors        // nil but with a hidden vector
	Play    EpisodePlayer   // plays the policy
}

// EpisodePlayer plays episodes with a policy.
type EpisodePlayer func(ctx context.Context, o eval.Options) (eval.Result, error)

// OnModel returns what plays p in a BAMDP.
func OnModel(m bcpace.Model, p bcpace.Policy) EpisodePlayer {
	return func(ctx context.Context, o eval.Options) (eval.Result, error) { return eval.Rollouts(ctx, m, p, o) }
}

// OnTables returns what plays p in a POMDP.
func OnTables(m *pomdp.Model, p pomdp.Policy) EpisodePlayer {
	return func(ctx context.Context, o eval.Options) (eval.Result, error) {
		return pomdp.Rollouts(ctx, m, p, o)
	}
}

// Solve runs a solver: on the tables of a file where it can, and otherwise on the model. If the
// model has broken its contract, what was found before stands beside the error.
func (p Problem) Solve(ctx context.Context, s bcpace.Solver, c bcpace.Control) (*PolicyFound, error) {
	if s, ok := s.(pomdp.Solver); ok && p.Tables != nil {
		x, err := s.SolvePOMDP(ctx, p.Tables, c)
		if err != nil {
			return nil, err
		}
		return &PolicyFound{Tables: x, Play: OnTables(x.Model, x.Policy), Solution: &bcpace.Solution{Solver: x.Solver, Value: x.Value, Certificate: x.Certificate,
			Trace: x.Trace, Stop: x.Stop, InSetUp: x.InSetUp, StandIn: runs.StandInFirst}}, nil
	}
	if s, ok := s.(solvers.Planner); ok {
		return p.plan(s)
	}
	x, err := s.Solve(ctx, p.Model, c)
	if x == nil {
		return nil, err
	}
	return &PolicyFound{Solution: x, Play: OnModel(p.Model, x.Policy)}, err
}

// Stated returns the certificate as it is shown: where nothing is certified, a bound that only
// the range of rewards gives says nothing. It is NaN, and its reason "".
func (f *PolicyFound) Stated() bcpace.Certificate {
	c := f.Certificate
	if c.Kind != bcpace.NoCertificate {
		return c
	}
	if c.PolicyEarns == bcpace.ByRange {
		c.PolicyEarns = ""
	}
	if c.LowerBy == bcpace.ByRange {
		c.Lower, c.LowerBy = math.NaN(), ""
	}
	if c.UpperBy == bcpace.ByRange {
		c.Upper, c.UpperBy = math.NaN(), ""
	}
	return c
}

// End returns how far the solver had come.
func (f *PolicyFound) End() bcpace.Progress {
	if len(f.Trace) == 0 {
		return bcpace.Progress{}
	}
	return f.Trace[len(f.Trace)-1]
}
