package nb

import (
	"context"
	"errors"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

func TestHistory(t *testing.T) {
	left, right := []float64{1}, []float64{2}
	table, err := history(twoDoors{}, []float64{0}, []Seen{{"look", left}, {"look", right}, {"look", right}})
	if err != nil {
		t.Fatal(err)
	}
	want := "step  action     seen  b(left)  b(right)\n" +
		"   0          nothing      0.5       0.5\n" +
		"   1  look       left      0.8       0.2\n" +
		"   2  look      right      0.5       0.5\n" +
		"   3  look      right      0.2       0.8"
	if got := render1(table, limits{}).plain; squeeze(got) != squeeze(want) {
		t.Errorf("history is\n%s\nwant\n%s", got, want)
	}

	var input *bcpace.InputError
	for _, steps := range [][]Seen{{{"jump", left}}, {{"look", nil}}} {
		if _, err := history(twoDoors{}, []float64{0}, steps); !errors.As(err, &input) {
			t.Errorf("%v: error %v, want an InputError", steps, err)
		}
	}
	if _, err := history(twoDoors{}, nil, nil); !errors.As(err, &input) {
		t.Errorf("no start: error %v", err)
	}
	var impossible *bcpace.ImpossibleObservationError
	if _, err := history(envs.Chain{}, []float64{1}, []Seen{{"A", []float64{4}}}); !errors.As(err, &impossible) {
		t.Errorf("a jump of three states: error %v", err)
	}
}

// squeeze leaves single spaces, so that a test does not count columns.
func squeeze(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
	}
	return strings.Join(lines, "\n")
}

func TestLatentTable(t *testing.T) {
	q := dp.LatentFunc(func(s []float64, latent, action int) float64 {
		return 100*s[0] + 10*float64(latent) + float64(action)
	})
	got := render1(LatentTable(envs.Chain{Length: 2, Slips: []float64{0, 0.5}}, q), limits{}).plain
	want := "Q(s, φ, a)\nstate slip 0: A slip 0: B slip 0.5: A slip 0.5: B\n1 100 101 110 111\n2 200 201 210 211"
	if squeeze(got) != want {
		t.Errorf("latent values are\n%s\nwant\n%s", got, want)
	}
}

// TestResult: what is shown of a simulation does not depend on the clock.
func TestResult(t *testing.T) {
	r, err := eval.Rollouts(context.Background(), twoDoors{}, bcpace.RandomPolicy(twoDoors{}), eval.Options{Episodes: 40, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	shown := render1(r, limits{}).plain
	r.Elapsed = 1
	if again := render1(r, limits{}).plain; again != shown || !strings.Contains(shown, "95% interval") {
		t.Errorf("shown as\n%s\nand then as\n%s", shown, again)
	}
}

func TestSweep(t *testing.T) {
	t.Setenv("BAYESCPACE_STORE", t.TempDir())
	o := cpace.Solver{Epsilon: 1, LipQ: 2, Batch: 10, MaxEpisodes: 50, Seed: 3}
	k5 := o
	k5.K = 5
	rows := Spreads(envs.Chain{}, 2, 10, Setting{"k = 1", o}, Setting{"k = 5", k5})
	if len(rows) != 2 || rows[0].Setting != "k = 1" || rows[1].Setting != "k = 5" || !(rows[1].Samples > rows[0].Samples) {
		t.Errorf("rows %+v", rows)
	}
}
