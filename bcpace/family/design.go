package family

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace"
)

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

// check returns an *bcpace.InputError for a Sampling that f, which is sound, does not allow.
func (s Sampling) check(f Family) error {
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
	if err := validate(f); err != nil {
		return nil, err
	}
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
	rng, u, order := s.stream(s.Draws), rows(s.Draws, d), make([]int, s.Draws)
	for j := range d {
		if s.Design == Shifted {
			shift := rng.Float64()
			for i := range u {
				_, u[i][j] = math.Modf(radicalInverse(i, primes[j]) + shift)
			}
			continue
		}
		for i := range order {
			order[i] = i
		}
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
