package eval

import (
	"strings"

	"bayescpace/bcpace"
)

// RecordEachLatent returns one episode of Rollouts for every latent that the
// prior (that of o.World, or o.Belief) allows, in the order of the latents: the first that
// begins with it. So a policy can be watched against each of them. For errors
// see RecordEpisode; an *bcpace.InputError also says which latents none of the
// o.Episodes episodes began with.
func RecordEachLatent(m bcpace.Model, p bcpace.Policy, o Options) ([]*Trajectory, error) {
	spec, err := o.resolve(m)
	if err != nil {
		return nil, err
	}
	prior := make(bcpace.Belief, len(spec.Latents))
	switch {
	case o.World != nil:
		o.World.Prior(prior)
	case o.Belief != nil:
		copy(prior, o.Belief)
	default:
		m.Prior(prior)
	}
	found := make([]*Trajectory, len(prior))
	missing := 0
	for _, x := range prior {
		if x > 0 {
			missing++
		}
	}
	for i := 0; i < o.Episodes && missing > 0; i++ {
		t, err := RecordEpisode(m, p, o, i)
		if err != nil {
			return nil, err
		}
		if latent := t.Latents[0]; found[latent] == nil {
			found[latent] = t
			missing--
		}
	}
	var list []*Trajectory
	var without []string
	for latent, t := range found {
		switch {
		case t != nil:
			list = append(list, t)
		case prior[latent] > 0:
			without = append(without, spec.Latents[latent])
		}
	}
	if missing > 0 {
		return nil, bcpace.In("recording each latent").Bad("Episodes", o.Episodes, "more, as none of them began with "+strings.Join(without, ", "))
	}
	return list, nil
}
