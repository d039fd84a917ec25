package eval_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace/eval"
	"bayescpace/data"
)

// TestComparisonOfThePaper: what is best is what the paper's Table 2 has in bold.
func TestComparisonOfThePaper(t *testing.T) {
	table, err := data.Table2()
	if err != nil {
		t.Fatal(err)
	}
	var c eval.Comparison
	for _, r := range table {
		c.Set(r.Environment, r.Algorithm, r.Mean, r.HalfWidth)
	}
	for problem, want := range map[string][]string{
		"tiger": {"sarsop", "bayes-cpace"}, "chain": {"bayes-cpace"}, "light-dark-tiger": {"sarsop", "bayes-cpace"},
		"light-dark-tiger continuous": {"bayes-cpace"}, "another": nil,
	} {
		if best := c.Best(problem); !slices.Equal(best, want) {
			t.Errorf("%s: %v, want %v", problem, best, want)
		}
	}
}

func ExampleComparison() {
	var c eval.Comparison
	c.Set("tiger", "QMDP", 16.5, 0.81)
	c.Set("tiger", "SARSOP", 17.8, 1.92)
	c.Set("tiger", "Bayes-CPACE", 18, 1.4)
	c.Set("chain", "QMDP", 47.739, 0)
	c.Set("chain", "Bayes-CPACE", 47.7489, 0)
	fmt.Print(c.String())
	// Output:
	//        QMDP           SARSOP       Bayes-CPACE
	// tiger  16.50 ± 0.81   17.8 ± 1.9*  18.0 ± 1.4*
	// chain  47.739         –            47.7489*
}

func TestComparisonEscapes(t *testing.T) {
	var c eval.Comparison
	c.Set("a|b", "<script>", math.NaN(), 1)
	c.Set("zero", "<script>", 0, 120)
	// The half width that counts is that of the largest mean.
	c.Set("far", "vague", 1, 10)
	c.Set("far", "sharp", 2, 0.5)
	c.Set("near", "sharp", 1, 0.5)
	c.Set("near", "vague", 2, 10)
	if far, near := c.Best("far"), c.Best("near"); !slices.Equal(far, []string{"sharp"}) || !slices.Equal(near, []string{"vague", "sharp"}) {
		t.Errorf("best %q and %q", far, near)
	}
	if s := c.HTML(); strings.Contains(s, "<script>") || !strings.Contains(s, "<b>0 ± 120</b>") || !strings.Contains(s, "<td>–</td>") {
		t.Error(s)
	}
}
