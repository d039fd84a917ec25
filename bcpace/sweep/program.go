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

// handlers has the Handler of each kind that this program can compute.
var handlers sync.Map

// Handle has workers of this program compute the tasks of a kind. A program calls it once for
// a kind, before it runs or joins a sweep. It panics if there is a handler of that kind.
func Handle(kind string, h Handler) {
	if _, ok := handlers.LoadOrStore(kind, h); ok {
		panic(fmt.Sprintf("sweep: a second handler for tasks of kind %q", kind))
	}
}

// HandlerOf returns the handler of a kind.
func HandlerOf(kind string) (Handler, bool) {
	h, ok := handlers.Load(kind)
	if !ok {
		return nil, false
	}
	return h.(Handler), true
}

// Kinds returns the kinds that this program handles, in alphabetical order.
func Kinds() (kinds []string) {
	for kind := range handlers.Range {
		kinds = append(kinds, kind.(string))
	}
	slices.Sort(kinds)
	return kinds
}
