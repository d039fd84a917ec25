// Package tune finds the best setting of a sweep without computing all of it: settings that are
// worse are given few seeds and small budgets, and the best ones many and large ones.
//
// # Rungs
//
// A tuning has rungs, as successive halving has (Jamieson and Talwalkar 2016; Li et al. 2020, "A system
// for massively parallel hyperparameter tuning"). On each rung all settings that are left have the same
// seeds, twice as many as on the rung before (Spec.First), and the same budget, such as the episodes of the
// solver (Spec.Budget). What is seeded alike shares its luck, so settings are compared by the
// differences of their values, seed by seed.
//
// A trial with another budget is another trial. It begins at the beginning, also where its solver could go on
// from the smaller budget, and Result.Cost counts it in full.
//
// # Which settings are dropped, and what that promises
//
// By an interval, which is the default: a setting is dropped only if its interval says that it is worse than the best
// one of the rung (a race, Maron and Moore 1994). Each setting is dropped with a probability of Delta at most
// by one that is no better in expectation at the budget of that rung. All settings and rungs are
// allowed for. So with one budget for all rungs the best setting is dropped by luck with a probability of
// Delta at most. The intervals are Student's, for differences over seeds that are about normal. For the few seeds of
// the first rungs they are wide, and they say too much where all seeds happen to have the same value. Where
// no setting can be told from the best, nothing is saved, and what was computed with smaller budgets comes on top.
//
// By a fixed part, as in the papers (Spec.Eta): each rung but the last keeps the best 1/Eta of its settings.
// The cost is known beforehand. What is kept is the best by the means that were seen, of equal ones the first of the
// sweep, and that is all: no probability says how often the best setting is dropped.
//
// With a smaller budget another setting may be the best in truth: one that learns fast and ends low. So
// whichever rule drops a setting, what it says is that the setting is worse at the budget of that rung. Neither
// rule knows what the setting would have reached with the last budget. A first budget with which no setting has
// learnt anything tells nothing, and what a fixed part drops then is arbitrary.
//
// # Bit for bit
//
// Each rung is a sweep. So a tuning goes on where it was ended, shares its results
// with sweeps of the same trials, and finds the same bit for bit. In exchange it waits for the last trial of a rung.
// The asynchronous version of Li et al. (ASHA) does not wait, but which settings it gives a larger
// budget depends on which trial ends first, so two runs of it may find different settings.
package tune
