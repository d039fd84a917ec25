package envs

import "slices"

// Unregister takes back what a test has registered.
func Unregister(name string) {
	registered.Lock()
	defer registered.Unlock()
	registered.entries = slices.DeleteFunc(registered.entries, func(e entry) bool { return e.info.Name == name })
}
