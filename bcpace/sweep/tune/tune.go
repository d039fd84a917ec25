// Package tune finds the best setting of a sweep without computing all of it: settings that are surely
// worse are given few seeds, and the best ones many.
//
// A tuning has rungs, as successive halving has (Jamieson and Talwalkar 2016; Li et al. 2020). On each
// rung all settings that are left have the same seeds, some more than on the rung before. What is seeded
// alike shares its luck, so that settings are compared by the differences of their values, seed by seed.
// Successive halving then drops a fixed part. Here a setting is dropped only if its interval says that it
// is worse (a race, Maron and Moore 1994), so that the best setting is dropped by luck with a
// probability of Delta at most: the settings of the sweep and the rungs are all allowed for.
//
// The intervals are Student's, for differences over seeds that are about normal; for the few seeds of the
// first rungs they are wide. Where no setting can be told from the best, nothing is saved.
//
// Each rung is a sweep. So a tuning runs on every engine, goes on where it was ended, shares its results
// with sweeps of the same trials, and finds the same bit for bit. In exchange it waits for the last trial of a rung,
// which the asynchronous version of Li et al. does not.
package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/sweep"
)

// Spec says what is tuned.
type Spec struct {
	// Sweep has the settings, by its list, its design and its grid, and the number of seeds on the last
	// rung, 16 where it says none.
	Sweep sweep.Spec
	// Measure is what is to be large, as sweep.Results.By names it: "exact" or "return"; "" means the one of
	// them that Sweep.Base.Eval asks for.
	Measure string
	// First is the number of seeds on the first rung, from 2 up; 0 means 4. Each rung has twice as many as the one
	// before.
	First int
	// Delta bounds the probability that the best setting is dropped; 0 means 0.05.
	Delta float64
}

// On is a tuning on an engine, with the results kept in Folder, as sweep.On is for a sweep.
type On struct {
	Spec
	Engine sweep.Engine
	Folder string
}

// Setting is what became of a setting.
type Setting struct {
	// Values are those of the keys of the result, in their order.
	Values []string
	// Seeds is how many it was computed with, and Mean is the mean of its values over these, NaN of none.
	Seeds int
	Mean  float64
	// Rung is the one on which it was dropped, from 1 up; 0 for one that was not. Behind is by how much the best
	// setting of that rung was ahead, at least, by the interval that decided; 0 where Fault did.
	Rung   int
	Behind float64
	Fault  string // why it has no value for a seed; "" where it has all
}

// Result is what was found.
type Result struct {
	Keys     []string  // that change from setting to setting
	Settings []Setting // in the order of the sweep
	// Best is the number of the setting with the largest mean of those that were not dropped, and Left how many
	// of these there are: no interval tells them apart.
	Best, Left int
	// Trials is how many trials the tuning took, kept ones included, and Whole how many the sweep has.
	Trials, Whole int
	Rungs         []int // seeds of each rung so far
}

const (
	defaultSeeds = 16
	defaultFirst = 4
	defaultDelta = 0.05
)

// Run tunes, as On.Run does, on this process.
func (s Spec) Run(ctx context.Context, progress func(sweep.Progress)) (*Result, error) {
	return On{Spec: s}.Run(ctx, progress)
}

// Run tunes. Progress is told as sweep.Run tells it, for one rung after the other. The error is an
// *bcpace.InputError for a Spec that cannot be used, that of sweep.Run, or one that says that no setting could be
// computed. Beside that of ctx or of the engine, the result is what the rungs so far have found, nil before the first.
func (x On) Run(ctx context.Context, progress func(sweep.Progress)) (*Result, error) {
	s, err := x.complete()
	if err != nil {
		return nil, err
	}
	r, err := begin(s.Sweep)
	if err != nil {
		return nil, err
	}
	rungs := s.rungs()
	race := newRace(len(r.Settings), len(rungs), s.Delta)
	for i, seeds := range rungs {
		rows, err := sweep.Run(ctx, r.rung(s.Sweep, race.left, seeds), sweep.Options{Engine: x.Engine, Folder: x.Folder, Progress: progress})
		if err != nil {
			return r.soFar(), err
		}
		values, err := r.values(rows, s.Measure, race.left, seeds)
		if err != nil {
			return nil, err
		}
		r.Trials += len(race.left) * (seeds - r.before())
		r.Rungs = append(r.Rungs, seeds)
		race.climb(i+1, values)
		r.take(race)
		if len(race.left) == 0 {
			return nil, fmt.Errorf("tuning: no setting has a value for each seed; the first one: %s", r.Settings[0].Fault)
		}
	}
	return r, nil
}

// before returns the number of seeds of the last rung.
func (r *Result) before() int {
	if len(r.Rungs) == 0 {
		return 0
	}
	return r.Rungs[len(r.Rungs)-1]
}

// soFar returns r where a rung has ended, and otherwise nil.
func (r *Result) soFar() *Result {
	if len(r.Rungs) == 0 {
		return nil
	}
	return r
}

// complete returns the Spec with its defaults.
func (s Spec) complete() (Spec, error) {
	bad := bcpace.In("tuning").Bad
	if s.Sweep.Seeds == 0 {
		s.Sweep.Seeds = defaultSeeds
	}
	if s.First == 0 {
		s.First = min(defaultFirst, s.Sweep.Seeds)
	}
	if s.Delta == 0 {
		s.Delta = defaultDelta
	}
	if e := s.Sweep.Base.Eval; s.Measure == "" && e != nil {
		if s.Measure = "return"; e.Exact {
			s.Measure = "exact"
		}
	}
	switch {
	case s.Measure == "":
		return s, bad("Measure", "not given", `"exact" or "return", or an Eval in the base of the sweep that says which`)
	case s.Sweep.Seeds < 2:
		return s, bad("Sweep.Seeds", s.Sweep.Seeds, "2 or more, or 0 for 16")
	case s.First < 2 || s.First > s.Sweep.Seeds:
		return s, bad("First", s.First, fmt.Sprintf("from 2 to the %d seeds of the sweep, or 0 for 4", s.Sweep.Seeds))
	case !(s.Delta > 0 && s.Delta < 1):
		return s, bad("Delta", s.Delta, "a probability above 0 and below 1, or 0 for 0.05")
	}
	return s, nil
}

// rungs returns the numbers of seeds.
func (s Spec) rungs() (seeds []int) {
	for n := s.First; n < s.Sweep.Seeds; n *= 2 {
		seeds = append(seeds, n)
	}
	return append(seeds, s.Sweep.Seeds)
}

// begin returns a result with all settings of a sweep, none of which has a value.
func begin(s sweep.Spec) (*Result, error) {
	whole := s.Seeds
	s.Seeds = 1
	trials, err := s.Trials()
	if err != nil {
		return nil, err
	}
	r := &Result{Keys: s.Keys(), Whole: len(trials) * whole}
	if len(r.Keys) == 0 {
		return nil, bcpace.In("tuning").Bad("the settings of the sweep", "one", "two or more, by its list, its design or its grid")
	}
	for _, t := range trials {
		at := Setting{Mean: math.NaN()}
		row := sweep.Row{Trial: t}
		for _, key := range r.Keys {
			at.Values = append(at.Values, row.At(key))
		}
		r.Settings = append(r.Settings, at)
	}
	return r, nil
}

// rung returns the sweep of the settings that are left, with so many seeds.
func (r *Result) rung(s sweep.Spec, left []int, seeds int) sweep.Spec {
	s.List, s.Design, s.Grid, s.Seeds = nil, nil, nil, seeds
	for _, i := range left {
		setting := sweep.Setting{}
		for k, key := range r.Keys {
			if v := r.Settings[i].Values[k]; v != "" {
				setting[key] = v
			}
		}
		s.List = append(s.List, setting)
	}
	return s
}

// values returns the values of the settings that are left by setting and seed, and notes the faults of those that
// lack one, which have no values.
func (r *Result) values(rows *sweep.Results, measure string, left []int, seeds int) ([][]float64, error) {
	values := make([][]float64, len(r.Settings))
	for k, i := range left {
		own := *rows
		own.Rows = rows.Rows[k*seeds : (k+1)*seeds]
		own.Keys = []string{"seed"}
		groups, err := own.By(measure, "seed")
		if err != nil {
			return nil, err
		}
		for j, g := range groups {
			if g.Rows == 0 {
				r.Settings[i].Fault = own.Rows[j].Fault
				if r.Settings[i].Fault == "" {
					r.Settings[i].Fault = "the trial has no " + measure
				}
				values[i] = nil
				break
			}
			values[i] = append(values[i], g.Mean)
		}
	}
	return values, nil
}

// take notes where a race stands.
func (r *Result) take(x *race) {
	for i := range r.Settings {
		at := &r.Settings[i]
		at.Seeds, at.Rung, at.Behind = len(x.values[i]), x.rung[i], x.behind[i]
		if at.Seeds > 0 {
			at.Mean = mean(x.values[i])
		}
	}
	r.Best, r.Left = x.leader, len(x.left)
}

// Columns is what frame.Of makes a table of: a row for each setting, the best first, then by the rung that it came to and
// by mean.
func (r *Result) Columns() (names []string, values []any) {
	order := make([]int, len(r.Settings))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return r.compare(a, b) })
	columns := make([][]string, len(r.Keys))
	var seeds, rung []int
	var means, behind []float64
	var fault []string
	for _, i := range order {
		at := r.Settings[i]
		for k, v := range at.Values {
			columns[k] = append(columns[k], v)
		}
		seeds, means, rung, behind, fault = append(seeds, at.Seeds), append(means, at.Mean), append(rung, at.Rung), append(behind, at.Behind), append(fault, at.Fault)
	}
	for k, key := range r.Keys {
		names, values = append(names, key[strings.LastIndex(key, ".")+1:]), append(values, columns[k])
	}
	return append(names, "mean", "seeds", "dropped on rung", "behind at least", "fault"), append(values, means, seeds, rung, behind, fault)
}

// compare orders settings: the best, then those that are left, then those dropped last, and by mean among equals.
func (r *Result) compare(a, b int) int {
	key := func(i int) [3]float64 {
		at := r.Settings[i]
		kept, mean := float64(at.Rung), at.Mean
		if at.Rung == 0 {
			kept = math.Inf(1)
		}
		if math.IsNaN(mean) {
			mean = math.Inf(-1)
		}
		best := 0.0
		if i == r.Best {
			best = 1
		}
		return [3]float64{best, kept, mean}
	}
	x, y := key(a), key(b)
	return slices.Compare(y[:], x[:])
}
