package kept

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
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

// OfSolution returns a PolicyFile that Solution reads. The error says why there is none: the policy has no data, or the Record is of no registered type.
func OfSolution(m bcpace.Model, found *bcpace.Solution) (*PolicyFile, error) {
	options, err := json.Marshal(found.Solver)
	if err != nil {
		return nil, err
	}
	spec := m.Spec()
	f := &PolicyFile{Format: Format, Version: Version, Model: spec.Name, Params: spec.Params, Spec: fingerprint.OfSpec(spec), Question: found.Objective.Question,
		Objective: &found.Objective, Solver: found.Solver.Name(), Options: options, Claim: ClaimOf(found.Value, found.Certificate, found.Stop)}
	if f.Placed, err = Place(m, found.Policy); err != nil {
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
