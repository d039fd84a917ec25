package explicit

import (
	"regexp"

	"bayescpace/bcpace"
)

// Property is what is asked of a model, in the words of PRISM and Storm: the largest or least probability that a goal
// is reached, or the largest or least expected total of rewards until it is.
type Property struct {
	Minimize bool
	Rewards  bool   // totals of rewards are asked for, not a probability
	Reward   string // the name of their reward model; "" where the model has one alone
	// Goal is the label of the states that are to be reached. Until then all states must have the label Stay, or, if Avoid is set, must
	// not have it; "" leaves out that.
	Goal, Stay string
	Avoid      bool
}

var propertyText = regexp.MustCompile(`^\s*(?:P|(R)(?:\s*\{\s*"([^"]+)"\s*\})?)\s*(min|max)\s*=\s*\?\s*\[\s*(?:F|(!)?\s*"([^"]+)"\s*U)\s*"([^"]+)"\s*\]\s*;?\s*$`)

// inParentheses is what Storm prints a label as that must not hold.
var inParentheses = regexp.MustCompile(`\(\s*(!\s*"[^"]+")\s*\)`)

// ParseProperty reads a property such as Pmax=? [F "goal"], Pmax=? [!"bad" U "goal"], Rmin=? [F "goal"] or
// R{"cost"}min=? [F "goal"]. The error is a *bcpace.InputError.
func ParseProperty(text string) (Property, error) {
	f := propertyText.FindStringSubmatch(inParentheses.ReplaceAllString(text, "$1"))
	p := Property{}
	if f != nil {
		p = Property{Rewards: f[1] != "", Reward: f[2], Minimize: f[3] == "min", Avoid: f[4] != "", Stay: f[5], Goal: f[6]}
	}
	return p, bcpace.In("property").Need(f != nil && !(p.Rewards && p.Stay != ""), "text", text,
		`one such as Pmax=? [F "goal"], Pmin=? [F "goal"], Pmax=? [!"bad" U "goal"], Rmin=? [F "goal"], Rmax=? [F "goal"] or R{"cost"}min=? [F "goal"]`)
}

// String returns the property as ParseProperty reads it.
func (p Property) String() string {
	asks, until := "P", "F"
	if p.Rewards {
		asks = "R"
	}
	if p.Reward != "" {
		asks += `{"` + p.Reward + `"}`
	}
	best := "max"
	if p.Minimize {
		best = "min"
	}
	if p.Stay != "" {
		until = `"` + p.Stay + `" U`
		if p.Avoid {
			until = "!" + until
		}
	}
	return asks + best + "=? [" + until + ` "` + p.Goal + `"]`
}
