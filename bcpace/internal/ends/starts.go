package ends

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"time"
)

// StartConflict is an axis on which one latent begins episodes at values up to At more often than another one, where nothing says that
// the start tells of the latent.
type StartConflict struct {
	Latents [2]int
	Axis    int
	At      float64
	Counts  [2]int // of so many starts of each latent those with a value up to At
	Of      int
}

// Text says what the conflict is, and what would be right.
func (c *StartConflict) Text(latents []string, axis string) string {
	return fmt.Sprintf("of %d starts of each, %d under latent %s and %d under %s have %s up to %v, so that the first state tells of the latent, and beliefs would not learn from it: "+
		"say how likely a start is (StartLogLikelihood; start_log_likelihood in Python), or draw it alike under all latents",
		c.Of, c.Counts[0], strconv.Quote(latents[c.Latents[0]]), c.Counts[1], strconv.Quote(latents[c.Latents[1]]), axis, c.At)
}

// shortStarts is how many starts of each latent are drawn before a model is solved.
const shortStarts = 64

// mostLatents is how many latents have their starts compared.
const mostLatents = 16

// FindStart draws so many starts of each latent, 64 where draws is 0, and returns the first conflict that it finds, or nil. It finds one where
// there is none with probability e.FalseAlarm at most, by the inequality of Wei and Dudley (2012, "Two-sample Dvoretzky–Kiefer–Wolfowitz
// inequalities"): the largest distance of the two distributions of n draws each exceeds d with probability e·exp(−n·d²) at most.
func FindStart(w *PlayedModel, draws int, e Effort) (c *StartConflict) {
	defer unlessPanic(&c)
	possible := Possible(w.Prior)
	possible = possible[:min(len(possible), mostLatents)]
	if len(possible) < 2 {
		return nil
	}
	if draws == 0 {
		draws = shortStarts
	}
	seen := make([][]float64, len(possible)*w.Axes) // by latent and axis
	s, rng, begin, n := make([]float64, w.Axes), rand.New(rand.NewPCG(0, 0x737461727473)), time.Now(), 0
	for ; n < draws && (e.Time == 0 || time.Since(begin) < e.Time); n++ {
		for k, φ := range possible {
			w.Start(s, φ, rng)
			if w.StartLog != nil && slices.ContainsFunc(possible, func(ψ int) bool { return w.StartLog(s, ψ) != w.StartLog(s, φ) }) {
				return nil // starts tell, and the likelihood says how
			}
			for i, x := range s {
				seen[k*w.Axes+i] = append(seen[k*w.Axes+i], x)
			}
		}
	}
	for _, list := range seen {
		slices.Sort(list)
	}
	far := math.Sqrt((1 + math.Log(float64(len(seen))/e.FalseAlarm)) / float64(n))
	for k := 1; k < len(possible); k++ {
		for i := range w.Axes {
			a, b := seen[i], seen[k*w.Axes+i]
			for j, x := range a {
				for _, at := range []float64{x, b[j]} {
					below := [2]int{upTo(a, at), upTo(b, at)}
					if math.Abs(float64(below[0]-below[1])) > far*float64(n) {
						return &StartConflict{[2]int{possible[0], possible[k]}, i, at, below, n}
					}
				}
			}
		}
	}
	return nil
}

// upTo returns how many numbers of an ascending list are at most x.
func upTo(list []float64, x float64) int {
	return sort.Search(len(list), func(i int) bool { return list[i] > x })
}
