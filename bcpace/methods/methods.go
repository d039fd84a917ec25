package methods

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/fingerprint"
)

// Study is what a methods paragraph tells about.
type Study struct {
	// Solution is what the solver has found, of a run also runs.SolutionOf(run).
	Solution *bcpace.Solution
	// Verified is what runs.Verify has returned for the solution's run; nil if it was not
	// verified.
	Verified *bcpace.Certificate
	// Evaluation is what the policy has earned in simulated episodes, as from eval.Rollouts or
	// in a row of nb.Compare, and EvaluationSeed is the seed of the episodes. nil is for none.
	Evaluation     *eval.Result
	EvaluationSeed uint64
	// Repeats sums up the same study under several seeds; nil for one seed alone.
	Repeats *Repeats
	// Software is the version that has computed the solution. The zero value means that of the
	// running program.
	Software Software
}

// Repeats is a measure of several explorations that differ in their seed alone.
type Repeats struct {
	Seeds   int    // how many
	Measure string // what was measured, such as "the exact value of the policy over 100 steps"
	// Interval is the mean over the seeds with its 95 % interval, as of eval.AveragesOf or a
	// group of sweep.Results.
	eval.Interval
}

// Text is a methods paragraph.
type Text struct {
	// Plain is the paragraph with citations by author and year.
	Plain string
	// LaTeX is the same paragraph for a paper, with \cite, in UTF-8. pdfLaTeX reads it where
	// names and texts have Latin letters, Greek ones, and common mathematical symbols, which
	// become formulas. Other characters stay as they are, for XeLaTeX or LuaLaTeX.
	LaTeX string
	// References are the papers cited and the software, in the order of their citation.
	References []Citation
}

// BibTeX returns the entries of all references.
func (t Text) BibTeX() string {
	entries := make([]string, len(t.References))
	for i, r := range t.References {
		entries[i] = r.BibTeX()
	}
	return strings.Join(entries, "\n")
}

// String returns the paragraph in LaTeX and the BibTeX entries below it.
func (t Text) String() string { return t.LaTeX + "\n\n" + t.BibTeX() }

// Write writes the paragraph. The error is an *bcpace.InputError for a study without a
// solution, an evaluation without episodes, repeats without seeds or a measure, simulated
// bounds whose probability of failure is not in (0, 1), a text with control characters, and a
// reference of a Cited that is no BibTeX or whose key stands for another. The text has no
// sentence about bounds or means that are NaN.
func (s Study) Write() (Text, error) {
	if err := s.check(); err != nil {
		return Text{}, err
	}
	if s.Software == (Software{}) {
		s.Software = ThisSoftware()
	}
	p := &paragraph{parts: []string{""}, known: append([]Citation{s.Software.reference()}, library...)}
	p.model(s.Solution.Spec)
	if err := p.solver(s.Solution); err != nil {
		return Text{}, err
	}
	p.course(s.Solution)
	p.certificate(s.Solution.Certificate)
	p.verified(s.Verified)
	p.evaluation(s.Evaluation, s.EvaluationSeed)
	p.repeats(s.Repeats)
	p.software(s)
	if err := p.check(); err != nil {
		return Text{}, err
	}
	t := Text{Plain: p.plain(), LaTeX: p.latex()}
	for _, key := range p.cited {
		t.References = append(t.References, p.reference(key))
	}
	return t, nil
}

func (s Study) check() error {
	bad := bcpace.In("methods paragraph").Bad
	switch {
	case s.Solution == nil:
		return bad("Solution", "nil", "a solution: that of Solve, or runs.SolutionOf(run)")
	case s.Solution.Solver == nil:
		return bad("Solution.Solver", "nil", "the solver that has found the solution")
	case s.Evaluation != nil && s.Evaluation.Episodes < 1:
		return bad("Evaluation.Episodes", s.Evaluation.Episodes, "at least one episode, or no Evaluation")
	case s.Repeats != nil && s.Repeats.Seeds < 1:
		return bad("Repeats.Seeds", s.Repeats.Seeds, "how many seeds there were, at least one")
	case s.Repeats != nil && s.Repeats.Measure == "":
		return bad("Repeats.Measure", `""`, "what was measured, such as \"the exact value of the policy\"")
	}
	for i, c := range []*bcpace.Certificate{&s.Solution.Certificate, s.Verified} {
		if c != nil && (c.Kind == bcpace.PolicyInterval || c.LowerBy == bcpace.BySimulation || c.UpperBy == bcpace.BySimulation) && !(c.Delta > 0 && c.Delta < 1) {
			return bad([]string{"Solution.Certificate", "Verified"}[i]+".Delta", c.Delta, "the probability in (0, 1) that a simulated bound is false")
		}
	}
	return s.Solution.Spec.Validate()
}

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
