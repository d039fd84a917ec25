package nb

import (
	"fmt"
	"time"
)

// frameTime is how long a frame of Animate is seen: long enough to read a line of text.
const frameTime = 700 * time.Millisecond

// Animate returns frames that are played with a button, and by hand with a slider, such as
// the steps of an episode. A frame is what Show shows, or an []any of several. The name of a
// frame is what its String method says, or without one its number, from 0.
//
//	nb.Show(nb.Animate("step", viz.Episode{Model: room, Trajectory: t}.Steps()...))
//
// The first frame is seen first, and playing begins again there from the last one. Frames need no kernel:
// they play in exported pages too. Frames.Every is the time of a frame. There may be as many
// figures as have 25 million pixels together, such as 100 figures of 640 × 390; the error of
// more says how many of their size may be shown.
func Animate(along string, frames ...any) Frames {
	f := Frames{Along: along, Labels: []string{}, Figures: frames, Every: frameTime}
	for i, v := range frames {
		label := fmt.Sprint(i)
		if s, ok := v.(fmt.Stringer); ok {
			label = s.String()
		}
		f.Labels = append(f.Labels, label)
	}
	return f
}
