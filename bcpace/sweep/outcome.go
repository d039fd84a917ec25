package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
)

// TrialOutcome is what a trial has found: the same wherever and whenever it is computed, unless
// Timed. What a trial does not measure is NaN. Values are in reward units, at the start.
type TrialOutcome struct {
	// Value is what the solver estimates its policy to earn; for Algorithm 1 the optimistic
	// estimate Q̃. Lower and Upper bound the optimal value as Certificate says: "exact",
	// "statistical" or "none".
	Value, Lower, Upper float64 `json:"-"`
	Certificate         string  `json:"certificate,omitempty"`
	// Exact is the exact value of the policy.
	Exact float64 `json:"-"`
	// Return is the mean discounted return of the episodes of Eval, and ReturnLo and ReturnHi
	// are the interval that is to hold its expectation with probability 0.95. ReturnBy is the
	// eval.IntervalKind of the interval, "" for fewer than two episodes.
	Return, ReturnLo, ReturnHi float64 `json:"-"`
	ReturnBy                   string  `json:"return_by,omitempty"`
	// Samples, Episodes, Steps and Sweeps are what the solver took; sweeps of value iteration
	// are known of a solver that explores.
	Samples, Episodes, Steps, Sweeps float64 `json:"-"`
	// Points is the number of points covered. CoverLower and CoverUpper bound the covering
	// number, the size of the largest minimal cover; Independence bounds from below, and
	// Domination from above, the size of the largest packing and of the smallest cover.
	Points, CoverLower, CoverUpper, Independence, Domination float64 `json:"-"`
	// Stop says why the solver ended.
	Stop string `json:"stop,omitempty"`
	// Timed says that a Timeout ended the solver, so that the outcome depends on the machine.
	Timed bool `json:"timed,omitempty"`
	// Run is the name of the blob with the run, for a trial with KeepRun; "" otherwise.
	Run string `json:"run,omitempty"`
}

// measurement is a number of an TrialOutcome.
type measurement struct {
	name   string // of a column
	at     func(*TrialOutcome) *float64
	counts bool // whole numbers
}

// of returns the number; NaN if the trial did not measure it.
func (m measurement) of(o TrialOutcome) float64 { return *m.at(&o) }

// measures are all numbers of an TrialOutcome, in the order of columns.
var measures = []measurement{
	{"value", func(o *TrialOutcome) *float64 { return &o.Value }, false},
	{"lower", func(o *TrialOutcome) *float64 { return &o.Lower }, false},
	{"upper", func(o *TrialOutcome) *float64 { return &o.Upper }, false},
	{"exact", func(o *TrialOutcome) *float64 { return &o.Exact }, false},
	{"return", func(o *TrialOutcome) *float64 { return &o.Return }, false},
	{"return_lo", func(o *TrialOutcome) *float64 { return &o.ReturnLo }, false},
	{"return_hi", func(o *TrialOutcome) *float64 { return &o.ReturnHi }, false},
	{"samples", func(o *TrialOutcome) *float64 { return &o.Samples }, true},
	{"episodes", func(o *TrialOutcome) *float64 { return &o.Episodes }, true},
	{"steps", func(o *TrialOutcome) *float64 { return &o.Steps }, true},
	{"sweeps", func(o *TrialOutcome) *float64 { return &o.Sweeps }, true},
	{"points", func(o *TrialOutcome) *float64 { return &o.Points }, true},
	{"cover_lower", func(o *TrialOutcome) *float64 { return &o.CoverLower }, true},
	{"cover_upper", func(o *TrialOutcome) *float64 { return &o.CoverUpper }, true},
	{"independence", func(o *TrialOutcome) *float64 { return &o.Independence }, true},
	{"domination", func(o *TrialOutcome) *float64 { return &o.Domination }, true},
}

// nothing returns an outcome that has measured nothing.
func nothing() (o TrialOutcome) {
	for _, m := range measures {
		*m.at(&o) = math.NaN()
	}
	return o
}

// texts are the parts of a TrialOutcome that are no numbers.
type texts TrialOutcome

// MarshalJSON implements json.Marshaler: numbers that were not measured are left out, and
// infinite ones are texts.
func (o TrialOutcome) MarshalJSON() ([]byte, error) {
	all := make(map[string]any)
	if err := json.Unmarshal(canonical(texts(o)), &all); err != nil {
		return nil, err
	}
	for _, m := range measures {
		if x := jsonOf(m.of(o)); x != nil {
			all[m.name] = x
		}
	}
	return json.Marshal(all)
}

// jsonOf returns what JSON has for a number: nil for NaN, and a text for an infinite one.
func jsonOf(x float64) any {
	switch {
	case math.IsNaN(x):
		return nil
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	return x
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *TrialOutcome) UnmarshalJSON(text []byte) error {
	var all map[string]json.RawMessage
	*o = nothing()
	if err := cmp.Or(json.Unmarshal(text, &all), json.Unmarshal(text, (*texts)(o))); err != nil {
		return err
	}
	for _, m := range measures {
		raw, ok := all[m.name]
		if !ok {
			continue
		}
		switch x := m.at(o); string(raw) {
		case `"inf"`:
			*x = math.Inf(1)
		case `"-inf"`:
			*x = math.Inf(-1)
		default:
			if err := json.Unmarshal(raw, x); err != nil {
				return fmt.Errorf("outcome: %s: %w", m.name, err)
			}
		}
	}
	return nil
}
