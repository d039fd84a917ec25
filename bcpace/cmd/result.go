package cmd

import "bayescpace/bcpace/choose"

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
	Policy   ground         `json:"policy"`
	Warnings []warning      `json:"warnings"`
	Settings []settingsJSON `json:"settings"` // that were suggested for the model
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

// warning is a runs.Warning.
type warning struct {
	Kind string `json:"kind"`
	What string `json:"what"`
	Do   string `json:"do"`
}

// rows adds the notes to a table.
func (n *notes) rows(row func(...any)) {
	if n.Policy != "" {
		row("policy", string(n.Policy))
	}
	for _, x := range n.Tried {
		name := "tried " + x.Solver
		if x.Chosen {
			name = "chosen " + x.Solver
		}
		row(name, x.Earned)
	}
	if n.Next != "" {
		row("may earn more", string(n.Next))
	}
	for _, x := range n.Settings {
		row("setting "+x.Parameter, x.Value+": "+x.Why)
	}
	for _, w := range n.Warnings {
		row("warning", w.What)
		row("what would help", w.Do)
	}
}

// settingsJSON is a parameter that is suggested for bayes-cpace.
type settingsJSON struct {
	Parameter string `json:"parameter"`
	Value     string `json:"value"`
	Why       string `json:"why"`
}

func settingsOf(reasons []choose.SettingReason) []settingsJSON {
	return each(reasons, func(r choose.SettingReason) settingsJSON { return settingsJSON(r) })
}
