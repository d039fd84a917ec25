package nb

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
)

func ExampleSlider() {
	squares := Slider("side", []int{1, 2, 3}, func(n int) any { return fmt.Sprintf("area %d", n*n) })
	Show(squares)
	// Output:
	// area 9
	// 1: area 1
	// 2: area 4
	// 3: area 9
}

func TestSliderLabels(t *testing.T) {
	if got := Slider("k", []float64{0.30000000000000004, 12345.6, 1e-9}, func(float64) any { return "" }).Labels; !slices.Equal(got, []string{"0.3", "12,346", "1e-9"}) {
		t.Errorf("labels are %q", got)
	}
	if _, err := Slider("k", nil, func(int) any { return "" }).messages(limits{}); err == nil {
		t.Error("no value is no error")
	}
}

// The work of a value is displayed behind the slider's own progress, in one output,
// of which nothing is left.
func TestSliderProgress(t *testing.T) {
	t.Setenv("BAYESCPACE_STORE", t.TempDir())
	r := &shown{}
	o := &output{screen: r, live: true}
	c := &clock{step: time.Second}
	f := slider(t.Context(), o, newProgress("reward", o, c.now), []string{"1", "2"}, func(i int) any {
		for range 2 {
			p := newProgress("counting", o, c.now)
			p.Count(1, 4)
			p.Close()
		}
		return i
	})
	o.show(message{plain: "a"})
	if want := []any{0, 1}; !slices.Equal(f.Figures, want) || r.saved() != "a" || len(r.ids) != 1 {
		t.Errorf("frames %v, outputs %q", f.Figures, r.saved())
	}
	var texts []string
	for i, s := range r.texts {
		if s != "" && s != "a" {
			texts = append(texts, s+r.bars[i])
		}
	}
	if want := []string{
		`reward: 1, 1 of 2 value="0.000" max="1"`,
		`reward: 1, 1 of 2: counting: 1 of 4 value="0.125" max="1"`, `reward: 1, 1 of 2: counting: 1 of 4 value="0.125" max="1"`,
		`reward: 2, 2 of 2 value="0.500" max="1"`,
		`reward: 2, 2 of 2: counting: 1 of 4 value="0.625" max="1"`, `reward: 2, 2 of 2: counting: 1 of 4 value="0.625" max="1"`,
	}; !slices.Equal(texts, want) {
		t.Errorf("displayed are\n%s", strings.Join(texts, "\n"))
	}
	if o.within != nil {
		t.Error("later work is taken for the slider's")
	}
}

// An interrupt keeps the frames up to then.
//
//test:race
func TestSliderInterrupted(t *testing.T) {
	t.Setenv("BAYESCPACE_STORE", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	r := &recorder{}
	o := &output{screen: r, live: true}
	f := slider(ctx, o, startProgress("reward", "", o), []string{"1", "2", "3"}, func(i int) any {
		if i == 1 {
			cancel()
		}
		run, err := explore(ctx, o, twoDoors{}, cpace.Solver{Epsilon: 0.5, Seed: uint64(i + 1), MaxEpisodes: 5}, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		return run
	})
	if len(f.Figures) != 2 || !slices.Equal(f.Labels, []string{"1", "2"}) {
		t.Errorf("%d frames, labels %q, want 2", len(f.Figures), f.Labels)
	}
	if want := "interrupted: the slider goes along 2 of 3 values; execute the cell again for all"; !slices.Contains(strings.Split(r.saved(), "|"), want) { // a run that took long may say so behind it
		t.Errorf("it says %q, want %q", r.saved(), want)
	}
}
