package process

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// description is what a simulator says of its model in its answer to hello.
type description struct {
	Name            string   `json:"name"`
	Axes            []axis   `json:"axes"`
	Actions         []action `json:"actions"`
	Latents         []string `json:"latents"`
	Prior           []number `json:"prior"` // without it, all latents are equally likely
	Discount        float64  `json:"discount"`
	RewardMin       float64  `json:"reward_min"`
	RewardMax       float64  `json:"reward_max"`
	Horizon         int      `json:"horizon"`
	Goal            bool     `json:"goal"`
	Likelihood      bool     `json:"likelihood"`       // it answers likelihood
	StartLikelihood bool     `json:"start_likelihood"` // its starts depend on the latent, and it answers start_likelihood
	Check           bool     `json:"check"`            // it answers check
}

// axis is a bcpace.Axis, by its fields in small letters.
type axis struct {
	bcpace.Axis
	Scale scale `json:"scale"`
}

// scale is a bcpace.Axis.Scale: a number, or "inf".
type scale float64

// UnmarshalJSON implements json.Unmarshaler.
func (s *scale) UnmarshalJSON(text []byte) error {
	if string(text) == `"inf"` {
		*s = scale(math.Inf(1))
		return nil
	}
	var x number
	if err := x.UnmarshalJSON(text); err != nil {
		return fmt.Errorf(`the scale of an axis is %.40s, want a number or "inf"`, text)
	}
	*s = scale(x)
	return nil
}

// action is a bcpace.Action: a name, or an object with a name and a box.
type action struct {
	Name string `json:"name"`
	Box  []axis `json:"box"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *action) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &a.Name) == nil {
		return nil
	}
	type plain action // without this method
	return strict(text, (*plain)(a))
}

// spec returns the description as a Spec, which need not be valid.
func (d *description) spec() bcpace.Spec {
	s := bcpace.Spec{Name: d.Name, Axes: axes(d.Axes), Latents: d.Latents, Discount: d.Discount,
		RewardMin: d.RewardMin, RewardMax: d.RewardMax, Horizon: d.Horizon, Goal: d.Goal}
	for _, a := range d.Actions {
		s.Actions = append(s.Actions, bcpace.Action{Name: a.Name, Box: axes(a.Box)})
	}
	return s
}

// prior returns the prior of the latents, which need not be a distribution.
func (d *description) prior() bcpace.Belief {
	if d.Prior == nil {
		return bcpace.Uniform(len(d.Latents))
	}
	b := make(bcpace.Belief, len(d.Prior))
	for i, p := range d.Prior {
		b[i] = float64(p)
	}
	return b
}

func axes(list []axis) (out []bcpace.Axis) {
	for _, a := range list {
		a.Axis.Scale = float64(a.Scale)
		out = append(out, a.Axis)
	}
	return out
}

// strict reads a single JSON value in which every key is known, and which has it once.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("there is more after the object: %.40q", rest)
	}
	return numtext.Keys(text, true)
}
