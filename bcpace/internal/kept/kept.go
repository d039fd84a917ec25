// Package kept writes policies as data, and makes policies of such data. A kind of policies says how in its own package
// (bcpace.PolicyAbilities.Keep, Register); it is read where that package is linked.
package kept

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/alpha"
	"bayescpace/bcpace/internal/num"
)

// Policy is a policy as data.
type Policy struct {
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// ErrNoData is wrapped by the error for a policy without bcpace.PolicyAbilities.Keep.
var ErrNoData = errors.New("it has no form in which a file holds it")

// Read makes a policy for the states of m, which are those of the policy that was kept, of its data.
type Read func(ctx context.Context, m bcpace.Model, data json.RawMessage) (bcpace.Policy, error)

// kinds has what was registered, before the program begins.
var kinds = map[string]Read{}

// Register has On read policies of a kind. The package of the kind calls it once, from an init function.
func Register(kind string, read Read) { kinds[kind] = read }

// Of returns the data of p.
func Of(p bcpace.Policy) (Policy, error) {
	can := bcpace.PolicyAbilitiesOf(p)
	if can.Keep == nil {
		return Policy{}, fmt.Errorf("a policy of type %T: %w", cmp.Or(can.Inside, p), ErrNoData)
	}
	kind, data, err := can.Keep()
	if err != nil {
		return Policy{}, err
	}
	text, err := json.Marshal(data)
	return Policy{Kind: kind, Data: text}, err
}

// On returns the policy for m. The error is that of ctx, or an *bcpace.InputError for data that is none of a policy of m.
func (p Policy) On(ctx context.Context, m bcpace.Model) (bcpace.Policy, error) {
	read, ok := kinds[p.Kind]
	if !ok {
		return nil, Bad("its kind", strconv.Quote(p.Kind), "one that this program reads; a newer version may")
	}
	return read(ctx, m, p.Data)
}

// Bad returns the *bcpace.InputError for data that is none of a policy.
func Bad(what string, got any, want string) error {
	return bcpace.In("policy file").Bad(what, got, want)
}

// Decode reads data into x.
func Decode(data json.RawMessage, x any) error {
	if err := json.Unmarshal(data, x); err != nil {
		return &bcpace.InputError{Where: "policy file", What: "the data of the policy", Got: err.Error(), Err: err, Want: "data as solve --out writes it"}
	}
	return nil
}

// Numbered reads the data of a policy for numbered states into x, and returns m as the model that numbers them.
func Numbered(m bcpace.Model, data json.RawMessage, x any) (bcpace.Finite, error) {
	if err := Decode(data, x); err != nil {
		return nil, err
	}
	f, ok := bcpace.AsFinite(m)
	if !ok {
		return nil, Bad("its vectors", "for numbered states", "those of a model that numbers its states")
	}
	return f, nil
}

// ByClass is the kind of a policy that takes the best α-vector of the class of the state.
const ByClass = "bounds"

func init() { Register(ByClass, readClasses) }

// Classes are the data of a policy of α-vectors whose states are in classes that are alike.
type Classes struct {
	// Class is by state of the model: whose vectors it has, as states that are alike share them; −1 for a state that is never reached.
	Class []int `json:"class"`
	Vectors
}

// ClassesOf returns the data for a model whose state s has the class classOf(s), without the vectors.
func ClassesOf(m bcpace.Finite, classOf func(s []float64) int) *Classes {
	list := &Classes{}
	s := make([]float64, len(m.Spec().Axes))
	for n := range m.NumStates() {
		m.StateAt(s, n)
		list.Class = append(list.Class, classOf(s))
	}
	return list
}

// readClasses is a Read.
func readClasses(_ context.Context, m bcpace.Model, data json.RawMessage) (bcpace.Policy, error) {
	var list Classes
	f, err := Numbered(m, data, &list)
	if err != nil {
		return nil, err
	}
	spec := f.Spec()
	p := classPolicy{model: f, latents: len(spec.Latents), class: list.Class}
	if len(p.class) != f.NumStates() {
		return nil, Bad("its vectors", fmt.Sprintf("for %d states", len(p.class)), fmt.Sprintf("some for each of the %d states of the model", f.NumStates()))
	}
	for n, class := range p.class {
		if class < -1 || class >= len(list.Count) {
			return nil, Bad(fmt.Sprintf("the class of state %d", n), class, fmt.Sprintf("a number from -1 to %d", len(list.Count)-1))
		}
	}
	err = list.Each(len(list.Count), 0, p.latents, len(spec.Actions), func(s, action int, entries []float64) {
		if s == len(p.best) {
			p.best = append(p.best, alpha.NewSet(p.latents))
		}
		p.best[s].Append(entries, action)
	})
	return p, err
}

// classPolicy takes the action of the best vector.
type classPolicy struct {
	model   bcpace.Finite
	latents int
	class   []int        // by state
	best    []*alpha.Set // by class, with actions
}

// Act implements bcpace.Policy.
func (p classPolicy) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	i := p.model.StateIndex(s)
	if i < 0 || len(b) != p.latents {
		return -1
	}
	if i = p.class[i]; i < 0 {
		return -1
	}
	k, _ := p.best[i].Best(b)
	if k < 0 {
		return -1
	}
	return p.best[i].Action(k)
}

// Vectors are the data of a policy that takes, in each of numbered states, the action of the vector that is highest at the belief.
type Vectors struct {
	// Count is by state: how many vectors it has. Action has their actions one state after the other, and Entry their entries.
	Count  []int     `json:"count"`
	Action []int     `json:"action"`
	Entry  []float64 `json:"entry"`
}

// Add adds a vector to the last state.
func (v *Vectors) Add(action int, entries []float64) {
	v.Count[len(v.Count)-1]++
	v.Action, v.Entry = append(v.Action, action), append(v.Entry, entries...)
}

// Next begins the next state.
func (v *Vectors) Next() { v.Count = append(v.Count, 0) }

// Each gives the vectors to add, in their order. The error is an *bcpace.InputError for data that are none for so many states,
// latents and actions; more is how many states there may be besides.
func (v *Vectors) Each(states, more, latents, actions int, add func(state, action int, entries []float64)) error {
	if n := len(v.Count); n < states || n > states+more {
		return Bad("its vectors", fmt.Sprintf("for %d states", n), fmt.Sprintf("some for each of the %d states of the model", states))
	}
	total := 0
	for s, n := range v.Count {
		if n < 1 || n > len(v.Action) {
			return Bad(fmt.Sprintf("the number of vectors of state %d", s), n, "1 or more, as many as there are")
		}
		total += n
	}
	if total != len(v.Action) || total*latents != len(v.Entry) {
		return Bad("its vectors", fmt.Sprintf("%d, with %d actions and %d entries", total, len(v.Action), len(v.Entry)), fmt.Sprintf("an action and %d entries for each", latents))
	}
	for _, x := range v.Entry {
		if !num.Finite(x) {
			return Bad("an entry of a vector", x, "a finite number")
		}
	}
	k := 0
	for s, n := range v.Count {
		for range n {
			if a := v.Action[k]; a < 0 || a >= actions {
				return Bad(fmt.Sprintf("the action of vector %d", k), a, fmt.Sprintf("a number from 0 to %d", actions-1))
			}
			add(s, v.Action[k], v.Entry[k*latents:][:latents])
			k++
		}
	}
	return nil
}
