package eval

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"bayescpace/bcpace"
	"bayescpace/data"
)

// Comparison is a table of mean returns with a row for each problem and a column
// for each algorithm, as in the paper's Table 2. Its zero value is empty.
//
// In a row, those are best whose mean is within the half width of the largest
// mean. It is the rule that the bold figures of the paper's Table 2 follow, and
// no test of a difference; for that see Difference.
type Comparison struct {
	Problems, Algorithms []string
	cells                map[[2]int]estimate // by problem and algorithm; none where it was not run
}

// estimate is a mean and the half width of its interval.
type estimate struct{ mean, half float64 }

// Set sets the mean of an algorithm on a problem, and the half width of its 95 %
// interval, which is 0 for an exact mean. It appends a new problem or algorithm at the
// end.
func (c *Comparison) Set(problem, algorithm string, mean, halfWidth float64) {
	if c.cells == nil {
		c.cells = make(map[[2]int]estimate)
	}
	c.cells[[2]int{place(&c.Problems, problem), place(&c.Algorithms, algorithm)}] = estimate{mean, halfWidth}
}

// SetResult is Set with the mean and 95 % interval of a Result. The half width is the larger
// one, if they differ.
func (c *Comparison) SetResult(problem, algorithm string, r Result) {
	c.Set(problem, algorithm, r.Mean, max(r.CI95[1]-r.Mean, r.Mean-r.CI95[0]))
}

// place returns where name stands in the list, to which it is added if it is new.
func place(list *[]string, name string) int {
	i := slices.Index(*list, name)
	if i < 0 {
		i = len(*list)
		*list = append(*list, name)
	}
	return i
}

// Best returns the algorithms that are best at a problem, in their order.
func (c *Comparison) Best(problem string) []string {
	var best []string
	if i := slices.Index(c.Problems, problem); i >= 0 {
		for j, name := range c.Algorithms {
			if c.best(i, j) {
				best = append(best, name)
			}
		}
	}
	return best
}

func (c *Comparison) best(problem, algorithm int) bool {
	own, ok := c.cells[[2]int{problem, algorithm}]
	if !ok {
		return false
	}
	top := own
	for j := range c.Algorithms {
		if e, ok := c.cells[[2]int{problem, j}]; ok && e.mean > top.mean {
			top = e
		}
	}
	return own.mean == top.mean || own.mean >= top.mean-top.half
}

// String writes the table in aligned columns, with a star behind what is best.
func (c *Comparison) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(append([]string{""}, c.Algorithms...), "\t"))
	for i, p := range c.Problems {
		row := []string{p}
		for j := range c.Algorithms {
			mark := " "
			if c.best(i, j) {
				mark = "*"
			}
			row = append(row, c.text(i, j)+mark)
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), " "))
	}
	w.Flush()
	return b.String()
}

// HTML writes the table as an HTML table, with what is best in bold.
func (c *Comparison) HTML() string {
	var b strings.Builder
	b.WriteString("<table>\n<thead><tr><th></th>")
	for _, a := range c.Algorithms {
		b.WriteString(`<th scope="col">` + html.EscapeString(a) + "</th>")
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for i, p := range c.Problems {
		b.WriteString(`<tr><th scope="row">` + html.EscapeString(p) + "</th>")
		for j := range c.Algorithms {
			b.WriteString("<td>" + c.bold(i, j, "<b>", "</b>") + "</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// bold writes a cell, between two marks where it is best.
func (c *Comparison) bold(problem, algorithm int, before, after string) string {
	if !c.best(problem, algorithm) {
		before, after = "", ""
	}
	return before + c.text(problem, algorithm) + after
}

// text writes a cell: the half width with two significant digits, the mean with
// as many decimals, and – where there is no result.
func (c *Comparison) text(problem, algorithm int) string {
	e, ok := c.cells[[2]int{problem, algorithm}]
	switch {
	case !ok || math.IsNaN(e.mean):
		return "–"
	case !(e.half > 0) || math.IsInf(e.half, 0):
		return fmt.Sprintf("%.6g", e.mean)
	}
	decimals := min(max(1-int(math.Floor(math.Log10(e.half))), 0), 12)
	return fmt.Sprintf("%.*f ± %.*f", decimals, e.mean, decimals, e.half)
}

// ReportGrid holds the settings to be tried.
type ReportGrid struct {
	Discounts []float64 // γ, in (0, 1)
	Horizons  []int     // T, steps of an episode, at least 1
	// Progress, if set, is called after each setting with the number of those
	// done, of len(Discounts)·len(Horizons). It must return quickly.
	Progress func(done int)
}

// ReportedProblem is a model at some discount, and the policies whose values were
// reported, in the order of the reports. A nil policy stands for the optimum,
// that of a policy that knows how many steps are left.
type ReportedProblem struct {
	Model    bcpace.Finite
	Policies []bcpace.Policy
}

// ReportedSetting is a discount and a horizon with what was found there.
type ReportedSetting struct {
	Discount float64   // γ
	Horizon  int       // T, steps of an episode
	Values   []float64 // exact, by policy, in reward units
	// Deviation is how far the values are from the reported means, in half widths
	// of the report: the root of the mean square of (value − mean)/half width. At
	// 1 or less, the values lie within the error of the report on average.
	Deviation float64
}

// SearchReported finds the discount γ and the horizon T under which exact values come nearest to reported
// ones, where a report does not say which it used. It computes the exact values of all policies at every setting of the grid,
// by Evaluate and Optimal, and returns them in the order of the
// discounts and then of the horizons. problem makes the problem of a discount.
//
// The error is the context's, that of problem, one of Evaluate, or a
// *bcpace.InputError for an empty grid, a horizon below 1, a report without a
// half width or of numbers that are not finite, or policies that are not as many as
// the reports. With it come the settings finished before.
func SearchReported(ctx context.Context, g ReportGrid, reports []data.Reported, problem func(discount float64) (ReportedProblem, error)) ([]ReportedSetting, error) {
	bad := bcpace.In("eval.SearchReported").Bad
	switch {
	case len(g.Discounts) == 0 || len(g.Horizons) == 0:
		return nil, bad("the grid", fmt.Sprintf("%d discounts and %d horizons", len(g.Discounts), len(g.Horizons)), "at least one of each")
	case len(reports) == 0:
		return nil, bad("reports", "none", "at least one")
	case slices.Min(g.Horizons) < 1:
		return nil, bad("a horizon", slices.Min(g.Horizons), "at least 1 step")
	}
	for _, r := range reports {
		if !(r.HalfWidth > 0) || math.IsInf(r.HalfWidth, 0) || math.IsNaN(r.Mean) || math.IsInf(r.Mean, 0) {
			return nil, bad("the report of "+r.Algorithm, fmt.Sprintf("%v ± %v", r.Mean, r.HalfWidth), "a finite mean with a positive half width")
		}
	}
	found := make([]ReportedSetting, 0, len(g.Discounts)*len(g.Horizons))
	for _, discount := range g.Discounts {
		p, err := problem(discount)
		if err != nil {
			return found, fmt.Errorf("problem at γ = %v: %w", discount, err)
		}
		if len(p.Policies) != len(reports) {
			return found, bad("policies", len(p.Policies), fmt.Sprintf("%d, as many as reports", len(reports)))
		}
		for _, horizon := range g.Horizons {
			s := ReportedSetting{Discount: discount, Horizon: horizon}
			if s.Values, err = reportedValues(ctx, p, horizon); err != nil {
				return found, fmt.Errorf("γ = %v, T = %d: %w", discount, horizon, err)
			}
			s.Deviation = deviation(s.Values, reports)
			found = append(found, s)
			if g.Progress != nil {
				g.Progress(len(found))
			}
		}
	}
	return found, nil
}

// reportedValues returns the exact values of the policies over the horizon.
func reportedValues(ctx context.Context, p ReportedProblem, horizon int) ([]float64, error) {
	v := make([]float64, len(p.Policies))
	for i, policy := range p.Policies {
		o := ExactOptions{Horizon: horizon}
		var e ExactValue
		var err error
		if policy == nil {
			e, err = Optimal(ctx, p.Model, o)
		} else {
			e, err = Evaluate(ctx, p.Model, policy, o)
		}
		if err != nil {
			return nil, err
		}
		v[i] = e.Value
	}
	return v, nil
}

// deviation is ReportedSetting.Deviation.
func deviation(values []float64, reports []data.Reported) float64 {
	sum := 0.0
	for i, r := range reports {
		d := (values[i] - r.Mean) / r.HalfWidth
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(reports)))
}

// NearestReported returns the n settings with the least deviation, or all where there
// are fewer, the nearest first and in their order where they are equal.
func NearestReported(found []ReportedSetting, n int) []ReportedSetting {
	sorted := slices.Clone(found)
	slices.SortStableFunc(sorted, func(a, b ReportedSetting) int { return cmp.Compare(a.Deviation, b.Deviation) })
	return sorted[:min(max(n, 0), len(sorted))]
}

// Reports returns what the paper's Table 2 reports of some algorithms on an
// environment, both by their names there, in the order asked for. The error is a
// *bcpace.InputError for one that is not in the table.
func Reports(environment string, algorithms ...string) ([]data.Reported, error) {
	table, err := data.Table2()
	if err != nil {
		return nil, err
	}
	reports := make([]data.Reported, len(algorithms))
	for k, name := range algorithms {
		i := slices.IndexFunc(table, func(r data.Reported) bool { return r.Environment == environment && r.Algorithm == name })
		if i < 0 {
			return nil, bcpace.In("reports of Table 2").Bad("environment and algorithm", fmt.Sprintf("%q, %q", environment, name), "a row of data.Table2")
		}
		reports[k] = table[i]
	}
	return reports, nil
}
