package runs

import "bayescpace/bcpace/internal/columns"

// ErrFormat is wrapped by every error about a file that is not a whole run of this format: foreign,
// truncated, damaged or from another version.
var ErrFormat = columns.ErrFormat
