package check

// noteEstimated says that likelihoods are an estimate.
func (c *checker) noteEstimated() {
	if c.spec.Estimated != "" {
		c.notes = append(c.notes, c.spec.Estimated+", and not stated by the model: beliefs are estimates too. More draws bring both closer to what is right")
	}
}

// estimated returns a test whose fault is a note where likelihoods are an estimate.
func (c *checker) estimated(test func() error) func() error {
	return func() error {
		err := test()
		if err == nil || c.spec.Estimated == "" {
			return err
		}
		c.leave()
		c.notes = append(c.notes, c.spec.Estimated+", which shows: "+err.Error())
		return nil
	}
}
