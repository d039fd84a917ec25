package pomdp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/kept"
)

const keptKind = "vectors"

func init() { kept.Register(keptKind, readKept) }

// Keep is bcpace.PolicyAbilities.Keep, for the α-vectors of point-based solvers.
func (p onBAMDP) Keep() (kind string, data any, err error) {
	v, ok := p.policy.(*VectorPolicy)
	if !ok {
		return "", nil, fmt.Errorf("a policy of type %T: %w", p.policy, kept.ErrNoData)
	}
	list := &kept.Vectors{}
	for _, vectors := range v.Vectors {
		list.Next()
		for _, x := range vectors {
			list.Add(x.Action, x.Value)
		}
	}
	return keptKind, list, nil
}

// readKept is a kept.Read.
func readKept(_ context.Context, m bcpace.Model, data json.RawMessage) (bcpace.Policy, error) {
	var list kept.Vectors
	f, err := kept.Numbered(m, data, &list)
	if err != nil {
		return nil, err
	}
	spec := f.Spec()
	latents := len(spec.Latents)
	v := &VectorPolicy{Vectors: make([][]Vector, len(list.Count))}
	err = list.Each(f.NumStates(), 1, latents, len(spec.Actions), func(x, action int, entries []float64) {
		v.Vectors[x] = append(v.Vectors[x], Vector{Action: action, Value: slices.Clone(entries)})
	})
	if err != nil {
		return nil, err
	}
	return onBAMDP{f, v, len(spec.Axes), latents}, nil
}
