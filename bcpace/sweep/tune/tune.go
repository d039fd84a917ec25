package tune

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/sweep"
)

// Tuning says what is tuned.
type Tuning struct {
	// Sweep has the settings, by its list, its design and its grid, and the number of seeds on the last
	// rung, 16 where it says none.
	Sweep sweep.Spec
	// Measure is what is to be large, as sweep.Results.By names it: "exact" or "return"; "" means the one of
	// them that Sweep.Base.Eval asks for.
	Measure string
	// First is the number of seeds on the first rung, from 2 up, or from 1 with Eta; 0 means 4. Each rung has twice as
	// many as the one before, up to those of the sweep.
	First int
	// Budget is a key that limits the work of a trial, such as "params.max-episodes", with a number for each
	// rung, above 0 and each larger than the one before. It takes the place of what Sweep.Base has for the key. The
	// last one is the budget that the best setting is wanted for. No key means that all rungs have the budget of
	// the sweep. Where there are fewer budgets than rungs of seeds, or more, the rungs that are left have the
	// last budget, or all seeds.
	Budget sweep.Axis
	// Eta, from 2 up, has each rung but the last keep the best 1/Eta of its settings, rounded down but one at least; of
	// equal ones the first of the sweep. 0 means that a setting is dropped only where an interval says that it is worse.
	Eta int
	// Delta bounds, for each setting, the probability that it is dropped by one that is no better at the budget of the
	// rung; 0 means 0.05. With Eta nothing is bounded, and Delta is refused.
	Delta float64
	// Workers is the number of trials side by side, and Folder keeps their results, as sweep.Options have them.
	Workers int
	Folder  string
}

// Candidate is what became of a setting.
type Candidate struct {
	// Values are those of the keys of the result, in their order.
	Values []string
	// Seeds is how many it has a value for on the last rung that it came to, and Mean is the mean of these, with the
	// budget of that rung; NaN of none.
	Seeds int
	Mean  float64
	// Rung is the one on which it was dropped, from 1 up; 0 for one that was not. Behind is by how much the best
	// setting of that rung was ahead, at least, by the interval that decided; 0 where Fault or Tuning.Eta did.
	Rung   int
	Behind float64
	Fault  string // why it has no value for a seed; "" where it has all
}

// Rung is what a rung was.
type Rung struct {
	// Settings were computed with so many Seeds.
	Settings, Seeds int
	// Budget is what each trial had for the key of the result's Budget; "" without one.
	Budget string
}

// Found is what was found.
type Found struct {
	Keys     []string    // that change from setting to setting
	Budget   string      // the key that changes from rung to rung, "" for none
	Settings []Candidate // in the order of the sweep
	// Best is the number of the setting with the largest mean of those that were not dropped, and Left how many
	// of these there are. Without Tuning.Eta no interval tells them apart.
	Best, Left int
	// Trials is how many trials the tuning took, kept ones included, and Whole how many the sweep has.
	Trials, Whole int
	// Cost is the sum of the budgets of these trials, and WholeCost that of the sweep with the last budget. Solvers
	// that end before their budget is spent cost less. Without budgets the two are numbers of trials.
	Cost, WholeCost float64
	Rungs           []Rung // so far
}

const (
	defaultSeeds = 16
	defaultFirst = 4
	defaultDelta = 0.05
)

// Run tunes. Progress is told as sweep.Run tells it, for one rung after the other. The error is an
// *bcpace.InputError for a Tuning that cannot be used, that of sweep.Run, or one that says that no setting could be
// computed on a rung. Beside that of ctx, of the folder or of a rung, the result is what the rungs before have found, nil
// before the first.
func (s Tuning) Run(ctx context.Context, progress func(sweep.SweepProgress)) (*Found, error) {
	s, err := s.complete()
	if err != nil {
		return nil, err
	}
	r, budgets, err := s.begin()
	if err != nil {
		return nil, err
	}
	rungs := s.rungs(budgets)
	race := newRace(r.Settings, len(rungs), s.Eta, s.Delta)
	for i, at := range rungs {
		at.Settings = len(race.left)
		rows, err := sweep.Run(ctx, r.sweep(s.Sweep, race.left, at.Rung), sweep.Options{Workers: s.Workers, Folder: s.Folder, Progress: progress})
		if err != nil {
			return r.soFar(), err
		}
		values, faults, err := r.values(rows, s.Measure, race.left, at.Seeds)
		if err != nil {
			return nil, err
		}
		if len(faults) == len(race.left) {
			return r.soFar(), fmt.Errorf("tuning: on rung %d no setting has a value for each seed; the first one: %s", i+1, faults[race.left[0]])
		}
		fresh := len(race.left) * (at.Seeds - r.shared(at.Rung))
		r.Trials += fresh
		r.Cost += float64(fresh) * at.cost
		r.Rungs = append(r.Rungs, at.Rung)
		race.climb(i+1, values)
		r.Best, r.Left = race.leader, len(race.left)
		for setting, fault := range faults {
			r.Settings[setting].Fault = fault
		}
	}
	return r, nil
}

// shared returns how many seeds of a rung the one before has computed: those with another budget are other trials.
func (r *Found) shared(at Rung) int {
	if n := len(r.Rungs); n > 0 && r.Rungs[n-1].Budget == at.Budget {
		return r.Rungs[n-1].Seeds
	}
	return 0
}

// soFar returns r where a rung has ended, and otherwise nil.
func (r *Found) soFar() *Found {
	if len(r.Rungs) == 0 {
		return nil
	}
	return r
}

// complete returns the Tuning with its defaults.
func (s Tuning) complete() (Tuning, error) {
	in := bcpace.In("tuning")
	s.Sweep.Seeds = cmp.Or(s.Sweep.Seeds, defaultSeeds)
	s.First = cmp.Or(s.First, min(defaultFirst, s.Sweep.Seeds))
	fewest := 2 // values of which there is an interval
	if s.Eta != 0 {
		fewest = 1
	}
	given := s.Delta != 0
	s.Delta = cmp.Or(s.Delta, defaultDelta)
	if e := s.Sweep.Base.Eval; s.Measure == "" && e != nil {
		if s.Measure = "return"; e.Exact {
			s.Measure = "exact"
		}
	}
	return s, cmp.Or(
		in.Need(s.Measure != "", "Measure", "not given", `"exact" or "return", or an Eval in the base of the sweep that says which`),
		in.Need(s.Eta >= 0 && s.Eta != 1, "Eta", s.Eta, "2 or more, or 0 for intervals"),
		in.Need(s.Sweep.Seeds >= fewest && s.Sweep.Seeds <= sweep.Most, "Sweep.Seeds", s.Sweep.Seeds, fmt.Sprintf("from %d to %d, or 0 for %d", fewest, sweep.Most, defaultSeeds)),
		in.Need(s.First >= fewest && s.First <= s.Sweep.Seeds, "First", s.First, fmt.Sprintf("from %d to the %d seeds of the sweep, or 0 for %d of these at most", fewest, s.Sweep.Seeds, defaultFirst)),
		in.Need(s.Eta <= 0 || !given, "Delta", fmt.Sprintf("%v beside Eta", s.Delta), "one of them: a fixed part bounds no probability"),
		in.Need(s.Delta > 0 && s.Delta < 1, "Delta", s.Delta, fmt.Sprintf("a probability above 0 and below 1, or 0 for %v", defaultDelta)),
		in.Need(s.Budget.Key != "seed", "Budget.Key", s.Budget.Key, "a key that limits the work of a trial"),
		in.Need(s.Budget.Key != "" || len(s.Budget.Values) == 0, "Budget.Key", "missing", "the key that the budgets are of"))
}

// plan is a rung to come, and what each of its trials costs.
type plan struct {
	Rung
	cost float64
}

// rungs returns the numbers of seeds with the budgets, of which there is at least one.
func (s Tuning) rungs(budgets []plan) (rungs []plan) {
	seeds := s.First
	for {
		at := budgets[min(len(rungs), len(budgets)-1)]
		at.Seeds = seeds
		rungs = append(rungs, at)
		if seeds == s.Sweep.Seeds && len(rungs) >= len(budgets) {
			return rungs
		}
		seeds = min(2*seeds, s.Sweep.Seeds)
	}
}

// begin returns a result with all settings of the sweep, none of which has a value, and the budgets without seeds: where
// there is no key for them, one that counts trials.
func (s Tuning) begin() (*Found, []plan, error) {
	whole := s.Sweep
	whole.Seeds = 1
	budgets := []plan{{cost: 1}}
	if s.Budget.Key != "" {
		whole.Grid = append(slices.Clip(whole.Grid), s.Budget) // its last key changes fastest
	}
	trials, err := whole.Trials()
	if err != nil {
		return nil, nil, err
	}
	if s.Budget.Key != "" {
		if budgets, err = s.budgets(trials); err != nil {
			return nil, nil, err
		}
	}
	r := &Found{Keys: whole.Keys(), Budget: s.Budget.Key, Whole: len(trials) / len(budgets) * s.Sweep.Seeds}
	r.Keys = slices.DeleteFunc(r.Keys, func(key string) bool { return key == s.Budget.Key })
	r.WholeCost = float64(r.Whole) * budgets[len(budgets)-1].cost
	if len(r.Keys) == 0 {
		return nil, nil, bcpace.In("tuning").Bad("the settings of the sweep", "one", "two or more, by its list, its design or its grid")
	}
	for i := 0; i < len(trials); i += len(budgets) {
		at := Candidate{Mean: math.NaN()}
		row := sweep.TrialRow{Trial: trials[i]}
		for _, key := range r.Keys {
			at.Values = append(at.Values, row.At(key))
		}
		r.Settings = append(r.Settings, at)
	}
	return r, budgets, nil
}

// budgets returns the numbers of Budget as the first trials have them.
func (s Tuning) budgets(trials []sweep.Trial) (list []plan, err error) {
	for i := range s.Budget.Values {
		row := sweep.TrialRow{Trial: trials[i]}
		at := plan{Rung: Rung{Budget: row.At(s.Budget.Key)}}
		at.cost, err = numtext.Float(at.Budget)
		if err != nil || !(at.cost > 0) || math.IsInf(at.cost, 1) || i > 0 && at.cost <= list[i-1].cost {
			return nil, bcpace.In("tuning").Bad("Budget.Values", s.Budget.Values, "numbers above 0, each larger than the one before")
		}
		list = append(list, at)
	}
	return list, nil
}

// sweep returns the sweep of the settings that are left, on a rung.
func (r *Found) sweep(s sweep.Spec, left []int, at Rung) sweep.Spec {
	s.List, s.Design, s.Grid, s.Seeds = nil, nil, nil, at.Seeds
	for _, i := range left {
		setting := sweep.Setting{}
		for k, key := range r.Keys {
			if v := r.Settings[i].Values[k]; v != "" {
				setting[key] = v
			}
		}
		if r.Budget != "" {
			setting[r.Budget] = at.Budget
		}
		s.List = append(s.List, setting)
	}
	return s
}

// values returns the values of the settings that are left by setting and seed, and the faults of those that
// lack one, which have no values.
func (r *Found) values(rows *sweep.Results, measure string, left []int, seeds int) (values [][]float64, faults map[int]string, err error) {
	values, faults = make([][]float64, len(r.Settings)), make(map[int]string)
	for k, i := range left {
		own := *rows
		own.Rows = rows.Rows[k*seeds : (k+1)*seeds]
		own.Keys = []string{"seed"}
		groups, err := own.By(measure, "seed")
		if err != nil {
			return nil, nil, err
		}
		for j, g := range groups {
			if g.Rows == 0 {
				faults[i], values[i] = cmp.Or(own.Rows[j].Fault, "the trial has no "+measure), nil
				break
			}
			values[i] = append(values[i], g.Mean)
		}
	}
	return values, faults, nil
}

// Columns is what frame.Of makes a table of: a row for each setting, the best first, then by the rung that it came to and
// by mean. With budgets it has the one of that rung.
func (r *Found) Columns() (names []string, values []any) {
	best := slices.Insert(slices.Delete(slices.Clone(r.Settings), r.Best, r.Best+1), 0, r.Settings[r.Best])
	slices.SortStableFunc(best[1:], compare)
	add := func(name string, column any) { names, values = append(names, name), append(values, column) }
	for k, key := range r.Keys {
		add(short(key), column(best, func(at Candidate) string { return at.Values[k] }))
	}
	add("mean", column(best, func(at Candidate) float64 { return at.Mean }))
	add("seeds", column(best, func(at Candidate) int { return at.Seeds }))
	if r.Budget != "" {
		add(short(r.Budget), column(best, func(at Candidate) string { return r.Rungs[cmp.Or(at.Rung, len(r.Rungs))-1].Budget }))
	}
	add("dropped on rung", column(best, func(at Candidate) int { return at.Rung }))
	add("behind at least", column(best, func(at Candidate) float64 { return at.Behind }))
	add("fault", column(best, func(at Candidate) string { return at.Fault }))
	return names, values
}

func column[T any](list []Candidate, of func(Candidate) T) []T {
	values := make([]T, len(list))
	for i, at := range list {
		values[i] = of(at)
	}
	return values
}

// short returns a key without what stands before its last point.
func short(key string) string { return key[strings.LastIndex(key, ".")+1:] }

// compare orders settings: those that are left, then those dropped last, and by mean among equals.
func compare(a, b Candidate) int {
	if (a.Rung == 0) != (b.Rung == 0) {
		return cmp.Compare(a.Rung, b.Rung)
	}
	return cmp.Or(cmp.Compare(b.Rung, a.Rung), cmp.Compare(b.Mean, a.Mean)) // NaN is less than any number
}
