package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
)

// SettingReason says why a parameter is what it is.
type SettingReason struct {
	Parameter string `json:"parameter"`
	Value     string `json:"value"`
	Why       string `json:"why"`
}

// Suggestion is what Suggest suggests.
type Suggestion struct {
	Options cpace.Solver
	// Reasons has one for each parameter that is set, in the order of importance, and
	// others for what the model itself may change, such as the Scale of an axis.
	Reasons []SettingReason
	// Samples is about how many samples the places visited by the look ask for.
	Samples int
	Look    *Look
}

const (
	grace      = 3 * time.Second // for a few random episodes where time is up
	maxK       = 2000
	finest     = 0.01 // ε at least, as a share of what is to be gained
	coarsest   = 0.2  // and at most
	steep      = 0.9  // share of slopes that L_Q is at least
	maxHalving = 12
)

// Suggest takes a look at m and suggests Options for it: the smallest ε with which what the
// look has seen is covered by some ten thousand samples. With a deadline it leaves half of the
// time to the solver. If ctx ends the look, the suggestion rests on a few random episodes, as
// its first reason says. Other errors are those of Take.
func Suggest(ctx context.Context, m bcpace.Model) (*Suggestion, error) {
	looking, cancel := runs.LeaveTime(ctx, 1-lookShare)
	defer cancel()
	x, err := Take(looking, m)
	var s *Suggestion
	if err == nil {
		s, err = x.Suggest(looking)
	}
	if end := looking.Err(); end == nil || !errors.Is(err, end) {
		return s, err
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	return cutShort(last, m)
}

// cutShort suggests Options from a few random episodes, which take no time to speak of. It
// leaves Bound to the solver, which may find time for the latent values.
func cutShort(ctx context.Context, m bcpace.Model) (*Suggestion, error) {
	x, err := look(ctx, m, nil, true)
	if err != nil {
		return nil, err
	}
	s, err := x.Suggest(ctx)
	if err != nil {
		return nil, err
	}
	s.Options.Bound = ""
	s.Reasons = slices.DeleteFunc(s.Reasons, func(r SettingReason) bool { return r.Parameter == "Bound" })
	s.Reasons = slices.Insert(s.Reasons, 0, SettingReason{"the look", "cut short",
		fmt.Sprintf("there was no time for more: these settings rest on %d episodes with random actions; with more time they are better", fewEpisodes)})
	return s, nil
}

// Suggest is the function Suggest for the model of a look.
func (l *Look) Suggest(ctx context.Context) (*Suggestion, error) {
	spec := l.Model.Spec()
	if err := solverkit.NeedDiscount(spec, cpace.Solver{}.Name()); err != nil {
		return nil, err
	}
	f := &fit{Suggestion: Suggestion{Look: l, Options: cpace.Solver{MaxSamples: solvers.ContinuousSamples, Batch: 20}}, spec: spec, rng: newRNG()}
	f.gained, f.why = l.Gain()
	f.slopes()
	noise, err := l.Noise()
	if err != nil {
		return nil, err
	}
	if err := f.epsilon(ctx, noise); err != nil {
		return nil, err
	}
	f.initial()
	f.scales()
	f.say("MaxSamples", f.Options.MaxSamples, "a first budget; Resume goes on from there")
	return &f.Suggestion, nil
}

// fit makes a suggestion.
type fit struct {
	Suggestion
	spec bcpace.Spec
	rng  *rand.Rand

	gained float64 // what is to be gained by acting well, and why
	why    string
}

func (f *fit) say(parameter string, value any, why string, args ...any) {
	text := fmt.Sprint(value)
	if x, ok := value.(float64); ok {
		text = strconv.FormatFloat(x, 'g', 4, 64)
	}
	f.Reasons = append(f.Reasons, SettingReason{parameter, text, fmt.Sprintf(why, args...)})
}

// slopes sets L_Q and α: how much values differ between beliefs and between states.
func (f *fit) slopes() {
	x, o := f.Look, &f.Options
	metric := metric.New(f.spec, 1)
	apart := func(i, j int) float64 { // the states of two visits
		return metric.Distance(x.States[i], x.Beliefs[i], x.States[j], x.Beliefs[i])
	}
	state := x.mean(apart)
	if x.Latent == nil {
		spread := x.Earned[0].Result
		low, high := quantile(spread.Returns, 0.025), quantile(spread.Returns, 0.975)
		o.LipQ = tidy(max((high-low)/2, 1e-3*cmp.Or(f.spec.RewardMax-f.spec.RewardMin, 1e-6)))
		f.say("LipQ", o.LipQ, "half of what the returns of random steps range over, %.4g to %.4g", low, high)
		if o.Alpha = 1; state > 0 {
			o.Alpha = tidy(1 / state)
		}
		f.say("Alpha", o.Alpha, "two visited states are %.3g apart on average, and so count as much as beliefs do", state)
		return
	}
	var belief, along []float64
	for range maxVisits {
		i, j := f.rng.IntN(len(x.States)), f.rng.IntN(len(x.States))
		actions := x.sensible(i, f.gained)
		a := actions[f.rng.IntN(len(actions))]
		lo, hi := math.Inf(1), math.Inf(-1)
		for φ := range f.spec.Latents {
			q := x.Latent.Q(x.States[i], φ, a)
			lo, hi = min(lo, q), max(hi, q)
		}
		belief = append(belief, (hi-lo)/2)
		if d := apart(i, j); d > 0 {
			φ := f.rng.IntN(len(f.spec.Latents))
			along = append(along, math.Abs(x.Latent.Q(x.States[i], φ, a)-x.Latent.Q(x.States[j], φ, a))/d)
		}
	}
	lb, ls := quantile(belief, steep), quantile(along, steep)
	o.LipQ, o.Alpha = tidy(cmp.Or(lb, ls, 1)), 1 // 1 where nothing matters
	if lb > 0 && ls > 0 {
		o.Alpha = tidy(min(max(ls/lb, 1e-3), 1e3))
	}
	f.say("LipQ", o.LipQ, "where the look has been, nine tenths of the latent values of sensible actions differ by %.3g or less between two latents, per unit of the beliefs' distance", lb)
	f.say("Alpha", o.Alpha, "nine tenths of those values differ by %.3g or less between two states, per unit of their distance", ls)
}

// epsilon sets ε and k. Both decide how many samples it takes, so that they are chosen
// together.
func (f *fit) epsilon(ctx context.Context, noise float64) error {
	o := &f.Options
	for share := finest; ; share *= 2 {
		o.Epsilon = tidy(share * f.gained)
		o.K = min(max(int(math.Ceil((noise/o.Epsilon)*(noise/o.Epsilon))), 1), maxK)
		places, err := f.count(ctx)
		if err != nil {
			return err
		}
		if f.Samples <= solvers.ContinuousSamples || 2*share > coarsest {
			f.say("Epsilon", o.Epsilon, "%.2g%% of %s, with which about %d places × %d actions × k samples are needed", 100*share, f.why, places, len(f.spec.Actions))
			break
		}
	}
	if noise < 1e-3*o.Epsilon {
		f.say("K", o.K, "what a step leads to is as good as certain")
	} else {
		f.say("K", o.K, "what a step leads to varies by %.3g, and the mean of k such by about ε", noise)
	}
	steepest := o.LipQ
	for halved := 0; halved < maxHalving && f.Samples > solvers.ContinuousSamples; halved++ {
		o.LipQ = tidy(o.LipQ / 2)
		if _, err := f.count(ctx); err != nil {
			return err
		}
	}
	if o.LipQ != steepest {
		f.Reasons = slices.DeleteFunc(f.Reasons, func(r SettingReason) bool { return r.Parameter == "LipQ" })
		f.say("LipQ", o.LipQ, "less than %.4g, as the samples would be too many: what is called known may err by %.2g times ε", steepest, steepest/o.LipQ)
	}
	return nil
}

// count sets Samples by the places that the visited ones are covered with.
func (f *fit) count(ctx context.Context) (places int, err error) {
	o := &f.Options
	places, err = f.Look.Cover(ctx, o.Alpha, o.Epsilon/(2*o.LipQ))
	f.Samples = places * len(f.spec.Actions) * o.K
	return places, err
}

// initial sets what values start from.
func (f *fit) initial() {
	if f.Look.Latent == nil {
		f.Options.Bound = cpace.BoundConstant
		f.say("Bound", string(cpace.BoundConstant), "there are no latent values to start from")
		return
	}
	f.Options.Bound = cpace.BoundQMDP
	f.say("Bound", string(cpace.BoundQMDP), "never looser than the best case, and the latent values are there")
	if bcpace.KindOf(f.Look.Model) != bcpace.Redrawn {
		f.Options.SeedOneHot = true
		f.say("SeedOneHot", true, "the latent is not drawn anew, so that its values hold once it is known")
	}
}

// scales says which axes of the model count far more than others.
func (f *fit) scales() {
	spread := make([]float64, len(f.spec.Axes))
	top := 0.0
	for i, a := range f.spec.Axes {
		if math.IsInf(a.Scale, 1) {
			continue
		}
		var values []float64
		for _, s := range f.Look.States {
			values = append(values, s[i])
		}
		spread[i] = (quantile(values, 0.95) - quantile(values, 0.05)) / a.MetricUnit()
		top = max(top, spread[i])
	}
	for i, a := range f.spec.Axes {
		if spread[i] > 0 && spread[i] < top/20 {
			f.say("Scale of axis "+a.Name, a.MetricUnit(), "visited values are %.2g of it apart, and those of another axis %.2g: with Scale %.2g both would count alike", spread[i], top, tidy(a.MetricUnit()*spread[i]/top))
		}
	}
}

// quantile returns the value of x below which a share p of the others lies, rounded down,
// and 0 for no x.
func quantile(x []float64, p float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Sorted(slices.Values(x))
	return x[int(p*float64(len(x)-1))]
}

// tidy rounds to two digits.
func tidy(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 1, 64), 64)
	return y
}
