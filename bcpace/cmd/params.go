package cmd

import (
	"errors"
	"strings"

	"bayescpace/bcpace"
)

// parseParam reads key=value. Only the key is judged here: which keys and
// values there are is for the environment to say.
func parseParam(text string) (bcpace.Param, error) {
	key, value, ok := strings.Cut(text, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !ok || key == "" {
		return bcpace.Param{}, errors.New("want key=value, such as discount=0.95")
	}
	return bcpace.Param{Key: key, Value: value}, nil
}
