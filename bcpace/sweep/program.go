package sweep

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// Version identifies what computes: programs of the same version return the same bytes for
// the same task.
type Version struct {
	// Code is a hash of the sources that results depend on.
	Code string `json:"code"`
	// Go is the release of Go, and Arch the architecture: both may change the last bit of a
	// number.
	Go   string `json:"go"`
	Arch string `json:"arch"`
}

// String returns the version in a short form for messages.
func (v Version) String() string {
	return fmt.Sprintf("%.12s (%s, %s)", v.Code, v.Go, v.Arch)
}

// ThisVersion returns the version of this program.
func ThisVersion() Version {
	return Version{Code: codeHash(), Go: runtime.Version(), Arch: runtime.GOARCH}
}

// handlers are what this program can compute, by kind.
var handlers = struct {
	sync.RWMutex
	of map[string]Handler
}{of: make(map[string]Handler)}

// Handle has workers of this program compute the tasks of a kind. A program calls it once for
// a kind, before it runs or joins a sweep. It panics if there is a handler of that kind.
func Handle(kind string, h Handler) {
	handlers.Lock()
	defer handlers.Unlock()
	if _, ok := handlers.of[kind]; ok {
		panic(fmt.Sprintf("sweep: a second handler for tasks of kind %q", kind))
	}
	handlers.of[kind] = h
}

// HandlerOf returns the handler of a kind.
func HandlerOf(kind string) (h Handler, ok bool) {
	handlers.RLock()
	defer handlers.RUnlock()
	h, ok = handlers.of[kind]
	return h, ok
}

// Kinds returns the kinds that this program handles, in alphabetical order.
func Kinds() (kinds []string) {
	handlers.RLock()
	defer handlers.RUnlock()
	for kind := range handlers.of {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}
