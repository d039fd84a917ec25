package robust

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/numtext"
)

// Kind is the kind of a Set.
type Kind string

const (
	All Kind = "all" // every prior
	Box Kind = "box" // each probability is within Radius of that of the centre
	L1  Kind = "l1"  // the absolute differences from the centre sum to Radius at most
	KL  Kind = "kl"  // the Kullback–Leibler divergence from the centre, Σ b·ln(b/centre), is Radius at most
)

var withRadius = []Kind{Box, L1, KL}

// PriorSet is a set of priors. The zero value has all of them. The centre of another one is the prior of the model.
type PriorSet struct {
	Kind   Kind    // "" means All
	Radius float64 // above 0, unless Kind is All
}

// ParseSet reads a Set such as all, box=0.1, l1=0.2 or kl=0.05.
func ParseSet(text string) (PriorSet, error) {
	kind, radius, found := strings.Cut(text, "=")
	if r, err := numtext.Float(radius); found && err == nil && slices.Contains(withRadius, Kind(kind)) {
		s := PriorSet{Kind(kind), r}
		return s, s.check()
	}
	if text == string(All) {
		return PriorSet{Kind: All}, nil
	}
	return PriorSet{}, bcpace.In("set of priors").Bad("the set", strconv.Quote(text), "all, or box=R, l1=R or kl=R with a radius R above 0")
}

// String writes the set as ParseSet reads it.
func (s PriorSet) String() string {
	if s.Kind == "" || s.Kind == All {
		return string(All)
	}
	return fmt.Sprintf("%s=%v", s.Kind, s.Radius)
}

// MarshalText implements encoding.TextMarshaler.
func (s PriorSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *PriorSet) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSet(string(text))
	return err
}

// check returns an *InputError for a set that does not exist.
func (s PriorSet) check() error {
	in, all := bcpace.In("set of priors"), s.Kind == "" || s.Kind == All
	return cmp.Or(
		in.Need(all || slices.Contains(withRadius, s.Kind), "Kind", strconv.Quote(string(s.Kind)), "all, box, l1 or kl"),
		in.Need(!all || s.Radius == 0, "Radius", s.Radius, "0 for the set of all priors, or a Kind that has a radius: box, l1 or kl"),
		in.Need(all || s.Radius > 0 && !math.IsInf(s.Radius, 1), "Radius", s.Radius, "a number above 0"))
}

// Worst returns the prior of the set around a centre that makes Σ b·v least, and a lower bound of that sum over the set, which is equal to it but for
// rounding. Both have the length of the centre, a prior.
func (s PriorSet) Worst(centre bcpace.Belief, v []float64) (b bcpace.Belief, least float64) {
	order := num.UpTo(len(v))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(v[i], v[j]) })
	b = make(bcpace.Belief, len(v))
	switch s.Kind {
	case Box:
		left := 1.0
		for φ, p := range centre {
			b[φ] = max(p-s.Radius, 0)
			left -= b[φ]
		}
		for _, φ := range order {
			more := min(left, min(centre[φ]+s.Radius, 1)-b[φ])
			b[φ] += more
			left -= more
		}
	case L1:
		copy(b, centre)
		move := min(s.Radius/2, 1-centre[order[0]])
		b[order[0]] += move
		for i := len(order) - 1; i > 0 && move > 0; i-- {
			less := min(move, b[order[i]])
			b[order[i]] -= less
			move -= less
		}
	case KL:
		return s.tilted(centre, v)
	default:
		b[order[0]] = 1
	}
	return b, b.Dot(v) - slack(v)
}

// mostTilt is the tilt, of values that are 1 apart, at which only the lowest ones are left.
const mostTilt = 1e12

// tilted is Worst for KL: the least sum is max over θ > 0 of −(ln Σ centre·exp(−θv) + Radius)/θ, each of which is a lower bound of it, and b is the
// centre tilted by exp(−θv).
func (s PriorSet) tilted(centre bcpace.Belief, v []float64) (b bcpace.Belief, least float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for φ, p := range centre {
		if p > 0 {
			low, high = min(low, v[φ]), max(high, v[φ])
		}
	}
	tilt := func(θ float64) (b bcpace.Belief, dual, divergence float64) {
		b = make(bcpace.Belief, len(v))
		sum, whole, less := 0.0, 0.0, 0.0
		for φ, p := range centre {
			if p > 0 {
				b[φ] = p * math.Exp(-θ*(v[φ]-low))
				sum, whole, less = sum+b[φ], whole+p, less+p*math.Expm1(-θ*(v[φ]-low))
			}
		}
		normal(b)
		log := math.Log(sum / whole)
		if less > -whole/2 { // to all digits where the tilt is small
			log = math.Log1p(less / whole)
		}
		dual = low - (log+s.Radius)/θ
		divergence = -log - θ*(b.Dot(v)-low)
		return b, dual, divergence
	}
	if high == low {
		return slices.Clone(centre), low - slack(v)
	}
	// The divergence grows with θ, up to that of the centre on the lowest latents alone.
	from, to := 0.0, 1/(high-low)
	for ; to < mostTilt/(high-low); to *= 2 {
		if _, _, d := tilt(to); d >= s.Radius {
			break
		}
		from = to
	}
	for range 200 {
		if mid := (from + to) / 2; mid > from && mid < to {
			if _, _, d := tilt(mid); d <= s.Radius {
				from = mid
			} else {
				to = mid
			}
		}
	}
	b, _, _ = tilt(max(from, math.SmallestNonzeroFloat64))
	_, least, _ = tilt(to)
	return b, max(least, low) - slack(v)
}

// slack bounds the rounding of a product.
func slack(v []float64) float64 { return float64(len(v)+4) * 0x1p-51 * mdp.MaxAbs(v) }
