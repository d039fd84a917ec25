// Package pointbased has what solvers of finite POMDPs with mixed observability share that
// make backups of α-vectors at single beliefs: the model as inner loops want it (Problem),
// bounds to start from, the vectors with their backup (Set), a policy that earns them
// (Set.Policy), and searches by stages of backups over a set of beliefs (Stages).
//
// The lower bound at (x, b) is max_α α·b over the α-vectors of x. A backup of the action a at
// (x, b) makes the vector
//
//	α(y) = R(x,y,a) + γ Σ_{x',y'} P(x',y'|x,y,a) Σ_o P(o|x',y',a) α_{x',o}(y')
//
// where α_{x',o} is the highest vector of x' at the belief that follows a, x' and o (Pineau,
// Gordon and Thrun 2003; Ong, Png, Hsu and Lee 2010 for the factors).
package pointbased
