package regularfile

import (
	"os"
	"slices"
)

// Distinct returns the names of files or folders without those that lead to an earlier one. What is not
// there stays.
func Distinct(names []string) (list []string) {
	var seen []os.FileInfo
	for _, name := range names {
		info, err := os.Stat(name)
		if err == nil && slices.ContainsFunc(seen, func(x os.FileInfo) bool { return os.SameFile(x, info) }) {
			continue
		}
		list, seen = append(list, name), append(seen, info)
	}
	return list
}
