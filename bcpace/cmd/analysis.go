package cmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/pac"
	"bayescpace/bcpace/runs"
)

var lipschitzVerb = newVerb[lipschitzArgs]("lipschitz", "Lipschitz constants of a model, with the pairs that attain them",
	"(--env NAME [--set KEY=VALUE]… [--samples N] | --model FILE [--property TEXT] | --run FILE) [--alpha A] [--seed N] [--json]",
	"lipschitz --env tiger",
	"lipschitz --run chain.bcp --json")

// lipschitzArgs are the flags of lipschitz.
type lipschitzArgs struct {
	source modelSource
	alpha  float64
	seed   uint64
}

func (a *lipschitzArgs) flags(f *flags) {
	a.alpha = 1
	f.section("model")
	a.source.flags(f, "its constants", "those of its model, and of the values at its samples")
	f.value("alpha", "A", "weight of the state's distance in the paper's L_Q (default 1)", float(&a.alpha))
	f.value("seed", "N", "seed of what is sampled (default 0)", unsigned(&a.seed))
	f.output()
}

// lipschitzConstants is the verb lipschitz.
func (a *lipschitzArgs) run(p program, f *flags) error {
	if err := cmp.Or(
		need((f.given["env"] || f.given["model"]) != f.given["run"], "give one of --env, --model and --run"),
		f.excludes("run", "set", "samples"),
		bcpace.In("options").Need(a.alpha > 0 && !math.IsInf(a.alpha, 1), "--alpha", a.alpha, "a finite α > 0")); err != nil {
		return err
	}
	var m bcpace.Model
	var r *runs.Run
	var err error
	if f.given["run"] {
		if r, err = openRun(p.ctx, a.source.run); err == nil {
			m = r.Model()
		}
	} else {
		m, err = a.source.env.model(p.ctx, a.seed)
	}
	if err != nil {
		return err
	}
	c, err := lipschitz.FromModel(p.ctx, m, lipschitz.Options{Alpha: a.alpha, Seed: a.seed})
	if err != nil {
		return interrupted(err)
	}
	w, err := lipschitz.Contraction(p.ctx, m, lipschitz.ContractionOptions{Seed: a.seed})
	if err != nil {
		return interrupted(err)
	}
	spec := m.Spec()
	// A change of a key or meaning breaks what reads the JSON. A constant is null where it is infinite.
	observed := facts{{"reward", "", observe(c.R.Value, c.R.Worst, spec)}, {"transition", "", observe(c.P.Value, c.P.Worst, spec)},
		{"value", "", json.RawMessage("null")}}
	values := lipschitz.Witness{}
	if r != nil {
		values = observeValues(r)
		observed[2].value = observe(values.Ratio, values, spec)
	}
	x := facts{
		{"model", "", spec.Name},
		{"estimated", "", c.Estimated}, // the constants of reward or transition come from a sample
		{"method", "", c.Method},
		{"paper", "", facts{{"state", "", number(c.Paper.LS)}, {"belief", "", number(c.Paper.LB)}, {"lqb", "", number(c.Paper.LQB)},
			{"lq", "", number(c.Paper.LQ)}, {"alpha", "", number(c.Paper.Alpha)}}},
		{"tight", "", facts{{"state", "", number(c.Tight.LS)}, {"shortfall", "", number(c.Tight.LD)}, {"belief", "", number(c.Tight.LB)},
			{"lq", "", number(c.Tight.LQ)}, {"alpha", "", number(c.Tight.Alpha)}, {"source", "", c.Tight.Source}}},
		{"observed", "", observed},
		{"contraction", "", observe(w.Ratio, w, spec)},
		{"draws", "", orNil(a.source.env.samples)}, // without --samples there is no such key
	}
	return f.printText(p.stdout, x, func(out io.Writer) {
		table(out, func(row func(...any)) {
			row("model", spec.Name)
			row("", "paper", "tight")
			row("in the state, L_S", number(c.Paper.LS), number(c.Tight.LS))
			row("of the shortfall, L_D", "–", number(c.Tight.LD))
			row("in the belief, L_B", number(c.Paper.LB), number(c.Tight.LB))
			row("L_Q", number(c.Paper.LQ), number(c.Tight.LQ))
			row("at α", number(c.Paper.Alpha), number(c.Tight.Alpha))
		})
		fmt.Fprintln(out, "reward:", c.R.Worst.Describe(spec))
		fmt.Fprintln(out, "transition:", c.P.Worst.Describe(spec))
		if r != nil {
			fmt.Fprintln(out, "values of the samples:", values.Describe(spec))
		}
		fmt.Fprintln(out, "belief update:", w.Describe(spec))
		fmt.Fprintln(out, "method:", c.Method)
		fmt.Fprintln(out, "values:", c.Tight.Source)
	})
}

// observe is the JSON of a ratio of differences with the pair that has it.
func observe(constant float64, w lipschitz.Witness, spec bcpace.Spec) facts {
	var action, latent ground
	if w.What != "" && w.Action >= 0 {
		action = ground(spec.ActionName(w.Action))
	}
	if w.What != "" && w.Latent >= 0 {
		latent = ground(spec.Latents[w.Latent])
	}
	pair := facts{{"text", "", w.Describe(spec)}, {"state1", "", w.S1}, {"state2", "", w.S2},
		{"belief1", "", w.B1}, {"belief2", "", w.B2}, {"action", "", action}}
	if w.U2 != nil {
		pair = append(pair, fact{"control2", "", w.U2})
	}
	return facts{{"constant", "", number(constant)}, {"witness", "", append(pair, facts{{"latent", "", latent}, {"next", "", w.Next},
		{"after1", "", w.After1}, {"after2", "", w.After2}, {"distance", "", number(w.Distance)}, {"difference", "", number(w.Difference)}}...)}}
}

// maxObserved is the most samples whose values are compared in pairs: the first ones.
const maxObserved = 2000

// observeValues returns the pair of samples of one action with the largest ratio of the
// difference of values to the distance. It leaves out pairs closer than 1e-9, which are
// one site of the estimate.
func observeValues(r *runs.Run) lipschitz.Witness {
	queries := metric.NewQueries(r.Spec, r.Alpha())
	w := lipschitz.Witness{Action: -1, Latent: -1}
	n := min(r.Samples.Len(), maxObserved)
	for i := range n {
		x := r.Samples.At(i)
		for j := range i {
			y := r.Samples.At(j)
			if r.Samples.Action[i] != r.Samples.Action[j] {
				continue
			}
			d := queries.Distance(x.State, x.Belief, x.Action, y.State, y.Belief, y.Action)
			if q := math.Abs(x.Q - y.Q); d > 1e-9 && q/d > w.Ratio {
				w = lipschitz.Witness{What: "|Q1−Q2|", S1: y.State, S2: x.State, B1: y.Belief, B2: x.Belief, Action: y.Action, Latent: -1,
					Distance: d, Difference: q, Ratio: q / d}
				if x.Action != y.Action {
					_, w.U2 = r.Spec.Control(nil, x.Action)
				}
			}
		}
	}
	return w
}

var pacVerb = newVerb[pacArgs]("pac", "the quantities of the paper's analysis, from numbers",
	"--epsilon E --delta D --gamma G --rmax R --cover N [--k N] [--qmax Q] [--qtilde Q] [--lipschitz L] [--reduced N] [--beta B] [--batch N] [--json]",
	"pac --epsilon 1 --delta 0.05 --gamma 0.95 --rmax 110 --cover 27",
	"pac --epsilon 1 --delta 0.05 --gamma 0.95 --rmax 110 --cover 27 --k 20 --batch 10 --beta 0.1 --json")

// pacArgs are the flags of pac.
type pacArgs struct {
	setting pac.Setting
}

func (a *pacArgs) flags(f *flags) {
	s := &a.setting
	f.section("setting")
	f.value("epsilon", "E", "ε, in reward units", float(&s.Epsilon))
	f.value("delta", "D", "δ, the probability with which the promises may fail", float(&s.Delta))
	f.value("gamma", "G", "γ, the discount", float(&s.Discount))
	f.value("rmax", "R", "Rmax, the largest reward, or the range of rewards with 0 where they may be negative", float(&s.RMax))
	f.value("cover", "N", "N, the covering number of states, beliefs and actions at ε/L_Q̃: what bcpace cover --env prints, times the actions", float(&s.Cover))
	f.value("k", "N", "k, the neighbours averaged (default: the least that the theorem allows)", whole(&s.K))
	f.value("qmax", "Q", "Qmax (default Rmax/(1−γ))", float(&s.QMax))
	f.value("qtilde", "Q", "Q̃max (default Rmax + γ·Qmax)", float(&s.QTildeMax))
	f.value("lipschitz", "L", "L_Q, for the radii", float(&s.LipQ))
	f.value("reduced", "N", "N′, the covering number that Known Latent Initialization leaves", float(&s.Reduced))
	f.value("beta", "B", "β, the error allowed in value iteration", float(&s.Beta))
	f.value("batch", "N", "n, the rollouts between two value iterations (default 1)", whole(&s.Batch))
	f.output()
}

// pacFlags are the flags by the names that package pac gives to their values.
var pacFlags = map[string]string{"discount": "gamma", "rMax": "rmax", "qMax": "qmax", "qTildeMax": "qtilde", "lipQ": "lipschitz",
	"epsilon": "epsilon", "delta": "delta", "cover": "cover", "k": "k", "reduced": "reduced", "beta": "beta", "batch": "batch"}

// analyse is the verb pac.
func (a *pacArgs) run(p program, f *flags) error {
	// 0 stands for a default, which leaving the flag out asks for.
	above := func(flag string, zero bool) error {
		return unless(!zero || !f.given[flag], inputError("--"+flag, "0", "a number above 0; leave the flag out for its default"))
	}
	s := a.setting
	if err := cmp.Or(f.require("epsilon", "delta", "gamma", "rmax", "cover"), above("k", s.K == 0), above("qmax", s.QMax == 0),
		above("qtilde", s.QTildeMax == 0), above("lipschitz", s.LipQ == 0), above("batch", s.Batch == 0)); err != nil {
		return err
	}
	a.setting.Seeded = f.given["reduced"]
	x, err := pac.Analyse(a.setting)
	if input, ok := errors.AsType[*bcpace.InputError](err); ok && pacFlags[input.What] != "" {
		return inputError("--"+pacFlags[input.What], input.Got, input.Want)
	}
	if err != nil {
		return err
	}
	s, sweeps, admissible := x.Setting, none, "outside"
	if s.Beta > 0 {
		sweeps = number(x.Sweeps)
	}
	if x.Admissible {
		admissible = "inside"
	}
	// A change of a key or meaning breaks what reads the JSON.
	return f.printTable(p.stdout, facts{
		{"epsilon", "", number(s.Epsilon)},
		{"delta", "", number(s.Delta)},
		{"gamma", "", number(s.Discount)},
		{"rmax", "", number(s.RMax)},
		{"qmax", "Qmax", number(s.QMax)},
		{"qtilde", "Q̃max", number(s.QTildeMax)},
		{"cover", "", number(s.Cover)},
		{"horizon", "horizon T", number(x.Horizon)},
		{"escape_threshold", "", number(x.EscapeThreshold)},
		{"escape_trajectories", "", number(x.EscapeTrajectories)},
		{"escape_steps", "", number(x.EscapeSteps)},
		{"known_k_low", "", number(x.KnownLow)},
		{"known_k_high", "", number(x.KnownHigh)},
		{"k_low", "", number(x.KLow)},
		{"k_high", "", number(x.KHigh)},
		{"k", "", s.K},
		{"k_admissible", "", x.Admissible},
		{"", "k of the theorem", fmt.Sprintf("%s to %s", number(x.KLow), number(x.KHigh))},
		{"", "k of the corollary", fmt.Sprintf("%s to %s", number(x.KnownLow), number(x.KnownHigh))},
		{"", "k", fmt.Sprintf("%d, which is %s", s.K, admissible)},
		{"samples", "samples at most, k·N", number(x.Samples)},
		{"", "escape probability allowed", number(x.EscapeThreshold)},
		{"", "trajectories above it at most", number(x.EscapeTrajectories)},
		{"", "steps above it at most", number(x.EscapeSteps)},
		{"m", "sample complexity m", number(x.M)},
		{"batch", "", s.Batch},
		{"m_batch", fmt.Sprintf("m with batches of %d", s.Batch), number(x.BatchM)},
		{"m_reduced", "m with N′", number(x.ReducedM)},
		{"reduced_factor", "m with N′ by m", number(x.ReducedFactor)},
		{"claimed_factor", "N′ by N", number(x.ClaimedFactor)},
		{"guarantee", "below the best by at most", number(x.Guarantee)},
		{"known_guarantee", "on the known belief MDP", number(x.KnownGuarantee)},
		{"sweeps", "sweeps for β", sweeps}, // null without β
		{"radius", "radius of a known query", number(x.Radius)},
		{"seed_radius", "radius of seeds", number(x.SeedRadius)},
	})
}
