package family

import (
	"bayescpace/bcpace"
)

// Sampled returns a model whose latents are n independent draws from the prior of f, each with
// probability 1/n; a θ that is drawn more than once makes one latent. If the prior is a list
// of n values or fewer, it is the model of the whole list with its probabilities: then nothing
// is approximated.
//
// The model is the family's own, so that every solver takes it with all that it lists and knows
// of itself. Its optimal policy is not that of the family: its belief holds only the θ drawn.
// Bracket says how far its value is from the optimum under the prior at most.
//
// The errors are *bcpace.InputError: for an n below 1, for a family that contradicts itself,
// and those of Family.Model.
func Sampled(f Family, n int, seed uint64) (bcpace.Model, error) {
	return Sampling{Draws: n, Seed: seed}.Model(f)
}

// Model is Sampled for other designs.
func (s Sampling) Model(f Family) (bcpace.Model, error) {
	if err := validate(f); err != nil {
		return nil, err
	}
	if err := s.check(f); err != nil {
		return nil, err
	}
	m, _, err := s.model(f)
	return m, err
}

// model is Model for a Sampling that is sound, with the θ of the latents.
func (s Sampling) model(f Family) (bcpace.Model, [][]float64, error) {
	thetas, prior := support(f)
	if thetas == nil || len(thetas) > s.Draws {
		thetas, prior = merged(s.thetas(f))
	}
	m, err := build(f, thetas)
	if err != nil {
		return nil, nil, err
	}
	if prior != nil {
		m, err = bcpace.WithPrior(m, prior)
	}
	return m, thetas, err
}

// merged returns the different ones of thetas, in the order in which they come first, with
// their shares; nil for shares that are all the same.
func merged(thetas [][]float64) ([][]float64, bcpace.Belief) {
	list, number := numbered(thetas)
	if len(list) == len(thetas) {
		return thetas, nil
	}
	share := make(bcpace.Belief, len(list))
	for _, i := range number {
		share[i] += 1 / float64(len(thetas))
	}
	return list, share
}

// numbered returns the different ones of thetas, in the order in which they come first, and
// for each of thetas its number among them.
func numbered(thetas [][]float64) (list [][]float64, number []int) {
	known := make(map[string]int, len(thetas))
	var key []byte
	for _, θ := range thetas {
		key = keyOf(key[:0], θ)
		i, ok := known[string(key)]
		if !ok {
			i = len(list)
			known[string(key)] = i
			list = append(list, θ)
		}
		number = append(number, i)
	}
	return list, number
}

// support returns the values of θ and their probabilities if the prior is a list; nil
// otherwise.
func support(f Family) ([][]float64, bcpace.Belief) {
	if s, ok := f.(Supported); ok {
		return s.Support()
	}
	return nil, nil
}
