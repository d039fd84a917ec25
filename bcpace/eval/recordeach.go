package eval

import (
	"context"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/rollout"
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
	missing := func() (names []string) {
		for latent, x := range prior {
			if x > 0 && found[latent] == nil {
				names = append(names, spec.Latents[latent])
			}
		}
		return names
	}
	for i := 0; i < o.Episodes && len(missing()) > 0; i++ {
		t, err := RecordEpisode(m, p, o, i)
		if err != nil {
			return nil, err
		}
		if latent := t.Latents[0]; found[latent] == nil {
			found[latent] = t
		}
	}
	if without := missing(); len(without) > 0 {
		return nil, bcpace.In("recording each latent").Bad("Episodes", o.Episodes, "more, as none of them began with "+strings.Join(without, ", "))
	}
	return slices.DeleteFunc(found, func(t *Trajectory) bool { return t == nil }), nil
}

// Trajectory is one episode, step by step, in flat arrays. With n steps there
// are n+1 states and beliefs: number t is where action t was taken.
type Trajectory struct {
	States  []float64 // (n+1) × axes
	Beliefs []float64 // (n+1) × latents
	Latents []int     // n+1: the hidden latent, which no policy sees; of Options.World, if it is set
	Actions []int     // n: ids of the model that the episode was recorded with
	Rewards []float64 // n
	Return  float64   // discounted
	Done    bool      // the model ended the episode; otherwise it was cut

	axes, latents int
}

// Len returns the number of steps.
func (t *Trajectory) Len() int { return len(t.Actions) }

// State returns state i in 0 … Len, a view.
func (t *Trajectory) State(i int) []float64 { return t.States[i*t.axes : (i+1)*t.axes : (i+1)*t.axes] }

// Belief returns belief i in 0 … Len, a view.
func (t *Trajectory) Belief(i int) bcpace.Belief {
	return t.Beliefs[i*t.latents : (i+1)*t.latents : (i+1)*t.latents]
}

// add records where an episode is, and the step that has led there.
func (t *Trajectory) add(g *rollout.Game, x *rollout.Simulated) {
	if g.Steps > 0 {
		t.Actions = append(t.Actions, g.Decision.Action)
		t.Rewards = append(t.Rewards, g.Reward)
	}
	t.States = append(t.States, x.State...)
	t.Beliefs = append(t.Beliefs, x.Belief...)
	t.Latents = append(t.Latents, x.Latent)
}

// RecordEpisode plays the episode of that number of Rollouts with the same
// options, such as the worst of its Returns, and returns it step by step. The
// error is an *bcpace.InputError for a bad option, or the model's.
func RecordEpisode(m bcpace.Model, p bcpace.Policy, o Options, episode int) (*Trajectory, error) {
	return RecordWithin(context.Background(), m, p, o, episode)
}

// RecordWithin is RecordEpisode for an episode that may take long, such as that of a planner: if
// ctx ends, it returns the steps so far beside the error of ctx.
func RecordWithin(ctx context.Context, m bcpace.Model, p bcpace.Policy, o Options, episode int) (*Trajectory, error) {
	given := m
	m, err := o.modelFor(m, p, "recording", "a policy to play")
	if err != nil {
		return nil, err
	}
	if _, err := o.resolve(m); err != nil {
		return nil, err
	}
	if episode < 0 {
		return nil, bcpace.In("recording").Bad("the episode", episode, "0 or more")
	}
	g, x := o.game(m, func(*bcpace.Simulator) bcpace.Policy { return bcpace.Fork(p) })
	if o.Undiscounted {
		g.Discount = 1
	}
	t := &Trajectory{axes: len(x.State), latents: len(x.Belief)}
	g.Each = func() { t.add(g, x) }
	switch err = g.Play(ctx, episode); {
	case err == rollout.ErrDropped:
		err = ctx.Err()
	case err != nil:
		return nil, err
	}
	t.Return, t.Done = g.Return, x.Done
	if spec := given.Spec(); spec.HasBox() { // the policy may have had a list in its place
		for i, id := range t.Actions {
			_, t.Actions[i] = ActionBehind(m, id)
		}
	}
	return t, err
}

// RecordEpisodes plays the episodes of Rollouts with the same options and
// returns them step by step. For errors see RecordEpisode.
func RecordEpisodes(m bcpace.Model, p bcpace.Policy, o Options) ([]*Trajectory, error) {
	if _, err := o.resolve(m); err != nil {
		return nil, err
	}
	list := make([]*Trajectory, o.Episodes)
	for i := range list {
		t, err := RecordEpisode(m, p, o, i)
		if err != nil {
			return nil, err
		}
		list[i] = t
	}
	return list, nil
}

// ActionBehind returns the description and the id that action id of m has in the model from
// which bcpace.Discretised has made m, where it is a control of a Box; −1 for an id that m has
// not. For another model they are its Spec and id.
func ActionBehind(m bcpace.Model, id int) (spec bcpace.Spec, behind int) {
	can := bcpace.AbilitiesOf(m)
	switch {
	case can.Behind == nil:
		return can.Spec, id
	case id < 0 || id >= len(can.IDs):
		return can.Behind.Spec(), -1
	}
	return can.Behind.Spec(), can.IDs[id]
}
