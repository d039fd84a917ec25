package bcpace

// LatentValues are the optimal values Q(s, φ, a) of the latent MDPs: the values of an
// agent that knows φ now and, if φ changes, at every later step. They bound the values of
// the BAMDP from above. For a static latent, they are its values at the one-hot beliefs.
//
// Implementations are safe for concurrent use and do not allocate in Q. A Model that is one
// knows its own values: dp.SolveLatent returns it. Some also have a method Max(s, latent), which finds the
// largest Q(s, φ, a) of all actions faster than by asking for each (dp.LatentMaxima).
type LatentValues interface {
	Q(s []float64, latent, action int) float64
}

// LatentFunc is a user's own function as LatentValues.
type LatentFunc func(s []float64, latent, action int) float64

// Q calls f.
func (f LatentFunc) Q(s []float64, latent, action int) float64 { return f(s, latent, action) }
