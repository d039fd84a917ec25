// Package cover computes covering numbers: how many samples it takes until every
// point of a set has one within ε. The paper's bounds on the samples and steps of
// Bayes-CPACE are multiples of one, the N_B(ε) of the reachable states and beliefs.
//
// # Covers and graphs
//
// Join two points of a finite set where their distance is at most ε. In that graph
// an ε-cover made of points of the set is a dominating set, and an ε-separated set
// (all distances above ε) is an independent set. The numbers are
//
//	γ  domination              the smallest cover
//	i  independent domination  the smallest cover that is ε-separated
//	α  independence            the largest ε-separated set
//	Γ  upper domination        the largest cover from which no point can be dropped
//	IR upper irredundance      the largest set whose points all have a point of their own
//
// and γ ≤ i ≤ α ≤ Γ ≤ IR (Cockayne, Hedetniemi and Miller 1978): a largest separated
// set can take no further point, so it is a cover, and dropping one of its points
// uncovers that point. A greedy ε-net, which takes each point in turn that is
// farther than ε from those taken, is one of these covers, in any order: its size is
// between i and α. Definition Covering Number of the paper is Γ.
//
// # What the bound on samples needs
//
// Γ has two faults as a covering number. It is not the number that the algorithm
// meets, and in a continuous space of two dimensions or more it is infinite: put n
// points at (0, j/n²) and n at (ε, j/n²), j = 1 … n. Under L1 (and L2) each point of
// the first column is within ε of its own column and of its mate across, and of no
// other point over there. So the first column covers all, and no point of it can be
// dropped, as its mate has no other: Γ ≥ n, for every n, while α is 2.
//
// Lemma Full Coverage says that at most k·N samples are added. It holds with N = α.
// When a sample is added, fewer than k earlier ones of its action are within
// r = ε/L_Q̃ of it. Go through the samples in the order of their arrival and give each
// the first of k colours that none of those fewer than k has. Samples of one colour
// are more than r apart, so there are at most α(r) of them, and k·α(r) in all.
//
// α is finite wherever the reachable set is bounded, and the ½ε-cover bounds it: a
// ball of radius ½ε holds at most one point of an ε-separated set. Every quantity of
// package pac may therefore be read with N = α.
//
// # Bounds of many points
//
// Above a few dozen points the numbers are out of reach but for chains of points, whose graph is a proper interval graph.
// Number then bounds γ and α, says what each end rests on (Why) and brings the sets (Smallest, Apart, Packing):
//
//   - A set is split where a gap of an axis is longer than ε, and between kinds. The numbers of the blocks add up.
//   - α is at least any net: some orders of the points give far larger ones than others.
//   - α is at most the number of balls of radius ½ε by whose volume the union of the balls around all points is filled,
//     as those around points more than ε apart do not meet; and at most that of cliques, the cells of a net at ½ε.
//   - γ is at most any cover: from the outside in, each open point takes the candidate that covers most with it, and parts
//     are covered anew as long as that takes fewer points.
//   - γ is at least the size of a set that is 2ε-separated, and at least the weight of a fractional packing: weights of
//     which no ball of radius ε around a point of the set holds more than 1, made heavier by multiplicative updates.
//
// Every comparison of a distance with ε is the same, rounding included (Net), so that the sets are what they claim to be also in
// the last bit. Γ and IR of a set that fills its space have no upper bound but about half the points (see above).
//
// # Actions
//
// Different actions are infinitely far apart, so a set of queries falls into one
// part for each action, and all five numbers are sums over the parts. Where every
// action can be taken at each of the reachable (s, b), they are those of the (s, b)
// times the number of actions.
//
// # Where points come from
//
//	FromRows, ReadCSV, parquet.Points   a table, of any size that memory holds
//	Reach, OptimallyReach               all that a model reaches, or its optimal policies
//	Sample                              what episodes of given policies meet
//	Visited                             what runs of exploration have visited
//
// Radius tells within which distance one of these sets covers another: what runs have visited, what is reached.
//
// Points of a table, of Sample and of Visited are a part S of what there is, X. Of the numbers of a part, some bound
// those of the whole from below, as distances stay what they are:
//
//   - α(S) ≤ α(X), as a separated set of S is one of X. So α(S) ≤ Γ(X) ≤ IR(X) as well.
//   - IR(S) ≤ IR(X), as a point that one point alone of a set is within ε of stays such a point, whatever else there is.
//   - γ and i may fall: four leaves of a star need four points, and with the hub one. But α_2ε(S) ≤ γ_ε(X) ≤ i_ε(X), where
//     the triangle inequality holds, as no point is within ε of two that are more than 2ε apart (Kolmogorov and
//     Tikhomirov 1959). The size of a Net of S at 2ε is at most α_2ε(S).
//   - Γ may fall, too. Add to the columns above u = (−1/n², 0) and w = (ε + 1/n², 0), for (n + 1)/n² ≤ ε: u is within ε of the
//     first column alone, and w of the second. A cover has u or a point of the first column, and w or a point of the
//     second, and any such two cover all. So every minimal cover has two points; without u and w, Γ ≥ n. Use α(S).
//
// From above, no part bounds the whole, but an independent test bounds what is mostly reached (MeasureUnseen). Let C be a cover
// of S of radius ε, with its points from S, such as Numbers.Smallest, and let p be the upper bound of
// Unseen.Probability for the points of C alone (Reached.Keep). With the stated confidence, an episode stays, with probability
// 1 − p at least, in X′, the points of X within ε of C. C is part of X′ and covers it, so γ_ε(X′) ≤ |C|; and a ball of
// radius ε has one point at most of a set that is 2ε-separated, so α_2ε(X′) ≤ |C|. For α_ε, the N of the bound on samples, let C be a
// cover of radius ½ε. (Γ(X′) has no such bound, see above.) The confidence is that of the test; C was fixed before it. A test of
// S itself at ε bounds how likely an episode leaves the points within 2ε of C.
package cover
