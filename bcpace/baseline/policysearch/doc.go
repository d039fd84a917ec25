// Package policysearch looks for a policy by simulation: it tries the parameters of a family
// of policies, and keeps those that earn most. It needs no grid and no list of what follows a state,
// so that its work does not grow with the number of cells of a space. That is what is left where there
// are four continuous axes or more. Where values are cheap, it goes by them as well.
//
// # The policies
//
// A policy gives each action a score, and takes the action of the largest one. The control of an
// action with a Box is computed likewise, one number for each axis of the Box, clipped to it. Scores
// and controls are linear in features x of the state and belief:
//
//	score_a(s, b) = w_a·x(s, b) + v_a·r̄(s, b, a)
//
// The features are 1, the coordinates z of the state, which are brought to [−1, 1], or the sine and
// cosine of those that have a period, their products, the belief, how sure it is (Σ b(φ)²), and the
// products of these with z: so a policy can push either way by what it believes, and go where
// something is learnt while it is not sure. r̄ is what an action without a Box earns at once,
// by one step for each latent that is likely, so that the family has the myopic policy. Without it, a reward of
// few places, such as that of a landing, is hard to find.
//
// Where a model lists what follows its states and has no Box, and six axes of real numbers at most, there
// are values on a coarse grid too, with weights that are the same for all actions. With two such axes at most, they
// stand in the place of r̄:
//
//	score_a(s, b) = w_a·x(s, b) + Σ_k (u_k + v_k·Σ b(φ)²) Σ_φ b(φ)·Q_k(s, φ, a)
//
// Q_1 is what the action is worth to who knows the latent, so that the family has QMDP. Q_2 is the same
// where the reward is what a step tells of the latent, which is the information between the two: a
// policy may go where much is told until it is sure, and then take what is worth most. By how much the
// one counts against the other is found by what it earns. Before a deadline, and with more than two such axes, the grid of
// Q_1 becomes finer while there is time, and while the policy that goes by it alone earns more.
//
// # The search
//
// The weights are found by CMA-ES (Hansen 2016, "The CMA evolution strategy: a tutorial"). That it
// serves for policies was shown by Heidrich-Meisner and Igel (2009, "Neuroevolution strategies for
// episodic reinforcement learning"). All policies of a generation play the same episodes, so that luck cancels
// out of their differences, and each generation plays others, so that none is fitted to its
// episodes. Half of these begin anywhere on the axes of real numbers, and half of those with the
// latent known or nearly so, so that a goal that no policy comes to at first is found from nearby (Kakade and
// Langford 2002, "Approximately optimal approximate reinforcement learning", on such starts). The
// best of some generations plays episodes that are the same for all; the few that earn most in these
// play fresh ones at the end, in which the best is chosen.
//
// Several populations begin: at the best policy that goes by values alone, at the one that takes what earns
// most at once, at the mean under the belief of linear policies that are found for each latent, and at none.
// Only the first goes by values. Each has some generations, and then goes on, the best one first. Where
// all have got no further for long, others begin, twice as large (Auger and Hansen 2005, "A restart CMA evolution strategy with increasing
// population size").
//
// Before a deadline some episodes are played first, to see how quick steps are. Where there is time for few, as with a
// simulator in another program, policies play fewer episodes, so that there are generations to learn from.
//
// Nothing is proved of the policy that is found: the search may end in a local optimum. What the
// policy earns is simulated at the end, in episodes that the search has not seen.
package policysearch
