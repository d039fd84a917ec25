package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"bayescpace/envs"
)

// needPrefix begins what a worker must have: an environment that is not of package envs.
const needPrefix = "environment "

// Needs returns what a worker of this sweep must have beside the code of this module: the
// environments that the program has registered. CheckNeed says whether a program has it.
func (s Spec) Needs() ([]string, error) {
	trials, err := s.Trials()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(trials))
	for i, t := range trials {
		names[i] = t.Env
	}
	return Needs(names...), nil
}

// Needs returns what a worker must have, as Spec.Needs does, for environments of those names.
func Needs(names ...string) (needs []string) {
	for _, name := range names {
		if need := needPrefix + name; envs.Registered(name) && !slices.Contains(needs, need) {
			needs = append(needs, need)
		}
	}
	return needs
}

// CheckNeed returns an error if this program does not have what Needs has named.
func CheckNeed(need string) error {
	name, ok := strings.CutPrefix(need, needPrefix)
	if !ok {
		return fmt.Errorf("this program does not know what %q is", need)
	}
	if !envs.Registered(name) {
		return errors.New("this program has no environment " + name + ": build it from the program that runs the sweep, which registers it")
	}
	return nil
}
