package methods

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/stop"
)

// Every entry is sound, is cited somewhere, and no key stands for two.
func TestLibrary(t *testing.T) {
	cited := map[string]bool{paper: true, betting: true, "castro2010": true}
	for _, s := range solvers.List() {
		name := s.Name
		marks := regexp.MustCompile(`\[@([^\]]*)\]`).FindAllStringSubmatch(s.Cited, -1)
		if len(marks) == 0 {
			t.Errorf("%s cites nothing", name)
		}
		for _, mark := range marks {
			for _, key := range strings.Split(mark[1], ",") {
				cited[key] = true
				if (&paragraph{known: library}).reference(key).Key != key {
					t.Errorf("%s cites %s, which is not in the library", name, key)
				}
			}
		}
	}
	for _, r := range library {
		key := r.Key
		if err := r.check(); err != nil {
			t.Error(err)
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
		"[−2.172, −0.5]":          "[$-2.172$, $-0.5$]",
		"−12,345 of 2,345":        "$-12{,}345$ of 2,345",
		"a − b, −x, −∞":           `a $-$ b, $-$x, $-$$\infty$`,
		"50 % & L_Q_1 {~}":        `50 \% \& $L_Q$\_1 \{\textasciitilde{}\}`,
		"Φ, |Φ| ≤ 3":              `$\Phi$, $|\Phi|$ $\le$ 3`,
		"−10⁶, −2.5·10⁻⁷":         `$-10^6$, $-2.5\cdot 10^{-7}$`,
		"10⁶, 1.5·10⁻¹²":          `$10^6$, $1.5\cdot 10^{-12}$`,
		"−1e+06, −2e-05":          `$-10^6$, $-2\cdot 10^{-5}$`,
		"m², xⁿ⁻¹, φ₁₂":           `m$^2$, x$^{n-1}$, $\varphi$$_{12}$`,
		`"a", ("b") "c d"`:        "``a'', (``b'') ``c d''",
		`“"a" b”`:                 "````a'' b''",
		`{"a":"b","c":""}`:        "\\{``a'':``b'',``c'':``''\\}",
		"χ → ψ ∈ ℝ, ≠ ∀ √ ∑ ∂":    `$\chi$ $\to$ $\psi$ $\in$ $\mathbf{R}$, $\ne$ $\forall$ $\surd$ $\sum$ $\partial$`,
		"ℓ ‖x‖ a\u200bb":          `$\ell$ $\|$x$\|$ ab`,
		"−1e99999999999999999999": "$-1$e99999999999999999999",
	} {
		if got := escape(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

// A number in the text is the number, and large and small ones have powers of ten.
func TestNumber(t *testing.T) {
	for want, x := range map[string]float64{"−10⁶": -1e6, "10⁻⁵": 1e-5, "2.5·10⁻⁷": 2.5e-7, "−1.25·10¹²": -1.25e12, "0.25": 0.25, "−100": -100, "−∞": math.Inf(-1)} {
		if got := number(x, -1); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}

// Probabilities are never overstated, and none that can fail is sure.
func TestPercent(t *testing.T) {
	for delta, want := range map[float64][2]string{
		0.05: {"5 %", "95 %"}, 0.07: {"7 %", "93 %"}, 0.1: {"10 %", "90 %"}, 1e-5: {"0.001 %", "99.999 %"}, 0.123449: {"12.35 %", "87.65 %"}, 0.99999: {"99.999 %", "0.001 %"},
	} {
		if got := [2]string{atMost(delta), atLeast(delta)}; got != want {
			t.Errorf("%v is %q, want %q", delta, got, want)
		}
	}
	rational := func(text string) *big.Rat {
		x, ok := new(big.Rat).SetString(strings.TrimSuffix(text, " %"))
		if !ok {
			t.Fatalf("%q is no number", text)
		}
		return x
	}
	hundred := big.NewRat(100, 1)
	rapid.Check(t, func(rt *rapid.T) {
		delta := math.Pow(10, rapid.Float64Range(-12, -1e-9).Draw(rt, "power"))
		if rapid.Bool().Draw(rt, "likely") {
			delta = 1 - delta
		}
		fails := new(big.Rat).Mul(hundred, rational(strconv.FormatFloat(delta, 'f', -1, 64)))
		up, down := rational(atMost(delta)), rational(atLeast(delta))
		if up.Cmp(fails) < 0 || new(big.Rat).Add(up, down).Cmp(hundred) != 0 {
			rt.Fatalf("δ = %v is at most %s, and holds with %s", delta, atMost(delta), atLeast(delta))
		}
		if delta > 1e-11 && delta < 1-1e-11 && (up.Cmp(hundred) >= 0 || down.Sign() <= 0) {
			rt.Fatalf("δ = %v is sure: %s", delta, atMost(delta))
		}
		small, _ := new(big.Rat).Sub(up, fails).Float64()
		if small > max(1e-3*100*min(delta, 1-delta), 1e-10) {
			rt.Fatalf("δ = %v is at most %s, which is much more", delta, atMost(delta))
		}
	})
}

// Every reason for an end has a text of its own, which names what ended it.
func TestReasons(t *testing.T) {
	names := map[stop.Reason]string{
		stop.Certified: "certificate were within ε", stop.Rounding: "rounding", stop.Searched: "search were within ε", stop.Refuted: "refuted",
		stop.Fault: "contract", stop.Converged: "nothing new", stop.Unsolved: "nothing to solve", stop.Episodes: "limit of episodes", stop.Samples: "limit of samples", stop.Steps: "limit of simulated steps",
		stop.Memory:      "limit of memory",
		stop.Interrupted: "interrupted", stop.Deadline: "time was up",
	}
	if len(names) != len(reasons) {
		t.Errorf("%d reasons, want %d", len(reasons), len(names))
	}
	for reason, name := range names {
		for other, text := range reasons {
			if strings.Contains(text, name) != (other == reason) {
				t.Errorf("the text of %v is %q; %q is of %v", other, text, name, reason)
			}
		}
	}
}

// A reference is refused where BibTeX or LaTeX would not read it.
func TestReferenceCheck(t *testing.T) {
	good := Citation{Kind: "misc", Key: "Me-2026", Authors: []string{`M{\'e}, My`}, Title: `A {B\}\{}`, Year: 2026, Fields: []Field{{"note", `a\\`}}}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for _, spoil := range []func(r *Citation){
		func(r *Citation) { r.Kind = "" }, func(r *Citation) { r.Kind = "misc{x," }, func(r *Citation) { r.Kind = "String" },
		func(r *Citation) { r.Title = `One \{ more` }, func(r *Citation) { r.Title = `Trailing \` }, func(r *Citation) { r.Title = `\{ a }` },
		func(r *Citation) { r.Title = `}{` }, func(r *Citation) { r.Title = " " }, func(r *Citation) { r.Title = "two\nlines" },
		func(r *Citation) { r.Authors = nil }, func(r *Citation) { r.Authors = []string{""} }, func(r *Citation) { r.Authors = []string{`Me \`, "You"} },
		func(r *Citation) { r.Year = 0 }, func(r *Citation) { r.Year = -3 },
		func(r *Citation) { r.Fields = []Field{{"", "a"}} }, func(r *Citation) { r.Fields = []Field{{"a b", "a"}} }, func(r *Citation) { r.Fields = []Field{{"1a", "a"}} },
		func(r *Citation) { r.Fields = []Field{{"note = {x}, a", "a"}} }, func(r *Citation) { r.Fields = []Field{{"note", "a"}, {"Note", "b"}} },
		func(r *Citation) { r.Fields = []Field{{"TITLE", "a"}} }, func(r *Citation) { r.Fields = []Field{{"note", "{"}} },
	} {
		r := good
		spoil(&r)
		if err := r.check(); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	for _, c := range "\n'=()@$&, {}%#\"\\~é_." {
		r := good
		r.Key = "a" + string(c) + "b"
		if r.check() == nil {
			t.Errorf("the key %q is accepted", r.Key)
		}
	}
	r := good
	if r.Key = "a\n"; r.check() == nil {
		t.Error("a newline at the end of a key is accepted")
	}
}

// Names of references are read as text.
func TestFamily(t *testing.T) {
	for author, want := range map[string]string{
		"Lee, Gilwoo":                   "Lee",
		`Ross, St{\'e}phane`:            "Ross",
		`{Toyota, Inc.}`:                "Toyota, Inc.",
		`{The {Á}lvarez \& Sons Group}`: "The Álvarez & Sons Group",
		`Müller, A.`:                    "Müller",
		`Nagy--Kiss, B.`:                "Nagy–Kiss",
		`de~la Cruz, A.`:                "de la Cruz",
		`\Huge X, A.`:                   `\Huge X`,
	} {
		if got := family(author); got != want {
			t.Errorf("%s is %q, want %q", author, got, want)
		}
	}
}
