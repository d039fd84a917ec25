package methods

import (
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
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
	var entries []string
	for _, r := range t.References {
		entries = append(entries, r.BibTeX())
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
	p := newParagraph()
	p.extras[software] = s.Software.reference()
	p.model(s.Solution.Spec)
	if err := p.solver(s.Solution); err != nil {
		return Text{}, err
	}
	p.course(s.Solution)
	p.certificate(s.Solution.Certificate)
	if s.Verified != nil {
		p.verified(*s.Verified)
	}
	if s.Evaluation != nil {
		p.evaluation(*s.Evaluation, s.EvaluationSeed)
	}
	if s.Repeats != nil {
		p.repeats(*s.Repeats)
	}
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
