package nb

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// step is a frame with a name.
type step int

func (s step) String() string { return fmt.Sprint("t = ", int(s)) }

func TestAnimate(t *testing.T) {
	f := Animate("step", "a", step(5), "b")
	if want := []string{"0", "t = 5", "2"}; !slices.Equal(f.Labels, want) {
		t.Errorf("labels are %q, want %q", f.Labels, want)
	}
	if s := slidesOf(t, sliderOf(t, f)); s.Every != 700 || len(s.Frames) != 3 {
		t.Errorf("%d frames of %d ms, want 3 of 700", len(s.Frames), s.Every)
	}
	for every, want := range map[time.Duration]int64{2 * time.Second: 2000, leastTime: 10, longestTime: 60_000} {
		f.Every = every
		if s := slidesOf(t, sliderOf(t, f)); s.Every != want {
			t.Errorf("frames of %d ms, want %d", s.Every, want)
		}
	}
	if s := slidesOf(t, sliderOf(t, Slider("k", []int{1, 2}, func(int) any { return "" }))); s.Every != 0 {
		t.Errorf("a slider plays frames of %d ms", s.Every)
	}
	if _, err := Animate("step").messages(limits{}); err == nil {
		t.Error("no frame is no error")
	}
}
