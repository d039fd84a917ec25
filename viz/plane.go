package viz

import (
	"math/rand/v2"
	"strings"

	"bayescpace/bcpace"
)

// coordinate is what stands on an axis of a figure: an axis of the state, or the belief in
// a latent.
type coordinate struct {
	bcpace.Axis
	state  int // number of the state's axis, or −1
	latent int // the latent, where state is −1
}

// coordinateOf returns the coordinate of that name: that of an axis of the state or, if none
// has the name, that of a latent.
func coordinateOf(check *checks, field, name string, spec bcpace.Spec) coordinate {
	names := make([]string, len(spec.Axes))
	for i, a := range spec.Axes {
		if names[i] = a.Name; a.Name == name {
			return coordinate{Axis: a, state: i}
		}
	}
	k := spec.LatentIndex(name)
	check.want(k >= 0, ": %s is %q, want an axis of the state or a latent, one of %s", field, words(name, 40), words(strings.Join(append(names, spec.Latents...), ", "), 200))
	return beliefIn(k)
}

// beliefIn is the coordinate of the belief in a latent.
func beliefIn(latent int) coordinate {
	return coordinate{Axis: bcpace.Axis{Max: 1}, state: -1, latent: latent}
}

// is reports whether two coordinates are the same.
func (c coordinate) is(d coordinate) bool { return c.state == d.state && c.latent == d.latent }

// label is the name of the coordinate with its unit.
func (c coordinate) label(spec bcpace.Spec) string {
	if c.state < 0 {
		return "belief in " + latentName(spec.Latents, c.latent)
	}
	return axisLabel(c.Axis)
}

// axisLabel is the name of an axis with its unit.
func axisLabel(a bcpace.Axis) string {
	if u := words(a.Unit, 20); u != "" {
		return name(a.Name, "axis") + " (" + u + ")"
	}
	return name(a.Name, "axis")
}

// set puts a value into a state or a belief: the other latents keep their odds.
func (c coordinate) set(s []float64, b bcpace.Belief, x float64) {
	if c.state >= 0 {
		s[c.state] = x
		return
	}
	rest := 0.0
	for k, p := range b {
		if k != c.latent {
			rest += p
		}
	}
	for k := range b {
		switch {
		case k == c.latent:
			b[k] = x
		case rest > 0:
			b[k] *= (1 - x) / rest
		default:
			b[k] = (1 - x) / float64(len(b)-1)
		}
	}
}

// cells is the number of cells on the axis: most, or the values of a discrete axis.
func (c coordinate) cells(most int) int {
	if c.Discrete || c.Labels != nil {
		return min(most, int(c.Max-c.Min)+1)
	}
	return most
}

// ends are the ends of the axis, with half a cell around the values of a discrete one.
func (c coordinate) ends() (lo, hi float64) {
	if c.Discrete || c.Labels != nil {
		return c.Min - 0.5, c.Max + 0.5
	}
	return c.Min, c.Max
}

// priorOf returns the prior of m.
func priorOf(m bcpace.Model, latents int) bcpace.Belief {
	b := make(bcpace.Belief, latents)
	m.Prior(b)
	return b
}

// startOf returns a start state of m, always the same one.
func startOf(m bcpace.Model, axes int) []float64 {
	s := make([]float64, axes)
	m.Start(s, 0, rand.New(rand.NewPCG(1, 1)))
	return s
}
