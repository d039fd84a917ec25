package cover

import "strings"

// Reason says what an end of an interval rests on. Where a set falls into blocks whose ends rest on
// different things, it has the bits of all.
type Reason uint16

// The reasons.
const (
	OnChain      Reason = 1 << iota // the numbers of points along a chain are exact
	BySearch                        // an exact search came to its end
	ByCover                         // a cover that was found: Numbers.Smallest
	ByApart                         // points more than ε apart that were found: Numbers.Apart
	ByApartTwice                    // points more than 2ε apart, of which no point covers two
	ByPacking                       // a fractional packing: Numbers.Packing
	ByDegree                        // no point covers more than so many
	ByCliques                       // parts of which no two points are more than ε apart
	ByVolume                        // the volume of the balls of radius ½ε around all points
	ByOrder                         // γ ≤ i ≤ α ≤ Γ, and a bound of another of them
)

var reasonNames = []string{"points along a chain, exactly", "an exact search", "a cover that was found", "points more than ε apart that were found",
	"points more than 2ε apart that were found", "a fractional packing", "the most points that one covers", "parts of points within ε of each other",
	"the volume of balls of radius ε/2", "a bound of another of the numbers"}

// String lists the reasons.
func (r Reason) String() string {
	var names []string
	for i, name := range reasonNames {
		if r>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "; ")
}

// Why has the reasons of the ends of γ and α.
type Why struct {
	DominationLower, DominationUpper     Reason
	IndependenceLower, IndependenceUpper Reason
}

func (w Why) or(v Why) Why {
	return Why{w.DominationLower | v.DominationLower, w.DominationUpper | v.DominationUpper,
		w.IndependenceLower | v.IndependenceLower, w.IndependenceUpper | v.IndependenceUpper}
}
