package cmd

import (
	"encoding/json"

	"bayescpace/bcpace"
)

// grounds are the reasons for the bounds of a result, for its JSON and its table.
type grounds struct {
	LowerBy     ground `json:"lower_by"`
	UpperBy     ground `json:"upper_by"`
	PolicyEarns ground `json:"policy_earns"`
	Assumes     ground `json:"assumes"`
	Refuted     ground `json:"refuted"`
}

// groundsOf returns what the bounds of a certificate rest on.
func groundsOf(c bcpace.Certificate) grounds {
	return grounds{ground(c.LowerBy), ground(c.UpperBy), ground(c.PolicyEarns), ground(c.Assumes), ground(c.Refuted)}
}

// rows adds those that there are to a table.
func (g grounds) rows(row func(...any)) {
	for _, x := range []struct {
		name string
		ground
	}{{"lower by", g.LowerBy}, {"upper by", g.UpperBy}, {"policy earns lower", g.PolicyEarns}, {"assumes", g.Assumes}, {"refuted", g.Refuted}} {
		if x.ground != "" {
			row(x.name, string(x.ground))
		}
	}
}

// ground is a text that is null in JSON where there is nothing to say.
type ground string

// MarshalJSON implements json.Marshaler.
func (g ground) MarshalJSON() ([]byte, error) {
	if g == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(g))
}
