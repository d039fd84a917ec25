package proved

import (
	"context"
	"runtime"
	"sync"

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

// attempt is parallel for what may fail. It returns one of the errors.
func attempt(ctx context.Context, n int, f func(i int) error) error {
	var first error
	var once sync.Once
	parallel(ctx, n, func(i int) {
		if err := f(i); err != nil {
			once.Do(func() { first = err })
		}
	})
	return first
}
