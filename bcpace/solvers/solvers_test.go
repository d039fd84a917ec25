package solvers_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

// apart are fields that no text can set: where to start, values and a policy of the user's own, who plays the rollouts, a grid, and
// what an explicit 0 of another parameter turns on; a policy of simulations; and how a policy is certified, which
// a command line leaves at its defaults; and that the value of a policy is not asked for.
var apart = map[string]bool{"Starts": true, "Latent": true, "Rollouts": true, "Controller": true, "Grid": true, "NoBonus": true, "Unvalued": true, "NoPacking": true, "RandomBelief": true, "RandomDefault": true, "NoWidening": true, "Least": true, "Most": true, "Zeta": true, "Threshold": true, "CertificateEpisodes": true, "Delta": true, "RolloutPolicy": true, "Bounds": true, "From": true}

// Every solver is named as the list says, its zero value too, and every field that a
// text can set is a parameter of the list.
func TestListNamesEveryParameter(t *testing.T) {
	for _, x := range solvers.List() {
		s, err := solvers.New(x.Name, envs.Tiger{})
		if err != nil || s.Name() != x.Name {
			t.Fatalf("%s: %v, %v", x.Name, s, err)
		}
		if x.Doc == "" || x.Written == "" || x.Cited == "" {
			t.Errorf("%s does not say what it is: %+v", x.Name, x.About)
		}
		fields := map[string]bool{}
		for _, p := range x.Params {
			name, _, _ := strings.Cut(p.Field, ".")
			fields[name] = true
			if p.Doc == "" {
				t.Errorf("%s: parameter %s has no description", x.Name, p.Key)
			}
		}
		kind := reflect.TypeOf(s)
		for i := range kind.NumField() {
			if f := kind.Field(i); !fields[f.Name] && !apart[f.Name] && !(x.Name == solvers.Certified && (f.Name == "Bound" || f.Name == "LipQ" || f.Name == "Batch")) {
				t.Errorf("%s: field %s is no parameter of the list", x.Name, f.Name)
			}
			delete(fields, kind.Field(i).Name)
		}
		if len(fields) > 0 {
			t.Errorf("%s has no fields %v", x.Name, fields)
		}
	}
}

// A parameter that was set goes through JSON with the solver, and other solvers that
// do not have it refuse it.
func TestSet(t *testing.T) {
	for _, x := range solvers.List() {
		for _, p := range x.Params {
			s, err := solvers.New(x.Name, envs.Tiger{})
			if err != nil {
				t.Fatal(err)
			}
			text := "3"
			if fieldOf(s, p).Kind() == reflect.Bool {
				text = "true"
			}
			set, err := solvers.Set(s, p.Key, text)
			if err != nil {
				t.Fatalf("%s, %s: %v", x.Name, p.Key, err)
			}
			if got := fieldOf(set, p); got.IsZero() {
				t.Errorf("%s: %s is still %v", x.Name, p.Key, got)
			}
			data, err := json.Marshal(set)
			if err != nil {
				t.Fatal(err)
			}
			again := reflect.New(reflect.TypeOf(set))
			if err := json.Unmarshal(data, again.Interface()); err != nil || !reflect.DeepEqual(again.Elem().Interface(), set) {
				t.Errorf("%s: %+v becomes %+v, %v", x.Name, set, again.Elem(), err)
			}
		}
	}
	qmdp, err := solvers.New("qmdp", envs.Tiger{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := solvers.Set(qmdp, "k", "3"); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("QMDP has k: %v", err)
	}
	if _, err := solvers.Set(qmdp, "nope", "3"); err == nil || !strings.Contains(err.Error(), `"nope", want one of control-points`) {
		t.Errorf("QMDP has no such parameter: %v", err)
	}
	if _, err := solvers.New("best", envs.Tiger{}); err == nil || !strings.Contains(err.Error(), "sarsop") {
		t.Errorf("an unknown name: %v", err)
	}
	// An explicit 0 of a default is what it says.
	lite, err := solvers.New("pomdp-lite", envs.Tiger{})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := solvers.Set(lite, "bonus", "0"); err != nil || !strings.Contains(text(t, s), `"NoBonus":true`) {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestDepth: the depth of a search and the rest of its budget are set in any order, and do not change each other.
func TestDepth(t *testing.T) {
	want := bcpace.Budget{Simulations: 50, Depth: 7}
	for _, keys := range [][2]string{{"budget", "depth"}, {"depth", "budget"}} {
		s, err := solvers.New("pomcpow", envs.Tiger{})
		for _, key := range keys {
			if err == nil {
				s, err = solvers.Set(s, key, map[string]string{"budget": "50", "depth": "7"}[key])
			}
		}
		if err != nil || s.(pomcpow.Solver).Budget != want {
			t.Errorf("%v: %+v, %v, want the budget %+v", keys, s, err, want)
		}
	}
}

// fieldOf returns the field of a parameter.
func fieldOf(s bcpace.Solver, p solvers.Param) reflect.Value {
	f := reflect.ValueOf(s)
	for name := range strings.SplitSeq(p.Field, ".") {
		f = f.FieldByName(name)
	}
	return f
}

func text(t *testing.T, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
