// Package proved computes bounds of the optimal values of Bayes-adaptive MDPs in continuous spaces
// that assume nothing: they follow from the noise of the model, and from what the model states of
// how its means and expected rewards bend (bcpace.Smoothness).
//
//	V*(s,b)     optimal value             Bound.At, Bound.Start     proved.go
//	            from below                Bound.Lower               lower.go, lower_cells.go
//	v_j         nodes of an axis          axis                      axis.go
//	M_c         minorants and majorants   kernel, builder           kernel.go, wavers.go
//	D, E        their exponents           shortfall, excess         shrink.go
//	T_φ         values when told          told, reach               axis.go
//	P           how the latent moves      moves                     moves.go
//	Û           the finite model's value  solver, sweeper           solve.go, sweep.go, countdown.go
//	            between beliefs           points, beliefs           points.go
//	            its best choices          Bound.Policy              policy.go
//
// # The theorem
//
// The grid model that one would naively write, plus a small probability of being told the latent,
// is a finite BAMDP whose optimal value is an upper bound.
//
// Let w ≥ 0 be an unnormalised belief, and V*(s,w) = max over a of Q*_a(s,w), which is convex and
// homogeneous in w. So V*(s,w+w') ≤ V*(s,w) + V*(s,w'), and V*(s,w) ≤ Σ_φ w(φ)·V_φ(s), the value of
// an agent that is told φ. K_φ(ds'|s,a) is the distribution of the next state, and T_φ ≥ V_φ.
//
// Source. In a cell of states and controls with corners c and weights κ_c of multilinear
// interpolation, let K_φ(·|z) ≥ Σ_c κ_c(z)·M_{φ,c} with measures M_{φ,c} ≥ 0, and let
// r_φ(z) ≤ Σ_c κ_c(z)·r_{φ,c}. Then Q*(z,w) ≤ Σ_c κ_c(z)·U(c,w) with
//
//	U(c,w) = Σ_φ w(φ)·[r_{φ,c} + γ·(1−|M_{φ,c}|)·T_φ] + γ·∫V*(s', w∘M_c(ds')).
//
// For w∘K is the sum of the κ_c·w∘M_c and of a rest, in which V* is at most the value when told.
// The maximum over the corners bounds the maximum over all controls of the cell.
//
// Target. In a cell of next states with vertices l, let M_φ(x) ≥ τ·Σ_l κ_l(x)·M_φ(l) with one
// τ for all latents. Then ∫V*(x, w∘M(x))dx over the cell is at most
//
//	τ·Σ_j Σ_l ∫κ_jκ_l · max over the choices c at vertex j of U(c, w∘M(l)),
//
// and what the rest is worth when told: the next state is vertex j, and what is learned is what
// would be learned at vertex l. Here V*(x,·) ≤ Σ_j κ_j(x)·max U(j,·) by the first part, and ∫κ_jκ_l
// is a third of the cell for j = l and a sixth for j ≠ l.
//
// Both together: states are nodes, observations are pairs (j, l), and with the probability that is left
// the latent is told. Since the value is convex in the belief, a bound at some beliefs bounds it between them
// (type points).
//
// Where the means do not depend on the latent, arriving at x tells nothing, and the target needs no
// τ: ∫V*(x,w)M(dx) is at most Σ_j ∫κ_j dM · max U(j, w). The rest of K is then the same under all
// latents. So it tells nothing either, and is worth at most the largest bound at w of the places
// where it may lie, which is less than what is worth being told. And where nothing that moves the
// mean of such an axis moves another mean, the cells are products of cells of that axis and of others,
// and K is the product of two kernels, each with a minorant of its own. What the first one leaves is
// then worth the most of the places where that may lie on this axis, wherever the others lead, and
// whatever they tell. Regions that tell the latent have its
// value when told there, and regions that end the episode have what they pay. Each such region is a
// product of segments of the axes, which have nodes of their own at both ends, so that what jumps
// from one to the other is not smeared.
//
// # The minorant of normal noise
//
// Let the means be multilinear in the cell. Along one coordinate, that of axis i moves by η_i
// standard deviations, and its density at x_i is f_a^(1−λ)·f_b^λ·e^(λ(1−λ)η_i²/2) between two
// corners, as a function of the place λ. shortfall(r, η) with r = log(f_b/f_a) is a D such that
// e^−D times the chord is below that. Where several means move, with any shares α_i that sum to 1,
// Hölder's inequality for the two-point distribution (1−λ, λ) has
//
//	(1−λ)·Π a_i + λ·Π b_i ≤ Π_i ((1−λ)·a_i^(1/α_i) + λ·b_i^(1/α_i))^α_i,
//
// and the factor of axis i alone is e^−α_i·shortfall(r_i/α_i, η_i/√α_i). So a corner's minorant is
// a product of one kernel for each axis. Coordinates follow one another: those before are at the
// corner, those after anywhere in the cell. Between the edges of a cell, |η_i| is at most that of
// an edge, and x_i is as far from a middle as from those of the edges. A corner takes the least
// factor of the cells that have it. The probability of stopping at an end is log-concave in the
// mean too (builder.stopped). In the target cell of an axis that tells something, the density as a
// function of x has the same form with η = h/σ.
//
// A mean that is not multilinear is off by at most δ = Σ_k c_k·h_k²/8, with the bound c_k of its
// second derivative along coordinate k, as interpolation along one coordinate after the other
// shows. With ε = δ/σ this lowers a density by e^−(|z|ε+ε²/2) at most, where |z| bounds how many
// standard deviations x is from the means of the cell. An expected reward exceeds its interpolation
// likewise.
//
// What is left over, and so the error of the bound, is of second order in h/σ.
//
// # Noise that wavers
//
// Where the standard deviation depends on state, control or latent, let p = 1/σ and m/σ be
// multilinear in the cell. Then so is z = (x−m)/σ = x·p − m/σ for each x. Along one coordinate z is
// affine and −z²/2 is its chord plus λ(1−λ)η²/2, where η is how much z moves; log p is concave, and
// so at least its chord. Hence the density φ(z)·p is at least f_a^(1−λ)·f_b^λ·e^(λ(1−λ)η²/2) with
// r = log(p_b/p_a) − (z_b²−z_a²)/2, and what was said above holds with these r and η. Between the
// edges of a cell, z and how much it moves lie between those of edges, and so does p_b/p_a, a ratio
// of two means with equal weights.
//
// With any σ, z is off its interpolation by δ = Σ_k h_k²/8·|∂²z/∂k²| at most, and p by a factor of
// e^±ε. With σ ≥ ς in the cell, ∂²z/∂k² = −m”/σ + 2m'σ'/σ² + (x−m)(2σ'²/σ³ − σ”/σ²) is at most
//
//	|m''|/ς + 2|m'σ'|/ς² + |x−m|·(2σ'²/ς³ + |σ''|/ς²).
//
// A slope times h_k is what an edge has at most, and half of all that bends. So a density is lowered
// by e^−(|z|δ+δ²/2+ε) at most. From the other side log p exceeds its chord by an eighth of the square
// of log(p_b/p_a) at most, as log((1−λ)+λe^r) exceeds λr. A probability of stopping at an end is a
// function of z alone.
//
// # Latents that move
//
// Let the latent move by a matrix P after a step. The agent goes on with the belief Pᵀ(w∘K), so that
// the function V*(s',Pᵀ·) is in the place of V*(s',·). It is convex and homogeneous, too, which is
// all that was used. T_φ is what being told φ is worth before it moves. P is the same at all states
// and for all controls of an action; else it would be part of K, and learned from.
//
// # With a horizon
//
// V* with l steps left is on the left side and V* with l−1 on the right one, for which the bound is
// known. So one backup for each step gives the bound, and each has its own T.
//
// # From below
//
// A controller that plays one choice in a cell, with a finite memory, earns under each latent a
// value that solves a linear equation. With majorants M_c of the same form, K ≤ Σ_c κ_c·M_c, and a
// T above all that is earned later,
//
//	∫V dK = T + ∫(V−T) dK ≥ T + Σ_c κ_c ∫(V−T) dM_c,
//
// so the solution of the finite equation is below the values, again to second order. Package proved
// takes for T what is worth being told. The mean over latents, Σ_φ b(φ)·V_φ, is a lower bound of
// V*(s,b). Where no axis tells anything, K is the same under all latents, so that this mean solves one
// equation, and the upper bound at b is a T for it.
//
// The memory changes by the cell of the next place on the axis that tells something, and not by where
// in the cell it is, nor by which way round it came there. So the integral over a cell is one over the
// values of one memory.
//
// # What it takes
//
// Up to three axes with noise, which stops at their ends or goes round; actions of a list or with a
// Box; a latent that stays, or moves by the action alone. From below: a model in which one axis at
// most tells something of the latent, beside regions that tell it. As everywhere, the agent learns
// from states alone, and not from rewards. Numbers are rounded so that the bound holds: probabilities are
// lowered by 10⁻¹² and what places are rounded by, and bounds have a slack for sums and for what
// lies beyond 6.5 standard deviations.
package proved
