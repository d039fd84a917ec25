package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"bayescpace/bcpace"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
	"bayescpace/bcpace/store"
)

// result is the JSON of the verb solve. A change of a name or meaning breaks
// what reads it.
type result struct {
	Algorithm string `json:"algorithm"`
	Model     string `json:"model"`
	// Objective is what the bounds are of; without it, the expected return.
	Objective   ground `json:"objective,omitempty"`
	Value       number `json:"value"`
	Lower       number `json:"lower"`
	Upper       number `json:"upper"`
	Certificate string `json:"certificate"`
	grounds
	// Epsilon is how far apart the bounds may be when the search ends, or what the solver takes for it; null where it has none.
	Epsilon number `json:"epsilon"`
	// Delta bounds the probability that a simulated bound is false, and Simulated is the number of
	// episodes that it rests on; 0 where none was simulated.
	Delta     number `json:"delta"`
	Simulated int    `json:"simulated_episodes"`

	Samples  int    `json:"samples"`
	Episodes int    `json:"episodes"`
	Steps    int    `json:"steps"`
	Seconds  number `json:"seconds"`
	Seed     uint64 `json:"seed"`
	Stop     string `json:"stop"`
	// Draws is the number of latents drawn with --samples; without the flag there is no such key.
	Draws *int `json:"draws,omitempty"`
	// Notes are null if there is nothing to say.
	Notes *notes `json:"notes"`
}

// notes say how the result came about, and what holds it back.
type notes struct {
	// Policy is which of several policies was chosen; null if only one was asked for.
	Policy   ground                 `json:"policy"`
	Warnings []runs.Warning         `json:"warnings"`
	Settings []choose.SettingReason `json:"settings"` // that were suggested for the model
	// Tried are the solvers that were tried, where the user has named none and there were several.
	Tried []tried `json:"tried"`
	// Next is what may earn more, and has not been tried; null where the user has named a solver.
	Next ground `json:"next"`
}

// noted returns the notes, to which something is added.
func (r *result) noted() *notes {
	if r.Notes == nil {
		r.Notes = &notes{}
	}
	return r.Notes
}

// tried is a choose.Tried.
type tried struct {
	Solver   string `json:"solver"`
	Mean     number `json:"mean"`
	StdErr   number `json:"stderr"`
	Episodes int    `json:"episodes"`
	Seconds  number `json:"seconds"`
	Chosen   bool   `json:"chosen"`
	Earned   string `json:"earned"`
}

// rows adds the notes to a table.
func (n *notes) rows(row func(...any)) {
	row("policy", n.Policy)
	for _, x := range n.Tried {
		name := "tried " + x.Solver
		if x.Chosen {
			name = "chosen " + x.Solver
		}
		row(name, x.Earned)
	}
	row("may earn more", n.Next)
	for _, x := range n.Settings {
		row("setting "+x.Parameter, x.Value+": "+x.Why)
	}
	for _, w := range n.Warnings {
		row("warning", w.What)
		row("what would help", w.Do)
	}
}

// report saves the run, if out names a file, and prints the result, also if the run could
// not be saved: then the work is not lost. For a run that was interrupted or ran out of time
// it says how to continue.
func (s *solution) report(p program, f *flags, out string) error {
	if s.Lower > s.Upper { // no value lies there: nothing of it is printed or saved
		return fmt.Errorf("%s on model %s contradicts itself: its lower bound %v exceeds its upper bound %v", s.Algorithm, s.Model, s.Lower, s.Upper)
	}
	unsaved := save(out, s.run, s.unsaved)
	if err := f.printTable(p.stdout, s); err != nil {
		return err
	}
	said := s.cutShort(out, unsaved == nil)
	if said != "" && s.Stop == string(stop.Interrupted) {
		return errors.Join(errors.New(said), s.fault, unsaved)
	}
	if said != "" {
		fmt.Fprintf(p.stderr, "bcpace: %s\n", oneLine(said))
	}
	return errors.Join(s.fault, unsaved)
}

// save writes what was found to a file, if out names one. The error of what cannot be saved is handed on.
func save(out string, found io.WriterTo, unsaved error) error {
	if out == "" || unsaved != nil {
		return unsaved
	}
	return store.WriteFile(out, found)
}

// isRun says that what is to be saved is a run.
func (s *solution) isRun() bool {
	_, is := s.run.(*runs.Run)
	return is
}

// cutShort says that the solver was interrupted or ran out of time, what that means for its
// policy, and how to go on with the run that was saved to out, if it was; "" if there is nothing
// to say.
func (s *solution) cutShort(out string, saved bool) string {
	interrupted := s.Stop == string(stop.Interrupted)
	switch {
	case s.hint != "":
		return s.Stop + ": " + s.hint
	case s.isRun() && out != "" && saved && (interrupted || s.Stop == string(stop.Deadline)):
		return s.Stop + "; bcpace solve --resume " + out + " goes on"
	case interrupted:
		return s.Stop + ": this is the solution so far"
	}
	return ""
}

// MarshalJSON implements json.Marshaler: the result, with what the solver has found beside it.
func (s *solution) MarshalJSON() ([]byte, error) {
	object, err := jsonOf(s.result)
	if err != nil {
		return nil, err
	}
	return withFindings(object, s.found)
}

// rows also say what holds the bounds apart.
func (s *solution) rows(row func(...any)) {
	row("algorithm", s.name)
	row("model", s.Model)
	row("bounds of", s.Objective)
	if s.Value == s.Lower {
		row("value", lower{s.Value})
	} else {
		row("value", s.Value)
	}
	row("lower", lower{s.Lower})
	row("upper", upper{s.Upper})
	row("certificate", s.Certificate)
	s.grounds.facts().rows(row)
	for _, x := range solverkit.Rows(s.found, boundText) {
		row(x[0], x[1])
	}
	row("epsilon", maybe{s.Epsilon})
	row("gap", s.gap)
	row("samples", s.Samples)
	row("episodes", s.Episodes)
	row("steps", s.Steps)
	row("seconds", seconds{s.Seconds})
	row("seed", s.Seed)
	if s.Draws != nil {
		row("draws", *s.Draws)
	}
	row("stop", s.Stop)
	if s.Notes != nil {
		s.Notes.rows(row)
	}
}

// grounds are the reasons for the bounds of a result, for its JSON and its table.
type grounds struct {
	LowerBy     ground `json:"lower_by"`
	UpperBy     ground `json:"upper_by"`
	PolicyEarns ground `json:"policy_earns"`
	Assumes     ground `json:"assumes"`
	Refuted     ground `json:"refuted"`
}

// groundsOf returns what the bounds of a certificate rest on.
func groundsOf(c bcpace.Certificate) grounds {
	return grounds{ground(c.LowerBy), ground(c.UpperBy), ground(c.PolicyEarns), ground(c.Assumes), ground(c.Refuted)}
}

// facts are those that there are.
func (g grounds) facts() facts {
	return facts{{"lower_by", "lower by", g.LowerBy}, {"upper_by", "upper by", g.UpperBy}, {"policy_earns", "policy earns lower", g.PolicyEarns},
		{"assumes", "assumes", g.Assumes}, {"refuted", "refuted", g.Refuted}}
}

// ground is a text that is null in JSON where there is nothing to say.
type ground string

// MarshalJSON implements json.Marshaler.
func (g ground) MarshalJSON() ([]byte, error) {
	if g == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(g))
}
