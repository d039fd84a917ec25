// Package lipschitz computes Lipschitz constants of a model: how much R, P and
// Q* change for a step of length one in state or belief. Bayes-CPACE turns them
// into the radius ε/(2·L_Q) within which one sample makes another known, so a
// constant ten times too large costs ten to the power of the dimension in samples.
//
// Distances are those of metric.Metric: d(s, s') = Σ|s_i − s'_i|/Scale_i between
// states and the L1 norm between beliefs. Actions are infinitely far apart, so a
// pair (z1, z2) of states and actions shares its action. γ is the discount.
//
// # Assumption 3.1 of the paper
//
// L_R and L_P are the least constants with, for all z1, z2 and each latent φ,
//
//	|R(z1,φ) − R(z2,φ)| ≤ L_R·d(z1,z2),   Σ_y |P(y|z1,φ) − P(y|z2,φ)| ≤ L_P·d(z1,z2).
//
// An outcome y is the next state, whether the episode ends there, and the next
// latent φ'. Where the latent is static φ' = φ adds nothing and this is the
// paper's assumption; where it moves, the joint distribution is needed, as two
// states may lead to the same places and redraw the latent with different
// probabilities.
//
// A model may state them (bcpace.Lipschitz). The constants computed from a statement
// bound those of the model, and a sample can only refute it: FromModel then returns an
// error with the pair. Without one, the constants of a model that is sampled are
// estimates.
//
// # The paper's constants
//
// For rewards in [0, Rmax] and Vmax = Rmax/(1−γ), the supplement (proof of Lemma
// 3.1) derives, under Assumptions 1 and 2,
//
//	|Q*(z,b1) − Q*(z,b2)| ≤ L_QB·‖b1−b2‖₁,   L_QB = (Rmax + γVmax)/(1−γ),
//	|Q*(z1,b1) − Q*(z2,b2)| ≤ L_Q·(α·d(z1,z2) + ‖b1−b2‖₁),
//	L_Q = max((L_R + γVmax·L_P)/α, Rmax + γ(2−γ)/(1−γ)·Vmax).
//
// Vmax must be Rmax/(1−γ) and no smaller: the derivation uses Rmax + γVmax ≤ Vmax.
// With it the belief's constant and L_QB are the same number, Rmax/(1−γ)².
//
// Where rewards may be negative, Rmax stands for R̄ = max(RewardMax, 0) −
// min(RewardMin, 0) and Vmax for R̄/(1−γ). To see that this is allowed, let an
// ended episode stay in its last state at reward 0 without end, so that no episode
// ends and all rewards lie in [−c, R̄−c], c = −min(RewardMin, 0). Adding c to every
// reward, that of the ended state included, makes them lie in [0, R̄], adds c/(1−γ)
// to every value, and leaves all differences of R and of Q* as they were.
//
// # Tight constants
//
// They hold for every Bayes estimator and need no Assumption 3.2. Let α^π_φ(s,a) be
// what policy π earns from (s, a) when the latent is φ now, and let up and lo bound
// it for every π:
//
//	lo_φ(s,a) ≤ α^π_φ(s,a) ≤ up_φ(s,a),
//
// such as the values of the best and the worst policy that sees the latent at
// every step: an agent that does not see it chooses among fewer policies. As
// α^π_φ(s,a) is the value of π at the belief e_φ, any upper bound of Q*(s,e_φ,a) will do
// for up, and the mirror image for lo. Where the latent is redrawn, the fast informed
// bound is such a one and much smaller: it does not see what was drawn.
//
// Belief. Let π range over the policies that act on the history seen from now
// on. What π earns after (s, a) is Σ_φ b(φ)·α^π_φ(s,a), linear in b, as b weighs the
// latents and π does not change with it; and Q*(s,b,a) is the supremum over π. So
//
//	Q*(s,b1,a) − Q*(s,b2,a) ≤ sup_π Σ_φ (b1(φ) − b2(φ))·α^π_φ(s,a).
//
// The differences b1(φ) − b2(φ) sum to 0, so any number may be subtracted from all
// α_φ. With the middle of [min_φ lo_φ, max_φ up_φ] each is at most half the range in
// size, and
//
//	|Q*(s,b1,a) − Q*(s,b2,a)| ≤ L_B(s,a)·‖b1−b2‖₁,
//	L_B(s,a) = ½(max_φ up_φ(s,a) − min_φ lo_φ(s,a)).
//
// L_B(a) is the largest of them over s, and L_B = ½ΔQ the largest over both: ΔQ is
// the widest range of latent values at one state and action, never more than
// (Rmax−Rmin)/(1−γ).
//
// State. Extend V*(s',·) to weights w ≥ 0 of any mass |w| = Σ_φ' w(φ') by
// V̂(s',w) = sup_π Σ_φ' w(φ')·α^π_φ'(s') = |w|·V*(s', w/|w|), and let V̂ = 0 where the
// episode ended. With w_z(y)(φ') = Σ_φ b(φ)·P(s',φ'|z,φ), whose normalised form is the
// updated belief, whatever the estimator does with z,
//
//	Q*(z,b) = Σ_φ b(φ)R(z,φ) + γ Σ_s' V̂(s', w_z(s')).
//
// Let c be the middle of [Vmin, Vmax], which contains all α_φ'(s') and, if episodes
// end, 0; ΔV = Vmax − Vmin. V̂(s',w) − c|w| = sup_π Σ w(φ')(α^π_φ'(s') − c) is a supremum
// of functions that are ½ΔV-Lipschitz in ‖w‖₁, so it is ½ΔV-Lipschitz itself. Both
// w_z1 and w_z2 have total mass 1 over all s', so that the terms c|w| cancel:
//
//	|Σ_s' V̂(s',w_z1(s')) − V̂(s',w_z2(s'))| ≤ ½ΔV Σ_s' ‖w_z1(s') − w_z2(s')‖₁
//	                                      ≤ ½ΔV Σ_φ b(φ) Σ_y |P(y|z1,φ) − P(y|z2,φ)| ≤ ½ΔV·L_P·d(z1,z2).
//
// Hence, with L_S = L_R + ½γΔV·L_P, and with any of the L_B above that covers z1 or z2,
//
//	|Q*(z1,b1) − Q*(z2,b2)| ≤ L_S·d(z1,z2) + L_B·‖b1−b2‖₁,
//
// which goes from (z1,b1) by (z2,b1) to (z2,b2). In the paper's metric this is
// L_Q·(α·d + ‖b1−b2‖₁) with L_Q = max(L_S/α, L_B). The least L_Q is L_B, and the
// least α that has it, the one that calls most states close, is α* = L_S/L_B.
//
// The shortfall D(z,b) = Σ_φ b(φ)·Q(z,φ) − Q*(z,b) of Q* from the latent values changes less,
// as the reward cancels: with V(s',φ') the values of the latent MDPs and
// D̂(s',w) = inf_π Σ_φ' w(φ')·(V(s',φ') − α^π_φ'(s')), D(z,b) = γ Σ_s' D̂(s', w_z(s')). All
// entries of V − α^π lie in [0, ΔV], and what is said of V̂ with c = ½ΔV gives
// |D(z1,b) − D(z2,b)| ≤ L_D·d(z1,z2), L_D = ½γΔV·L_P. A certified search carries its
// bounds to other states by such a constant.
//
// Where the model has a Horizon, the same holds at each number of steps left,
// with bounds that cover all of them.
//
// # What becomes of the lemma
//
// ΔV and ΔQ are at most Vmax = R̄/(1−γ), so the tight constants are never above the
// paper's: L_B ≤ ½Vmax against Vmax/(1−γ), L_S ≤ L_R + ½γVmax·L_P against
// L_R + γVmax·L_P. Lemma 3.1 is therefore true with the paper's constants for every
// Bayes estimator, even though its proof uses Assumption 3.2, which is false (see
// Contraction), and compares V(s', b'1) with V(s', b'2) as though the update did
// not depend on z.
package lipschitz
