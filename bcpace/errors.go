package bcpace

import (
	"errors"
	"fmt"
	"math"
	"runtime"
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

// panicked returns the error of a function that panicked with p.
func (in In) panicked(what string, p any, want string) error {
	got := "a panic"
	err, fails := p.(error)
	if fails && !errors.As(err, new(runtime.Error)) {
		got = "an error"
	}
	return &InputError{Where: string(in), What: what, Got: fmt.Sprintf("%s (%v)", got, p), Want: want, Err: err}
}

// Need is Bad where ok is false, else nil; cmp.Or finds the first of several.
func (in In) Need(ok bool, what string, got any, want string) error {
	if ok {
		return nil
	}
	return in.Bad(what, got, want)
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

// Fault returns the error of a broken contract at (state, action, latent), without a nil state and −1.
func (s *Spec) Fault(state []float64, action, latent int, format string, args ...any) *ConformanceError {
	e := &ConformanceError{Model: s.Name, What: fmt.Sprintf(format, args...)}
	if state != nil {
		e.State = append([]float64{}, state...)
	}
	if action >= 0 {
		e.Action = s.ActionName(action)
	}
	if latent >= 0 && latent < len(s.Latents) {
		e.Latent = s.Latents[latent]
	}
	return e
}

// where names a state, latent and action of the model.
func (s *Spec) where(state []float64, latent, action int) string {
	return fmt.Sprintf("model %s at state %v, latent %s, action %s", strconv.Quote(s.Name), state, strconv.Quote(s.Latents[latent]), strconv.Quote(s.ActionName(action)))
}

// Guard, deferred around a call of the model, turns a panic into a fault, as Panicked does.
func (s *Spec) Guard(err *error, call string, state []float64, action, latent int) {
	if p := recover(); p != nil {
		*err = s.Panicked(p, call, state, action, latent)
	}
}

// Panicked returns the fault of a call of the model that panicked with p: p itself where that is the
// fault of a model inside, and one that wraps p where that is another error.
func (s *Spec) Panicked(p any, call string, state []float64, action, latent int) *ConformanceError {
	if fault, ok := p.(*ConformanceError); ok {
		return fault
	}
	verb := "panicked"
	err, fails := p.(error)
	if fails && !errors.As(err, new(runtime.Error)) {
		verb = "failed"
	}
	fault := s.Fault(state, action, latent, "%s %s: %v", call, verb, p)
	fault.Err = err
	return fault
}

// locate, deferred around a call of a function of the model, has its panic say where that was.
func (s *Spec) locate(call *string, state []float64, action, latent int) {
	if p := recover(); p != nil {
		panic(s.Panicked(p, *call, state, action, latent))
	}
}

// CheckSizes returns a *ConformanceError unless the rows of z, after call has listed (state, action),
// have the model's numbers of axes and latents.
func (s *Spec) CheckSizes(z *Successors, call string, state []float64, action int) error {
	axes, latents, n := len(s.Axes), len(s.Latents), z.Len()
	switch {
	case z.sized(axes, latents):
		return nil
	case z.axes != axes || z.latents != latents:
		return s.Fault(state, action, -1, "%s set rows of %d axes and %d latents, want the model's %d and %d, with which it is given the list: leave out its Reset",
			call, z.axes, z.latents, axes, latents)
	}
	return s.Fault(state, action, -1, "%s left %d rows with %d, %d and %d numbers in States, Prob and Reward, want %d, %d and %d: let Add append them",
		call, n, len(z.States), len(z.Prob), len(z.Reward), n*axes, n*latents, n*latents)
}

// OffAxes says which entry of x lies off its axis, and what would be right; "" where none does.
func (s *Spec) OffAxes(x []float64) (off, want string) {
	for i := range s.Axes {
		switch a, v := &s.Axes[i], x[i]; {
		case math.IsNaN(v):
			return fmt.Sprintf("whose entry %s is not set or not a number", strconv.Quote(a.Name)), fmt.Sprintf("a number in [%v, %v]", a.Min, a.Max)
		case v < a.Min || v > a.Max:
			how := ""
			if a.Period > 0 {
				how = ", where Axis.Wrap brings it"
			}
			return fmt.Sprintf("whose entry %s is %v", strconv.Quote(a.Name), v), fmt.Sprintf("it within [%v, %v]%s", a.Min, a.Max, how)
		case a.Whole() && v != math.Trunc(v):
			return fmt.Sprintf("whose entry %s is %v", strconv.Quote(a.Name), v), "a whole number"
		}
	}
	return "", ""
}

// AllowsReward reports whether r is in the range, but for rounding.
func (s *Spec) AllowsReward(r float64) bool {
	slack := 1e-9 * max(math.Abs(s.RewardMin), math.Abs(s.RewardMax), 1)
	return r >= s.RewardMin-slack && r <= s.RewardMax+slack
}

// CheckOutcome returns a *ConformanceError unless what Step made is a state on the axes and a reward
// within the range.
func (s *Spec) CheckOutcome(out Outcome, next, state []float64, action, latent int) error {
	if off, want := s.OffAxes(next); off != "" {
		return s.Fault(state, action, latent, "Step made state %v, %s, want %s", next, off, want)
	}
	if !s.AllowsReward(out.Reward) {
		return s.Fault(state, action, latent, "Step returned reward %v, want a number within [RewardMin, RewardMax] = [%v, %v]", out.Reward, s.RewardMin, s.RewardMax)
	}
	return nil
}
