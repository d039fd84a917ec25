// Package dp has tables that dynamic programming makes of a model, which solvers build on:
//
//	Q(s,φ,a)          latent values            SolveLatent        latent_finite.go
//	                  on a grid                SolveGrid          latent_grid.go
//	                  how it is laid           GridOptions        grid_plan.go, grid_axes.go
//	FIB, blind, worst first bounds             SolveBounds        bounds_finite.go
//	                  by grid                  SolveGridBounds    grid_bounds.go
//	box cone          how far a bound carries  BoxCone            bounds_upper.go
//	P(s'|s,φ,a)       tables of what follows   Transitions        transitions.go
//	s ~ s'            states that are alike    Aggregate          aggregate.go
package dp
