// Package hidden is for problems whose hidden variable is a vector of real numbers that may move, such as
// the position of a target, the mass of a load or the wind. In package bcpace the hidden variable is a
// latent φ from a list; here it is x ∈ Rⁿ, with
//
//	x0 ~ P0                      Model.Prior
//	s0 ~ P0(·|x0)                Model.Start
//	x', s' ~ P(·|s,x,a)          Model.Step, and its reward
//	p(s'|s,x,a,x')               Model.LogDensity
//
// All that is observed is part of the state s, as in package bcpace. It is the mixed-observability
// form of a partially observed Markov decision process (Ong, Png, Hsu and Lee 2010, "Planning
// under uncertainty for robotic tasks with mixed observability").
//
// A Belief is what an agent knows of x: weighted particles, a normal distribution, or probabilities on a grid.
// A Policy acts on the state and the belief, and Simulate plays episodes with one. Package discretise makes lists of latents for offline solvers. Planners for a
// hidden vector are those of the packages below package online whose Solver has a method Planner.
package hidden
