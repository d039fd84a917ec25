// Package proved computes upper bounds of the optimal values of Bayes-adaptive MDPs in continuous
// spaces that assume nothing: they follow from the noise of the model, and from what the model
// states of how its means and expected rewards bend (bcpace.Smoothness).
//
//	V*(s,b)     optimal value           Bound.At, Bound.Start   proved.go
//	M_c         minorant of the noise   grid                    kernel.go
//	t           its factor              shrink                  shrink.go
//	V_φ, T_φ    values when told        solveTold               solve.go
//	U           the bound               solver                  solve.go
//	            between beliefs         beliefs                 beliefs.go
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
// Both together: states are vertices, observations are pairs (j, l), and with the probability
// that is left the latent is told. Since the value is convex in the belief, a bound at some beliefs
// bounds it between them (type beliefs).
//
// # The minorant of normal noise
//
// Let the mean be multilinear in the cell. Along one coordinate it is affine, and the density at x
// is, as a function of it, f_a^(1−λ)·f_b^λ·e^(λ(1−λ)η²/2) between two corners whose means are η standard
// deviations apart. shrink(r, η) with r = log(f_b/f_a) brings the chord below that. So the density
// at any λ is at least the chord of shrink·f_a and shrink·f_b. Coordinates follow one another: the
// state with the control anywhere in its side, for which |r| ≤ max|η|·max|x−middle|/σ, and then the
// control with the state at a corner. A corner takes the least factor of the cells that have it.
// In the target cell the factor is that of its worst place, and the density as a function of x has
// the same form with η = h/σ.
//
// A mean that is not multilinear is off by at most δ = MeanCurve·Σ_k h_k²/8, as interpolation along
// one coordinate after the other shows. With ε = δ/σ this lowers a density by e^−(|z|ε+ε²/2) at most,
// where |z| bounds how many standard deviations x is from the means of the cell. The probability
// of stopping at an end of the axis is treated in grid.stopped. An expected reward exceeds its
// interpolation by RewardCurve·Σ_k h_k²/8 at most.
//
// What is left over, and so the error of the bound, is of second order in h/σ.
//
// # What it takes
//
// One axis with noise, which stops at its ends; actions of a list or with a Box of one axis; a
// latent that stays as it is; a discount and no horizon. As everywhere, the agent learns from states
// alone, and not from rewards. Numbers are rounded so that the bound holds: probabilities are lowered
// by 10⁻¹² and what places are rounded by, and Bound.At has a slack for sums and for what lies beyond
// 6.5 standard deviations.
package proved
