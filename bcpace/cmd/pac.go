package cmd

import (
	"errors"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pac"
)

var pacVerb = verb{
	name: "pac", doc: "the quantities of the paper's analysis, from numbers",
	usage: "--epsilon E --delta D --gamma G --rmax R --cover N [--k N] [--qmax Q] [--qtilde Q] [--lipschitz L] [--reduced N] [--beta B] [--batch N] [--json]",
	examples: []string{
		"pac --epsilon 1 --delta 0.05 --gamma 0.95 --rmax 110 --cover 27",
		"pac --epsilon 1 --delta 0.05 --gamma 0.95 --rmax 110 --cover 27 --k 20 --batch 10 --beta 0.1 --json",
	},
	args: func() arguments { return new(pacArgs) },
}

// analysis is the JSON of the verb pac. A change of a name or meaning breaks what
// reads it.
type analysis struct {
	Epsilon            number `json:"epsilon"`
	Delta              number `json:"delta"`
	Gamma              number `json:"gamma"`
	RMax               number `json:"rmax"`
	QMax               number `json:"qmax"`
	QTilde             number `json:"qtilde"`
	Cover              number `json:"cover"`
	Horizon            number `json:"horizon"`
	EscapeThreshold    number `json:"escape_threshold"`
	EscapeTrajectories number `json:"escape_trajectories"`
	EscapeSteps        number `json:"escape_steps"`
	KnownKLow          number `json:"known_k_low"`
	KnownKHigh         number `json:"known_k_high"`
	KLow               number `json:"k_low"`
	KHigh              number `json:"k_high"`
	K                  int    `json:"k"`
	KAdmissible        bool   `json:"k_admissible"`
	Samples            number `json:"samples"`
	M                  number `json:"m"`
	Batch              int    `json:"batch"`
	MBatch             number `json:"m_batch"`
	MReduced           number `json:"m_reduced"`
	ReducedFactor      number `json:"reduced_factor"`
	ClaimedFactor      number `json:"claimed_factor"`
	Guarantee          number `json:"guarantee"`
	KnownGuarantee     number `json:"known_guarantee"`
	Sweeps             *int   `json:"sweeps"`
	Radius             number `json:"radius"`
	SeedRadius         number `json:"seed_radius"`
}

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
	f.section("output")
	f.jsonFlag()
}

// pacFlags are the flags by the names that package pac gives to their values.
var pacFlags = map[string]string{"discount": "gamma", "rMax": "rmax", "qMax": "qmax", "qTildeMax": "qtilde", "lipQ": "lipschitz",
	"epsilon": "epsilon", "delta": "delta", "cover": "cover", "k": "k", "reduced": "reduced", "beta": "beta", "batch": "batch"}

// analyse is the verb pac.
func (a *pacArgs) run(p program, f *flags) error {
	for _, name := range []string{"epsilon", "delta", "gamma", "rmax", "cover"} {
		if !f.given[name] {
			return misuse("--%s is missing", name)
		}
	}
	a.setting.Seeded = f.given["reduced"]
	// 0 stands for a default, which leaving the flag out asks for.
	for _, x := range []struct {
		name string
		zero bool
	}{{"k", a.setting.K == 0}, {"qmax", a.setting.QMax == 0}, {"qtilde", a.setting.QTildeMax == 0},
		{"lipschitz", a.setting.LipQ == 0}, {"batch", a.setting.Batch == 0}} {
		if f.given[x.name] && x.zero {
			return inputError("--"+x.name, "0", "a number above 0; leave the flag out for its default")
		}
	}
	x, err := pac.Analyse(a.setting)
	input := (*bcpace.InputError)(nil)
	if errors.As(err, &input) && pacFlags[input.What] != "" {
		return inputError("--"+pacFlags[input.What], input.Got, input.Want)
	}
	if err != nil {
		return err
	}
	s := x.Setting
	out := analysis{Epsilon: number(s.Epsilon), Delta: number(s.Delta), Gamma: number(s.Discount), RMax: number(s.RMax), QMax: number(s.QMax),
		QTilde: number(s.QTildeMax), Cover: number(s.Cover), Horizon: number(x.Horizon), EscapeThreshold: number(x.EscapeThreshold),
		EscapeTrajectories: number(x.EscapeTrajectories), EscapeSteps: number(x.EscapeSteps), KnownKLow: number(x.KnownLow), KnownKHigh: number(x.KnownHigh),
		KLow: number(x.KLow), KHigh: number(x.KHigh), K: s.K, KAdmissible: x.Admissible, Samples: number(x.Samples), M: number(x.M),
		Batch: s.Batch, MBatch: number(x.BatchM), MReduced: number(x.ReducedM), ReducedFactor: number(x.ReducedFactor), ClaimedFactor: number(x.ClaimedFactor),
		Guarantee: number(x.Guarantee), KnownGuarantee: number(x.KnownGuarantee), Radius: number(x.Radius), SeedRadius: number(x.SeedRadius)}
	if s.Beta > 0 {
		out.Sweeps = &x.Sweeps
	}
	return f.printTable(p.stdout, out)
}

func (a analysis) rows(row func(...any)) {
	sweeps := none
	if a.Sweeps != nil {
		sweeps = number(*a.Sweeps)
	}
	admissible := "which is outside"
	if a.KAdmissible {
		admissible = "which is inside"
	}
	row("Qmax", a.QMax)
	row("Q̃max", a.QTilde)
	row("horizon T", a.Horizon)
	row("k of the theorem", fmt.Sprintf("%s to %s", a.KLow, a.KHigh))
	row("k of the corollary", fmt.Sprintf("%s to %s", a.KnownKLow, a.KnownKHigh))
	row("k", fmt.Sprintf("%d, %s", a.K, admissible))
	row("samples at most, k·N", a.Samples)
	row("escape probability allowed", a.EscapeThreshold)
	row("trajectories above it at most", a.EscapeTrajectories)
	row("steps above it at most", a.EscapeSteps)
	row("sample complexity m", a.M)
	row(fmt.Sprintf("m with batches of %d", a.Batch), a.MBatch)
	row("m with N′", a.MReduced)
	row("m with N′ by m", a.ReducedFactor)
	row("N′ by N", a.ClaimedFactor)
	row("below the best by at most", a.Guarantee)
	row("on the known belief MDP", a.KnownGuarantee)
	row("sweeps for β", sweeps)
	row("radius of a known query", a.Radius)
	row("radius of seeds", a.SeedRadius)
}
