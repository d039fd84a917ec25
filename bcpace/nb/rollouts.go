package nb

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
)

// Rollouts runs eval.Rollouts with a progress display. Kernel > Interrupt ends
// it, and the statistics are then of the episodes played so far, which the cell
// says. An error ends the cell with one line.
func Rollouts(m bcpace.Model, p bcpace.Policy, opts eval.Options) eval.Result {
	return interruptible(func(ctx context.Context, out *output) (eval.Result, error) { return rollouts(ctx, out, m, p, opts) })
}

func rollouts(ctx context.Context, out *output, m bcpace.Model, p bcpace.Policy, opts eval.Options) (eval.Result, error) {
	progress := startProgress("playing "+m.Spec().Name, "", out)
	if opts.Progress == nil && opts.Episodes > 0 {
		opts.Progress = progress.Of(opts.Episodes)
	}
	r, err := eval.Rollouts(ctx, m, p, opts)
	progress.Close()
	if ctx.Err() != nil && r.Episodes > 0 {
		out.show(message{plain: "interrupted: these are the first " + numtext.Several(r.Episodes, "episode")})
		return r, nil
	}
	return r, err
}
