package bcpace

// LatentValues are the optimal values Q(s, φ, a) of the latent MDPs: the values of an agent that knows
// φ now and, if φ changes, at every later step. They bound the values of the BAMDP from above.
// Implementations are safe for concurrent use and do not allocate in Q. A Model that is one knows its
// own values. See dp.LatentMaxima for more that they may do.
type LatentValues interface {
	Q(s []float64, latent, action int) float64
}

// LatentFunc is a user's own function as LatentValues.
type LatentFunc func(s []float64, latent, action int) float64

func (f LatentFunc) Q(s []float64, latent, action int) float64 { return f(s, latent, action) }
