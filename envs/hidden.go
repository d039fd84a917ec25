package envs

import (
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/numtext"
)

// ListHidden returns the environments that NewHidden can make, whose hidden variable is a vector.
func ListHidden() []Info { return infos(hiddenRegistry) }

// NewHidden makes an environment whose hidden variable is a vector from its name and parameters, as New does one
// whose hidden variable is a latent from a list. The error is that of New.
func NewHidden(name string, params []bcpace.Param) (*hidden.Model, error) {
	i := slices.IndexFunc(hiddenRegistry, func(e entry[*hidden.Model]) bool { return e.info.Name == name })
	if i < 0 {
		return nil, bcpace.In("envs").Bad("environment with a hidden vector", strconv.Quote(name), numtext.OneOf(name, names(hiddenRegistry)))
	}
	return hiddenRegistry[i].make(params)
}

// hiddenRegistry holds the environments whose hidden variable is a vector.
var hiddenRegistry = []entry[*hidden.Model]{
	newEntry(Info{Name: lightName, Doc: "An agent on a line seeks 0, and sees where it is only near a light (Sunberg and Kochenderfer 2018)."},
		lightParameters, LightDark1D.Model),
	newEntry(Info{Name: subName, Doc: "A submarine hunts another one that flees once it is pinged (Sunberg and Kochenderfer 2018)."},
		subParameters, SubHunt.Model),
	newEntry(Info{Name: vdpName, Doc: "A target moves as a Van der Pol oscillator, and is to be tagged among barriers (Sunberg and Kochenderfer 2018)."},
		vdpParameters, VDPTag.Model),
	newEntry(Info{Name: lostName, Doc: "Laser tag for an agent that does not know its own cell (Sunberg and Kochenderfer 2018)."},
		lostParameters, LaserTagHidden.Model),
	newEntry(Info{Name: landingName, Doc: "A craft is steered to its pad against a wind that it does not see and that drifts."},
		landingParameters, Landing.Model),
	newEntry(Info{Name: marsName, Doc: "Two rovers look for good rocks among up to 27 (Cai, Luo, Hsu and Lee 2018)."},
		marsParameters, Mars.Model),
}

// hiddenSpec describes an environment whose episodes are cut as the published ones are.
func hiddenSpec(name string, params []bcpace.Param, discount, rewardMin, rewardMax float64) hidden.Spec {
	return hidden.Spec{Spec: bcpace.Spec{Name: name, Params: params, Discount: discount, RewardMin: rewardMin, RewardMax: rewardMax, Horizon: publishedHorizon}}
}
