package kept

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// RegisterRecord has the Record of a solution be kept, of the type of x, a pointer to plain data. The package of the solver calls it once, from an
// init function.
func RegisterRecord(x any) { gob.Register(x) }

// whole is what a Solution has beside its policy, with every bit of its numbers.
type whole struct {
	Value       float64
	Certificate bcpace.Certificate
	Trace       []bcpace.Progress
	Stop        stop.Reason
	Record      any
}

// NewFile returns a PolicyFile for what s has found for a model of this description, but for the policy.
func NewFile(spec bcpace.Spec, s bcpace.Solver, o bcpace.Objective, claim Claim) (*PolicyFile, error) {
	options, err := json.Marshal(s)
	return &PolicyFile{Format: Format, Version: Version, Model: spec.Name, Params: spec.Params, Spec: fingerprint.OfSpec(spec), Question: o.Question,
		Objective: &o, Solver: s.Name(), Options: options, Claim: claim}, err
}

// OfSolution returns a PolicyFile that Solution reads. The error says why there is none: the policy has no data, or the Record is of no registered type.
func OfSolution(m bcpace.Model, found *bcpace.Solution) (*PolicyFile, error) {
	f, err := NewFile(m.Spec(), found.Solver, found.Objective, ClaimOf(found.Value, found.Certificate, found.Stop))
	if err == nil {
		f.Placed, err = Place(m, found.Policy)
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(whole{found.Value, found.Certificate, found.Trace, found.Stop, found.Record})
	f.Whole = b.Bytes()
	return f, err
}

// Solution returns the solution of m by s that the file is of.
func (f *PolicyFile) Solution(ctx context.Context, m bcpace.Model, s bcpace.Solver) (*bcpace.Solution, error) {
	var w whole
	if err := gob.NewDecoder(bytes.NewReader(f.Whole)).Decode(&w); err != nil {
		return nil, &bcpace.InputError{Where: "policy file", What: "what was found", Got: fmt.Sprintf("%d bytes", len(f.Whole)), Err: err, Want: "a whole file"}
	}
	if asked := solverkit.ObjectiveOf(s); f.Solver != s.Name() || f.Question != asked.Question {
		return nil, Bad("its solver", strconv.Quote(f.Solver+" "+f.Question), s.Name()+" "+asked.Question)
	}
	policy, err := f.Placed.On(ctx, m)
	if err != nil {
		return nil, err
	}
	return &bcpace.Solution{Solver: s, Spec: m.Spec(), Objective: solverkit.ObjectiveOf(s), Policy: policy, Value: w.Value, Certificate: w.Certificate,
		Trace: w.Trace, Stop: w.Stop, Record: w.Record}, nil
}

// Format and Version are the first entries of a PolicyFile.
const (
	Format    = "bcpace-policy"
	Version   = 1
	mostBytes = 1 << 30
)

// PolicyFile is what a solver has found, whatever it is, as a file holds it in JSON: the policy, and what was said of it.
type PolicyFile struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Model and Params name the model, and Spec is the fingerprint of its description.
	Model  string         `json:"model"`
	Params []bcpace.Param `json:"params"`
	Spec   string         `json:"spec"`
	// Question is what the policy is the best for, such as "risk cvar=0.1"; "" for the largest mean. Objective says the same, where it is not that;
	// nil in older files.
	Question  string            `json:"question,omitempty"`
	Objective *bcpace.Objective `json:"objective,omitempty"`
	// ByDefault says that the solver was chosen among several, as the user had named none.
	ByDefault bool `json:"by_default,omitempty"`
	// Solver and Options say what has found it. Of a question, it is the solver inside.
	Solver  string          `json:"solver"`
	Options json.RawMessage `json:"options"`
	// Bounds is the run whose bounds a planner has at the leaves of its trees, as a run file.
	Bounds []byte `json:"bounds,omitempty"`
	Claim  Claim  `json:"claim"`
	Placed
	// Whole is what a Solution has besides, for one that is read again as a whole; nil where the policy is to be played alone.
	Whole []byte `json:"whole,omitempty"`
}

// Placed is a policy with what says on which model it acts.
type Placed struct {
	// Points are those on each axis of a control where the policy acts on a list in place of boxes, and StepsLeft says
	// that it reads the steps left.
	Points    int    `json:"points,omitempty"`
	StepsLeft bool   `json:"steps_left,omitempty"`
	Policy    Policy `json:"policy"`
}

// Place returns a policy for m as data. The error wraps ErrNoData where there are none.
func Place(m bcpace.Model, policy bcpace.Policy) (p Placed, err error) {
	played, err := bcpace.ForPolicy(m, policy)
	if err != nil {
		return p, err
	}
	can, own := bcpace.AbilitiesOf(played), bcpace.AbilitiesOf(m)
	if own.Points == 0 {
		p.Points = can.Points
	}
	p.StepsLeft = can.StepsLeft > 0 && own.StepsLeft == 0
	p.Policy, err = Of(policy)
	return p, err
}

// On returns the policy for m, as Policy.On does.
func (p Placed) On(ctx context.Context, m bcpace.Model) (_ bcpace.Policy, err error) {
	if p.Points > 0 {
		if m, err = bcpace.Discretised(m, p.Points); err != nil {
			return nil, err
		}
	}
	if p.StepsLeft {
		m = bcpace.KeepHorizon(m)
	}
	policy, err := p.Policy.On(ctx, m)
	if err != nil {
		return nil, err
	}
	return bcpace.PolicyOf(m, policy), nil
}

// Claim is what was said of a policy, in the units of its question; null where nothing was.
type Claim struct {
	Value       *float64               `json:"value"`
	Lower       *float64               `json:"lower"`
	Upper       *float64               `json:"upper"`
	LowerBy     bcpace.Basis           `json:"lower_by"`
	UpperBy     bcpace.Basis           `json:"upper_by"`
	PolicyEarns bcpace.Basis           `json:"policy_earns"`
	Certificate bcpace.CertificateKind `json:"certificate"`
	Delta       float64                `json:"delta,omitempty"`
	Stop        stop.Reason            `json:"stop"`
}

// ClaimOf returns what a certificate says.
func ClaimOf(value float64, c bcpace.Certificate, why stop.Reason) Claim {
	known := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	return Claim{Value: known(value), Lower: known(c.Lower), Upper: known(c.Upper), LowerBy: c.LowerBy, UpperBy: c.UpperBy, PolicyEarns: c.PolicyEarns,
		Certificate: c.Kind, Delta: c.Delta, Stop: why}
}

// WriteTo implements io.WriterTo.
func (f *PolicyFile) WriteTo(w io.Writer) (int64, error) {
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return 0, err
	}
	n, err := w.Write(append(text, '\n'))
	return int64(n), err
}

// ReadFile reads a PolicyFile. The error is an *bcpace.InputError for what is none.
func ReadFile(r io.Reader) (*PolicyFile, error) {
	text, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > mostBytes {
		return nil, Bad("the file", "of more than 1 GB", "one that solve --out has written")
	}
	var f PolicyFile
	if err := json.Unmarshal(text, &f); err != nil || f.Format != Format {
		return nil, &bcpace.InputError{Where: "policy file", What: "the file", Got: "no policy, or a part of one", Err: err, Want: "a whole file that solve --out has written"}
	}
	if f.Version != Version {
		return nil, Bad("its version", f.Version, fmt.Sprintf("%d; a newer program may read it", Version))
	}
	return &f, nil
}
