package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
	"bayescpace/bcpace/store"
)

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
	// Spent is what the solver did with its time, in the order in which it began; null for less than a second.
	Spent []spent `json:"spent"`
}

// noted returns the notes, to which something is added.
func (s *solution) noted() *notes {
	s.notes = cmp.Or(s.notes, &notes{})
	return s.notes
}

// tried is a choose.Tried.
type tried choose.Tried

// MarshalJSON implements json.Marshaler.
func (t tried) MarshalJSON() ([]byte, error) {
	return facts{{"solver", "", t.Name}, {"mean", "", number(t.Mean)}, {"stderr", "", number(t.StdErr)}, {"episodes", "", t.Episodes},
		{"seconds", "", number(t.Took.Seconds())}, {"chosen", "", t.Chosen}, {"earned", "", choose.Tried(t).Earned()}}.MarshalJSON()
}

// rows adds the notes to a table.
func (n *notes) rows() (list facts) {
	if n == nil {
		return nil
	}
	list = facts{{"", "policy", n.Policy}}
	for _, x := range n.Tried {
		name := "tried " + x.Name
		if x.Chosen {
			name = "chosen " + x.Name
		}
		list = append(list, fact{"", name, choose.Tried(x).Earned()})
	}
	list = append(list, fact{"", "may earn more", n.Next})
	if n.Spent != nil {
		list = append(list, fact{"", "spent", strings.Join(each(n.Spent, func(s spent) string { return fmt.Sprintf("%v s on %s", seconds{s.Seconds}, s.Phase) }), ", ")})
	}
	list = append(list, each(n.Settings, func(x choose.SettingReason) fact { return fact{"", "setting " + x.Parameter, x.Value + ": " + x.Why} })...)
	for _, w := range n.Warnings {
		list = append(list, fact{"", "warning", w.What}, fact{"", "what would help", w.Do})
	}
	return list
}

// report saves the run, if out names a file, and prints the result, also if the run could
// not be saved: then the work is not lost. For a run that was interrupted or ran out of time
// it says how to continue.
func (s *solution) report(p program, f *flags, out string) error {
	if s.lower > s.upper { // no value lies there: nothing of it is printed or saved
		return fmt.Errorf("%s on model %s contradicts itself: its lower bound %v exceeds its upper bound %v", s.algorithm, s.model, s.lower, s.upper)
	}
	unsaved := s.unsaved
	if out != "" && unsaved == nil {
		unsaved = store.WriteFile(out, s.run)
	}
	if err := f.printTable(p.stdout, s.facts()); err != nil {
		return err
	}
	said := s.cutShort(out, unsaved == nil)
	if said != "" && s.Stop == stop.Interrupted {
		return errors.Join(errors.New(said), s.fault, unsaved)
	}
	if said != "" {
		p.say(said)
	}
	return errors.Join(s.fault, unsaved)
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
	interrupted := s.Stop == stop.Interrupted
	switch {
	case s.hint != "":
		return string(s.Stop) + ": " + s.hint
	case s.isRun() && out != "" && saved && (interrupted || s.Stop == stop.Deadline):
		return string(s.Stop) + "; bcpace solve --resume " + out + " goes on"
	case interrupted:
		return string(s.Stop) + ": this is the solution so far"
	}
	return ""
}

// facts are what a solver has found. A change of a key or meaning breaks what reads the JSON.
func (s *solution) facts() facts {
	c, end, draws := s.Stated(), s.End(), orNil(s.draws)
	value, epsilon := any(number(s.Value)), none
	if number(s.Value) == s.lower {
		value = lower{s.lower}
	}
	if end.Epsilon > 0 {
		epsilon = number(end.Epsilon)
	}
	list := append(facts{
		{"algorithm", "", s.algorithm},
		{"", "algorithm", s.name},
		{"model", "model", s.model},
		{"objective", "bounds of", orNil(s.Objective.Bounds)}, // without it, the expected return
		{"value", "value", value},
		{"lower", "lower", lower{s.lower}},
		{"upper", "upper", upper{s.upper}},
		{"certificate", "certificate", string(c.Kind)},
	}, groundsOf(c)...)
	list = append(list, each(solverkit.Rows(s.Solution, boundText), func(x [2]string) fact { return fact{"", x[0], x[1]} })...)
	list = append(list, facts{
		// How far apart the bounds may be when the search ends, or what the solver takes for it; null where it has none.
		{"epsilon", "epsilon", maybe{epsilon}},
		{"", "gap", s.gap},
		// The probability that a simulated bound is false, and the number of episodes that it rests on; 0 where none was simulated.
		{"delta", "", number(c.Delta)},
		{"simulated_episodes", "", c.Episodes},
		{"samples", "samples", end.Samples},
		{"episodes", "episodes", end.Episodes},
		{"steps", "steps", end.Steps},
		{"seconds", "seconds", seconds{s.seconds}},
		{"seed", "seed", s.seed},
		{"", "draws", draws},
		{"stop", "stop", string(s.Stop)},
		{"draws", "", draws}, // without --samples there is no such key
		{"notes", "", s.notes},
	}...)
	for _, x := range solverkit.Findings(s.Solution) {
		if v, ok := x.Value.(float64); ok {
			x.Value = number(v)
		}
		list = append(list, fact{x.Key, "", x.Value})
	}
	return append(list, s.notes.rows()...)
}

// groundsOf returns what the bounds of a certificate rest on.
func groundsOf(c bcpace.Certificate) facts {
	return facts{{"lower_by", "lower by", ground(c.LowerBy)}, {"upper_by", "upper by", ground(c.UpperBy)},
		{"policy_earns", "policy earns lower", ground(c.PolicyEarns)},
		{"assumes", "assumes", ground(c.Assumes)}, {"refuted", "refuted", ground(c.Refuted)}}
}
