package nb

import (
	"bayescpace/bcpace/numtext"
	"context"
	"fmt"
)

// Slider returns a slider along the values of a parameter. It calls show with each of
// them, and Show lets the reader move between what it has returned: a figure, a table,
// anything else that Show shows, or an []any of several.
//
//	nb.Show(nb.Slider("accuracy", []float64{0.6, 0.7, 0.8, 0.9}, func(a float64) any {
//		return viz.QOverBelief{Run: nb.Explore(envs.Tiger{Accuracy: a}, cpace.Solver{Epsilon: 1, K: 20})}
//	}))
//
// All of it is computed before the slider can be moved, with a progress display. A cell
// is a program that has ended when its outputs are read; and so the slider follows the
// hand at once, goes on without a kernel, and works in an exported page. Runs come from
// the store where they are in it, so that one more value costs no more than that value.
//
// After an interrupt the slider goes along the values up to then, and the cell says so.
func Slider[T any](along string, values []T, show func(T) any) Frames {
	labels := make([]string, len(values))
	for i, v := range values {
		labels[i] = makeCell(v).string()
	}
	return interruptible(func(ctx context.Context, out *output) (Frames, error) {
		return slider(ctx, out, along, labels, func(i int) any { return show(values[i]) }), nil
	})
}

func slider(ctx context.Context, out *output, along string, labels []string, frame func(i int) any) Frames {
	f := Frames{Along: along, Labels: []string{}}
	progress := startProgress(along, "", out)
	out.within(progress)
	for i, label := range labels {
		progress.step(i, len(labels), fmt.Sprintf("%s, %d of %d", clean(label), i+1, len(labels)))
		f.Figures, f.Labels = append(f.Figures, frame(i)), append(f.Labels, label)
		if ctx.Err() != nil {
			break
		}
	}
	out.within(nil)
	progress.Close()
	if n := len(f.Labels); ctx.Err() != nil {
		out.show(message{plain: fmt.Sprintf("interrupted: the slider goes along %d of %s; execute the cell again for all", n, numtext.Several(len(labels), "value"))})
	}
	return f
}
