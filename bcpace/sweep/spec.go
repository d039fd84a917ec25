package sweep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/family"
	"bayescpace/bcpace/numtext"

	"gonum.org/v1/gonum/stat/distuv"
)

// Spec is a sweep as data: a trial that all share, and what changes from one to the next.
//
//	{"name": "how many neighbours",
//	 "base": {"env": "tiger", "algorithm": "bayes-cpace", "eval": {"exact": true, "horizon": 100}},
//	 "grid": [{"key": "params.k", "values": [1, 5, 20]}, {"key": "set.accuracy", "values": [0.7, 0.85]}],
//	 "seeds": 5}
//
// Its trials are every setting of List, with every point of Design, with every combination of
// Grid, under every seed; the seeds change fastest. Keys are those of the JSON of a Trial, with
// points between them: algorithm, set.accuracy, params.k, eval.horizon.
type Spec struct {
	// Name is for people.
	Name string `json:"name,omitempty"`
	// Base is what all trials share.
	Base Trial `json:"base"`
	// List has settings, each of which changes some keys.
	List []Setting `json:"list,omitempty"`
	// Grid has keys with their values; the last key changes fastest.
	Grid []Axis `json:"grid,omitempty"`
	// Design spreads points over ranges of keys; nil for none.
	Design *PointDesign `json:"design,omitempty"`
	// Seeds is the number of seeds, counted from that of Base. 0 means 1.
	Seeds int `json:"seeds,omitempty"`
	// GiveUp is the time after which a trial that has not ended has failed. 0 means none.
	GiveUp Duration `json:"give_up,omitempty"`

	// Folder is where model files lie that the working folder does not have, such as that of the
	// sweep's own file: who computes shards works elsewhere. "" means nowhere.
	Folder string `json:"-"`
}

// readModel reads a model file.
func (s Spec) readModel(file string) ([]byte, error) {
	data, err := readFile(file)
	if s.Folder != "" && !filepath.IsAbs(file) && errors.Is(err, fs.ErrNotExist) {
		if data, err = readFile(filepath.Join(s.Folder, file)); errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("cannot read %s: neither the working folder nor %s has it", file, s.Folder)
		}
	}
	return data, err
}

// Setting changes some keys of a trial.
type Setting map[string]any

// Axis is a key with its values.
type Axis struct {
	Key    string `json:"key"`
	Values []any  `json:"values"`
}

// Most bounds the trials of a sweep.
const Most = 10_000_000

// maxSpec bounds the JSON of a sweep, in bytes.
const maxSpec = 64 << 20

// Read reads the JSON of a sweep; name is what errors call it. Keys that are unknown are errors.
func Read(r io.Reader, name string) (Spec, error) {
	var s Spec
	text, err := io.ReadAll(io.LimitReader(r, maxSpec+1))
	if err != nil {
		return s, fmt.Errorf("reading the sweep %s: %w", name, err)
	}
	if len(text) > maxSpec {
		return s, fmt.Errorf("the sweep %s is longer than %d bytes", name, maxSpec)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(&s); err != nil {
		if err = place(err, text, d.InputOffset()); strings.Contains(err.Error(), `unknown field "process"`) {
			err = fmt.Errorf("%w: a sweep takes environments by their names, which each of its workers makes anew, and no simulator of another program: write a loop over solve --process … --seed N --out FILE", err)
		}
		return Spec{}, fmt.Errorf("the sweep %s: %w", name, err)
	}
	if err := numtext.Keys(text[:d.InputOffset()], false); err != nil {
		return Spec{}, fmt.Errorf("the sweep %s: %w", name, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Spec{}, fmt.Errorf("the sweep %s: there is more behind its end, at byte %d: want one JSON object", name, d.InputOffset())
	}
	return s, nil
}

// place says in which line an error of encoding/json lies.
func place(err error, text []byte, offset int64) error {
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		offset = syntax.Offset
	}
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		offset = kind.Offset
		err = fmt.Errorf("%s is a JSON %s, want %s", cmp.Or(kind.Field, "the whole"), kind.Value, wanted(kind.Type))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		offset, err = int64(len(text)), errors.New("it ends too early, want one whole JSON object")
	}
	offset = min(max(offset, 0), int64(len(text)))
	return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:offset], []byte("\n")), err)
}

// wanted says what JSON a field takes.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	}
	return "a number"
}

// factor is a part of a sweep that makes several trials of each.
type factor struct {
	keys  []string // that it changes
	count int
	apply func(t Trial, i int) (Trial, error)
}

// factors returns the parts of a sweep; the last one changes fastest.
func (s Spec) factors() (all []factor) {
	if len(s.List) > 0 {
		f := factor{count: len(s.List), apply: func(t Trial, i int) (Trial, error) { return s.List[i].apply(t) }}
		for _, setting := range s.List {
			f.keys = append(f.keys, sorted(setting)...)
		}
		f.keys = unique(f.keys)
		all = append(all, f)
	}
	if s.Design != nil {
		points := sync.OnceValue(s.Design.points)
		keys := column(s.Design.Axes, func(r *Range) string { return r.Key })
		all = append(all, factor{keys, s.Design.Points, func(t Trial, i int) (Trial, error) { return points()[i].apply(t) }})
	}
	for _, axis := range s.Grid {
		all = append(all, factor{[]string{axis.Key}, len(axis.Values), func(t Trial, i int) (Trial, error) { return t.with(axis.Key, axis.Values[i]) }})
	}
	seeds := factor{count: max(s.Seeds, 1), apply: func(t Trial, i int) (Trial, error) { t.Seed += uint64(i); return t, nil }}
	if s.Seeds > 1 {
		seeds.keys = []string{seedKey}
	}
	return append(all, seeds)
}

// Keys returns the keys that change from trial to trial, in the order of Spec's fields, and
// "seed" at the end if there are several seeds.
func (s Spec) Keys() (keys []string) {
	for _, f := range s.factors() {
		keys = append(keys, f.keys...)
	}
	return unique(keys)
}

// unique returns the texts without those that stood before.
func unique(texts []string) (first []string) {
	for _, text := range texts {
		if !slices.Contains(first, text) {
			first = append(first, text)
		}
	}
	return first
}

// Trials returns the trials in their order, checked as far as that is possible without their
// models. The error names the first that cannot be used, and says what would be right.
func (s Spec) Trials() ([]Trial, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	trials := []Trial{s.Base}
	var err error
	for _, f := range s.factors() {
		if trials, err = f.changed(trials); err != nil {
			return nil, err
		}
	}
	for i, t := range trials {
		if trials[i], err = t.normal(); err != nil {
			return nil, fmt.Errorf("trial %d: %w", i, err)
		}
	}
	return trials, nil
}

// check returns an *bcpace.InputError for a sweep that has no trials, or too many, or a key
// twice.
func (s Spec) check() error {
	in := bcpace.In("sweep")
	if err := cmp.Or(
		in.Need(s.Seeds >= 0, "seeds", s.Seeds, "a number of seeds, or 0 for one"),
		in.Need(s.GiveUp >= 0, "give_up", s.GiveUp, "a time above 0, or none")); err != nil {
		return err
	}
	if s.Design != nil {
		if err := s.Design.check(); err != nil {
			return err
		}
	}
	count := 1.0
	used := make(map[string]bool)
	for _, f := range s.factors() {
		if f.count == 0 {
			return in.Bad("the number of values of "+f.keys[0], 0, "1 or more")
		}
		count *= float64(f.count)
		for _, key := range f.keys {
			if used[key] {
				return in.Bad("the key "+key, "changed by two parts of the sweep", "each key in one part alone")
			}
			used[key] = true
		}
	}
	return in.Need(count <= Most, "the number of trials", fmt.Sprintf("%.0f", count), fmt.Sprintf("%d at most", Most))
}

// apply returns the trial with the keys of a setting.
func (s Setting) apply(t Trial) (_ Trial, err error) {
	for _, key := range sorted(s) {
		if t, err = t.with(key, s[key]); err != nil {
			return t, err
		}
	}
	return t, nil
}

// changed returns every trial in all ways of the factor.
func (f factor) changed(trials []Trial) ([]Trial, error) {
	all := make([]Trial, 0, f.count*len(trials))
	for _, t := range trials {
		for i := range f.count {
			c, err := f.apply(t, i)
			if err != nil {
				return nil, fmt.Errorf("sweep: %w", err)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// PointDesign spreads points over the ranges of several keys. Halton's points leave smaller gaps
// than random ones, and those of a Latin hypercube are even along each key.
type PointDesign struct {
	// Kind is "halton" (the default), "latin hypercube" or "random".
	Kind string `json:"kind,omitempty"`
	// Points is their number.
	Points int `json:"points"`
	// Seed makes them.
	Seed uint64 `json:"seed,omitempty"`
	// Axes are the ranges.
	Axes []Range `json:"axes"`
}

// Range is the range of a key.
type Range struct {
	Key  string  `json:"key"`
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// Log spreads the points evenly over orders of magnitude. From must be above 0.
	Log bool `json:"log,omitempty"`
	// Whole rounds to whole numbers.
	Whole bool `json:"whole,omitempty"`
}

// kinds are the designs by the name that a sweep has for them.
var kinds = map[string]family.Design{"": family.Shifted, "halton": family.Shifted, "latin hypercube": family.Stratified, "random": family.Independent}

func (d *PointDesign) check() error {
	in := bcpace.In("design of a sweep")
	_, known := kinds[d.Kind]
	if err := cmp.Or(
		in.Need(known, "kind", fmt.Sprintf("%q", d.Kind), `"halton", "latin hypercube" or "random"`),
		in.Need(d.Points >= 1 && d.Points <= Most, "points", d.Points, fmt.Sprintf("a number from 1 to %d", Most)),
		in.Need(len(d.Axes) != 0, "axes", "none", "the range of at least one key")); err != nil {
		return err
	}
	for _, r := range d.Axes {
		finite := !math.IsInf(r.To-r.From, 0) && !math.IsNaN(r.To-r.From)
		if !finite || r.From >= r.To || r.Log && r.From <= 0 {
			return in.Bad("the range of "+r.Key, fmt.Sprintf("from %v to %v", r.From, r.To), "finite numbers, from less than to, and above 0 with log")
		}
	}
	_, err := d.inCube()
	return err
}

// inCube returns the points in the unit cube: draws of the uniform distribution over it.
func (d *PointDesign) inCube() ([][]float64, error) {
	f := family.Parametric{Name: "design", Build: func([][]float64) (bcpace.Model, error) { return nil, fmt.Errorf("a design has no model") }}
	for i := range d.Axes {
		f.Entries = append(f.Entries, family.Param{Name: fmt.Sprint("u", i), Prior: distuv.Uniform{Min: 0, Max: 1}})
	}
	return family.Sampling{Draws: d.Points, Design: kinds[d.Kind], Seed: d.Seed}.Thetas(f)
}

// points returns the settings of a design that check has passed.
func (d *PointDesign) points() []Setting {
	cube, err := d.inCube()
	if err != nil {
		panic(err) // check has drawn them
	}
	points := make([]Setting, len(cube))
	for i, u := range cube {
		points[i] = make(Setting, len(u))
		for j, r := range d.Axes {
			points[i][r.Key] = r.at(u[j])
		}
	}
	return points
}

// at returns the value for u in [0, 1].
func (r Range) at(u float64) float64 {
	from, to := r.From, r.To
	if r.Whole { // each whole number has the same share
		from, to = from-0.5, to+0.5
		if r.Log {
			from = max(from, r.From/2)
		}
	}
	x := from + u*(to-from)
	if r.Log {
		x = from * math.Pow(to/from, u)
	}
	if r.Whole {
		x = math.Round(x)
	}
	return min(max(x, r.From), r.To)
}
