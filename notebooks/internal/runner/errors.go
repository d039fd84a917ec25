package runner

import "errors"

// usageError is a wrong command line: exit status 2.
type usageError struct{ msg string }

// errReported ends a run whose failures have been printed already.
var errReported = errors.New("failures were reported")

func (e usageError) Error() string { return e.msg }
