package cmd

import (
	"encoding/json"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// answerName is the name of a solver in a table, and its Algorithm in JSON: of a question, that of the solver inside.
func answerName(s bcpace.Solver) (name, algorithm string) {
	if q, ok := s.(solverkit.Questioner); ok {
		return s.Name() + ", with " + q.Inside().Name(), q.Inside().Name()
	}
	return s.Name(), s.Name()
}

// withFindings adds what a solver has found beside the usual to a JSON object.
func withFindings(object []byte, found *bcpace.Solution) ([]byte, error) {
	for _, x := range solverkit.Findings(found) {
		if x.Key == "" {
			continue
		}
		value := x.Value
		if v, ok := value.(float64); ok {
			value = number(v)
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		object = append(fmt.Appendf(object[:len(object)-1], ",%q:%s", x.Key, text), '}')
	}
	return object, nil
}

// boundText writes a number, or rounds a bound outward.
func boundText(v float64, bound int) string {
	switch {
	case bound < 0:
		return number(v).atLeast()
	case bound > 0:
		return number(v).atMost()
	}
	return number(v).String()
}
