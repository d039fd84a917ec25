package solverkit

import (
	"fmt"
	"strconv"

	"bayescpace/bcpace"
)

// NeedsNumbered returns an *bcpace.UnsupportedError for a model without numbered states, or with a Spec.Goal.
func NeedsNumbered(m bcpace.Model, algorithm string) error {
	if err := NeedDiscount(m.Spec(), algorithm); err != nil {
		return err
	}
	if _, finite := bcpace.AsFinite(m); finite {
		return nil
	}
	return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm, Need: NeedNumbered(m)}
}

// NeedsList returns an *bcpace.UnsupportedError for a model that does not list what follows, or with a Spec.Goal.
func NeedsList(m bcpace.Model, algorithm string) error {
	if err := NeedDiscount(m.Spec(), algorithm); err != nil {
		return err
	}
	if _, lists := m.(bcpace.Enumerator); lists {
		return nil
	}
	return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm, Need: NeedSuccessors("")}
}

// Valued reports whether m knows its own latent values, so that no tables of them are made.
func Valued(m bcpace.Model) bool {
	_, valued := m.(bcpace.LatentValues)
	return valued
}

// Bounded reports whether m bounds its own values, so that no tables of bounds are made.
func Bounded(m bcpace.Model) bool {
	_, bounded := m.(bcpace.ValueBounds)
	return bounded
}

// needList is what an algorithm needs in place of boxes.
const needList = "a list of actions: bcpace.Discretised makes one of their boxes"

// NeedSuccessors says that an algorithm needs a list of what follows, how a model has one, and what
// does without, for UnsupportedError.Need. or is what it might have in the list's place, with a comma
// before it; "" for nothing.
func NeedSuccessors(or string) string {
	return "a list of the successors of a state (Enumerator), for which Successors in Funcs beside Step, FromOutcomes or FromGaussian would do" + or + "; pomcpow and policy-search do without"
}

// NeedActionList returns an *bcpace.UnsupportedError for a model some of whose actions have a Box,
// which the algorithm has no use for.
func NeedActionList(spec bcpace.Spec, algorithm string) error {
	if !spec.HasBox() {
		return nil
	}
	return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: algorithm, Need: needList}
}

// NeedNumbered says that an algorithm needs numbered states, and how m would have them, for
// UnsupportedError.Need.
func NeedNumbered(m bcpace.Model) string {
	const need = "numbered states with exact successors (Finite)"
	spec := m.Spec()
	if spec.HasBox() {
		return needList
	}
	for _, a := range spec.Axes {
		if !a.Discrete && a.Labels == nil {
			return fmt.Sprintf("%s, and axis %s is continuous: package certified takes a model with Successors as it is, and cpace.Solver any model", need, strconv.Quote(a.Name))
		}
	}
	if _, listed := m.(bcpace.Enumerator); !listed {
		return need + ": as all axes are discrete, Successors would do, in Funcs beside Step or by FromOutcomes"
	}
	return need + ": as all axes are discrete, FromFuncs numbers up to a million combinations of their values; otherwise write NumStates, StateAt and StateIndex"
}
