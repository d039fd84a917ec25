package envs

import (
	"slices"

	"bayescpace/bcpace"
)

// Unregister takes back what a test has registered.
func Unregister(name string) {
	registered.Lock()
	defer registered.Unlock()
	registered.entries = slices.DeleteFunc(registered.entries, func(e entry[bcpace.Model]) bool { return e.info.Name == name })
}
