package runs

import (
	"fmt"

	"bayescpace/bcpace"
)

// Claim returns the error of a claim that cannot be true.
func Claim(what string, got any, want string, args ...any) error {
	return &bcpace.InputError{Where: "run", What: what, Got: fmt.Sprint(got), Want: fmt.Sprintf(want, args...)}
}
