package methods_test

import (
	"context"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/methods"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

// of returns the study of a solver of the registry on a model, small enough for a test.
func of(t *testing.T, name string, m bcpace.Model) methods.Study {
	t.Helper()
	s, err := solvers.New(name, m)
	if err != nil {
		t.Fatal(err)
	}
	x, _ := solvers.Find(name)
	for key, text := range map[string]string{"certificate-episodes": "40", "max-samples": "60", "max-episodes": "10", "budget": "3", "beliefs": "30", "max-steps": "30000"} {
		if _, has := x.Param(key); has {
			if s, err = solvers.Set(s, key, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	found, err := s.Solve(context.Background(), m, bcpace.Control{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r, err := eval.Rollouts(context.Background(), m, found.Policy, eval.Options{Episodes: 3, Horizon: 5, Seed: 7})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return methods.Study{Solution: found, Evaluation: &r, EvaluationSeed: 7}
}

// Every solver of the registry has a whole paragraph, with papers that BibTeX reads, on a model
// with numbered states, and some on one with continuous states and one of unknown transitions.
func TestEverySolver(t *testing.T) {
	loop, err := envs.New("double-loop", nil)
	if err != nil {
		t.Fatal(err)
	}
	problems := map[string]struct {
		model bcpace.Model
		names []string
	}{
		"numbered":   {envs.Tiger{Accuracy: 0.8}, solvers.Names()},
		"continuous": {envs.LightDarkTiger{Width: 3, Height: 3, Sigma: 0.1}, []string{solvers.BayesCPACE, solvers.Certified, "pomcpow", "despot"}},
		"unknown":    {loop, []string{"beb", "boss", "thompson", "pomcp"}},
	}
	for kind, problem := range problems {
		for _, name := range problem.names {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				study := of(t, name, problem.model)
				text, err := study.Write()
				if err != nil {
					t.Fatal(err)
				}
				checkText(t, text)
				spec := problem.model.Spec()
				for _, want := range append([]string{spec.Name, "γ = 0.95", "V*, is at least", "and at most", "95 % interval", "seed 7", "bit for bit"}, params(spec)...) {
					if !strings.Contains(text.Plain, want) {
						t.Errorf("the paragraph does not say %q:\n%s", want, text.Plain)
					}
				}
				if strings.Contains(text.Plain, "of our own") || len(text.References) < 3 {
					t.Errorf("%s has no paper of its own: %d references\n%s", name, len(text.References), text.Plain)
				}
				for _, p := range []struct{ key, want string }{{"budget", " simulations"}, {"max-samples", "= 60"}} {
					x, _ := solvers.Find(name)
					if set, has := x.Param(p.key); has && (p.key != "budget" || set.Field == "Budget") && !strings.Contains(text.Plain, p.want) {
						t.Errorf("the paragraph does not say %q:\n%s", p.want, text.Plain)
					}
				}
			})
		}
	}
}

func params(s bcpace.Spec) (want []string) {
	for _, p := range s.Params {
		want = append(want, p.Key+" = "+p.Value)
	}
	return want
}

// checkText checks what holds of every text: no sentence is empty, LaTeX has no character that
// means something there by accident, and BibTeX reads the entries and has all that are cited.
func checkText(t *testing.T, text methods.Text) {
	t.Helper()
	for _, bad := range []string{"  ", " .", " ,", "()", "( ", "NaN", "%!", "[@", "= ,", "= ;", "\n"} {
		if strings.Contains(text.Plain, bad) {
			t.Errorf("the paragraph holds %q:\n%s", bad, text.Plain)
		}
	}
	checkLaTeX(t, text.LaTeX)
	entries := parseBibTeX(t, text.BibTeX())
	for _, x := range regexp.MustCompile(`\\cite\{([^}]*)\}`).FindAllStringSubmatch(text.LaTeX, -1) {
		for _, key := range strings.Split(x[1], ",") {
			if entries[key] == nil {
				t.Errorf("%s is cited and has no entry", key)
			}
		}
	}
	for key := range entries {
		if !strings.Contains(text.LaTeX, key) {
			t.Errorf("%s has an entry and is not cited", key)
		}
	}
}

// checkLaTeX looks for special characters that are not escaped, outside of commands and
// mathematics.
func checkLaTeX(t *testing.T, text string) {
	t.Helper()
	if strings.Count(strings.ReplaceAll(text, `\$`, ""), "$")%2 != 0 {
		t.Errorf("a formula does not end:\n%s", text)
	}
	rest := regexp.MustCompile(`\\\$`).ReplaceAllString(text, "")
	rest = regexp.MustCompile(`\$[^$]*\$`).ReplaceAllString(rest, "")
	rest = regexp.MustCompile(`~?\\cite\{[a-z0-9,-]*\}|\\[a-z]+\{\}|\\[{}&#_%]`).ReplaceAllString(rest, "")
	if i := strings.IndexAny(strings.ReplaceAll(rest, "~", " "), `\{}$&#_%^<>|"`); i >= 0 {
		t.Errorf("%q is not escaped: %s", rest[i:i+1], rest)
	}
}

// parseBibTeX reads entries as BibTeX does: @kind{key, name = {value}, …} with braces that
// close. Each has the fields that its kind requires.
func parseBibTeX(t *testing.T, text string) map[string]map[string]string {
	t.Helper()
	required := map[string][]string{
		"article": {"author", "title", "journal", "year"}, "inproceedings": {"author", "title", "booktitle", "year"}, "misc": {"author", "title", "year"},
	}
	entries := map[string]map[string]string{}
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		head := regexp.MustCompile(`^@([a-z]+)\{([A-Za-z0-9-]+)`).FindStringSubmatch(rest)
		if head == nil || required[head[1]] == nil {
			t.Fatalf("no entry begins here: %.60s", rest)
		}
		if entries[head[2]] != nil {
			t.Errorf("the key %s stands twice", head[2])
		}
		fields := map[string]string{}
		for rest = rest[len(head[0]):]; ; {
			field := regexp.MustCompile(`^,\s*([a-z]+) = \{`).FindString(rest)
			if field == "" {
				break
			}
			depth, i := 1, len(field)
			for ; depth > 0 && i < len(rest); i++ {
				switch rest[i] {
				case '{':
					depth++
				case '}':
					depth--
				}
			}
			name := strings.Trim(field, ", \n={")
			if fields[name] != "" {
				t.Errorf("%s has the field %s twice", head[2], name)
			}
			fields[name] = rest[len(field) : i-1]
			rest = rest[i:]
		}
		if rest = strings.TrimSpace(rest); !strings.HasPrefix(rest, "}") {
			t.Fatalf("the entry %s does not end: %.60s", head[2], rest)
		}
		rest = rest[1:]
		for _, name := range required[head[1]] {
			if strings.Trim(fields[name], "{} ") == "" {
				t.Errorf("%s has no %s", head[2], name)
			}
		}
		entries[head[2]] = fields
	}
	return entries
}

// fixed is a solver that has found a certificate.
type fixed struct{ Name_, Note string }

func (f fixed) Name() string { return f.Name_ }
func (f fixed) Solve(context.Context, bcpace.Model, bcpace.Control) (*bcpace.Solution, error) {
	return nil, nil
}

// cited is a solver of somebody's own with its papers.
type cited struct {
	fixed
	papers []methods.Citation
}

func (c cited) References() []methods.Citation { return c.papers }

// Bounds in the text hold: they are never tighter than those of the certificate, and the text
// names what they rest on. Names may hold any character.
func TestAnyCertificate(t *testing.T) {
	bases := []bcpace.Basis{bcpace.ByProof, bcpace.BySimulation, bcpace.ByAssumption, bcpace.ByRange, bcpace.NotKnown}
	says := map[bcpace.Basis]string{bcpace.ByProof: "(proved)", bcpace.BySimulation: "95 %", bcpace.ByAssumption: "(assumed: the grid is fine)", bcpace.ByRange: "by the range of rewards", bcpace.NotKnown: "nothing supports"}
	rapid.Check(t, func(rt *rapid.T) {
		lower := rapid.Float64Range(-1e6, 1e6).Draw(rt, "lower")
		upper := lower + math.Pow(10, rapid.Float64Range(-9, 5).Draw(rt, "gap"))
		by := rapid.SampledFrom(bases)
		c := bcpace.Certificate{Kind: bcpace.StatisticalCertificate, Lower: lower, Upper: upper, LowerBy: by.Draw(rt, "lower by"), UpperBy: by.Draw(rt, "upper by"), PolicyEarns: by.Draw(rt, "earns"),
			Assumes: "the grid is fine", Delta: 0.05, Episodes: 1000, Horizon: 20}
		spec := envs.Tiger{}.Spec()
		spec.Name = rapid.StringOfN(rapid.RuneFrom([]rune(`aZ9é_%&#{}\$~^<>|"−εL_Q γ[@lee2018]·⁻⁶₁→e+`)), 1, 12, -1).Draw(rt, "name")
		text, err := methods.Study{Solution: &bcpace.Solution{Solver: fixed{spec.Name, "x"}, Spec: spec, Certificate: c}}.Write()
		if err != nil {
			rt.Fatal(err)
		}
		number := `(−?(?:[0-9]+(?:\.[0-9]+)?))`
		found := regexp.MustCompile(`at least ` + number + `.*and at most ` + number).FindStringSubmatch(text.Plain)
		if found == nil {
			rt.Fatalf("no bounds in %s", text.Plain)
		}
		low, high := parse(rt, found[1]), parse(rt, found[2])
		const unit = 1e-8 // the twelfth digit of Tiger's lowest return, −2000
		if far := max(0.02*(upper-lower), unit); low > lower || high < upper || low < lower-far || high > upper+far {
			rt.Fatalf("[%v, %v] is written as [%v, %v]", lower, upper, low, high)
		}
		for _, b := range []bcpace.Basis{c.LowerBy, c.UpperBy} {
			if !strings.Contains(text.Plain, says[b]) {
				rt.Fatalf("the text does not say %q: %s", says[b], text.Plain)
			}
		}
		for earns, sentence := range policyEarns {
			if says := strings.Contains(text.Plain, sentence); says != (earns == c.PolicyEarns) {
				rt.Fatalf("the policy earns the lower bound %q, and that the text says %q is %v: %s", c.PolicyEarns, sentence, says, text.Plain)
			}
		}
		if !strings.Contains(text.Plain, "“"+spec.Name+"”") {
			rt.Fatalf("the text does not name %q: %s", spec.Name, text.Plain)
		}
		checkLaTeX(t, text.LaTeX)
		if t.Failed() {
			rt.FailNow()
		}
	})
}

// policyEarns has what a text says about the policy for each reason.
var policyEarns = map[bcpace.Basis]string{
	bcpace.ByProof:      " The policy found is proved to earn the lower bound.",
	bcpace.BySimulation: " The policy found earns the lower bound by the same simulation.",
	bcpace.ByAssumption: " The policy found earns the lower bound under the same assumption.",
	bcpace.ByRange:      " Of the policy found nothing more is known than the range of rewards says.",
	bcpace.NotKnown:     " It is not known whether the policy found earns the lower bound.",
}

// parse reads a number as the text writes it.
func parse(t *rapid.T, text string) float64 {
	x, err := strconv.ParseFloat(strings.ReplaceAll(text, "−", "-"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The text tells of a verification, of a choice between policies and of a set-up that did not
// end.
func TestWhatHappened(t *testing.T) {
	ctx := context.Background()
	tell := func(s methods.Study, wants ...string) {
		t.Helper()
		text, err := s.Write()
		if err != nil {
			t.Fatal(err)
		}
		checkText(t, text)
		for _, want := range wants {
			if !strings.Contains(text.Plain, want) {
				t.Errorf("the paragraph does not say %q:\n%s", want, text.Plain)
			}
		}
	}
	o := cpace.Solver{Epsilon: 1, LipQ: 60, K: 20, Batch: 20, MaxSamples: 400, CertificateEpisodes: 200, Horizon: 40}
	found, err := o.Solve(ctx, envs.Tiger{}, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := runs.Verify(ctx, runs.Of(found))
	if err != nil {
		t.Fatal(err)
	}
	tell(methods.Study{Solution: found, Verified: &c}, "candidates in", "other random numbers: its value is in [", "fails with a probability of 5 %", "batch = 20", "max samples = 400",
		"over 200 simulated episodes", "because nothing new turned up")
	run, err := runs.Explore(ctx, envs.Tiger{}, certified.Solver{Epsilon: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = runs.Verify(ctx, run); err != nil {
		t.Fatal(err)
	}
	tell(methods.Study{Solution: runs.SolutionOf(run), Verified: &c}, "(proved)", "from the samples and the model alone confirmed that V* is in [19.", "Smith and Simmons, 2005", "proved to earn the lower bound")
	interrupted, cancel := context.WithCancel(ctx)
	cancel()
	if found, err = o.Solve(interrupted, envs.Tiger{}, bcpace.Control{}); err != nil {
		t.Fatal(err)
	}
	tell(methods.Study{Solution: found}, "depend on the machine")
	withdrawn := *found
	withdrawn.InSetUp, withdrawn.StandIn, withdrawn.Certificate = true, runs.StandInFirst, bcpace.Certificate{Kind: bcpace.PolicyInterval, Lower: 1, Upper: 2, LowerBy: bcpace.BySimulation, UpperBy: bcpace.BySimulation, Delta: 0.05}
	tell(methods.Study{Solution: &withdrawn}, "cut short in the set-up", "value of the policy found is in [1.00, 2.00]")
}

// A time limit is told, as the result then depends on the machine.
func TestLimitOfTime(t *testing.T) {
	study := of(t, "pomcp", envs.Tiger{})
	s, err := solvers.Set(study.Solution.Solver, "budget", "1ms")
	if err != nil {
		t.Fatal(err)
	}
	study.Solution.Solver = s
	text, err := study.Write()
	if err != nil || !strings.Contains(text.Plain, "depend on the machine") || strings.Contains(text.Plain, "bit for bit") {
		t.Errorf("%v: %s", err, text.Plain)
	}
}

// What is no study is refused with what would be right.
func TestRefused(t *testing.T) {
	good := &bcpace.Solution{Solver: fixed{"ours", ""}, Spec: envs.Tiger{}.Spec(), Certificate: solverkit.RangeCertificate(envs.Tiger{}.Spec())}
	with := func(papers ...methods.Citation) *bcpace.Solution {
		s := *good
		s.Solver = cited{fixed{"ours", ""}, papers}
		return &s
	}
	paper := methods.Citation{Kind: "misc", Key: "me2026", Authors: []string{"Me, My"}, Title: "Ours", Year: 2026}
	simulated := func(delta float64) *bcpace.Solution {
		s := *good
		s.Certificate = bcpace.Certificate{Kind: bcpace.StatisticalCertificate, LowerBy: bcpace.BySimulation, Delta: delta}
		return &s
	}
	named := func(key, value string) *bcpace.Solution {
		s := *good
		s.Spec.Params = []bcpace.Param{{Key: key, Value: value}}
		return &s
	}
	taken, capitals, system := paper, paper, paper
	taken.Key, capitals.Key, system.Key = "lee2018", "ME2026", "BayesCPACE"
	for name, s := range map[string]methods.Study{
		"no solution":       {},
		"no solver":         {Solution: &bcpace.Solution{Spec: good.Spec}},
		"no model":          {Solution: &bcpace.Solution{Solver: good.Solver}},
		"no episodes":       {Solution: good, Evaluation: &eval.Result{}},
		"no seeds":          {Solution: good, Repeats: &methods.Repeats{Measure: "the value"}},
		"no measure":        {Solution: good, Repeats: &methods.Repeats{Seeds: 3}},
		"nothing":           {Solution: with(methods.Citation{})},
		"key of the paper":  {Solution: with(taken)},
		"key of the system": {Solution: with(system)},
		"key twice":         {Solution: with(paper, capitals)},
		"same twice":        {Solution: with(paper, paper)},
		"no failure":        {Solution: simulated(0)},
		"sure failure":      {Solution: simulated(1)},
		"failure":           {Solution: simulated(math.NaN())},
		"verified failure":  {Solution: good, Verified: &bcpace.Certificate{Kind: bcpace.PolicyInterval}},
		"two lines":         {Solution: named("a", "1\n2")},
		"a bell":            {Solution: named("a\a", "1")},
		"a measure's lines": {Solution: good, Repeats: &methods.Repeats{Seeds: 3, Measure: "the\r\nvalue"}},
	} {
		if text, err := s.Write(); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%s: %v, %v", name, text, err)
		}
	}
	text, err := methods.Study{Solution: with(paper), Repeats: &methods.Repeats{Seeds: 3, Measure: "the value", Interval: eval.IntervalOf([]float64{1, 2, 4})}}.Write()
	if err != nil || !strings.Contains(text.Plain, "ours (Me, 2026)") || !strings.Contains(text.Plain, "under 3 seeds: the value was 2.3 (95 % interval [−1.5, 6.2] by Student's t) over the seeds") {
		t.Errorf("%v: %s", err, text.Plain)
	}
	checkText(t, text)
}

// A mean return is told with what its interval rests on.
func TestIntervalKindIsTold(t *testing.T) {
	for by, want := range map[eval.IntervalKind]string{
		eval.ByStudent: "by Student's t)", eval.ByRange: "by the range of returns)", eval.InDoubt: "by Student's t, in doubt)",
	} {
		text, err := methods.Study{Solution: &bcpace.Solution{Solver: fixed{"ours", ""}, Spec: envs.Tiger{}.Spec()},
			Evaluation: &eval.Result{Episodes: 9, Horizon: 5, Mean: 1, CI95: [2]float64{-7, 2}, CI95By: by}}.Write()
		if err != nil || !strings.Contains(text.Plain, "(95 % interval [−7.0, 2.0] "+want) {
			t.Errorf("%s: %s, %v", by, text.Plain, err)
		}
	}
}

// A reference that is the toolkit's own may be cited again, under its key.
func TestCitesThePaper(t *testing.T) {
	study := methods.Study{Solution: &bcpace.Solution{Solver: fixed{"ours", ""}, Spec: envs.Tiger{}.Spec()}}
	text, err := study.Write()
	if err != nil {
		t.Fatal(err)
	}
	study.Solution.Solver = cited{fixed{"ours", ""}, text.References[1:]}
	if text, err = study.Write(); err != nil || !strings.Contains(text.Plain, "ours (Lee et al., 2018)") {
		t.Errorf("%v: %s", err, text.Plain)
	}
	checkText(t, text)
}

// The plain text has names as letters, and BibTeX has them as they were given.
func TestCitesNames(t *testing.T) {
	names := []string{`{Östlund}, X.`, `Erdős, P.`}
	study := methods.Study{Solution: &bcpace.Solution{Spec: envs.Tiger{}.Spec(), Solver: cited{fixed{"ours", ""},
		[]methods.Citation{{Kind: "misc", Key: "theirs2026", Authors: names, Title: "Theirs", Year: 2026}}}}}
	text, err := study.Write()
	if err != nil || !strings.Contains(text.Plain, "ours (Östlund and Erdős, 2026)") || !strings.Contains(text.BibTeX(), "author = {"+strings.Join(names, " and ")+"}") {
		t.Errorf("%v: %s\n%s", err, text.Plain, text.BibTeX())
	}
	checkText(t, text)
}

// What is no number is no sentence.
func TestNotANumber(t *testing.T) {
	nan := math.NaN()
	none := eval.Interval{Mean: nan, Lo: nan, Hi: nan}
	for _, c := range []bcpace.Certificate{{Lower: nan, Upper: 1}, {Lower: 1, Upper: nan}, {Kind: bcpace.PolicyInterval, Lower: nan, Upper: nan, Delta: 0.05}} {
		text, err := methods.Study{Solution: &bcpace.Solution{Solver: fixed{"ours", ""}, Spec: envs.Tiger{}.Spec(), Certificate: c}, Verified: &c,
			Evaluation: &eval.Result{Episodes: 1, Mean: nan}, Repeats: &methods.Repeats{Seeds: 1, Measure: "the value", Interval: none}}.Write()
		if err != nil {
			t.Fatal(err)
		}
		checkText(t, text)
		for _, claim := range []string{"V*", "policy", "verification", "episode", "repeated"} {
			if strings.Contains(text.Plain, claim) {
				t.Errorf("the paragraph speaks of a %s: %s", claim, text.Plain)
			}
		}
	}
}

// Digits of a bound about 0 are those that its distance from the other one and the size of
// the returns give a meaning.
func TestBoundAboutZero(t *testing.T) {
	for want, bounds := range map[string][2]float64{
		"at least −0.49929 (proved), and at most 0.00001 (proved)":       {-0.499282684621357, 1.2e-14},
		"at least −0.00000001 (proved), and at most 0.00000001 (proved)": {-1e-15, 1.2e-14},
		"at least 0.00000000 (proved), and at most 0.00000001 (proved)":  {1.2e-17, 1.2e-17},
		"at least 0 (proved), and at most 0 (proved)":                    {math.Copysign(0, -1), 0},
	} {
		c := bcpace.Certificate{Lower: bounds[0], Upper: bounds[1], LowerBy: bcpace.ByProof, UpperBy: bcpace.ByProof}
		text, err := methods.Study{Solution: &bcpace.Solution{Solver: fixed{"ours", ""}, Spec: envs.Tiger{}.Spec(), Certificate: c}}.Write()
		if err != nil || !strings.Contains(text.Plain, want) {
			t.Errorf("%v: %v, want %q in %s", bounds, err, want, text.Plain)
		}
	}
}

// citesNothing is a solver of one's own that cites a paper and has no reference for it.
type citesNothing struct{}

func (citesNothing) Name() string { return "cites-nothing" }

func (c citesNothing) Solve(_ context.Context, m bcpace.Model, _ bcpace.Control) (*bcpace.Solution, error) {
	return &bcpace.Solution{Solver: c, Spec: m.Spec(), Certificate: solverkit.RangeCertificate(m.Spec())}, nil
}

func (citesNothing) About() solverkit.About { return solverkit.About{Cited: "a search [@me2020]"} }

// TestCitationWithoutReference: the error names the key that no reference has.
func TestCitationWithoutReference(t *testing.T) {
	found, err := citesNothing{}.Solve(t.Context(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (methods.Study{Solution: found}).Write(); !errors.As(err, new(*bcpace.InputError)) || !strings.Contains(err.Error(), "me2020") {
		t.Errorf("error %v, want an InputError that names me2020", err)
	}
}
