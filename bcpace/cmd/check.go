package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
)

var checkVerb = newVerb[checkArgs]("check", "try a model against its contract, as a simulator of your own",
	"(--process COMMAND [--likelihood-draws N] | --env NAME [--set KEY=VALUE]… | --model FILE [--property TEXT]) [--seed N] [--timeout D] [--json]",
	"check --process ./walk.py")

// checkArgs are the flags of check.
type checkArgs struct {
	env  environment
	seed uint64
	time time.Duration
}

// checkTime is how long a check may take, if the user says nothing of it.
const checkTime = 5 * time.Minute

func (a *checkArgs) flags(f *flags) {
	f.section("model")
	a.env.flags(f, "")
	a.env.fileFlag(f)
	f.value("seed", "N", "seed of the random numbers (default 0)", unsigned(&a.seed))
	f.value("timeout", "D", "time after which the check ends, and says what it has not tried, such as 30s (default 5m)", timeLimit(&a.time))
	f.output()
}

// checkModel is the verb check.
func (a *checkArgs) run(p program, f *flags) error {
	if !f.given["env"] && !f.given["model"] {
		return misuse("--process, --env or --model is missing")
	}
	ctx, cancel := context.WithTimeout(p.ctx, cmp.Or(a.time, checkTime))
	defer cancel()
	m, err := a.env.problem(ctx, a.seed)
	if err != nil {
		return err
	}
	until := p.ctx // a check of a model says what it has not tried
	if m.Model == nil {
		if until = ctx; m.Hidden == nil {
			return m.NoHidden
		}
	}
	simulated := a.env.simulated.asked
	defer simulated.Within(ctx)()
	o := check.Options{Seed: a.seed}
	if f.given[processParam] { // whose steps are asked for one by one, and take the longer
		o.Transitions, o.Draws = 50, 1000
	}
	r, err := await(until, func() (*check.Report, error) {
		if m.Model == nil {
			return check.Hidden(m.Hidden, check.HiddenOptions{Seed: a.seed})
		}
		r, err := check.Within(ctx, m.Model, o)
		if err == nil && simulated != nil && !r.Cut {
			r.Notes, err = simulated.Check(r.Notes)
		}
		if deaths := simulated.Deaths(); err == nil && deaths != "" {
			err = fmt.Errorf("model %q: %s", r.Model, deaths)
		}
		return r, err
	})
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		err = cmp.Or(simulated.Err(), err)
	}
	switch {
	case err == context.DeadlineExceeded:
		return errors.New("out of time before the check could say anything: give more time")
	case err != nil:
		return interrupted(err)
	}
	out := facts{{"model", "", r.Model}, {"states", "", r.States}, {"tests", "", r.Tests}, {"notes", "", append([]string{}, r.Notes...)},
		{"false_alarm", "", r.FalseAlarm}, {"cut", "", r.Cut}}
	return f.printText(p.stdout, out, func(w io.Writer) { fmt.Fprintln(w, r) })
}

var verifyVerb = newVerb[verifyArgs]("verify", "check the certificate of a saved run, or what was said of a saved policy",
	"(--run FILE | --policy FILE [--model FILE [--property TEXT]]) [--process COMMAND] [--json]",
	"verify --run chain.bcp",
	"verify --policy careful.json")

// verifyArgs are the flags of verify.
type verifyArgs struct {
	saved savedArgs
}

func (a *verifyArgs) flags(f *flags) {
	f.section("verification")
	a.saved.flags(f, fmt.Sprintf(". Of a policy, %d episodes are played, which may contradict what was said that it earns", verifyEpisodes))
	f.output()
}

// verify is the verb verify. It checks all that the file claims, and prints the
// claim beside what was found: the bounds of the optimal value that model and samples
// support or, for a statistical certificate, the interval of the policy's value from
// another simulation.
func (a *verifyArgs) run(p program, f *flags) error {
	s, err := a.saved.open(p, f)
	if err != nil {
		return err
	}
	begin := time.Now()
	verify := s.verifyRun
	if s.run == nil {
		verify = s.verifyPolicy
	}
	found, err := verify(p.ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", a.saved.file(), err)
	}
	return f.printTable(p.stdout, append(found, fact{"seconds", "seconds", seconds{number(time.Since(begin).Seconds())}}))
}

// verifyRun checks the certificate of a run.
func (s *saved) verifyRun(ctx context.Context) (facts, error) {
	c, err := runs.Verify(ctx, s.run)
	if err != nil {
		return nil, err
	}
	was := s.run.Certificate
	return append(verified(s.run.Spec.Name, "", c, &was.Lower, &was.Upper, s.run.Stop), fact{"samples", "samples", s.run.Samples.Len()}), nil
}

// verified are what was found, and what the file claims. A change of a key or meaning breaks what reads the JSON. The question is what a policy is
// the best for, in whose units the bounds are; "" of a run, and of the largest mean.
func verified(model, question string, c bcpace.Certificate, lo, hi *float64, why stop.Reason) facts {
	of := ""
	if c.Kind == bcpace.PolicyInterval {
		of = "policy "
	}
	return slices.Concat(facts{
		{"model", "model", model},
		{"", "bounds of", ground(question)},
		{"lower", of + "lower", lower{number(c.Lower)}},
		{"upper", of + "upper", upper{number(c.Upper)}},
		{"certificate", "certificate", string(c.Kind)},
	}, groundsOf(c), facts{
		{"claimed_lower", "claimed lower", lower{claimed(lo)}},
		{"claimed_upper", "claimed upper", upper{claimed(hi)}},
		{"claimed_stop", "claimed stop", string(why)},
	})
}

const (
	// verifyEpisodes is how many episodes verify plays of a policy, and verifySeed their seed, which no default of another verb is.
	verifyEpisodes = 10_000
	verifySeed     = 1 << 62
	// surely is how many half-widths of a 95 % interval a claim must be off to count as false: a false alarm in a million.
	surely = 2.5
)

// verifyPolicy plays a policy, and compares what it earns with what was said of it. The error says that the two contradict each other, or that
// there is nothing to compare.
func (s *saved) verifyPolicy(ctx context.Context) (facts, error) {
	k := s.kept
	if k == nil {
		return nil, errors.New("a .policy or .alpha file says nothing of what its policy earns: bcpace eval plays it")
	}
	said := k.Claim
	asked, err := problem.Asked(k)
	if err != nil {
		return nil, err
	}
	least := asked.Below != nil // what counts is small
	if nothing := said.Lower == nil || said.PolicyEarns == bcpace.ByRange || said.PolicyEarns == bcpace.NotKnown || said.PolicyEarns == ""; nothing && !least {
		return nil, fmt.Errorf("nothing was said of what the policy of %s earns that episodes could contradict: bcpace eval plays it", k.Solver)
	}
	r, err := s.play(ctx, eval.Options{Episodes: verifyEpisodes, Seed: verifySeed})
	if err != nil {
		return nil, err
	}
	later := 0.0
	if !math.IsInf(r.Truncation, 1) {
		later = r.Truncation // what episodes that were cut would still have earned
	}
	x, err := r.At(asked)
	if err != nil {
		return nil, err
	}
	c := bcpace.Certificate{Kind: bcpace.PolicyInterval, Lower: x.Lo, Upper: x.Hi,
		LowerBy: bcpace.BySimulation, UpperBy: bcpace.BySimulation, PolicyEarns: bcpace.BySimulation}
	v := append(verified(k.Model, k.Question, c, said.Lower, said.Upper, said.Stop),
		fact{"samples", "", 0}, fact{"episodes", "episodes", r.Episodes}, fact{"question", "", orNil(k.Question)})
	switch {
	case least && said.Upper != nil && *said.Upper < x.Mean-surely*(x.Mean-x.Lo):
		return v, fmt.Errorf("%d episodes contradict the file: %s is %.4g [%.4g, %.4g], and it says %.4g at most", r.Episodes, asked.Bounds, x.Mean, x.Lo, x.Hi, *said.Upper)
	case !least && *said.Lower > x.Mean+surely*(x.Hi-x.Mean)+later:
		return v, fmt.Errorf("%d episodes contradict the file: the policy earns %.4g [%.4g, %.4g], and it says %.4g at least", r.Episodes, x.Mean, x.Lo, x.Hi, *said.Lower)
	}
	return v, nil
}

// claimed returns a number of a claim, none where there is none.
func claimed(x *float64) number {
	if x == nil {
		return none
	}
	return number(*x)
}
