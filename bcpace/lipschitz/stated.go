package lipschitz

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// statedCaution is how many standard errors a sampled slope must exceed a stated constant by
// before the model is refused. A true statement is refused with a probability below 1e-6 for
// each of the two constants, by the normal distribution.
const statedCaution = 5

// readStated puts the constants that a model states in the place of those that were found,
// which are evidence against a statement. The error is an *InputError with the pair that
// refutes one.
func (c *Constants) readStated(m bcpace.Model) error {
	stated, ok, err := solverkit.LipschitzOf(m)
	if err != nil || !ok {
		return err
	}
	c.Stated = &stated
	found := fmt.Sprintf("the steepest pairs found have %.4g and %.4g (%s)", c.R.Value, c.P.Value, c.Method)
	for _, x := range []struct {
		name   string
		stated float64
		found  *Constant
	}{{"R", stated.R, &c.R}, {"P", stated.P, &c.P}} {
		if math.IsInf(x.stated, 1) {
			continue
		}
		if least := x.found.Value - statedCaution*x.found.StdErr; least > x.stated*(1+1e-9) {
			return bcpace.In("model "+fmt.Sprintf("%q", c.Model)).Bad("Lipschitz()."+x.name, x.stated, fmt.Sprintf("at least %.6g: %s", least, x.found.Worst.Describe(c.spec)))
		}
		x.found.set(x.stated)
	}
	c.Estimated = c.Estimated && (math.IsInf(stated.R, 1) || math.IsInf(stated.P, 1))
	c.Method = "stated by the model; " + found
	return nil
}

// set puts another value in the place of c's, for all actions.
func (c *Constant) set(value float64) {
	c.Value, c.StdErr = value, 0
	for a := range c.ByAction {
		c.ByAction[a].set(value)
	}
}
