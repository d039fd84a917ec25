// Package kept writes policies as data, and makes policies of such data. A kind of policies says how in its own package
// (bcpace.PolicyAbilities.Keep, Register); it is read where that package is linked.
package kept

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"bayescpace/bcpace"
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

var (
	mu    sync.RWMutex
	kinds = map[string]Read{}
)

// Register has On read policies of a kind. The package of the kind calls it once, from an init function.
func Register(kind string, read Read) {
	mu.Lock()
	defer mu.Unlock()
	kinds[kind] = read
}

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
	mu.RLock()
	read, ok := kinds[p.Kind]
	mu.RUnlock()
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
