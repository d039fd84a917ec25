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
// # Actions
//
// Different actions are infinitely far apart, so a set of queries falls into one
// part for each action, and all five numbers are sums over the parts. Where every
// action can be taken at each of the reachable (s, b), they are those of the (s, b)
// times the number of actions.
package cover
