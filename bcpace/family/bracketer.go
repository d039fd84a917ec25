package family

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/rollout"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// bracketer makes a ValueBracket.
type bracketer struct {
	f        Family
	solver   bcpace.Solver
	o        BracketOptions // with the defaults
	sampling Sampling       // of the first set
	b        ValueBracket

	spec   bcpace.Spec // of the first model
	lo, hi float64     // the range of returns
	told   int         // number of θ whose own values are computed; 0 for none
}

// Streams of random numbers in the place of a set's number, which no set uses.
const (
	toldStream  = 1<<31 + iota // θ with values of their own
	freshStream                // the θ of episodes
	worldStream                // what happens in episodes
	actStream                  // what the policy draws
)

// phase returns a function that reports how much of a phase is done.
func (br *bracketer) phase(name string, all int) func(done int) {
	return func(done int) {
		if br.o.Progress != nil {
			br.o.Progress(bcpace.Progress{Phase: name, Share: float64(done) / float64(all)})
		}
	}
}

// play plays so many parts side by side, each by a player of its own for one goroutine, and
// returns how many are whole. Parts that ctx has cut are no error.
func (br *bracketer) play(ctx context.Context, name string, parts int, player func() rollout.Player) (int, error) {
	n, err := rollout.Play(ctx, parts, br.o.Workers, func() rollout.Player {
		play := player()
		return func(i int) error {
			err := play(i)
			if ctx.Err() != nil { // an error may be that of ctx, and a result may mean nothing
				return rollout.ErrDropped
			}
			return err
		}
	}, br.phase(name, parts))
	if err == nil || ctx.Err() != nil {
		return n, nil
	}
	return n, fmt.Errorf("%s: %w", name, err)
}

// solveFirst solves the model whose policy is played.
func (br *bracketer) solveFirst(ctx context.Context) error {
	m, thetas, listed, err := br.sampling.model(br.f)
	if err != nil {
		return err
	}
	br.b = ValueBracket{Model: m, Confidence: br.o.Confidence, Draws: br.o.Draws, Listed: listed}
	if br.b.Listed {
		br.b.Draws = len(thetas)
	}
	if br.spec = m.Spec(); br.spec.Goal { // episodes that are played say little where what is cut has no bound
		return solverkit.NeedDiscount(br.spec, "a value bracket of a family")
	}
	br.lo, br.hi = solverkit.RangeOfReturns(m)
	if finite, ok := bcpace.AsFinite(bcpace.KeepHorizon(m)); ok && !br.b.Listed {
		br.told = br.o.told(finite)
	}
	br.phase("policy", 1)(0)
	br.b.Solution, err = br.solver.Solve(ctx, m, bcpace.Control{Workers: br.o.Workers})
	if err != nil || br.b.Solution.Policy != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return bcpace.In("bracket").Bad("the policy that solver "+strconv.Quote(br.solver.Name())+" has found", "nil", "a policy to play")
}

// like returns an *bcpace.InputError unless m, another model of the family, states the ranges
// that the first one states.
func (br *bracketer) like(m bcpace.Model) error {
	spec := m.Spec()
	lo, hi := solverkit.RangeOfReturns(m)
	if spec.RewardMin == br.spec.RewardMin && spec.RewardMax == br.spec.RewardMax && lo == br.lo && hi == br.hi {
		return nil
	}
	return bcpace.In("model "+strconv.Quote(spec.Name)+" of a family").Bad("the range of its rewards and that of its returns",
		fmt.Sprintf("[%v, %v] and [%v, %v] for some latents", spec.RewardMin, spec.RewardMax, lo, hi),
		fmt.Sprintf("[%v, %v] and [%v, %v], as for others: state ranges that hold for every θ, as confidence bounds rest on them",
			br.spec.RewardMin, br.spec.RewardMax, br.lo, br.hi))
}

// upper bounds V* from above.
func (br *bracketer) upper(ctx context.Context) error {
	b, c := &br.b, br.b.Solution.Certificate
	b.Upper, b.UpperBy, b.Optimum, b.OptimumErr = br.hi, bcpace.ByRange, math.NaN(), math.NaN()
	if b.Listed {
		if u, by := br.upperOf(c); by != bcpace.ByRange {
			b.Upper, b.UpperBy, b.Assumes, b.Optimum, b.OptimumErr = u, by, c.Assumes, u, 0
		}
		return nil
	}
	first, err := br.optimum(ctx, b.Model, c)
	if ctx.Err() != nil { // an error may be that of ctx
		return nil
	}
	if err != nil {
		return err
	}
	sets, err := br.optima(ctx)
	if err != nil {
		return err
	}
	told, toldError, err := br.tell(ctx)
	if err != nil {
		return err
	}
	compares := br.told > 0 && len(told) == br.told
	if !compares { // few of them, as ctx has cut them, say less than the sets do alone
		told, toldError = nil, 0
	}
	b.Sets, b.Told = len(sets), len(told)
	δ := (1 - br.o.Confidence) / 2
	reference := br.hi
	gap := func(o optimum) float64 { return br.hi - o.upper }
	if compares {
		δ /= 2
		reference = stat.MeanUpper(told, br.lo, br.hi, δ, br.told)
		gap = func(o optimum) float64 { return o.below }
	}
	below, most := make([]float64, len(sets)), 2*gap(first)
	for i, s := range sets {
		below[i] = gap(s)
		if compares {
			toldError = max(toldError, s.err)
		}
		if s.by == bcpace.ByAssumption {
			b.UpperBy, b.Assumes = s.by, s.assumes
		} else if s.by == bcpace.ByProof && b.UpperBy == bcpace.ByRange {
			b.UpperBy = bcpace.BySimulation
		}
	}
	if b.Told > 0 && b.UpperBy == bcpace.ByRange {
		b.UpperBy = bcpace.BySimulation
	}
	if b.Sets > 0 {
		b.Optimum, b.OptimumErr = summary(below[:rollout.Whole(br.o.Sets, b.Sets)])
		known, knownErr := br.hi, 0.0
		if compares {
			known, knownErr = summary(told)
		}
		b.Optimum, b.OptimumErr = known-b.Optimum, math.Hypot(knownErr, b.OptimumErr)
	}
	for i, d := range below {
		below[i] = min(d, most)
	}
	b.Upper = min(reference+2*toldError-stat.MeanLower(below, 0, most, δ, br.o.Sets), br.hi)
	return nil
}

// optimum is what is known of the optimal value of a set.
type optimum struct {
	upper   float64      // its upper bound
	below   float64      // X: how far that is below the mean of V_θ; 0 without these
	by      bcpace.Basis // the reason for that bound
	assumes string
	err     float64 // of values V_θ
}

// upperOf returns the upper bound of a certificate and its reason: the largest return if it
// bounds no optimum.
func (br *bracketer) upperOf(c bcpace.Certificate) (float64, bcpace.Basis) {
	if (c.UpperBy == bcpace.ByProof || c.UpperBy == bcpace.ByAssumption) && c.Upper < br.hi {
		return c.Upper, c.UpperBy
	}
	return br.hi, bcpace.ByRange
}

// optimum compares the upper bound of model m, whose certificate is c.
func (br *bracketer) optimum(ctx context.Context, m bcpace.Model, c bcpace.Certificate) (o optimum, err error) {
	u, by := br.upperOf(c)
	o = optimum{upper: u, by: by}
	if by == bcpace.ByAssumption {
		o.assumes = c.Assumes
	}
	if br.told == 0 {
		return o, nil
	}
	values, prior := make([]float64, len(m.Spec().Latents)), make(bcpace.Belief, len(m.Spec().Latents))
	m.Prior(prior)
	if o.err, err = tell(ctx, m, values); err != nil {
		return o, err
	}
	o.below = max(prior.Dot(values)-u, 0)
	return o, nil
}

// optima solves the sets, up to the first that ctx cuts.
func (br *bracketer) optima(ctx context.Context) ([]optimum, error) {
	sets := make([]optimum, br.o.Sets)
	n, err := br.play(ctx, "optima of sets", len(sets), func() rollout.Player {
		return func(i int) error {
			draws := br.sampling
			draws.set = uint64(i + 1)
			m, _, _, err := draws.model(br.f)
			if err != nil {
				return err
			}
			if err := br.like(m); err != nil {
				return err
			}
			found, err := br.solver.Solve(ctx, m, bcpace.Control{Workers: 1})
			if err != nil {
				return err
			}
			sets[i], err = br.optimum(ctx, m, found.Certificate)
			return err
		}
	})
	return sets[:n], err
}

// toldTogether is how many θ one model has whose own values are computed.
const toldTogether = 64

// told returns how many θ have their own values computed, of models such as m.
func (o *BracketOptions) told(m bcpace.Finite) int {
	const most = 1 << 27 // numbers in the tables of all of them
	switch {
	case o.Told == -1:
		return 0
	case o.Told > 0:
		return o.Told
	}
	each := m.NumStates() * len(m.Spec().Actions)
	return max(min(100*o.Draws*o.Sets, most/max(each, 1)), o.Draws)
}

// tell returns V_θ for fresh θ, up to the first that ctx cuts, and their largest error.
func (br *bracketer) tell(ctx context.Context) (values []float64, largest float64, err error) {
	if br.told == 0 {
		return nil, 0, nil
	}
	thetas := Sampling{Draws: br.told, Seed: br.o.Seed, set: toldStream}.thetas(br.f)
	values = make([]float64, len(thetas))
	parts := (len(thetas) + toldTogether - 1) / toldTogether
	errs := make([]float64, parts)
	n, err := br.play(ctx, "values of known θ", parts, func() rollout.Player {
		return func(i int) error {
			from, to := i*toldTogether, min((i+1)*toldTogether, len(thetas))
			different, number := numbered(thetas[from:to])
			m, err := build(br.f, different)
			if err != nil {
				return err
			}
			if err := br.like(m); err != nil {
				return err
			}
			each := make([]float64, len(different))
			errs[i], err = tell(ctx, m, each)
			for k, at := range number {
				values[from+k] = each[at]
			}
			return err
		}
	})
	for _, e := range errs[:n] {
		largest = max(largest, e)
	}
	return values[:min(n*toldTogether, len(values))], largest, err
}

// tell sets values to V_θ of each latent of m, which is finite: what an agent expects at the
// start that is told the latent. It returns a bound of their errors.
func tell(ctx context.Context, m bcpace.Model, values []float64) (float64, error) {
	f, _ := bcpace.AsFinite(bcpace.KeepHorizon(m))
	q, err := dp.SolveFinite(ctx, f, 0)
	if err != nil {
		return 0, err
	}
	var z bcpace.Successors
	if err := z.ListStarts(f); err != nil {
		return 0, err
	}
	actions := len(f.Spec().Actions)
	for i := range z.Len() {
		s, prob, _ := z.Row(i)
		for φ, p := range prob {
			if p == 0 {
				continue
			}
			best, _ := num.Largest(actions, func(a int) float64 { return q.Q(s, φ, a) })
			values[φ] += p * best
		}
	}
	return q.Error, nil
}

// lower bounds V* from below.
func (br *bracketer) lower(ctx context.Context) error {
	b := &br.b
	b.Lower, b.LowerBy, b.Earned, b.EarnedErr = br.lo, bcpace.ByRange, math.NaN(), math.NaN()
	if c := b.Solution.Certificate; b.Listed && c.LowerBy == bcpace.ByProof && c.PolicyEarns == bcpace.ByProof {
		b.Lower, b.LowerBy = c.Lower, c.LowerBy
		return nil
	}
	returns, err := br.episodes(ctx)
	if err != nil {
		return err
	}
	if b.Episodes = len(returns); b.Episodes == 0 {
		return nil
	}
	after := 0.0 // γ to the power of the horizon
	if br.spec.Horizon == 0 {
		after = math.Pow(br.spec.Discount, float64(b.Horizon))
	}
	b.Earned, b.EarnedErr = summary(returns[:rollout.Whole(br.o.Episodes, b.Episodes)])
	b.Lower, b.LowerBy = stat.MeanLower(returns, br.lo, br.hi, (1-br.o.Confidence)/2, br.o.Episodes)+after*br.lo, bcpace.BySimulation
	return nil
}

// episodes plays the policy, each time with a fresh θ, and returns the returns up to the first
// episode that ctx cuts.
func (br *bracketer) episodes(ctx context.Context) ([]float64, error) {
	b := &br.b
	b.Horizon = br.spec.DefaultHorizon()
	policy := b.Solution.Policy
	m, err := bcpace.ForPolicy(b.Model, policy)
	if err != nil {
		return nil, err
	}
	fresh := Sampling{Draws: 1, Seed: br.o.Seed, set: freshStream}
	returns, surprises := make([]float64, br.o.Episodes), make([]int, br.o.Episodes)
	n, err := br.play(ctx, "episodes", len(returns), func() rollout.Player {
		policy, θ := bcpace.Fork(policy), [][]float64{make([]float64, len(br.f.Params()))}
		return func(i int) error {
			br.f.Draw(θ[0], fresh.stream(i))
			world, err := build(br.f, θ)
			if err != nil {
				return err
			}
			if err := br.like(world); err != nil {
				return err
			}
			if world, err = bcpace.ForPolicy(world, policy); err != nil {
				return err
			}
			r := bcpace.Rollout{Simulator: bcpace.NewSimulator(m), Policy: policy, Context: ctx, Horizon: b.Horizon, Discount: br.spec.Discount}
			if err := r.Enter(world); err != nil {
				return err
			}
			r.Lenient = true
			env, act := rand.New(rand.NewPCG(br.o.Seed, worldStream<<32|uint64(i))), rand.New(rand.NewPCG(br.o.Seed, actStream<<32|uint64(i)))
			for err = r.Reset(env); err == nil && r.More(); {
				err = r.Step(env, act)
			}
			returns[i], surprises[i] = r.Return, r.Surprises
			return err
		}
	})
	for _, k := range surprises[:n] {
		b.Surprises += k
	}
	return returns[:n], err
}

// result returns the bracket, unless its bounds have crossed.
func (br *bracketer) result(ctx context.Context) *ValueBracket {
	b := &br.b
	if b.Lower > b.Upper {
		b.Refuted = fmt.Sprintf("the value would be at least %v (%s) and at most %v (%s), so that one of the two is false", b.Lower, b.LowerBy, b.Upper, b.UpperBy)
		b.Lower, b.Upper, b.LowerBy, b.UpperBy, b.Assumes = br.lo, br.hi, bcpace.ByRange, bcpace.ByRange, ""
	}
	whole := b.Listed || b.Sets == br.o.Sets && b.Told == br.told
	if whole && (b.LowerBy == bcpace.ByProof || b.Episodes == br.o.Episodes) {
		return b
	}
	b.Stop = cmp.Or(stop.Of(ctx), stop.Interrupted)
	return b
}

// summary returns the mean of x, NaN of no number, and its standard error, NaN of fewer than two.
func summary(x []float64) (mean, stderr float64) {
	if len(x) == 0 {
		return math.NaN(), math.NaN()
	}
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		stderr += (v - mean) * (v - mean)
	}
	n := float64(len(x))
	return mean, math.Sqrt(stderr / (n - 1) / n)
}
