package runs

import (
	"fmt"

	"bayescpace/bcpace"
)

// Claim returns the error of a claim that cannot be true.
func Claim(what string, got any, want string, args ...any) error {
	return bcpace.In("run").Bad(what, got, fmt.Sprintf(want, args...))
}
