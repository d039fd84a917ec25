package methods

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// model says what was solved.
func (p *paragraph) model(s bcpace.Spec) {
	p.scale, p.earned = math.Max(math.Abs(s.VMin()), math.Abs(s.VMax())), "discounted return"
	if s.Goal {
		p.scale, p.earned = math.Max(math.Abs(s.RewardMin), math.Abs(s.RewardMax)), "total of rewards"
	}
	p.say("We studied the model “%s”", s.Name)
	if len(s.Params) > 0 {
		var list []string
		for _, x := range s.Params {
			list = append(list, x.Key+" = "+x.Value)
		}
		p.say(" (%s)", strings.Join(list, ", "))
	}
	boxes := 0
	for _, a := range s.Actions {
		if len(a.Box) > 0 {
			boxes++
		}
	}
	p.say(" with |Φ| = %s, a state of %s, %s", numtext.Several(len(s.Latents), "latent"), numtext.Several(len(s.Axes), "axis"), numtext.Several(len(s.Actions), "action"))
	if boxes > 0 {
		p.say(" (%s of them with a continuous control)", count(boxes))
	}
	p.say(", rewards between %s and %s, and ", number(s.RewardMin, -1), number(s.RewardMax, -1))
	if s.Goal {
		p.say("no discount, in episodes that go on until the model ends them.")
		return
	}
	p.say("a discount of γ = %s", number(s.Discount, -1))
	if s.Horizon > 0 {
		p.say(" over a horizon of %s", numtext.Several(s.Horizon, "step"))
	}
	if s.Estimated != "" {
		p.say(", and with %s", s.Estimated)
	}
	p.say(".")
}

// solver says which algorithm was used, with its papers and its parameters.
func (p *paragraph) solver(s *bcpace.Solution) error {
	name := s.Solver.Name()
	p.say(" We solved it with ")
	described, ours := s.Solver.(solverkit.Described)
	cited, cites := s.Solver.(Cited)
	switch {
	case cites:
		keys, err := p.add(cited.References())
		if err != nil {
			return fmt.Errorf("methods paragraph of solver %s: %w", name, err)
		}
		p.say("%s", name)
		if len(keys) > 0 {
			p.cite(keys...)
		}
	case ours:
		p.template(described.About().Cited)
	default:
		p.say("%s, a solver of our own", name)
	}
	if smarter, ok := field(s.Solver, "Smarter").(bool); ok && smarter {
		p.template(" in the variant SBOSS [@castro2010]")
	}
	if list := parameters(s); len(list) > 0 {
		p.say(", with %s; all other parameters had their defaults", strings.Join(list, ", "))
	} else {
		p.say(", with the default of every parameter")
	}
	p.say(".")
	return nil
}

// course says what was computed and why it ended.
func (p *paragraph) course(s *bcpace.Solution) {
	if s.InSetUp {
		p.say(" It was cut short in the set-up, before the first episode, so that the policy is not its own: it is %s.", s.StandIn)
		return
	}
	if n := len(s.Trace); n > 0 {
		end, episode, sample := s.Trace[n-1], "episode", "sample"
		if r := runs.Of(s); r == nil || r.Brackets() {
			episode, sample = "round", "belief"
		}
		var list []string
		for _, x := range []struct {
			n    int
			noun string
		}{{end.Episodes, episode}, {end.Steps, "step"}, {end.Samples, sample}} {
			if x.n > 0 {
				list = append(list, numtext.Several(x.n, x.noun))
			}
		}
		if len(list) > 0 {
			p.say(" It took %s", enumerate(list))
			if why := reasons[s.Stop]; why != "" {
				p.say(", and ended because %s", why)
			}
			p.say(".")
		}
	}
	if r := runs.Of(s); r != nil && r.Choice != nil && r.Choice.Tried[r.Choice.Chosen].Episodes > 0 {
		chosen := r.Choice.Tried[r.Choice.Chosen]
		p.say(" The policy is “%s”, which earned the most of %s in %s.", chosen.Name, numtext.Several(len(r.Choice.Tried), "candidate"), numtext.Several(chosen.Episodes, "simulated episode"))
	}
	if can := bcpace.PolicyAbilitiesOf(s.Policy); can.Plan != nil {
		p.say(" Its policy searches anew at every decision.")
	} else if can.Begin != nil {
		p.say(" Its policy keeps a memory within an episode.")
	}
}

// reasons say why a solver ended.
var reasons = map[stop.Reason]string{
	stop.Certified:   "the bounds of the certificate were within ε",
	stop.Rounding:    "rounding no longer let the bounds move, short of ε",
	stop.Searched:    "the bounds of the search were within ε, if its Lipschitz constant holds; those of the certificate were not",
	stop.Refuted:     "a bound of the search was refuted",
	stop.Fault:       "the model broke its contract",
	stop.Converged:   "nothing new turned up any more",
	stop.Unsolved:    "there was nothing to solve before it acts",
	stop.Episodes:    "the limit of episodes was reached",
	stop.Samples:     "the limit of samples was reached",
	stop.Steps:       "the limit of simulated steps was reached",
	stop.Memory:      "the limit of memory was reached",
	stop.Interrupted: "it was interrupted",
	stop.Deadline:    "its time was up",
}

// certificate says what each bound is and what it rests on.
func (p *paragraph) certificate(c bcpace.Certificate) {
	known := !math.IsNaN(c.Lower) && !math.IsNaN(c.Upper)
	switch {
	case c.Kind == bcpace.PolicyInterval && known:
		p.say(" The value of the policy found is in %s by simulation; each end fails with a probability of %s at most.", p.between(c), atMost(c.Delta))
		p.cite(betting)
	case known:
		p.bounds(c)
	}
	if c.Refuted != "" {
		p.say(" A bound was withdrawn: %s.", strings.TrimSuffix(c.Refuted, "."))
	}
}

// bounds says what is known of V*.
func (p *paragraph) bounds(c bcpace.Certificate) {
	d := decimals(c.Lower, c.Upper, p.scale)
	p.say(" The optimal expected %s from the start, V*, is at least %s", p.earned, fixed(numtext.Down(c.Lower, d), d))
	p.basis(c, c.LowerBy, true)
	p.say(", and at most %s", fixed(numtext.Up(c.Upper, d), d))
	p.basis(c, c.UpperBy, false)
	p.say(".")
	p.say(" %s.", cmp.Or(earns[c.PolicyEarns], "It is not known whether the policy found earns the lower bound"))
}

// earns says of the policy found whether it earns the lower bound, by what that rests on.
var earns = map[bcpace.Basis]string{
	bcpace.ByProof:      "The policy found is proved to earn the lower bound",
	bcpace.BySimulation: "The policy found earns the lower bound by the same simulation",
	bcpace.ByAssumption: "The policy found earns the lower bound under the same assumption",
	bcpace.ByRange:      "Of the policy found nothing more is known than the range of rewards says",
}

// between writes the bounds of a certificate.
func (p *paragraph) between(c bcpace.Certificate) string {
	return between(c.Lower, c.Upper, decimals(c.Lower, c.Upper, p.scale))
}

// basis says what a bound rests on.
func (p *paragraph) basis(c bcpace.Certificate, by bcpace.Basis, lower bool) {
	switch by {
	case bcpace.ByProof:
		p.say(" (proved)")
	case bcpace.BySimulation:
		p.say(" with a probability of %s over %s of at most %s", atLeast(c.Delta), numtext.Several(c.Episodes, "simulated episode"), numtext.Several(c.Horizon, "step"))
		if lower {
			p.say(", by betting")
			p.cite(betting)
		}
	case bcpace.ByAssumption:
		p.say(" (assumed: %s)", c.Assumes)
	case bcpace.ByRange:
		p.say(" (by the range of rewards alone)")
	default:
		p.say(" (nothing supports this bound)")
	}
}

// verified says what a verification has found; nothing for nil.
func (p *paragraph) verified(c *bcpace.Certificate) {
	switch {
	case c == nil || math.IsNaN(c.Lower) || math.IsNaN(c.Upper):
	case c.Kind == bcpace.PolicyInterval:
		p.say(" A verification repeated the simulation and then simulated the policy with other random numbers: its value is in %s, where each end fails with a probability of %s at most.", p.between(*c), atMost(c.Delta))
	default:
		p.say(" A verification from the samples and the model alone confirmed that V* is in %s.", p.between(*c))
	}
}

// evaluation says what the policy earned; nothing for nil.
func (p *paragraph) evaluation(r *eval.Result, seed uint64) {
	if r == nil || math.IsNaN(r.Mean) {
		return
	}
	kind := "discounted"
	if r.Discount == 1 {
		kind = "undiscounted"
	}
	p.say(" In %s of at most %s (seed %d) the policy had a mean %s return of ", numtext.Several(r.Episodes, "further simulated episode"), numtext.Several(r.Horizon, "step"), seed, kind)
	p.mean(eval.Interval{Mean: r.Mean, Lo: r.CI95[0], Hi: r.CI95[1]}, r.CI95By)
	p.say(".")
	if r.Truncation > 0 && !math.IsInf(r.Truncation, 1) && r.Cut > 0 {
		p.say(" What is earned after these steps changes the expected return by %s at most.", number(numtext.Up(r.Truncation, numtext.Digits(r.Truncation, 2)), -1))
	}
}

// repeats says what differs from seed to seed; nothing for nil.
func (p *paragraph) repeats(r *Repeats) {
	if r == nil || math.IsNaN(r.Mean) {
		return
	}
	p.say(" We repeated the exploration under %s: %s was ", numtext.Several(r.Seeds, "seed"), r.Measure)
	p.mean(r.Interval, eval.ByStudent)
	p.say(" over the seeds.")
}

// mean writes a mean with its interval of some kind, rounded outward: two digits of its width are
// enough, up to the twelfth digit of the interval.
func (p *paragraph) mean(x eval.Interval, by eval.IntervalKind) {
	if math.IsNaN(x.Lo) || math.IsNaN(x.Hi) {
		p.say("%s", number(x.Mean, 4))
		return
	}
	size := math.Max(math.Abs(x.Lo), math.Abs(x.Hi))
	d := decimals(x.Lo, x.Hi, size)
	if width := x.Hi - x.Lo; width > 0 {
		d = max(min(numtext.Digits(width, 2), numtext.Digits(size, 12), 15), 0)
	}
	p.say("%s (95 %% interval %s %s)", fixed(x.Mean, d), between(x.Lo, x.Hi, d), cmp.Or(by.Remark(), "by Student's t"))
}

// software says what has computed all that, and whether it comes out the same again.
func (p *paragraph) software(s Study) {
	v := s.Software
	p.say(" We used the Bayes-CPACE toolkit")
	p.cite(software, paper)
	var list []string
	for _, x := range []string{v.version(), strings.Replace(v.Go, "go", "Go ", 1), v.Platform} {
		if x != "" {
			list = append(list, x)
		}
	}
	if len(list) > 0 {
		p.say(", %s", strings.Join(list, ", "))
	}
	p.say(".")
	switch {
	case s.Solution.Stop == stop.Deadline || s.Solution.Stop == stop.Interrupted || timed(s.Solution.Solver) || s.Evaluation != nil && s.Evaluation.Timed:
		p.say(" A limit of time had its part in the results, so they depend on the machine.")
	default:
		p.say(" The same model, parameters and seeds give the same results bit for bit on one platform.")
	}
}

// enumerate writes "a, b and c".
func enumerate(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}
