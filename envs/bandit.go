package envs

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// Bandit is a machine with arms of unknown probabilities to win (Thompson 1933; Gittins 1979).
// A win pays 1. The state says whether the last pull has won; a trial begins as after a loss.
type Bandit struct {
	// Arms has, for each latent, the probability of each arm to win. If it is nil, there are
	// two arms, of which one wins with 0.4 and the other with 0.6.
	Arms [][]float64
	// Discount is γ in (0, 1). If it is 0, 0.95 is used.
	Discount float64
}

const (
	banditName = "bandit"
	wantArms   = "lists of probabilities with slashes between them, one list for each latent, with commas between lists"
)

var (
	banditArms = [][]float64{{0.4, 0.6}, {0.6, 0.4}}

	_ bcpace.Finite = Bandit{}
)

func (m Bandit) arms() [][]float64 {
	return orElse(m.Arms, banditArms)
}

// slashed writes xs with slashes between them.
func slashed(xs []float64) string { return strings.ReplaceAll(numtext.ExactList(xs), ",", "/") }

var banditParameters = parameters[Bandit]{
	{"arms", wantArms, "probability of each arm to win, for each latent", field[Bandit]{
		fill: func(m *Bandit) { m.Arms = m.arms() },
		text: func(m *Bandit) string { return strings.Join(m.names(), ",") },
		read: func(m *Bandit, text string) bool {
			for list := range strings.SplitSeq(text, ",") {
				p, ok := readList(strings.ReplaceAll(list, "/", ","))
				if !ok {
					return false
				}
				m.Arms = append(m.Arms, p)
			}
			return true
		},
	}},
	discounted(func(m *Bandit) *float64 { return &m.Discount }, defaultDiscount),
}

// names returns the lists of arms, one for each latent.
func (m Bandit) names() []string {
	arms := m.arms()
	return listOf(len(arms), func(i int) string { return slashed(arms[i]) })
}

// Spec implements bcpace.Model.
func (m Bandit) Spec() bcpace.Spec {
	return bcpace.Spec{
		Name: banditName, Params: banditParameters.of(m), Latents: m.names(), Axes: []bcpace.Axis{{Name: "last pull", Max: 1, Labels: []string{"lost", "won"}, Discrete: true}},
		Discount: cmp.Or(m.Discount, defaultDiscount), RewardMax: 1,
		Actions: listOf(len(m.arms()[0]), func(a int) bcpace.Action { return bcpace.Action{Name: fmt.Sprintf("arm %d", a+1)} }),
	}
}

// Validate implements bcpace.Validator.
func (m Bandit) Validate() error {
	if m.Arms != nil && (len(m.Arms) == 0 || len(m.Arms[0]) == 0) {
		return inputError(banditName, "arms", "none", "a latent at least, and an arm")
	}
	for i, p := range m.arms() {
		if len(p) != len(m.arms()[0]) {
			return inputError(banditName, "arms", fmt.Sprintf("%d and %d in two latents", len(m.arms()[0]), len(p)), "as many in each")
		}
		for _, x := range p {
			if !(x >= 0 && x <= 1) {
				return inputError(banditName, "arms", slashed(p), "probabilities in [0, 1]")
			}
		}
		if slices.ContainsFunc(m.arms()[:i], func(q []float64) bool { return slices.Equal(p, q) }) {
			return inputError(banditName, "arms", slashed(p)+" twice", "different lists, one for each latent")
		}
	}
	_, err := banditParameters.sound(banditName, m)
	return err
}

// Prior fills b with equal probabilities.
func (m Bandit) Prior(b bcpace.Belief) { copy(b, bcpace.Uniform(len(b))) }

// Start sets s to a loss.
func (m Bandit) Start(s []float64, _ int, _ *rand.Rand) { s[0] = 0 }

// Step implements bcpace.Model.
func (m Bandit) Step(next, _ []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	next[0] = pick(rng.Float64() < m.arms()[latent][action], 1.0, 0)
	return bcpace.Outcome{Reward: next[0]}
}

// LogLikelihood implements bcpace.Model.
func (m Bandit) LogLikelihood(_ []float64, action int, next []float64, latent int) float64 {
	return math.Log(either(next[0] == 1, m.arms()[latent][action]))
}

// Starts implements bcpace.Enumerator.
func (m Bandit) Starts(z *bcpace.Successors) { sureStart(z) }

// Successors implements bcpace.Enumerator.
func (m Bandit) Successors(z *bcpace.Successors, _ []float64, action int) {
	for won := range 2 {
		if !slices.ContainsFunc(m.arms(), func(p []float64) bool { return either(won == 1, p[action]) > 0 }) {
			continue
		}
		next, p, r := z.Add(false)
		next[0] = float64(won)
		for φ, arms := range m.arms() {
			p[φ], r[φ] = either(won == 1, arms[action]), float64(won)
		}
	}
}

// NumStates implements bcpace.Finite.
func (m Bandit) NumStates() int { return 2 }

// StateAt implements bcpace.Finite.
func (m Bandit) StateAt(s []float64, number int) { s[0] = float64(number) }

// StateIndex implements bcpace.Finite.
func (m Bandit) StateIndex(s []float64) int { return wholeWithin(s[0], 0, 1) }
