package runs

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"bayescpace/bcpace"
)

// explorers make the Explorer of a run file, by its name.
var explorers = struct {
	sync.RWMutex
	make map[string]func(parameters []byte, latent bcpace.LatentValues) (Explorer, error)
}{make: map[string]func([]byte, bcpace.LatentValues) (Explorer, error){}}

// firstAlgorithm is the solver of run files that name none: when they were written, there was
// no other.
const firstAlgorithm = "bayes-cpace"

// RegisterExplorer has Read read the runs of an Explorer of that name. Its package
// calls it once, from an init function: a program reads the runs of the explorers that
// it imports. make gets the parameters as JSON, and the latent values that were given to
// Read, nil without.
func RegisterExplorer(name string, make func(parameters []byte, latent bcpace.LatentValues) (Explorer, error)) {
	explorers.Lock()
	defer explorers.Unlock()
	explorers.make[name] = make
}

// episodicExplorer is an Explorer whose episodes end after a number of steps. A run file keeps
// the number that was in force, as the default may change.
type episodicExplorer interface {
	Explorer
	// WithHorizon returns the explorer with episodes of so many steps; own is true, and the
	// explorer is as it was, where its parameters give a number of their own.
	WithHorizon(steps int) (e Explorer, own bool)
}

// algorithm returns the name of the run's Explorer.
func (h runHeader) algorithm() string {
	if h.Solver != "" {
		return h.Solver
	}
	var o struct{ Algorithm string }
	if json.Unmarshal(h.Options, &o) != nil || o.Algorithm == "" {
		return firstAlgorithm
	}
	return o.Algorithm
}

// explorer makes the run's Explorer.
func (h runHeader) explorer(latent bcpace.LatentValues) (Explorer, error) {
	name := h.algorithm()
	explorers.RLock()
	make, ok := explorers.make[name]
	explorers.RUnlock()
	if !ok {
		return nil, bcpace.In("run file").Bad("its solver", strconv.Quote(name),
			"one whose package this program imports: bayescpace/bcpace/cpace for bayes-cpace, bayescpace/bcpace/certified for certified")
	}
	e, err := make(h.Options, latent)
	if err != nil {
		return nil, fmt.Errorf("%w: parameters of %s: %w", ErrFormat, name, err)
	}
	return e, nil
}
