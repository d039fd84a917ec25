package viz

import (
	"fmt"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
)

// RoomModel is a model of an agent that moves through a room, with x and y on
// its first two axes and two latents. Rectangles are left, bottom, right and
// top, in the units of these axes. envs.LightDarkTiger is one.
type RoomModel interface {
	bcpace.Model
	Walls() [4]float64
	Goals() [][4]float64
	Light() [][4]float64 // where the latent shows itself
}

// RoomOf is the room of a model with the paths of recorded episodes, coloured
// by the belief in the first latent and named by the latent that was true. The
// parameters of the room stand below the title.
func RoomOf(m RoomModel, episodes ...*eval.Trajectory) Room {
	spec := m.Spec()
	r := Room{Title: titled(spec.Name, "path and belief")}
	var params []string
	for _, p := range spec.Params {
		if p.Key == "nodes" { // says how finely the noise is integrated, and nothing of the room
			continue
		}
		params = append(params, symbol(p.Key)+" "+p.Value)
	}
	r.Subtitle = strings.Join(params, ", ")
	r.Plan.Room = rectOf(m.Walls())
	for _, g := range m.Goals() {
		r.Plan.Goals = append(r.Plan.Goals, Goal{rectOf(g), "goal"})
	}
	for _, l := range m.Light() {
		r.Plan.Light = append(r.Plan.Light, rectOf(l))
	}
	if len(spec.Axes) > 0 {
		r.Plan.Cells, r.Plan.Unit = spec.Axes[0].Discrete, spec.Axes[0].Unit
	}
	if len(spec.Latents) > 1 {
		r.Latent, r.Other = spec.Latents[0], spec.Latents[1]
	}
	for i, t := range episodes {
		p := Path{Label: fmt.Sprintf("episode %d", i+1)}
		if k := t.Latents[0]; k < len(spec.Latents) {
			p.Label = "if " + spec.Latents[k] // the name alone would read as that of the place
		}
		for k := range t.Len() + 1 {
			s := t.State(k)
			p.X, p.Y = append(p.X, s[0]), append(p.Y, s[1])
			p.Belief = append(p.Belief, t.Belief(k)[0])
		}
		r.Paths = append(r.Paths, p)
	}
	return r
}

// rectOf makes a Rect of left, bottom, right and top.
func rectOf(r [4]float64) Rect { return Rect{X0: r[0], Y0: r[1], X1: r[2], Y1: r[3]} }

// symbol is how a reader knows a parameter of a model.
func symbol(key string) string {
	switch key {
	case "sigma":
		return "σ"
	case "discount":
		return "γ"
	}
	return strings.ReplaceAll(key, "-", " ")
}
