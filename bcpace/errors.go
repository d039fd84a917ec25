package bcpace

import (
	"fmt"
	"strconv"
)

// InputError reports an argument, option or parameter that cannot be used.
type InputError struct {
	Where string // the model, option set or file it belongs to
	What  string // the parameter or field
	Got   string // its value
	Want  string // what would be right
	Err   error  // that a function panicked with; nil otherwise
}

func (e *InputError) Error() string {
	return fmt.Sprintf("%s: %s is %s, want %s", e.Where, e.What, e.Got, e.Want)
}

func (e *InputError) Unwrap() error { return e.Err }

// In names what an input belongs to: a model, an option set or a file.
type In string

// Bad returns an *InputError in which got is printed as fmt.Sprint does.
func (in In) Bad(what string, got any, want string) error {
	return &InputError{Where: string(in), What: what, Got: fmt.Sprint(got), Want: want}
}

// ImpossibleObservationError reports a transition that is impossible under every latent of the belief.
type ImpossibleObservationError struct {
	State, Next []float64
	Action      string
	Belief      Belief
}

func (e *ImpossibleObservationError) Error() string {
	if e.Belief == nil {
		return fmt.Sprintf("impossible observation: from state %v action %s cannot lead to %v by TransitionPrior.Follow", e.State, strconv.Quote(e.Action), e.Next)
	}
	return fmt.Sprintf("impossible observation: from state %v action %s cannot lead to %v under any latent of belief %.4g; "+
		"check LogLikelihood against Step, or the observation", e.State, strconv.Quote(e.Action), e.Next, []float64(e.Belief))
}

// UnsupportedError reports a model that lacks what an algorithm needs.
type UnsupportedError struct {
	Model     string // the model's name
	Algorithm string // what was asked for
	Need      string // the upgrade or property that is missing
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s cannot run on model %s: it needs %s", e.Algorithm, strconv.Quote(e.Model), e.Need)
}

// ConformanceError reports a model that breaks its own contract. State, Action and Latent say where;
// Latent is "" where no single latent is at fault. A function that a model is made of and that cannot
// answer, as an integration that diverges, may panic with an error, which is Err then.
type ConformanceError struct {
	Model  string
	State  []float64
	Action string
	Latent string
	What   string // what is wrong and what would be right
	Err    error  // that a function of the model panicked with; nil otherwise
}

func (e *ConformanceError) Error() string {
	at := ""
	if e.State != nil {
		at += fmt.Sprintf(" at state %v", e.State)
	}
	if e.Action != "" {
		at += ", action " + strconv.Quote(e.Action)
	}
	if e.Latent != "" {
		at += ", latent " + strconv.Quote(e.Latent)
	}
	return fmt.Sprintf("model %s%s: %s", strconv.Quote(e.Model), at, e.What)
}

func (e *ConformanceError) Unwrap() error { return e.Err }
