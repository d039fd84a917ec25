package runner

import "slices"

// Executed is the result of executing one notebook.
type Executed struct {
	Path     string
	Notebook *Notebook // as far as it was executed; nil when it could not be at all
	failure  *failure  // nil when every cell passed
}

// failure is why a notebook's execution stopped.
type failure struct {
	Cell int    // code cells counted from 1, as the numbers in brackets beside them
	Kind string // error, command, timeout or dead
	Text string
}

// longestFirst orders notebooks by their number of code cells, so that no long one is left
// when all others are done. One that cannot be read comes last.
func longestFirst(paths []string) []string {
	count := make(map[string]int)
	for _, path := range paths {
		if nb, err := ReadNotebook(path); err == nil {
			count[path] = len(nb.CodeCells())
		}
	}
	ordered := slices.Clone(paths)
	slices.SortStableFunc(ordered, func(a, b string) int { return count[b] - count[a] })
	return ordered
}
