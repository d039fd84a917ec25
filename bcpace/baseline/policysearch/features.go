package policysearch

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/solverkit"
)

const (
	maxWeights = 600  // for which products of features are used
	maxBeliefs = 32   // entries of the belief; of more latents, those in a row are added up
	likely     = 0.02 // beside the most likely latent, the least probability of one whose reward counts
	maxRewards = 200  // steps of a decision: actions without a Box times latents
	maxLabels  = 16   // of an axis, for which each label has a feature of its own
)

// family is the policies of a model, without their weights.
type family struct {
	model    bcpace.Model
	spec     bcpace.Spec
	coords   int   // coordinates z
	beliefs  int   // numbers of the belief: its entries, but for the last one, and how sure it is
	products bool  // of coordinates
	mixed    bool  // products of coordinates and beliefs
	myopic   bool  // rewards at once
	size     int   // features
	first    []int // by action: its first output, which is its score where there are several
	outputs  int
	shared   int            // weights of values, which are those of all actions
	values   []actionValues // once they are tabulated
	cut      bool           // there was no time to tabulate them in full
}

// newFamily returns the richest family of m that has maxWeights weights at most, or that of the
// coordinates and the belief alone.
func newFamily(m bcpace.Model) *family {
	f := &family{model: m, spec: m.Spec()}
	for _, a := range f.spec.Axes {
		f.coords += coordsOf(a)
	}
	if n := len(f.spec.Latents); n > 1 {
		f.beliefs = min(n-1, maxBeliefs) + 1
	}
	lists := 0 // actions without a Box
	for _, a := range f.spec.Actions {
		f.first = append(f.first, f.outputs)
		if len(f.spec.Actions) > 1 {
			f.outputs++
		}
		for _, x := range a.Box {
			f.outputs += outputsOf(x)
		}
		if a.Box == nil {
			lists++
		}
	}
	f.myopic = !(HasValues(m) && solverkit.RealAxes(f.spec) <= fewAxes) && len(f.spec.Actions) > 1 && lists > 0 && lists*len(f.spec.Latents) <= maxRewards && f.spec.RewardMax > f.spec.RewardMin
	for _, x := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		f.products, f.mixed = x[0], x[1]
		if f.size = f.firstMixed(); f.mixed {
			f.size += f.coords * f.beliefs
		}
		if f.myopic {
			f.size++
		}
		if f.weights() <= maxWeights {
			break
		}
	}
	if HasValues(m) {
		f.shared = 2 * valueKinds
	}
	return f
}

// coordsOf returns how many coordinates an axis of the state has: one for each label but the first, or
// the sine and cosine of a circle.
func coordsOf(a bcpace.Axis) int {
	switch {
	case labelled(a):
		return len(a.Labels) - 1
	case a.Period > 0:
		return 2
	}
	return 1
}

// labelled says that each label of an axis has a feature of its own.
func labelled(a bcpace.Axis) bool { return a.Labels != nil && len(a.Labels) <= maxLabels }

// outputsOf returns how many outputs an axis of a Box has: on a circle the two coordinates of a point,
// whose angle is the control.
func outputsOf(a bcpace.Axis) int {
	if a.Period > 0 {
		return 2
	}
	return 1
}

// weights returns how many a policy has.
func (f *family) weights() int { return f.outputs*f.size + f.shared }

// greedy returns the weights of the policy that takes the action that earns most at once.
func (f *family) greedy() []float64 {
	w := make([]float64, f.weights())
	for _, first := range f.first {
		w[(first+1)*f.size-1] = 1
	}
	return w
}

// features fills in x but for the reward at once, which is the last where there is one.
func (f *family) features(x, s []float64, b bcpace.Belief) {
	x[0] = 1
	z := x[1 : 1+f.coords]
	k := 0
	for i, a := range f.spec.Axes {
		n := coordsOf(a)
		switch {
		case labelled(a):
			clear(z[k : k+n])
			if label := int(s[i]-a.Min) - 1; label >= 0 && label < n {
				z[k+label] = 1
			}
		case a.Period > 0:
			z[k], z[k+1] = math.Sincos(2 * math.Pi * (s[i] - a.Min) / a.Period)
		default:
			if z[k] = 0; a.Max > a.Min {
				z[k] = (s[i]-a.Min)/(a.Max-a.Min)*2 - 1
			}
		}
		k += n
	}
	at := 1 + f.coords + f.beliefs
	p := x[1+f.coords : at]
	clear(p)
	if n := len(b) - 1; n > 0 {
		entries := f.beliefs - 1
		for φ, q := range b {
			if φ < n {
				p[φ*entries/n] += q
			}
			p[entries] += q * q
		}
	}
	if f.products {
		for i, v := range z {
			for _, w := range z[i:] {
				x[at] = v * w
				at++
			}
		}
	}
	if f.mixed {
		for _, q := range p {
			for _, v := range z {
				x[at] = q * v
				at++
			}
		}
	}
}

// sureness returns how sure the belief of features x is: Σ b(φ)².
func (f *family) sureness(x []float64) float64 {
	if f.beliefs == 0 {
		return 1
	}
	return x[f.coords+f.beliefs]
}

// policy is a policy of the family of a model; see the package. It has working memory: Fork makes
// another one for another goroutine.
type policy struct {
	f       *family
	weights []float64
	x       []float64 // features
	next, u []float64
	score   []float64 // by action: what values add to it
	value   []float64 // by action
	source  *rand.PCG // of the rewards at once
	rng     *rand.Rand
}

func newPolicy(f *family, weights []float64) *policy {
	p := &policy{f: f, weights: weights, x: make([]float64, f.size), next: make([]float64, len(f.spec.Axes)), u: make([]float64, f.outputs),
		score: make([]float64, len(f.spec.Actions)), value: make([]float64, len(f.spec.Actions)), source: rand.NewPCG(0, 0)}
	p.rng = rand.New(p.source)
	return p
}

// Fork is bcpace.PolicyAbilities.Fork.
func (p *policy) Fork() bcpace.Policy { return newPolicy(p.f, p.weights) }

// Act implements bcpace.Policy. It returns −1, no action, for what is no state or belief of the
// model. The same state and belief always have the same action.
func (p *policy) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	f := p.f
	if len(s) != len(f.spec.Axes) || len(b) != len(f.spec.Latents) {
		return -1
	}
	f.features(p.x, s, b)
	action := 0
	if len(f.spec.Actions) > 1 {
		action = -1
		best := math.Inf(-1)
		p.worth(s, b)
		for a := range f.spec.Actions {
			if f.myopic {
				p.x[f.size-1] = p.reward(s, b, a)
			}
			if score := p.score[a] + p.output(f.first[a]); score > best {
				action, best = a, score
			}
		}
		if action < 0 { // what is no number
			return -1
		}
		if f.myopic {
			p.x[f.size-1] = 0
		}
	}
	box := f.spec.Actions[action].Box
	if box == nil {
		return action
	}
	first := f.first[action]
	if len(f.spec.Actions) > 1 {
		first++
	}
	u := p.u[:len(box)]
	for i, a := range box {
		part := p.output(first)
		if a.Period > 0 {
			turn := math.Atan2(p.output(first+1), part) / (2 * math.Pi)
			u[i] = a.Min + a.Period*(turn-math.Floor(turn))
		} else {
			u[i] = a.Min + (a.Max-a.Min)*(max(-1, min(1, part))+1)/2
		}
		if math.IsNaN(u[i]) {
			return -1
		}
		first += outputsOf(a)
	}
	id, err := f.spec.ActionID(action, u)
	if err != nil {
		return -1
	}
	return id
}

// output returns w·x of an output.
func (p *policy) output(number int) (sum float64) {
	w := p.weights[number*p.f.size:][:len(p.x)]
	for i, x := range p.x {
		sum += w[i] * x
	}
	return sum
}

// worth sets the part of each action's score that comes from values.
func (p *policy) worth(s []float64, b bcpace.Belief) {
	f := p.f
	w := p.weights[f.outputs*f.size:]
	clear(p.score)
	for k, v := range f.values {
		if u := (w[2*k] + w[2*k+1]*f.sureness(p.x)) / v.scale; u != 0 {
			dp.ExpectedAll(p.value, v.LatentValues, s, b)
			floats.AddScaled(p.score, u, p.value)
		}
	}
}

// reward returns what an action without a Box earns at once, as a part of the range of rewards: the mean
// over the likely latents, of a step of each, always with the same noise. It is 0 for a Box, whose
// control is another matter.
func (p *policy) reward(s []float64, b bcpace.Belief, action int) float64 {
	if p.f.spec.Actions[action].Box != nil {
		return 0
	}
	least := likely * slices.Max(b)
	sum, all := 0.0, 0.0
	for φ, q := range b {
		if q < least || q == 0 {
			continue
		}
		p.source.Seed(0, 0)
		sum += q * p.f.model.Step(p.next, s, φ, action, p.rng).Reward
		all += q
	}
	if all == 0 {
		return 0
	}
	return sum / all / (p.f.spec.RewardMax - p.f.spec.RewardMin)
}
