package family

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
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
	if err := s.check(f); err != nil {
		return nil, err
	}
	m, _, _, err := s.model(f)
	return m, err
}

// model is Model for a Sampling that is sound, with the θ of the latents, and whether they are the whole prior.
func (s Sampling) model(f Family) (m bcpace.Model, thetas [][]float64, listed bool, err error) {
	thetas, prior, listed := s.values(f)
	if m, err = build(f, thetas); err == nil && prior != nil {
		m, err = bcpace.WithPrior(m, prior)
	}
	return m, thetas, listed, err
}

// values returns the θ of the latents, whether they are the whole prior, and their probabilities; nil for those that are all the same.
func (s Sampling) values(f Family) (thetas [][]float64, prior bcpace.Belief, listed bool) {
	if thetas, prior = support(f); thetas != nil && len(thetas) <= s.Draws {
		return thetas, prior, true
	}
	thetas, prior = merged(s.thetas(f))
	return thetas, prior, false
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
		key = num.AppendKey(key[:0], θ)
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

// Design says how the draws of a set are spread. In each design, every single draw has the
// distribution of the prior; what differs is how the draws of one set depend on each other.
// Where θ has few entries, the means over Stratified or Shifted sets vary less from set to
// set.
type Design string

const (
	// Independent draws do not depend on each other. "" means the same.
	Independent Design = "independent"
	// Stratified draws are a Latin hypercube: of n draws, one lies in each n-th of the
	// probability of each entry (McKay, Beckman and Conover 1979). The family must be
	// Quantiled.
	Stratified Design = "stratified"
	// Shifted draws are the first points of Halton's sequence (1960), all moved by the same
	// random vector on the torus (Cranley and Patterson 1976). The family must be Quantiled,
	// with up to 32 entries.
	Shifted Design = "shifted"
)

// primes are the bases of Halton's sequence.
var primes = [...]int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53,
	59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131}

// Sampling says which draws stand for a family. Draws is the only field that has no default.
type Sampling struct {
	// Draws is the number of draws, n.
	Draws int
	// Design is how they are spread.
	Design Design
	// Seed makes the draws. With the same seed, few Independent draws are the first ones of
	// many.
	Seed uint64

	set uint64 // number of the set, of those with one seed
}

// check returns an *bcpace.InputError for a family that is not sound, and for a Sampling that it does not allow.
func (s Sampling) check(f Family) error {
	if err := validate(f); err != nil {
		return err
	}
	bad := bcpace.In("sampling of " + where(f)).Bad
	if s.Draws < 1 || s.Draws > maxDraws {
		return bad("Draws", s.Draws, fmt.Sprintf("a number from 1 to %d", maxDraws))
	}
	switch s.Design {
	case "", Independent:
		return nil
	case Stratified, Shifted:
		if _, ok := f.(Quantiled); !ok {
			return bad("Design", strconv.Quote(string(s.Design)), "independent, as the family has no Quantile")
		}
		if d := len(f.Params()); s.Design == Shifted && d > len(primes) {
			return bad("Design", fmt.Sprintf("%q with %d parameters", s.Design, d), fmt.Sprintf("stratified or independent for more than %d", len(primes)))
		}
		return nil
	}
	return bad("Design", strconv.Quote(string(s.Design)), fmt.Sprintf("%q, %q or %q", Independent, Stratified, Shifted))
}

// maxDraws bounds the number of draws.
const maxDraws = 1_000_000

// Thetas draws θ from the prior of f. The errors are *bcpace.InputError: those of the family,
// and for a Draws or Design that f does not allow.
func (s Sampling) Thetas(f Family) ([][]float64, error) {
	if err := s.check(f); err != nil {
		return nil, err
	}
	return s.thetas(f), nil
}

// thetas is Thetas for a Sampling that is sound. Every draw of a set has a stream of random
// numbers of its own, and the set has one more.
func (s Sampling) thetas(f Family) [][]float64 {
	d := len(f.Params())
	thetas := rows(s.Draws, d)
	if s.Design != Stratified && s.Design != Shifted {
		for i, θ := range thetas {
			f.Draw(θ, s.stream(i))
		}
		return thetas
	}
	rng, u := s.stream(s.Draws), rows(s.Draws, d)
	for j := range d {
		if s.Design == Shifted {
			shift := rng.Float64()
			for i := range u {
				_, u[i][j] = math.Modf(radicalInverse(i, primes[j]) + shift)
			}
			continue
		}
		order := num.UpTo(s.Draws)
		rng.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
		for i, k := range order {
			u[i][j] = (float64(k) + rng.Float64()) / float64(s.Draws)
		}
	}
	for i, at := range u {
		for j, p := range at {
			at[j] = inside(p)
		}
		f.(Quantiled).Quantile(thetas[i], at)
	}
	return thetas
}

// stream returns the random numbers of a draw, or those of the set where draw is x.Draws.
func (s Sampling) stream(draw int) *rand.Rand {
	return rand.New(rand.NewPCG(s.Seed, s.set<<32|uint64(draw)))
}

// radicalInverse returns the number in [0, 1) whose digits in the base are those of i behind
// the point, the last one first (van der Corput 1935).
func radicalInverse(i, base int) float64 {
	x, digit := 0.0, 1/float64(base)
	for ; i > 0; i /= base {
		x += float64(i%base) * digit
		digit /= float64(base)
	}
	return x
}
