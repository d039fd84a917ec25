package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
)

// Trial is one computation of a sweep, as data: a model, and what is done with it. With the
// version of the code it determines the Outcome, unless it has a Timeout.
type Trial struct {
	// Env is the name of an environment of package envs, and Set has its parameters. Or
	// Model is the name of a .pomdp or .pomdpx file, whose content counts and not its name. A
	// relative name is one of the working folder, or else of Spec.Folder.
	Env   string `json:"env,omitempty"`
	Set   Values `json:"set,omitempty"`
	Model string `json:"model,omitempty"`
	// Samples is the number of latents that are drawn where Set has a distribution for the
	// parameter that lists them, such as {"mass": "uniform:0.5:2"}.
	Samples int `json:"samples,omitempty"`

	// Algorithm is the name of a solver of package solvers, and Params has its parameters, by
	// their keys on the command line. Without a parameter the setting that is tuned for the
	// model counts.
	Algorithm string `json:"algorithm,omitempty"`
	Params    Values `json:"params,omitempty"`
	// Timeout ends the solver with what it has by then. The outcome then depends on the
	// machine, and says so (Outcome.Timed). 0 means none.
	Timeout Duration `json:"timeout,omitempty"`
	// Eval says how the policy that was found is evaluated; nil for not at all.
	Eval *Eval `json:"eval,omitempty"`
	// KeepRun keeps the run of an exploring solver, as Outcome.Run.
	KeepRun bool `json:"keep_run,omitempty"`

	// Cover counts a cover of what the model reaches, in place of an Algorithm.
	Cover *Cover `json:"cover,omitempty"`

	// Seed makes all random numbers: of the solver, of the latents drawn, of the evaluation.
	Seed uint64 `json:"seed"`
}

// Eval says how a policy is evaluated.
type Eval struct {
	// Episodes are played, if it is not 0, of Horizon steps at most; 0 steps mean the model's
	// own horizon or where the rest is negligible.
	Episodes int `json:"episodes,omitempty"`
	Horizon  int `json:"horizon,omitempty"`
	// Exact has the exact value of the policy computed by dynamic programming, over Horizon
	// steps, or without an end where that is 0. The model must be finite.
	Exact bool `json:"exact,omitempty"`
}

// Cover says which points are covered, and how closely.
type Cover struct {
	// Epsilon is the distance within which a point is covered.
	Epsilon float64 `json:"epsilon"`
	// Depth is the number of steps within which the points are reached: the states and beliefs
	// of a finite model, or what random actions reach in another one. 0 means 20.
	Depth int `json:"depth,omitempty"`
	// Alpha is the weight of the state's distance against the belief's. 0 means 1.
	Alpha float64 `json:"alpha,omitempty"`
}

// DefaultDepth is the Depth of a Cover that has none: some models, as Chain, never end.
const DefaultDepth = 20

// field is a part of a trial that a key names.
type field struct {
	set func(t *Trial, text string) error
	get func(t *Trial) string // "" where the trial does not have it
}

// parts are all such parts but parameters.
var parts = map[string]field{
	"env":       {func(t *Trial, text string) error { t.Env = text; return nil }, func(t *Trial) string { return t.Env }},
	"model":     {func(t *Trial, text string) error { t.Model = text; return nil }, func(t *Trial) string { return t.Model }},
	"algorithm": {func(t *Trial, text string) error { t.Algorithm = text; return nil }, func(t *Trial) string { return t.Algorithm }},
	"samples":   {func(t *Trial, text string) error { return into(&t.Samples, numtext.Whole, text) }, func(t *Trial) string { return strconv.Itoa(t.Samples) }},
	"timeout":   {func(t *Trial, text string) error { return t.Timeout.UnmarshalText([]byte(text)) }, func(t *Trial) string { return time.Duration(t.Timeout).String() }},
	"keep_run":  {func(t *Trial, text string) error { return into(&t.KeepRun, numtext.Switch, text) }, func(t *Trial) string { return strconv.FormatBool(t.KeepRun) }},
	seedKey:     {func(t *Trial, text string) error { return into(&t.Seed, numtext.Unsigned, text) }, func(t *Trial) string { return strconv.FormatUint(t.Seed, 10) }},

	"eval.episodes": ofEval(func(e *Eval, text string) error { return into(&e.Episodes, numtext.Whole, text) }, func(e *Eval) string { return strconv.Itoa(e.Episodes) }),
	"eval.horizon":  ofEval(func(e *Eval, text string) error { return into(&e.Horizon, numtext.Whole, text) }, func(e *Eval) string { return strconv.Itoa(e.Horizon) }),
	"eval.exact":    ofEval(func(e *Eval, text string) error { return into(&e.Exact, numtext.Switch, text) }, func(e *Eval) string { return strconv.FormatBool(e.Exact) }),

	"cover.epsilon": ofCover(func(c *Cover, text string) error { return into(&c.Epsilon, numtext.Float, text) }, func(c *Cover) string { return shortest(c.Epsilon) }),
	"cover.depth":   ofCover(func(c *Cover, text string) error { return into(&c.Depth, numtext.Whole, text) }, func(c *Cover) string { return strconv.Itoa(c.Depth) }),
	"cover.alpha":   ofCover(func(c *Cover, text string) error { return into(&c.Alpha, numtext.Float, text) }, func(c *Cover) string { return shortest(c.Alpha) }),
}

// ofEval returns a field of Trial.Eval, which set copies: trials share it.
func ofEval(set func(*Eval, string) error, get func(*Eval) string) field {
	return part(func(t *Trial) **Eval { return &t.Eval }, set, get)
}

// ofCover returns a field of Trial.Cover.
func ofCover(set func(*Cover, string) error, get func(*Cover) string) field {
	return part(func(t *Trial) **Cover { return &t.Cover }, set, get)
}

func part[T any](of func(*Trial) **T, set func(*T, string) error, get func(*T) string) field {
	return field{
		set: func(t *Trial, text string) error {
			mine := new(T)
			if shared := *of(t); shared != nil {
				*mine = *shared
			}
			*of(t) = mine
			return set(mine, text)
		},
		get: func(t *Trial) string {
			if x := *of(t); x != nil {
				return get(x)
			}
			return ""
		},
	}
}

func shortest(x float64) string {
	text, _ := numberText(x)
	return text
}

// Prefixes of the keys of an environment's and a solver's parameters.
const (
	setPrefix    = "set."
	paramsPrefix = "params."
	seedKey      = "seed"
)

// parameters returns those that a key is one of, with its name among them; nil for another key.
func (t *Trial) parameters(key string) (of *Values, name string) {
	if name, ok := strings.CutPrefix(key, setPrefix); ok && name != "" {
		return &t.Set, name
	}
	if name, ok := strings.CutPrefix(key, paramsPrefix); ok && name != "" {
		return &t.Params, name
	}
	return nil, ""
}

// at returns the text of a key, "" where the trial does not have it.
func (t Trial) at(key string) (text string) {
	if of, name := t.parameters(key); of != nil && (*of)[name] != nil {
		text, _ = textOf((*of)[name])
	} else if f, ok := parts[key]; ok {
		text = f.get(&t)
	}
	return text
}

// with returns the trial with one key set to a value.
func (t Trial) with(key string, value any) (Trial, error) {
	text, err := textOf(value)
	if err != nil {
		return t, fmt.Errorf("%s is %v, want %w", key, value, err)
	}
	if of, name := t.parameters(key); of != nil {
		more := Values{} // trials share what there is
		maps.Copy(more, *of)
		more[name] = text
		*of = more
		return t, nil
	}
	f, ok := parts[key]
	if !ok {
		return t, fmt.Errorf("the key %q is unknown, want set.NAME, params.NAME or one of %s", key, strings.Join(sorted(parts), ", "))
	}
	if err := f.set(&t, text); err != nil {
		return t, fmt.Errorf("%s is %q: %w", key, text, err)
	}
	return t, nil
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// into stores in x what read makes of text.
func into[T any](x *T, read func(string) (T, error), text string) (err error) {
	*x, err = read(text)
	return err
}

// where names a trial in an error.
const whereTrial = "settings"

// normal returns the trial with its values as texts and checked: what can be told without
// the model.
func (t Trial) normal() (_ Trial, err error) {
	in := bcpace.In(whereTrial)
	if t.Set, err = t.Set.texts(whereTrial); err != nil {
		return t, err
	}
	if t.Params, err = t.Params.texts(whereTrial); err != nil {
		return t, err
	}
	if t.Eval != nil && *t.Eval == (Eval{}) {
		t.Eval = nil
	}
	eval := cmp.Or(t.Eval, &Eval{Exact: true}) // which passes, where there is none
	if err := cmp.Or(
		in.Need(t.Env != "" || t.Model != "", "env", "missing", "the name of an environment, or a model file in model"),
		in.Need(t.Env == "" || t.Model == "", "the model", fmt.Sprintf("env %q and model %q", t.Env, t.Model), "one of env and model"),
		in.Need(t.Model == "" || len(t.Set) == 0 && t.Samples == 0, "set or samples", "given beside a model file", "them beside env alone"),
		in.Need(t.Algorithm != "" || t.Cover != nil, "algorithm", "missing", "the name of a solver, or a cover to count"),
		in.Need(t.Algorithm == "" || t.Cover == nil, "what to compute", fmt.Sprintf("algorithm %q and a cover", t.Algorithm), "an algorithm, or a cover to count"),
		in.Need(t.Samples >= 0, "samples", t.Samples, "a number of latents to draw, or 0"),
		in.Need(t.Timeout >= 0, "timeout", time.Duration(t.Timeout), "a time above 0, or none"),
		in.Need(t.Cover == nil || len(t.Params) == 0 && t.Timeout == 0 && t.Eval == nil && !t.KeepRun, "params, timeout, eval or keep_run", "given beside a cover", "them beside an algorithm"),
		in.Need(t.Cover == nil || t.Model == "", "cover", "that of a model file", "a cover of an env"),
		in.Need(eval.Episodes >= 0 && eval.Horizon >= 0 && eval.Horizon <= num.MaxHorizon, "eval", fmt.Sprintf("%d episodes of %d steps", eval.Episodes, eval.Horizon), fmt.Sprintf("numbers of 0 or more, of steps up to %d", num.MaxHorizon)),
		in.Need(eval.Episodes != 0 || eval.Exact, "eval.horizon", eval.Horizon, "it beside eval.episodes or eval.exact")); err != nil {
		return t, err
	}
	if t.Cover != nil {
		c := *t.Cover
		c.Depth, c.Alpha = cmp.Or(c.Depth, DefaultDepth), cmp.Or(c.Alpha, 1)
		t.Cover = &c
		return t, cmp.Or(
			in.Need(c.Epsilon > 0 && !math.IsInf(c.Epsilon, 1), "cover.epsilon", c.Epsilon, "a finite distance above 0"),
			in.Need(c.Depth >= 0 && c.Depth <= num.MaxHorizon, "cover.depth", c.Depth, fmt.Sprintf("a number of steps up to %d", num.MaxHorizon)),
			in.Need(c.Alpha > 0 && !math.IsInf(c.Alpha, 1), "cover.alpha", c.Alpha, "a finite weight above 0"))
	}
	x, ok := solvers.Find(t.Algorithm)
	if !ok {
		return t, in.Bad("algorithm", strconv.Quote(t.Algorithm), numtext.OneOf(t.Algorithm, solvers.Names()))
	}
	for key := range t.Params {
		if key == seedKey {
			return t, in.Bad("params.seed", t.Params[key], "the key seed, which makes all random numbers of a trial")
		}
		if _, has := x.Param(key); !has || key == solverkit.Unrevealed {
			return t, in.Bad("the parameter of "+t.Algorithm, strconv.Quote(key), numtext.OneOf(key, keysOf(x)))
		}
	}
	if t.KeepRun && !x.Explores() {
		return t, in.Bad("keep_run", "true with "+t.Algorithm, "a solver that explores with samples, which has a run to keep")
	}
	return t, nil
}

// keysOf returns the keys of a solver's parameters that a trial may have.
func keysOf(x solvers.Info) (keys []string) {
	for _, p := range x.Params {
		if p.Key != seedKey && p.Key != solverkit.Unrevealed {
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// Values are parameters by key, such as {"k": 5, "bound": "qmdp", "slips": [0.2, 0.8]}.
// Numbers, switches and lists become the text that a command line has for them: 5, true,
// 0.2,0.8.
type Values map[string]any

// texts returns the same values, all as texts; nil for none.
func (v Values) texts(where string) (Values, error) {
	if len(v) == 0 {
		return nil, nil
	}
	t := make(Values, len(v))
	for key, x := range v {
		text, err := textOf(x)
		if err != nil {
			return nil, bcpace.In(where).Bad("the value of "+strconv.Quote(key), x, err.Error())
		}
		t[key] = text
	}
	return t, nil
}

// params returns values that texts has made, in the order of their keys.
func (v Values) params() (list []bcpace.Param) {
	for _, key := range sorted(v) {
		list = append(list, bcpace.Param{Key: key, Value: v[key].(string)})
	}
	return list
}

// textOf returns the text of a value. The error says what would be right.
func textOf(x any) (string, error) {
	if n, ok := x.(json.Number); ok {
		if whole := strings.TrimPrefix(n.String(), "-"); strings.Trim(whole, "0123456789") == "" {
			return n.String(), nil
		}
		f, err := n.Float64()
		if err != nil {
			return "", fmt.Errorf("a number that a float64 can hold")
		}
		return numberText(f)
	}
	switch v := reflect.ValueOf(x); {
	case v.Kind() == reflect.String:
		return strings.TrimSpace(v.String()), nil
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool()), nil
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10), nil
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10), nil
	case v.CanFloat():
		return numberText(v.Float())
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Array:
		parts := make([]string, v.Len())
		for i := range parts {
			part, err := textOf(v.Index(i).Interface())
			if err != nil {
				return "", err
			}
			parts[i] = part
		}
		return strings.Join(parts, ","), nil
	}
	return "", fmt.Errorf("a number, a text, true or false, or a list of these")
}

// numberText writes a whole number without a point or an exponent, as a parameter that counts
// wants it.
func numberText(x float64) (string, error) {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "", fmt.Errorf("a finite number")
	case x == math.Trunc(x) && math.Abs(x) < 1<<53:
		return strconv.FormatInt(int64(x), 10), nil
	}
	return numtext.Exact(x), nil
}

// Duration is a time that JSON has as text, such as "30s".
type Duration time.Duration

// String writes it as time.Duration does.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	x, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no time, want one such as \"30s\" or \"5m\"", text)
	}
	*d = Duration(x)
	return nil
}

// canonical returns the JSON of x, whose maps encoding/json writes in the order of their keys.
func canonical(x any) []byte {
	text, err := json.Marshal(x)
	if err != nil {
		panic(err) // x is plain data of this package
	}
	return text
}
