package pointbased

import (
	"context"

	"bayescpace/bcpace/solverkit"
)

// PBVI solves finite POMDPs with mixed observability, and Finite models, by point-based value
// iteration (Pineau, Gordon and Thrun 2003, "Point-based value iteration: An anytime
// algorithm for POMDPs").
//
// PBVI keeps a set B of beliefs that can be reached from the start, and for each of them an
// α-vector, that is the value of a plan. A stage makes a backup at every b of B: for each
// action a and observation o it takes the highest vector at the belief that follows, and
// keeps the best action's vector,
//
//	backup(b) = argmax_{α_a} α_a·b,  α_a = R_a + γ Σ_o argmax_{α ∈ Γ_{a,o}} α·b
//
// with Γ_{a,o} = {Σ_s' P(s'|·,a) P(o|s',a) α(s') : α ∈ Γ}. When stages raise the bounds no
// more, the set grows: from every b, each action is simulated once, and of the beliefs that
// follow that one joins which is farthest from B by the L1 distance, Σ_s |b(s) − b'(s)|.
// So the set doubles at most. With beliefs nowhere farther than δ from B, the value is
// within (Rmax − Rmin)·δ/(1−γ)² of the optimum (their Theorem 1).
//
// What differs from the paper: what the agent sees of the state is no part of the belief, so
// that vectors belong to one x (Ong, Png, Hsu and Lee 2010); vectors start from the blind
// policies, which repeat one action (Hauskrecht 2000), and a vector stays until better ones
// are known at all beliefs of B, so that the bound never falls; within a stage, the backups at
// the first beliefs of B, which are near the start, see those at the beliefs behind; left out
// are an action whose upper bound is below the lower bound at b, and a backup that raises
// the bound by no more than Epsilon·(1−γ); and B grows until it has the number of beliefs
// allowed.
//
// The policy holds all the vectors of its plan and earns the lower bound, by proof. The upper
// bound is the fast informed bound (Hauskrecht 2000), and stays as it is. Package sarsop, with
// the same backup, lowers the upper bound too, and takes beliefs only where its bounds are
// apart.
type PBVI = Staged[pbvi]

func init() { solverkit.Register(PBVI{}) }

// pbvi is PBVI as an Algorithm.
type pbvi struct{}

func (pbvi) about() solverkit.About {
	return solverkit.About{Written: "PBVI", Doc: "raises the lower bound of any POMDP or finite model at a set of beliefs, which grows by simulated steps",
		Cited: "PBVI, point-based value iteration [@pineau2003], for mixed observability [@ong2010]"}
}

func (pbvi) algorithm() Algorithm { return pbvi{} }

// Stage makes a backup at every belief.
func (pbvi) Stage(ctx context.Context, t *Stages) float64 { return t.Sweep(ctx) }

// expansions is how many in a row that find no new belief end the growth: which
// observation follows is drawn.
const expansions = 8

// Grow adds for every belief the farthest of its simulated successors.
func (pbvi) Grow(ctx context.Context, t *Stages) bool {
	before := len(t.Members)
	for range expansions {
		for _, n := range t.Members[:before] {
			if len(t.Members) >= t.Most || ctx.Err() != nil {
				break
			}
			expand(t, n)
		}
		if len(t.Members) > before {
			return true
		}
	}
	return false
}

// same is a distance of beliefs that are the same but for rounding.
const same = 1e-9

// expand simulates each action once at n, and adds the belief farthest from all points.
func expand(t *Stages, n *StagePoint) {
	var x int32
	var b Belief
	far := same
	for a := range t.NA {
		k := t.Draw(n.X, n.Belief, a)
		if d := t.Distance(k.X, k.Belief); d > far {
			x, b, far = k.X, k.Belief.Clone(), d
		}
	}
	if b.P != nil {
		t.Put(x, b)
	}
}
