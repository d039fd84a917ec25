package runs

import (
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/internal/num"
)

// What is asked of a model at most, spread evenly: it takes some 50 ms.
const (
	behaviourSteps = 50_000
	behaviourLists = 5_000
)

// behaviour returns the fingerprint of what the run's model does where the run has
// been, so that the run is not taken for one of another model of the same
// description, such as one whose code has been changed since: the lists of
// successors of a certified run, and of another steps with fixed random numbers.
// The error is a *ConformanceError where the model panics.
func (r *Run) behaviour() (_ fingerprint.Print, err error) {
	defer r.Spec.Guard(&err, "the model", nil, -1, -1)
	x := fingerprint.NewHasher()
	if r.Brackets() {
		r.lists(x.Add)
	} else {
		r.steps(x.Add)
	}
	return x.Print(), nil
}

// steps passes what Step does at samples, under every latent that their next
// belief allows, and how likely what followed is.
func (r *Run) steps(add func(...float64)) {
	latents := len(r.Spec.Latents)
	rng := rand.NewPCG(0, 0)
	draw := rand.New(rng)
	next, moves := make([]float64, len(r.Spec.Axes)), r.movesOfLatent(add)
	for i := 0; i < r.Samples.Len(); i += 1 + r.Samples.Len()*latents/behaviourSteps {
		s := r.Samples.At(i)
		for φ, p := range s.NextBelief {
			add(max(r.model.LogLikelihood(s.State, s.Action, s.Next, φ), -1e3)) // −Inf for what cannot follow
			if p == 0 {
				continue
			}
			rng.Seed(uint64(i), uint64(φ))
			out := r.model.Step(next, s.State, φ, s.Action, draw)
			add(next...)
			add(out.Reward, num.OfBool(out.Done))
			moves(s.State, s.Action, φ)
		}
	}
}

// lists passes the successors of states and actions: of numbered ones, and else of
// places drawn on the axes, as the first bounds are of all states, and of samples.
func (r *Run) lists(add func(...float64)) {
	m, ok := r.model.(bcpace.Enumerator)
	if !ok {
		return
	}
	state, actions := make([]float64, len(r.Spec.Axes)), r.Spec.CornerActions()
	rng := rand.New(rand.NewPCG(3, 4))
	n, at := behaviourLists/2+r.Samples.Len(), func(i int) ([]float64, int) {
		if i >= behaviourLists/2 {
			s := r.Samples.At(i - behaviourLists/2)
			return s.State, s.Action
		}
		for j, a := range r.Spec.Axes {
			if state[j] = a.Min + rng.Float64()*(a.Max-a.Min); a.Whole() {
				state[j] = a.Min + float64(rng.IntN(int(a.Max-a.Min)+1))
			}
		}
		return state, actions[i%len(actions)]
	}
	if f, ok := bcpace.AsFinite(r.model); ok {
		n, at = f.NumStates()*len(actions), func(i int) ([]float64, int) {
			f.StateAt(state, i/len(actions))
			return state, actions[i%len(actions)]
		}
	}
	var z bcpace.Successors
	moves := r.movesOfLatent(add)
	pick := rand.New(rand.NewPCG(5, 6))
	for i := range min(n, behaviourLists) {
		if n > behaviourLists {
			i = pick.IntN(n) // as every so many would meet some actions only
		}
		s, a := at(i)
		z.Reset(len(r.Spec.Axes), len(r.Spec.Latents))
		m.Successors(&z, s, a)
		for k := range z.Len() {
			to, p, reward := z.Row(k)
			add(to...)
			add(num.OfBool(z.Done[k]))
			for φ := range p {
				add(p[φ], p[φ]*reward[φ])
			}
		}
		for φ := range r.Spec.Latents {
			moves(s, a, φ)
		}
	}
}

// mostRowed is how many latents have their moves passed as rows with zeros, as in run files
// from before there were lists of them.
const mostRowed = 256

// movesOfLatent returns what passes how a latent moves.
func (r *Run) movesOfLatent(add func(...float64)) func(s []float64, action, latent int) {
	if d, _ := r.model.(bcpace.LatentDynamics); d != nil && len(r.Spec.Latents) <= mostRowed {
		row := make(bcpace.Belief, len(r.Spec.Latents))
		return func(s []float64, action, latent int) {
			if d.LatentTransition(row, s, action, latent) {
				add(row...)
			}
		}
	}
	x := bcpace.AbilitiesOf(r.model).Mover()
	if x == nil {
		return func([]float64, int, int) {}
	}
	var to []int32
	var share []float64
	return func(s []float64, action, latent int) {
		to, share = x.Append(to[:0], share[:0], s, action, latent)
		for _, φ := range to {
			add(float64(φ))
		}
		add(share...)
	}
}

// describe puts the fingerprints of what r stands on into h.
func (h *runHeader) describe(r *Run) error {
	does, err := r.behaviour()
	if err != nil {
		return err
	}
	h.Behaviour, h.Platform = &does, fingerprint.Platform()
	if h.Ingredients, err = fingerprint.PartsOf(r.model); err != nil || r.plan.Latent == nil {
		return err
	}
	values, err := fingerprint.OfLatent(r.model, r.plan.Latent)
	h.Latent = &values
	return err
}

// compare returns an *InputError where r, which was read from the file of h, stands
// on something else than the run that was saved.
func (h *runHeader) compare(r *Run) error {
	same := h.Platform == fingerprint.Platform()
	model := func(how string) error {
		return bcpace.In("run file").Bad("model "+strconv.Quote(h.Model), "another one than was explored: "+how, "the same model, with the same rewards and probabilities")
	}
	if h.Ingredients != nil {
		parts, err := fingerprint.PartsOf(r.model)
		if err != nil {
			return model("it fails: " + err.Error())
		}
		for i := range min(len(parts), len(h.Ingredients)) {
			if !parts[i].Agrees(&h.Ingredients[i], same) {
				return model("its " + fingerprint.PartNames[i] + " have been changed")
			}
		}
	}
	if h.Behaviour != nil {
		if does, err := r.behaviour(); err != nil || !does.Agrees(h.Behaviour, same) {
			return model("it does something else where the run has been")
		}
	}
	if h.Latent != nil && r.plan.Latent != nil {
		values, err := fingerprint.OfLatent(r.model, r.plan.Latent)
		if err != nil || !values.Agrees(h.Latent, same) {
			return bcpace.In("run file").Bad("latent values", "others than those of the run", "the same cpace.Solver.Latent again")
		}
	}
	return nil
}
