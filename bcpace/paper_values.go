package bcpace

// paperValues are the values of a BayesCPACE run: those of its estimator, from
// any goroutine.
type paperValues struct{ *estimator }

func (v paperValues) query(s []float64, b Belief, action int) (q float64, known bool) {
	w := v.borrow()
	defer v.pool.Put(w)
	return v.estimator.query(w, s, b, action)
}

func (v paperValues) at(s []float64, b Belief) (value float64, action int) {
	w := v.borrow()
	defer v.pool.Put(w)
	value, action, _ = v.greedy(w, s, b)
	return value, action
}

func (v paperValues) policy() Policy { return &greedyPolicy{est: v.estimator, scratch: v.scratch()} }

func (v paperValues) latentValues() LatentValues { return v.latent }

// bytes encodes the latent values that the run computed for itself.
func (v paperValues) bytes() ([]byte, error) {
	if v.set.Latent != nil || v.latent == nil {
		return nil, nil
	}
	return appendLatentValues(nil, v.latent)
}
