package mdp

import "slices"

// Informed computes the maxima of the fast informed bound (Hauskrecht 2000), whose
// agent learns the observation o of a step before it acts again, and its hidden state
// only one step later:
//
//	Q(s,a) = R(s,a) + γ·Σ_o max over a' of Σ_s' P(s',o|s,a)·Q(s',a')
//
// The successors of (s, a) are given one after the other by Add. It is for one
// goroutine.
type Informed struct {
	actions int
	sum     []float64 // observations × actions: Σ_s' P(s',o|s,a)·Q(s',a'), zero between uses
	seen    []bool    // by observation: in use
	used    []int32   // the observations in use, in the order of their first use
}

// NewInformed returns an Informed for observations 0 … observations−1.
func NewInformed(observations, actions int) *Informed {
	return &Informed{actions: actions, sum: make([]float64, observations*actions), seen: make([]bool, observations)}
}

// Add adds a successor: its observation, its weight, and its Q by action.
func (f *Informed) Add(o int32, weight float64, q []float64) {
	if !f.seen[o] {
		f.seen[o] = true
		f.used = append(f.used, o)
	}
	sum := f.sum[int(o)*f.actions:][:len(q)]
	for a, x := range q {
		sum[a] += weight * x
	}
}

// Flush returns total plus, one after the other, the largest entry of each
// observation, and forgets what was added.
func (f *Informed) Flush(total float64) float64 {
	for _, o := range f.used {
		sum := f.sum[int(o)*f.actions:][:f.actions]
		total += slices.Max(sum)
		clear(sum)
		f.seen[o] = false
	}
	f.used = f.used[:0]
	return total
}
