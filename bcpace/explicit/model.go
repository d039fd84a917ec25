package explicit

import (
	"cmp"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdpfile"
)

// Model is a chain, an MDP or a POMDP, with its states and choices in lists. The choices of state s are
// Choice[s] to Choice[s+1], and the branches of choice c are Branch[c] to Branch[c+1].
type Model struct {
	Name string
	// Observation is by state what an agent sees there, a number from 0. It is nil where the state is seen itself, as
	// in a chain and in an MDP.
	Observation []int32
	Initial     int
	Choice      []int
	Action      []int32  // by choice: its label, a place in Actions
	Actions     []string // all labels of choices, each once
	Branch      []int
	Target      []int32   // by branch: the state that it leads to
	Probability []float64 // by branch
	Labels      []Label
	Rewards     []Reward
	Notes       []string // what the reader took otherwise than it stands in the file
}

// Label is a name for some of the states.
type Label struct {
	Name   string
	States []bool // by state
}

// Reward is a reward model. A choice of state s is paid State[s], and its own reward beside.
type Reward struct {
	Name          string
	State, Choice []float64 // nil where all are 0
}

// States returns the number of states.
func (m *Model) States() int { return len(m.Choice) - 1 }

// Observations returns how many observations its states have.
func (m *Model) Observations() int {
	seen := make(map[int32]bool)
	for _, o := range m.Observation {
		seen[o] = true
	}
	return len(seen)
}

// of returns what reward r pays for choice c of state s.
func (r *Reward) of(s, c int) (paid float64) {
	if r.State != nil {
		paid = r.State[s]
	}
	if r.Choice != nil {
		paid += r.Choice[c]
	}
	return paid
}

// label returns the states with a label. The error is a *bcpace.InputError that names the labels that there are.
func (m *Model) label(name string) ([]bool, error) {
	i := slices.IndexFunc(m.Labels, func(l Label) bool { return l.Name == name })
	if i < 0 {
		return nil, bcpace.In("model "+strconv.Quote(m.Name)).Bad("the label of the property", strconv.Quote(name), "one of the model: "+quoted(m.Labels, func(l Label) string { return l.Name }))
	}
	return m.Labels[i].States, nil
}

// reward returns the reward model of a name, and for "" the only one.
func (m *Model) reward(name string) (*Reward, error) {
	i := slices.IndexFunc(m.Rewards, func(r Reward) bool { return r.Name == name })
	if name == "" && len(m.Rewards) == 1 {
		i = 0
	}
	if i < 0 {
		found := cmp.Or(name, "R without a name")
		return nil, bcpace.In("model "+strconv.Quote(m.Name)).Bad("the reward of the property", strconv.Quote(found), "one of the model, such as R{\"NAME\"}: "+quoted(m.Rewards, func(r Reward) string { return r.Name }))
	}
	return &m.Rewards[i], nil
}

// Suggest says which properties may be asked of m: its labels and its rewards.
func (m *Model) Suggest() string {
	label := "LABEL"
	if len(m.Labels) > 0 {
		label = m.Labels[0].Name
	}
	p := Property{Goal: label}
	if len(m.Rewards) > 0 {
		p = Property{Rewards: true, Minimize: true, Reward: m.Rewards[0].Name, Goal: label}
	}
	return p.String() + "; it has the labels " + quoted(m.Labels, func(l Label) string { return l.Name }) + " and the rewards " + quoted(m.Rewards, func(r Reward) string { return r.Name })
}

// quoted lists names for an error.
func quoted[T any](list []T, name func(T) string) string {
	const most = 20
	text := ""
	for i, x := range list {
		if i == most {
			return text + ", …"
		}
		if i > 0 {
			text += ", "
		}
		text += strconv.Quote(name(x))
	}
	return cmp.Or(text, "(none)")
}

// memory is how many bytes a model may take while it is read and made into tables: pomdpfile.MaxMemory, or the limit of the program.
func memory() int {
	if own := debug.SetMemoryLimit(-1); own < math.MaxInt64 {
		return int(own)
	}
	return pomdpfile.MaxMemory
}

// within is the memory that a model may take, as an error says it.
func within() string {
	return fmt.Sprintf("one within %.1f GB (the environment variable GOMEMLIMIT sets another limit)", float64(memory())/1e9)
}
