package policysearch

import "math/rand/v2"

const (
	fewLatents        = 8 // for which a policy each is found
	latentPopulation  = 24
	latentGenerations = 16
	latentEpisodes    = 8
	latentShare       = 10 // of Solver.MaxSteps, or of what there is time for, the part that all of them take at most
)

// combines reports whether policies that are linear in the coordinates, one for each latent, make one of
// the family: their scores, weighted by the belief.
func (f *family) combines() bool {
	n := len(f.spec.Latents)
	return f.mixed && n > 1 && n <= fewLatents
}

// byLatent finds a linear policy for each latent that is known, and returns the policy whose scores are the
// mean of theirs under the belief. Where control turns about with the latent, none of the family that
// knows nothing shows the way.
func (s *search) byLatent(number int) []float64 {
	f := s.f
	linear := 1 + f.coords
	weights := make([]float64, f.weights())
	means, drawn := make([]float64, latentPopulation), make([][]float64, latentPopulation)
	for i := range drawn {
		drawn[i] = make([]float64, f.weights())
	}
	defer func() { s.known = -1 }()
	for φ := len(f.spec.Latents) - 1; φ >= 0; φ-- { // the last one first, whose belief has no feature
		s.known = φ
		until := s.steps.Load() + s.paced/int64(latentShare*len(f.spec.Latents))
		p := newPopulation(f.outputs*linear, latentPopulation, firstStep)
		stream := latentStream | uint64(number*fewLatents+φ)<<40
		rng := rand.New(rand.NewPCG(s.seed, drawStream|stream>>40))
		for p.generation < latentGenerations && s.steps.Load() < until && s.affords(latentPopulation*latentEpisodes) {
			p.draw(rng)
			for i, d := range p.drawn {
				for k := range f.outputs {
					copy(drawn[i][k*f.size:], d[k*linear:(k+1)*linear])
				}
			}
			if !s.generation(drawn, means, latentEpisodes, stream|uint64(p.generation)<<16) || !p.move(means) {
				break
			}
		}
		for k := range f.outputs {
			f.combine(weights[k*f.size:(k+1)*f.size], p.mean[k*linear:(k+1)*linear], φ)
		}
	}
	return weights
}

// combine adds to the weights w of an output those of a latent, which are of 1 and the coordinates: the last
// latent has the features without the belief, and another one the differences to it.
func (f *family) combine(w, of []float64, latent int) {
	if latent == len(f.spec.Latents)-1 {
		copy(w, of)
		return
	}
	w[1+f.coords+latent] = of[0] - w[0]
	mixed := f.firstMixed() + latent*f.coords
	for i := range f.coords {
		w[mixed+i] = of[1+i] - w[1+i]
	}
}

// firstMixed returns the place of the first product of belief and coordinate.
func (f *family) firstMixed() int {
	at := 1 + f.coords + f.beliefs
	if f.products {
		at += f.coords * (f.coords + 1) / 2
	}
	return at
}
