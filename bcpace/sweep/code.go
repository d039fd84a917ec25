package sweep

import (
	"bayescpace/bcpace"
)

// codeHash identifies the sources that results depend on.
func codeHash() string { return bcpace.CodeHash() }
