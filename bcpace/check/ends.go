package check

import (
	"bayescpace/bcpace/internal/ends"
	"bayescpace/bcpace/solverkit"
)

// endsPart is the part of falseAlarm of the test of ends, and of that of starts that tell.
const endsPart = 0.001

// hiddenEnds looks for states and actions at which the end of an episode tells of the latent what the next state does not. It
// looks longer than Validate does.
func (c *checker) hiddenEnds() error {
	found, steps := ends.Find(solverkit.EndsWorld(c.m),
		ends.Effort{Episodes: 4 * c.opt.Episodes, Steps: c.opt.Steps, Places: c.opt.Transitions/4 + 1, Draws: c.opt.Draws/20 + 1, FalseAlarm: endsPart * falseAlarm, Time: ends.Until(c.ctx)})
	if c.tried[Ends] = steps; found == nil {
		return nil
	}
	return c.fault(found.State, found.Action, -1, "%s", found.Text(c.spec.Latents))
}

// startsTell looks for starts that tell of the latent what no likelihood says.
func (c *checker) startsTell() error {
	if told := ends.FindStart(solverkit.EndsWorld(c.m), c.opt.Draws, ends.Effort{FalseAlarm: endsPart * falseAlarm, Time: ends.Until(c.ctx)}); told != nil {
		return c.fault(nil, -1, -1, "%s", told.Text(c.spec.Latents, c.spec.Axes[told.Axis].Name))
	}
	return nil
}
