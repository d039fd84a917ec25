package sweep

import (
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/family"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/internal"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/bcpace/solvers"
	"bayescpace/data"
	"bayescpace/envs"
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
func (v Version) String() string { return fmt.Sprintf("%.12s (%s, %s)", v.Code, v.Go, v.Arch) }

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

//go:embed *.go
var sources embed.FS

// codeHash identifies the sources that results depend on, and the release of gonum.
var codeHash = sync.OnceValue(func() string {
	h := sha256.New()
	for _, part := range []embed.FS{
		bcpace.Sources, internal.Sources, baseline.Sources, online.Sources, cover.Sources, eval.Sources, family.Sources,
		choose.Sources, data.Sources, pomdp.Sources, pomdpfile.Sources, solvers.Sources, envs.Sources, sources, numtext.Sources,
	} {
		fmt.Fprintln(h, fingerprint.OfFiles(part))
	}
	fmt.Fprintln(h, gonumVersion())
	return fmt.Sprintf("%x", h.Sum(nil))
})

// gonumVersion returns the release of gonum that this program was built with.
func gonumVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == "gonum.org/v1/gonum" {
			return m.Version
		}
	}
	return ""
}

// needPrefix begins what a worker must have: an environment that is not of package envs.
const needPrefix = "environment "

// Needs returns what a worker of this sweep must have beside the code of this module: the
// environments that the program has registered. CheckNeed says whether a program has it.
func (s Spec) Needs() ([]string, error) {
	trials, err := s.Trials()
	if err != nil {
		return nil, err
	}
	return Needs(column(trials, func(t *Trial) string { return t.Env })...), nil
}

// Needs returns what a worker must have, as Spec.Needs does, for environments of those names.
func Needs(names ...string) (needs []string) {
	for _, name := range names {
		if need := needPrefix + name; envs.Registered(name) && !slices.Contains(needs, need) {
			needs = append(needs, need)
		}
	}
	return needs
}

// CheckNeed returns an error if this program does not have what Needs has named.
func CheckNeed(need string) error {
	name, ok := strings.CutPrefix(need, needPrefix)
	if !ok {
		return fmt.Errorf("this program does not know what %q is", need)
	}
	if !envs.Registered(name) {
		return errors.New("this program has no environment " + name + ": build it from the program that runs the sweep, which registers it")
	}
	return nil
}
