package sweep

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/explicit"
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

// Version identifies what computes: programs of the same version find the same bytes for the
// same trial.
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

//go:embed *.go
var sources embed.FS

// codeHash identifies the sources that results depend on, and the release of gonum.
var codeHash = sync.OnceValue(func() string {
	h := sha256.New()
	for _, part := range []embed.FS{
		bcpace.Sources, internal.Sources, baseline.Sources, online.Sources, cover.Sources, eval.Sources, family.Sources,
		choose.Sources, data.Sources, explicit.Sources, pomdp.Sources, pomdpfile.Sources, solvers.Sources, envs.Sources, sources, numtext.Sources,
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
