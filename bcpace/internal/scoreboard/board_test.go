package scoreboard

import (
	"math"
	"path/filepath"
	"testing"

	"bayescpace/bcpace/check"
)

// What a board is written to is read again, and nothing of it counts as a change.
func TestBoardIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "board.csv")
	nan := math.NaN()
	b := board{
		"a size=2,qmdp":   {1, 0.5, 1.5, nan, 3, ""},
		"a size=2,sarsop": {nan, nan, nan, nan, nan, `needs a "list", and more`},
	}
	if err := b.write(file); err != nil {
		t.Fatal(err)
	}
	again, err := readBoard(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range b {
		if v := compare(s, again[name], true); v != same || s.String() != again[name].String() {
			t.Errorf("%s: %v, and read again %v: %s", name, s, again[name], v)
		}
	}
}

func TestCompare(t *testing.T) {
	of := func(mean, half, lower, upper float64) score {
		return score{mean, mean - half, mean + half, lower, upper, ""}
	}
	refused := of(0, 0, 0, 0)
	refused.fault = "no list"
	nan := math.NaN()
	for _, c := range []struct {
		was, is score
		want    verdict
	}{
		{of(1, 0.2, 0, 2), of(0.9, 0.2, 0, 2), same},
		{of(1, 0.2, 0, 2), of(0.1, 0.2, 0, 2), worseThan},
		{of(1, 0.2, nan, nan), of(2, 0.2, nan, nan), better},
		{of(1, 0.2, nan, nan), of(0, 0.2, nan, nan), worseThan},
		{of(1, 0, 0, 2), of(1, 0, 0, 3), worseThan},
		{of(1, 0, 0, 3), of(1, 0, 0, 2), better},
		{refused, of(1, 0, 0, 2), better},
		{of(1, 0, 0, 2), refused, worseThan},
		{refused, refused, same},
	} {
		if got := compare(c.was, c.is, true); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.was, c.is, got, c.want)
		}
	}
}

// The models of the scoreboard are sound, and its trials can be.
func TestScoreboardModels(t *testing.T) {
	for _, p := range models() {
		axes, layout := p.set["axes"], p.set["layout"]
		if p.env != "jumps" && p.env != "integrator" || layout == 5 {
			continue
		}
		if p.env == "jumps" && axes != 2 && layout != axes.(int)-1 { // layouts differ in their numbers alone
			continue
		}
		m, err := p.model()
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Model(m, check.Options{Episodes: 10, Transitions: 30, Draws: 300}); err != nil {
			t.Errorf("%s %v: %v", p.env, p.set, err)
		}
	}
	spec := trials("")
	all, err := spec.Trials()
	if err != nil {
		t.Fatal(err)
	}
	if want := len(models()) * len(methods); len(all) != want {
		t.Errorf("%d trials, want %d", len(all), want)
	}
}
