package explicit_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/explicit"
	"bayescpace/bcpace/pomdpfile"
)

// coin is a file as Storm writes it.
const coin = `// Exported by storm
// Original model type: POMDP
@type: POMDP
@value_type: double
@parameters

@placeholders
$0 : 1/2
@reward_models
steps 
@nr_states
3
@nr_choices
4
@model
state 0 {0} [0.5] init
//[x=0]
	action left [0, 1]
		1 : $0
		2 : 5e-1
	action right [0, 2]
		2 : 0.25
		1 : 0.5
		2 : 0.25
state 1 {7} [0, 0] "all done" goal
	action __NOLABEL__ [0, 0]
		1 : 1
state 2 {1}
	action stay
		2 : 0.9999999999
`

func read(text string) (*explicit.Model, error) {
	return explicit.Read(context.Background(), strings.NewReader(text), "coin.drn.gz")
}

// TestRead: what stands in a file is in the model, whatever blanks, comments, orders and gaps it has.
func TestRead(t *testing.T) {
	text := strings.Replace(strings.Replace(coin, "steps ", "steps cost ", 1), "[0.5]", "[0.5, 0]", 1)
	want := &explicit.Model{Name: "coin", Observation: []int32{0, 7, 1}, Choice: []int{0, 2, 3, 4}, Action: []int32{0, 1, 2, 3},
		Actions: []string{"left", "right", "__NOLABEL__", "stay"}, Branch: []int{0, 2, 4, 5, 6}, Target: []int32{1, 2, 1, 2, 1, 2}, Probability: []float64{.5, .5, .5, .5, 1, 1},
		Labels:  []explicit.Label{{"all done", []bool{false, true, false}}, {"goal", []bool{false, true, false}}},
		Rewards: []explicit.Reward{{"steps", []float64{.5, 0, 0}, nil}, {"cost", nil, []float64{1, 2, 0, 0}}}}
	for name, file := range map[string]string{"as it is": text, "carriage returns": strings.ReplaceAll(text, "\n", "\r\n"), "blank lines": strings.ReplaceAll(text, "\n\t", "\n\n  \t")} {
		if m, err := read(file); err != nil || !reflect.DeepEqual(m, want) {
			t.Errorf("%s: %v\n%+v\n%+v", name, err, m, want)
		}
	}
	var packed, archived bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, text)
	z.Close()
	z = gzip.NewWriter(&archived)
	a := tar.NewWriter(z)
	a.WriteHeader(&tar.Header{Name: "coin.drn", Mode: 0o644, Size: int64(len(text))})
	io.WriteString(a, text)
	a.Close()
	z.Close()
	for name, b := range map[string]*bytes.Buffer{"gzip": &packed, "archive": &archived} {
		if m, err := explicit.Read(t.Context(), b, "coin.drn.gz"); err != nil || !reflect.DeepEqual(m, want) {
			t.Errorf("%s: %v\n%+v", name, err, m)
		}
	}
}

// TestReadErrors: what is wrong is refused, with its line.
func TestReadErrors(t *testing.T) {
	for change, want := range map[string]string{
		"@type: POMDP>@type: pomdp":      `coin.drn.gz:3: found the type "pomdp", want DTMC, MDP or POMDP`,
		"@type: POMDP>":                  "@type: POMDP, MDP or DTMC before it",
		"double>double-interval":         `values of type "double-interval", want double or rational`,
		"@parameters\n>@parameters\np q": `the parameters "p q", want an empty line`,
		"$0 : 1/2>$1 : 1/2":              `coin.drn.gz:19: found the placeholder "$0"`,
		"@nr_states\n3>@nr_states\n4":    "found 3 states, want 4, as @nr_states says",
		"@nr_states\n3>@nr_states\n2":    "state 2",
		"@nr_choices\n4>@nr_choices\n5":  "4 actions of states, want 5",
		"@model>@modle":                  `coin.drn.gz:15: found "@modle", want a line of the header`,
		"state 1>state 2":                "want state 1: all from 0 up, in their order",
		"{7}>{-1}":                       "the observation of state 1",
		"{7}>{0,1}":                      "the observation of state 1",
		"{7}>":                           "the observation of state 1",
		" init>":                         "want the label init at one state",
		" goal>  init":                   "state 1 as a second initial state",
		"5e-1>5e-2":                      `probabilities of action "left" of state 0 that add up to 0.55`,
		"1 : 0.5>1 : -0.5":               `the probability "-0.5", want 0 or more`,
		"1 : 0.5>9 : 0.5":                "found state 9, want one of the 3",
		"1 : 0.5>1: 0.5":                 "3 : 0.5",
		"1 : 0.5>1 : half":               `"half", want a finite number, such as 0.25 or 1/4`,
		"1 : 0.5>1 : 1/0":                `"1/0", want a finite number`,
		"[0, 1]>[0, 1, 2]":               "found 3 rewards or more, want 2",
		"\taction stay\n>":               "an action before what follows it",
		"\"all done\">\"all done":        "a quotation mark behind the label",
		"@reward_models\nsteps cost>@reward_models\nsteps steps": `the reward model "steps" twice`,
	} {
		from, to, _ := strings.Cut(change, ">")
		text := strings.Replace(coin, "steps ", "steps cost ", 1)
		text = strings.Replace(text, "[0.5]", "[0.5, 0]", 1)
		if !strings.Contains(text, from) {
			t.Fatalf("%q is not in the file", from)
		}
		_, err := read(strings.Replace(text, from, to, 1))
		if !errors.As(err, new(*pomdpfile.Error)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", change, err, want)
		}
	}
	if _, err := read(""); err == nil || !strings.Contains(err.Error(), "the end of the file, want @model") {
		t.Errorf("an empty file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := explicit.Read(ctx, strings.NewReader(coin), "coin.drn"); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// TestWrite: a model that is written is read as it was, to the last bit.
func TestWrite(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range 100 {
		m := draw(rng, drawn{states: 3 + rng.IntN(6), observations: 4, hidden: i%2 == 0})
		if i%2 != 0 && len(m.Action) == m.States() {
			continue
		}
		m.Labels = append(m.Labels, explicit.Label{Name: "x = 1", States: make([]bool, m.States())})
		m.Labels[2].States[0] = true
		for k := range m.Probability {
			m.Rewards[0].State[k%m.States()] = rng.NormFloat64()
		}
		back, err := explicit.Read(t.Context(), strings.NewReader(written(t, m)), "drawn.drn")
		if err != nil {
			t.Fatal(err)
		}
		// Labels of actions are numbered as they come.
		for c := range m.Action {
			if m.Actions[m.Action[c]] != back.Actions[back.Action[c]] {
				t.Fatalf("choice %d is %q, want %q", c, back.Actions[back.Action[c]], m.Actions[m.Action[c]])
			}
		}
		back.Action, back.Actions = m.Action, m.Actions
		sorted := func(m *explicit.Model) map[string][]bool {
			all := map[string][]bool{}
			for _, l := range m.Labels {
				all[l.Name] = l.States
			}
			return all
		}
		if !reflect.DeepEqual(sorted(m), sorted(back)) {
			t.Fatalf("labels %v, want %v", back.Labels, m.Labels)
		}
		back.Labels = m.Labels
		if !reflect.DeepEqual(m, back) {
			t.Fatalf("%+v\n%+v", back, m)
		}
	}
	for _, m := range []*explicit.Model{{Actions: []string{"a b"}}, {Labels: []explicit.Label{{Name: "a\"b"}}}} {
		if err := m.Write(io.Discard); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

// TestProperty: a property is read in all its forms, and written as it is read.
func TestProperty(t *testing.T) {
	for text, want := range map[string]string{
		`Pmax=?[F "goal"]`:                 `Pmax=? [F "goal"]`,
		` P min = ? [ "a b" U "goal" ] ; `: `Pmin=? ["a b" U "goal"]`,
		`Pmax=? [!"bad" U "goal"]`:         `Pmax=? [!"bad" U "goal"]`,
		`Rmin=? [F "goal"]`:                `Rmin=? [F "goal"]`,
		`R{"cost"}max=? [F "(x = 1)"]`:     `R{"cost"}max=? [F "(x = 1)"]`,
		`P>0.5 [F "goal"]`:                 "",
		`Rmin=? [!"bad" U "goal"]`:         "",
		`Pmax=? [F goal]`:                  "",
		`Pmax=? [G "goal"]`:                "",
		`R{"cost"}min=? [C]`:               "",
	} {
		p, err := explicit.ParseProperty(text)
		if want == "" {
			if !errors.As(err, new(*bcpace.InputError)) {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if again, _ := explicit.ParseProperty(p.String()); err != nil || p.String() != want || again != p {
			t.Errorf("%s is %s (%v), want %s", text, p, err, want)
		}
	}
}

// TestPOMDPErrors: what cannot be asked of a model is refused with what could be.
func TestPOMDPErrors(t *testing.T) {
	for _, c := range []struct{ from, to, property, want string }{
		{"", "", `Pmax=? [F "gaol"]`, `"gaol", want one of the model: "all done", "goal"`},
		{"", "", `R{"time"}min=? [F "goal"]`, `"time", want one of the model, such as R{"NAME"}: "steps"`},
		{"{7}", "{0}", `Pmax=? [F "all done"]`, ""}, // it has ended there
		{"state 2 {1}", "state 2 {0}", `Pmax=? [F "goal"]`, `"left", "right" in state 0, and "stay" in state 2`},
		{"action right", "action left", `Pmax=? [F "goal"]`, `action "left" of state 0 is two choices`},
		{"[0.5] init", "[0.5] init goal", `Pmax=? [F "goal"]`, "the value is 1"},
		{"", "", `Rmax=? [F "goal"]`, "the largest total is infinite"},
	} {
		text := strings.ReplaceAll(strings.ReplaceAll(coin, "[0, 1]", "[1]"), "[0, 2]", "[2]")
		text = strings.Replace(strings.Replace(text, "[0, 0]", "[0]", 2), c.from, c.to, 1)
		m, err := read(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := explicit.ParseProperty(c.property)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.POMDP(t.Context(), p)
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, new(*bcpace.InputError)) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %s: %v, want %q", c.to, c.property, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(coin)
	f.Add("@type: MDP\n@model\nstate 0 init\naction\n0 : 1")
	f.Add("@type: DTMC\n@placeholders\n$a : 1\n@reward_models\n\n@model\nstate 0 [] init\naction 0 []\n0 : $a")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := read(text)
		if err != nil {
			if !errors.As(err, new(*pomdpfile.Error)) && !errors.As(err, new(*bcpace.InputError)) { // of an archive
				t.Fatalf("%v", err)
			}
			return
		}
		for _, l := range m.Labels {
			for _, property := range []explicit.Property{{Goal: l.Name}, {Goal: l.Name, Rewards: true, Minimize: true}} {
				if tables, err := m.POMDP(t.Context(), property); err == nil {
					if err := tables.Validate(); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}
