package proved

import (
	"context"
	"runtime"

	"bayescpace/bcpace/internal/side"
	"bayescpace/bcpace/solverkit"
)

// parallel calls f for the numbers below n, on all processors that the Control of ctx allows. It
// leaves out those after ctx has ended.
func parallel(ctx context.Context, n int, f func(i int)) {
	side.Each(min(solverkit.ControlOf(ctx).Processors(), runtime.GOMAXPROCS(0)), n, func(_, i int) {
		if ctx.Err() == nil {
			f(i)
		}
	})
}
