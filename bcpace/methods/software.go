package methods

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/fingerprint"
)

// Software says which version of this module has computed something. What is not known is "".
type Software struct {
	Version  string // of the module, such as v1.2.0
	Revision string // the commit that the program was built from
	Modified bool   // the program was built from more than that commit
	Code     string // the SHA-256 of the core's sources, see bcpace.Sources
	Go       string // such as go1.26.0
	Platform string // such as linux/amd64
}

// ThisSoftware returns the version of the running program. The go command tells a program its
// commit only where it is built in the clone, as by go build ./bcpace/cmd/bcpace. A cell of a
// notebook is built elsewhere, and knows the hash of the sources alone.
func ThisSoftware() Software {
	s := Software{Code: fingerprint.OfFiles(bcpace.Sources), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		s.fill(info)
	}
	return s
}

// fill takes the version and the commit of this module from info.
func (s *Software) fill(info *debug.BuildInfo) {
	module, _, _ := strings.Cut(reflect.TypeFor[Software]().PkgPath(), "/")
	version := ""
	if info.Main.Path == module {
		version = info.Main.Version
		for _, x := range info.Settings {
			switch x.Key {
			case "vcs.revision":
				s.Revision = x.Value
			case "vcs.modified":
				s.Modified = x.Value == "true"
			}
		}
	}
	for _, d := range info.Deps {
		if d.Path == module {
			if version = d.Version; d.Replace != nil {
				version = d.Replace.Version
			}
		}
	}
	if version != "(devel)" {
		s.Version = version
	}
}

// reference is the entry of the software.
func (s Software) reference() Citation {
	r := Citation{"misc", software, []string{"{The Bayes-CPACE toolkit authors}"}, "Bayes-CPACE: near-optimal exploration under model uncertainty, as Go packages and as notebooks", 2026, nil}
	if note := s.version(); note != "" {
		r.Fields = []Field{{"note", escape(note)}}
	}
	return r
}

// version names the version as far as it is known.
func (s Software) version() string {
	var parts []string
	if s.Version != "" {
		parts = append(parts, "version "+s.Version)
	}
	if s.Revision != "" {
		changed := ""
		if s.Modified {
			changed = " with changes"
		}
		parts = append(parts, "commit "+s.Revision+changed)
	}
	if len(parts) == 0 && s.Code != "" {
		parts = append(parts, "sources of hash "+s.Code[:min(len(s.Code), 16)])
	}
	return strings.Join(parts, ", ")
}
