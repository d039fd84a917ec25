package pac

import (
	"cmp"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
)

// Setting has the numbers that the analysis starts from.
type Setting struct {
	// Epsilon is ε, Delta δ, and Discount γ.
	Epsilon, Delta, Discount float64
	// RMax is Rmax, above ε. QMax is Qmax in (0, Rmax/(1−γ)]; 0 means Rmax/(1−γ).
	// QTildeMax is Q̃max; 0 means Rmax + γ·Qmax (Definition Optimistic Value Estimate).
	RMax, QMax, QTildeMax float64
	// LipQ is L_Q. 0 leaves out the radii.
	LipQ float64
	// Cover is N = N_B(ε/L_Q̃), 1 or more.
	Cover float64
	// Seeded says that Known Latent Initialization is in use, and Reduced is then
	// N′, from 0 to Cover.
	Seeded  bool
	Reduced float64
	// K is the number of neighbours. 0 means the least that the theorem allows.
	K int
	// Beta is β. 0 means value iteration to convergence.
	Beta float64
	// Batch is n. 0 means 1.
	Batch int
}

// SettingOf returns the setting of an exploration of m with those options and
// covering number: Rmax is the range of rewards with 0 (see the package comment).
// Options whose default depends on more than that, L_Q among them, are resolved as
// Explore does. It checks nothing; Analyse does.
func SettingOf(m bcpace.Model, o cpace.Solver, delta, cover float64) Setting {
	spec := m.Spec()
	return Setting{Epsilon: o.Epsilon, Delta: delta, Discount: spec.Discount, RMax: max(spec.RewardMax, 0) - min(spec.RewardMin, 0),
		LipQ: cmp.Or(o.LipQ, (spec.VMax()-spec.VMin())/2, 1), Cover: cover, K: max(o.K, 1), Beta: o.Beta, Batch: max(o.Batch, 1)}
}

// Analysis has every quantity that follows from a Setting. See the functions of the
// same names. What cannot be had is NaN.
type Analysis struct {
	Setting Setting // with its defaults filled in

	Horizon            float64 // T
	EscapeThreshold    float64
	EscapeTrajectories float64
	EscapeSteps        float64
	// KnownLow … KnownHigh is the corollary's interval of k, KLow … KHigh that of the
	// main theorem. Admissible says that K is a number in the latter.
	KnownLow, KnownHigh, KLow, KHigh float64
	Admissible                       bool
	// Samples is kN, the most samples (Lemma Full Coverage).
	Samples float64
	// M is m of the main theorem for one rollout at a time, BatchM n·m.
	M, BatchM float64
	// ReducedM is m with N′, ReducedFactor = ReducedM/M what it saves, and
	// ClaimedFactor N′/N, as the proposition puts it. NaN unless Seeded.
	ReducedM, ReducedFactor, ClaimedFactor float64
	// Guarantee is (7ε+2β)/(1−γ), and KnownGuarantee (3ε+2β)/(1−γ).
	Guarantee, KnownGuarantee float64
	// Sweeps is the number of sweeps for β, 0 without.
	Sweeps int
	// Radius is ε/L_Q̃ and SeedRadius ε/(L_Q(1+γ)), NaN without L_Q.
	Radius, SeedRadius float64
}

// Analyse computes every quantity of the paper's analysis. The error is an
// *bcpace.InputError for a number outside its domain.
func Analyse(x Setting) (Analysis, error) {
	if err := check(epsilonArg(x.Epsilon), deltaArg(x.Delta), gammaArg(x.Discount), rMaxArg(x.RMax, x.Epsilon), coverArg(x.Cover)); err != nil {
		return Analysis{}, err
	}
	most := x.RMax / (1 - x.Discount)
	x.QMax = cmp.Or(x.QMax, most)
	x.QTildeMax = cmp.Or(x.QTildeMax, x.RMax+x.Discount*x.QMax)
	x.Batch = cmp.Or(x.Batch, 1)
	if err := check(
		arg{"qMax", x.QMax, x.QMax > 0 && x.QMax <= most*(1+1e-12), fmt.Sprintf("Qmax in (0, Rmax/(1−γ)] = (0, %v]", most)},
		arg{"reduced", x.Reduced, !x.Seeded || x.Reduced >= 0 && x.Reduced <= x.Cover, fmt.Sprintf("N′ from 0 to N = %v", x.Cover)},
		arg{"k", float64(x.K), x.K >= 0, "a number of neighbours, or 0 for the least of the theorem"},
		arg{"lipQ", x.LipQ, x.LipQ >= 0, "L_Q > 0, or 0 for none"},
	); err != nil {
		return Analysis{}, err
	}
	var a Analysis
	// Every domain but those of β, Q̃max and n is checked by now, so that the first
	// error is the only one.
	var known, every, swept error
	a.KnownLow, a.KnownHigh, known = KnownNeighbors(x.Epsilon, x.Delta, x.QTildeMax, x.Cover)
	a.KLow, a.KHigh, every = Neighbors(x.Epsilon, x.Delta, x.QTildeMax, x.Cover)
	err := cmp.Or(known, every)
	if x.K == 0 && err == nil {
		if a.KLow > maxK {
			return Analysis{}, bcpace.In("PAC analysis").Bad("the least k of the theorem", a.KLow, "below 2^53: give k, or a larger ε")
		}
		x.K = int(max(1, math.Ceil(a.KLow)))
	}
	a.Setting = x
	a.Admissible = float64(x.K) >= a.KLow && float64(x.K) <= a.KHigh
	a.Samples = float64(x.K) * x.Cover
	keep := func(v float64, e error) float64 {
		err = cmp.Or(err, e)
		return v
	}
	a.Horizon = keep(Horizon(x.Epsilon, x.Discount, x.RMax))
	a.EscapeThreshold = keep(EscapeThreshold(x.Epsilon, x.Discount, x.QMax))
	a.EscapeTrajectories = keep(EscapeTrajectories(x.Epsilon, x.Delta, x.Discount, x.QMax, x.K, x.Cover))
	a.EscapeSteps = keep(EscapeSteps(x.Epsilon, x.Delta, x.QMax, x.RMax, x.K, x.Cover))
	a.M = keep(SampleComplexity(x.Epsilon, x.Delta, x.QMax, x.RMax, x.K, x.Cover))
	a.BatchM = keep(BatchSampleComplexity(a.M, x.Batch))
	a.Guarantee = keep(Guarantee(x.Epsilon, x.Discount, x.Beta))
	a.KnownGuarantee = keep(KnownGuarantee(x.Epsilon, x.Discount, x.Beta))
	a.ReducedM, a.ReducedFactor, a.ClaimedFactor = math.NaN(), math.NaN(), math.NaN()
	if x.Seeded {
		a.ReducedM = keep(ReducedSampleComplexity(x.Epsilon, x.Delta, x.QMax, x.RMax, x.K, x.Reduced))
		a.ReducedFactor, a.ClaimedFactor = a.ReducedM/a.M, x.Reduced/x.Cover
	}
	if x.Beta > 0 {
		a.Sweeps, swept = Sweeps(x.Beta, x.QTildeMax, x.Discount)
	}
	a.Radius, a.SeedRadius = math.NaN(), math.NaN()
	if x.LipQ > 0 {
		a.Radius = keep(Radius(x.Epsilon, x.LipQ))
		a.SeedRadius = keep(SeedRadius(x.Epsilon, x.LipQ, x.Discount))
	}
	if err = cmp.Or(err, swept); err != nil {
		return Analysis{}, err
	}
	return a, nil
}

const maxK = 1 << 53

// Table sets what audits measured beside what the theorems promise, a column for each
// audit: of explorations of one model at several ε, say. Bounds on steps are n times
// those of a rollout at a time where batches have n (Proposition Batch Sample Update).
func Table(audits ...*Audit) (header []string, rows [][]any) {
	header = []string{""}
	lines := []struct {
		name string
		of   func(a *Audit) any
	}{
		{"N(ε/L_Q̃), at most", func(a *Audit) any { return whole(a.Analysis.Setting.Cover) }},
		{"guarantee (7ε + 2β)/(1−γ)", func(a *Audit) any { return a.Analysis.Guarantee }},
		{"steps below it: promised, m", func(a *Audit) any { return whole(a.Analysis.BatchM) }},
		{"steps below it: measured", func(a *Audit) any { return a.BelowGuarantee }},
		{"steps more than ε below", func(a *Audit) any { return a.BelowEpsilon }},
		{"steps that may escape: promised", func(a *Audit) any { return whole(a.Analysis.EscapeSteps * float64(a.Analysis.Setting.Batch)) }},
		{"steps that may escape: measured", func(a *Audit) any { return a.EscapeSteps }},
		{"escapes", func(a *Audit) any { return a.Escapes }},
		{"samples: promised, kN", func(a *Audit) any { return whole(a.Analysis.Samples) }},
		{"samples: measured", func(a *Audit) any { return a.Run.Samples.Len() }},
		{"steps taken", func(a *Audit) any { return a.Steps }},
		{"the last policy is below the best by", func(a *Audit) any { return a.Policies[len(a.Policies)-1].StartGap }},
	}
	for _, a := range audits {
		header = append(header, fmt.Sprintf("ε = %.4g", a.Analysis.Setting.Epsilon))
	}
	for _, l := range lines {
		row := []any{l.name}
		for _, a := range audits {
			row = append(row, l.of(a))
		}
		rows = append(rows, row)
	}
	return header, rows
}

// whole rounds a number of steps or samples.
func whole(x float64) any {
	if x < 1<<53 {
		return int64(math.Round(x))
	}
	return x
}
