package methods

import (
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

// Every entry is sound, is cited somewhere, and no key stands for two.
func TestLibrary(t *testing.T) {
	cited := map[string]bool{paper: true, betting: true, "castro2010": true}
	for name, text := range known {
		marks := regexp.MustCompile(`\[@([^\]]*)\]`).FindAllStringSubmatch(text, -1)
		if len(marks) == 0 {
			t.Errorf("%s cites nothing", name)
		}
		for _, mark := range marks {
			for _, key := range strings.Split(mark[1], ",") {
				cited[key] = true
				if library[key].Key != key {
					t.Errorf("%s cites %s, which is not in the library", name, key)
				}
			}
		}
	}
	for key, r := range library {
		if fault := r.check(); fault != "" {
			t.Error(fault)
		}
		if !cited[key] {
			t.Errorf("nothing cites %s", key)
		}
	}
}

// The version is that of the module, as the main one or as a dependency.
func TestVersion(t *testing.T) {
	main := debug.Module{Path: "bayescpace", Version: "v1.2.0"}
	commit := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	for want, info := range map[string]debug.BuildInfo{
		"version v1.2.0, commit abc with changes": {Main: main, Settings: commit},
		"commit abc with changes":                 {Main: debug.Module{Path: "bayescpace", Version: "(devel)"}, Settings: commit},
		"version v1.2.0":                          {Main: debug.Module{Path: "cell"}, Deps: []*debug.Module{&main}, Settings: commit},
		"sources of hash 0123456789abcdef":        {Main: debug.Module{Path: "cell"}, Deps: []*debug.Module{{Path: "bayescpace", Version: "v0.0.0", Replace: &debug.Module{Path: "../bayescpace"}}}},
	} {
		s := Software{Code: "0123456789abcdef0123"}
		s.fill(&info)
		if got := s.version(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if s := ThisSoftware(); s.Go == "" || s.Platform == "" || len(s.Code) != 64 {
		t.Errorf("%+v", s)
	}
}

// A minus and its number are one formula, and what means something to LaTeX is escaped.
func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"[−2.172, −0.5]":   "[$-2.172$, $-0.5$]",
		"−12,345 of 2,345": "$-12{,}345$ of 2,345",
		"a − b, −x, −∞":    `a $-$ b, $-$x, $-$$\infty$`,
		"50 % & L_Q_1 {~}": `50 \% \& $L_Q$\_1 \{\textasciitilde{}\}`,
		"Φ, |Φ| ≤ 3":       `$\Phi$, $|\Phi|$ $\le$ 3`,
	} {
		if got := escape(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}
