package disk

import (
	"fmt"
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

// Stays returns an error for an open file that its name leads to no more, as when somebody has removed
// its folder: what is written into it is lost.
func Stays(f *os.File) error {
	open, err := f.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Stat(f.Name()); err != nil || !os.SameFile(open, named) {
		return fmt.Errorf("%s was removed or replaced while it was written", f.Name())
	}
	return nil
}
