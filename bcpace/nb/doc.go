// Package nb is what a notebook cell calls: it solves and explores with a progress
// display and a memory, compares solvers, shows runs, tables, DataFrames and figures,
// and ends a failing cell with one line.
//
//	var tiger = envs.Tiger{Accuracy: 0.85}
//
//	func run() *runs.Run { return nb.Explore(tiger, cpace.Solver{Epsilon: 0.1, Seed: 1}) }
//
//	%%
//	nb.Show(run())
//	nb.Show(frame.Samples(run()), nb.Limit(5, 0))
//	nb.Show(viz.QOverBelief{Run: run()}, viz.Exploration{Run: run()})
//
// Solve runs any solver, Compare several of them on the same episodes, and Repeat one of
// them under several seeds. Optimum and Value are exact values, and QMDP is a policy to
// compare with:
//
//	nb.Show(nb.Solve(tiger, certified.Solver{Epsilon: 1e-3}))
//	nb.Show(nb.Optimum(tiger, 100), nb.Value(tiger, nb.QMDP(tiger), 100))
//
// Without a solver, Solve tries several, and returns the solution of the one whose policy earns
// most. Package choose says what is tried in a time, and which solver a look at the model recommends:
//
//	nb.Show(nb.Must(choose.ScheduleOf(tiger, nil, "", time.Minute)))
//	nb.Show(nb.Must(choose.Recommend(nb.Context(), tiger)))
//
// Slider computes a figure, or anything else, for several values of a parameter, and lets
// the reader move between them:
//
//	nb.Show(nb.Slider("k", []int{1, 20, 500}, func(k int) any {
//		return viz.QOverBelief{Run: nb.Explore(tiger, cpace.Solver{Epsilon: 1, K: k})}
//	}))
//
// Animate plays figures, such as the steps of an episode:
//
//	nb.Show(nb.Animate("step", viz.Episode{Model: room, Trajectory: t}.Steps()...))
//
// Save writes a figure to a file for a paper:
//
//	nb.Save(viz.QOverBelief{Run: run()}, "values.pdf")
//
// Cells are programs: variables do not outlive them, and declarations do. So
// results come from a function such as run, which reads them back from the
// store in every cell after the first.
//
// A notebook holds the same outputs at every execution: nothing that is shown
// depends on the clock or on whether a result came from the store. On a
// terminal or in a pipe everything is shown as plain text.
package nb
