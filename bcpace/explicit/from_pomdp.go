package explicit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
)

// What FromPOMDP names in a model: its label, and its reward model, of what is paid or of what is to be paid.
const (
	GoalLabel  = "goal"
	RewardName = "reward"
	CostName   = "cost"
)

// FromPOMDP returns a POMDP as model checkers know it, and the property whose value is that of m, or, where it asks for the least total, the
// opposite one: all rewards are costs then. A state is one of m with what was observed on arrival there; before the first action an agent sees the visible part alone, and where
// that does not tell the state, an initial state leads to what may be there at the start. An end of an episode, and what a discount takes
// away, is a state with the label goal: a step ends there with probability 1−γ, so that totals are the discounted values of m.
//
// Warnings say what the property takes otherwise than m: a policy that may go on without an end, and rewards of both signs, which
// PRISM does not know.
//
// The error is that of ctx or of m.Validate, or a *bcpace.InputError for a model that takes too much memory.
func FromPOMDP(ctx context.Context, m *pomdp.Model) (x *Model, p Property, warnings []string, err error) {
	if m, err = pomdp.KeepHorizon(m); err != nil {
		return nil, p, nil, err
	}
	if err := m.ValidateContext(ctx); err != nil {
		return nil, p, nil, err
	}
	f := flattener{m: m, hidden: m.NumHidden(), ends: m.Ends(), number: map[[2]int32]int32{}, seen: map[[2]int32]int32{}, left: memory(),
		x: &Model{Name: m.Name, Actions: actionNames(m), Branch: []int{0}, Choice: []int{0}, Labels: []Label{{Name: GoalLabel}}, Rewards: []Reward{{Name: RewardName}}}}
	least, most := 0.0, 0.0
	for _, list := range m.Reward {
		least, most = min(least, slices.Min(list)), max(most, slices.Max(list))
	}
	p = Property{Rewards: true, Reward: RewardName, Goal: GoalLabel, Minimize: most <= 0 && least < 0}
	f.sign = 1
	if p.Minimize {
		f.sign, p.Reward, f.x.Rewards[0].Name = -1, CostName, CostName
	}
	if least < 0 && most > 0 {
		warnings = append(warnings, "rewards have both signs, which PRISM does not take; Storm does")
	}
	if m.IsGoal() && !m.MustEnd {
		warnings = append(warnings, "the property asks that the goal is reached with probability 1, and the model does not")
	}
	if err := f.flatten(ctx); err != nil {
		return nil, p, nil, err
	}
	return f.x, p, warnings, nil
}

// actionNames are the names of the actions, or their numbers where the formats do not hold them.
func actionNames(m *pomdp.Model) []string {
	for i, name := range m.Actions {
		if name == "" || strings.ContainsAny(name, " \t\n\r[]\"") || slices.Contains(m.Actions[:i], name) {
			return pomdp.NumberedNames("a", len(m.Actions))
		}
	}
	return m.Actions
}

// flattener lists the states of a POMDP with what is observed on arrival.
type flattener struct {
	m      *pomdp.Model
	hidden int
	ends   []bool
	sign   float64
	x      *Model
	list   [][2]int32         // by number: the state, and the observation on arrival, −1 before the first action
	number map[[2]int32]int32 // its reverse
	seen   map[[2]int32]int32 // by visible part and observation: what is seen
	row    []pomdp.Entry
	left   int // bytes that may still be taken
}

// atEnd stands for the end of an episode in list, and atStart for what comes before the start.
var atEnd, atStart = [2]int32{-1, -1}, [2]int32{-2, -1}

// flatten writes the model.
func (f *flattener) flatten(ctx context.Context) error {
	m, x := f.m, f.x
	if len(m.Start) > 1 {
		f.at(atStart)
	} else {
		f.at([2]int32{m.Start[0].At, -1})
	}
	for i := 0; i < len(f.list); i++ { // which grows
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch at := f.list[i]; {
		case at == atEnd:
			f.row = append(f.row[:0], pomdp.Entry{At: int32(i), Value: 1})
			f.choice(0, 0)
		case at == atStart:
			f.row = f.row[:0]
			for _, e := range m.Start {
				f.row = append(f.row, pomdp.Entry{At: f.at([2]int32{e.At, -1}), Value: e.Value})
			}
			f.choice(0, 0)
		default:
			for a := range m.Actions {
				f.step(int(at[0]), a)
				f.choice(a, m.Reward[a][at[0]])
			}
		}
		x.Choice = append(x.Choice, len(x.Action))
		x.Labels[0].States = append(x.Labels[0].States, f.list[i] == atEnd)
		if f.left < 0 {
			return bcpace.In("FromPOMDP of model "+strconv.Quote(m.Name)).Bad("memory", fmt.Sprintf("more than %.1f GB", float64(memory())/1e9), within())
		}
	}
	return nil
}

// at returns the number of a state with an observation on arrival.
func (f *flattener) at(state [2]int32) int32 {
	if state[0] >= 0 && f.ends[state[0]] {
		state = atEnd
	}
	n, ok := f.number[state]
	if !ok {
		const bytes = 200 // in the maps and in the lists of states
		f.left -= bytes
		n = int32(len(f.list))
		f.number[state] = n
		f.list = append(f.list, state)
		seen := state
		if state[0] >= 0 {
			seen[0] = state[0] / int32(f.hidden)
		}
		o, known := f.seen[seen]
		if !known {
			o = int32(len(f.seen))
			f.seen[seen] = o
		}
		f.x.Observation = append(f.x.Observation, o)
	}
	return n
}

// step sets row to what may follow action a in state s.
func (f *flattener) step(s, a int) {
	f.row = f.row[:0]
	next, prob := f.m.Move[a].At(s)
	for i, to := range next {
		seen, share := f.m.Sense[a].At(int(to))
		if f.ends[to] {
			seen, share = []int32{-1}, []float64{1}
		}
		for k, o := range seen {
			f.row = append(f.row, pomdp.Entry{At: f.at([2]int32{to, o}), Value: f.m.Discount * prob[i] * share[k]})
		}
	}
	if f.m.Discount < 1 {
		f.row = append(f.row, pomdp.Entry{At: f.at(atEnd), Value: 1 - f.m.Discount})
	}
}

// choice adds action a with what row says that follows, and what it is paid.
func (f *flattener) choice(a int, reward float64) {
	x := f.x
	slices.SortFunc(f.row, func(a, b pomdp.Entry) int { return int(a.At - b.At) })
	f.left -= 2 * (4 + 8) * (len(f.row) + 2)
	for i, e := range f.row {
		if i > 0 && e.At == f.row[i-1].At {
			x.Probability[len(x.Probability)-1] += e.Value
			continue
		}
		x.Target, x.Probability = append(x.Target, e.At), append(x.Probability, e.Value)
	}
	x.Action, x.Branch = append(x.Action, int32(a)), append(x.Branch, len(x.Target))
	x.Rewards[0].Choice = append(x.Rewards[0].Choice, f.sign*reward+0) // no −0
}
