package sweep

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tigers is a small sweep that takes no time.
func tigers() Spec {
	return Spec{
		Name: "tigers", Base: Trial{Env: "tiger", Algorithm: "qmdp", Eval: &Eval{Exact: true, Horizon: 10}},
		Grid:  []Axis{{Key: "set.accuracy", Values: []any{0.6, 0.7, 0.85}}, {Key: "eval.horizon", Values: []any{2, 5}}},
		Seeds: 2,
	}
}

func ExampleSpec_Trials() {
	s := Spec{
		Base: Trial{Env: "chain", Algorithm: "bayes-cpace"},
		List: []Setting{{"params.k": 1}, {"params.k": 5, "params.bound": "qmdp"}},
		Grid: []Axis{{Key: "set.slips", Values: []any{[]float64{0.2, 0.8}, []float64{0.5}}}},
	}
	trials, err := s.Trials()
	if err != nil {
		fmt.Println(err)
	}
	for _, t := range trials {
		fmt.Println(t.Set["slips"], t.Params["k"], t.Params["bound"])
	}
	// Output:
	// 0.2,0.8 1 <nil>
	// 0.5 1 <nil>
	// 0.2,0.8 5 qmdp
	// 0.5 5 qmdp
}

func TestTrials(t *testing.T) {
	trials, err := tigers().Trials()
	if err != nil || len(trials) != 12 {
		t.Fatalf("%d trials, error %v, want 12", len(trials), err)
	}
	for i, x := range trials {
		want := [3]string{[]string{"0.6", "0.7", "0.85"}[i/4], []string{"2", "5"}[i/2%2], fmt.Sprint(i % 2)}
		if got := [3]string{x.at("set.accuracy"), x.at("eval.horizon"), x.at("seed")}; got != want {
			t.Errorf("trial %d has %v, want %v", i, got, want)
		}
	}
	if keys := tigers().Keys(); fmt.Sprint(keys) != "[set.accuracy eval.horizon seed]" {
		t.Errorf("keys %v", keys)
	}
}

// TestTrialsCount holds that there is one trial for each combination, that all differ, and that
// the seeds change fastest.
func TestTrialsCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Spec{Base: Trial{Env: "tiger", Algorithm: "bayes-cpace", Seed: rapid.Uint64Max(1<<40).Draw(t, "seed")}, Seeds: rapid.IntRange(0, 4).Draw(t, "seeds")}
		want := max(s.Seeds, 1)
		for i, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"params.k", "params.max-samples", "params.horizon", "eval.episodes"}), 0, 4, rapid.ID[string]).Draw(t, "keys") {
			n := rapid.IntRange(1, 4).Draw(t, "values")
			a := Axis{Key: key}
			for v := range n {
				a.Values = append(a.Values, 1+v+i)
			}
			s.Grid = append(s.Grid, a)
			want *= n
		}
		if points := rapid.IntRange(0, 5).Draw(t, "points"); points > 0 {
			s.Design = &PointDesign{Points: points, Seed: 3, Axes: []Range{{Key: "params.lipschitz", From: 1, To: 100, Log: true}, {Key: "params.batch", From: 1, To: 9, Whole: true}},
				Kind: rapid.SampledFrom([]string{"", "halton", "latin hypercube", "random"}).Draw(t, "kind")}
			want *= points
		}
		trials, err := s.Trials()
		if err != nil || len(trials) != want {
			t.Fatalf("%d trials, error %v, want %d", len(trials), err, want)
		}
		seen := make(map[string]bool)
		for i, x := range trials {
			seen[string(canonical(x))] = true
			if x.Seed != s.Base.Seed+uint64(i%max(s.Seeds, 1)) {
				t.Fatalf("trial %d has seed %d", i, x.Seed)
			}
		}
		if len(seen) != want {
			t.Fatalf("%d different trials of %d", len(seen), want)
		}
	})
}

func TestDesign(t *testing.T) {
	d := &PointDesign{Points: 200, Seed: 1, Axes: []Range{{Key: "a", From: 1, To: 1000, Log: true}, {Key: "b", From: 1, To: 4, Whole: true}}}
	if err := d.check(); err != nil {
		t.Fatal(err)
	}
	decades, wholes := make(map[int]int), make(map[float64]int)
	for _, p := range d.points() {
		a, b := p["a"].(float64), p["b"].(float64)
		if a < 1 || a > 1000 || b != float64(int(b)) || b < 1 || b > 4 {
			t.Fatalf("point %v", p)
		}
		decades[len(fmt.Sprint(int(a)))]++
		wholes[b]++
	}
	for k := 1; k <= 3; k++ {
		if n := decades[k]; n < 55 || n > 78 { // 66.7 of an even spread
			t.Errorf("%d points have %d digits, want about a third of 200", n, k)
		}
	}
	for k := 1.0; k <= 4; k++ {
		if n := wholes[k]; n < 40 || n > 60 {
			t.Errorf("%d points are %v, want about a quarter of 200", n, k)
		}
	}
}

// TestRead reads a sweep and refuses others with a message that says where and what.
func TestRead(t *testing.T) {
	const good = `{"name": "x", "base": {"env": "tiger", "set": {"accuracy": 0.70, "reset": true}, "algorithm": "bayes-cpace", "timeout": "30s"},
	"grid": [{"key": "params.k", "values": [1, "5", 20]}], "seeds": 2, "give_up": "1m"}`
	s, err := Read(strings.NewReader(good), "x.json")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := s.Trials()
	if err != nil || len(trials) != 6 || trials[0].Set["accuracy"] != "0.7" || trials[4].Params["k"] != "20" {
		t.Errorf("trials %v, error %v", trials, err)
	}
	for text, want := range map[string]string{
		`{`:                                  "line 1",
		`{"base": 3}`:                        "base is a JSON number, want an object",
		"{\"base\":\n{\"envv\": \"tiger\"}}": `unknown field "envv"`,
		`{"seeds": "many"}`:                  "seeds",
		`[]`:                                 "the whole is a JSON array, want an object",
		"{\"base\":\n {":                     "line 2: it ends too early",
		`{"seeds": 1, "seeds": 2}`:           "the key seeds stands there twice",
		`{"base": {"env": "tiger", "set": {"accuracy": 0.7, "accuracy": 0.8}}}`: "base.set.accuracy stands there twice",
		`{"give_up": "-3s"}`: "give_up is -3s",
		`{"base": {"env": "tiger", "model": "a.pomdp", "algorithm": "qmdp"}}`: "one of env and model",
		`{} {}`:                                        "one JSON object",
		`{"base": {"env": "tiger"}}`:                   "algorithm is missing",
		`{"base": {"algorithm": "qmdp"}}`:              "env is missing",
		`{"base": {"env": "tiger", "algorithm": "x"}}`: "one of bayes-cpace",
		`{"base": {"env": "tiger", "algorithm": "qmdp", "params": {"k": 1}}}`:                                                                                     `"k", want one of control-points`,
		`{"base": {"env": "tiger", "algorithm": "qmdp", "params": {"seed": 1}}}`:                                                                                  "the key seed",
		`{"base": {"env": "tiger", "algorithm": "bayes-cpace"}, "grid": [{"key": "k", "values": [1]}]}`:                                                           `"k" is unknown`,
		`{"base": {"env": "tiger", "algorithm": "bayes-cpace"}, "grid": [{"key": "params.k", "values": []}]}`:                                                     "1 or more",
		`{"base": {"env": "tiger", "algorithm": "bayes-cpace"}, "grid": [{"key": "seed", "values": [1]}], "seeds": 2}`:                                            "changed by two parts",
		`{"base": {"env": "tiger", "algorithm": "bayes-cpace"}, "grid": [{"key": "params.k", "values": [{"a": 1}]}]}`:                                             "want a number, a text",
		`{"base": {"env": "tiger", "algorithm": "bayes-cpace"}, "seeds": -1}`:                                                                                     "a number of seeds",
		`{"base": {"env": "tiger", "algorithm": "bayes-cpace"}, "design": {"points": 0, "axes": []}}`:                                                             "points is 0",
		`{"base": {"env": "tiger", "algorithm": "bayes-cpace"}, "design": {"kind": "sobol", "points": 2, "axes": []}}`:                                            `"halton"`,
		`{"base": {"env": "tiger", "algorithm": "bayes-cpace"}, "design": {"points": 2, "axes": [{"key": "params.lipschitz", "from": 0, "to": 1, "log": true}]}}`: "above 0 with log",
		`{"base": {"env": "tiger", "algorithm": "qmdp", "keep_run": true}}`:                                                                                       "explores with samples",
		`{"base": {"env": "tiger", "cover": {"epsilon": 0}}}`:                                                                                                     "a finite distance above 0",
		`{"base": {"env": "tiger", "cover": {"epsilon": 1}, "params": {"k": 1}}}`:                                                                                 "beside an algorithm",
		`{"base": {"env": "tiger", "algorithm": "qmdp", "eval": {"horizon": 3}}}`:                                                                                 "beside eval.episodes or eval.exact",
		`{"base": {"env": "tiger", "algorithm": "qmdp", "timeout": "soon"}}`:                                                                                      "want one such as",
		`{"base": {"env": "tiger", "algorithm": "qmdp"}, "seeds": 10000001}`:                                                                                      "10000000 at most",
	} {
		s, err := Read(strings.NewReader(text), "x.json")
		if err == nil {
			_, err = s.Trials()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

// FuzzRead: what can be read and has trials has trials whose JSON reads as the same.
func FuzzRead(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Read(strings.NewReader(text), "fuzz")
		if err != nil || s.Seeds > 100 || len(s.Grid) > 3 || s.Design != nil && s.Design.Points > 100 {
			return
		}
		trials, err := s.Trials()
		if err != nil {
			return
		}
		for _, x := range trials {
			again, err := x.normal()
			if err != nil || string(canonical(again)) != string(canonical(x)) {
				t.Fatalf("trial %s became %s, error %v", canonical(x), canonical(again), err)
			}
		}
	})
}
