// Package envs holds the environments of the paper's Experimental Results as
// bcpace Models, Tiger, Chain and Light-Dark Tiger, and others from the literature: systems
// with unknown parameters; RockSample, Tag, LaserTag and Beacon, which have many latents; and
// Battery, Wear and Patrol, whose latents move within an episode.
//
// An environment is a plain struct. Its exported fields are its parameters, a
// field that is zero stands for its documented default, and the value is ready
// to use:
//
//	var tiger = envs.Tiger{Accuracy: 0.85}
//
// All of them are safe for concurrent use, and Step, LogLikelihood and
// Successors do not allocate. New makes an environment from the names and
// values used on the command line, List says which there are, and Register adds one of a
// program's own.
package envs

import (
	"math"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/numtext"
)

// Names of the environments, in Spec.Name and on the command line.
const (
	tigerName          = "tiger"
	chainName          = "chain"
	lightDarkTigerName = "light-dark-tiger"
)

// defaultDiscount is γ where an environment's Discount is 0. The paper gives
// none; 0.95 is the customary one for Tiger.
const defaultDiscount = 0.95

func inputError(env, what string, got any, want string) error {
	return bcpace.In("environment "+strconv.Quote(env)).Bad(what, got, want)
}

// either returns p for true and 1 − p for false.
func either(first bool, p float64) float64 {
	return pick(first, p, 1-p)
}

// pick is the first value where that is so, and the other one elsewhere.
func pick[T any](so bool, first, other T) T {
	if so {
		return first
	}
	return other
}

// logOf is 0 for true and -Inf for false: the log of a certain transition.
func logOf(possible bool) float64 {
	return pick(possible, 0, math.Inf(-1))
}

// listOf returns the list of what at says of each of the first n numbers.
func listOf[T any](n int, at func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = at(i)
	}
	return list
}

// orElse is a list, or another one in the place of nil.
func orElse[T any](list, otherwise []T) []T {
	if list == nil {
		return otherwise
	}
	return list
}

// latents names latents by the value of a parameter with its unit.
func latents(what, unit string, xs []float64) []string {
	return listOf(len(xs), func(i int) string { return what + " " + numtext.Exact(xs[i]) + unit })
}

// control is an action with a Box of axes from −1 to 1 times a limit.
func control(action string, limit float64, unit string, names ...string) []bcpace.Action {
	return []bcpace.Action{{Name: action, Box: listOf(len(names), func(i int) bcpace.Axis {
		return bcpace.Axis{Name: names[i], Unit: unit, Min: -limit, Max: limit, Scale: limit}
	})}}
}

const gravity = 9.81 // m/s²

// square returns x².
func square(x float64) float64 { return x * x }

// hiddenSpec describes an environment whose episodes are cut as the published ones are.
func hiddenSpec(name string, params []bcpace.Param, discount, rewardMin, rewardMax float64) hidden.Spec {
	return hidden.Spec{Spec: bcpace.Spec{Name: name, Params: params, Discount: discount, RewardMin: rewardMin, RewardMax: rewardMax, Horizon: publishedHorizon}}
}
