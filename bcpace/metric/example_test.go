package metric_test

import (
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/metric"
)

// Two queries of the same action are apart by state, control and belief.
func ExampleQueries() {
	spec := bcpace.Spec{Axes: []bcpace.Axis{{Name: "x", Max: 10, Scale: 2}}, Latents: []string{"light", "heavy"},
		Actions: []bcpace.Action{{Name: "wait"}, {Name: "push", Box: []bcpace.Axis{{Name: "force", Unit: "N", Min: -1, Max: 1, Scale: 0.5}}}}}
	soft, err := spec.ActionID(1, []float64{0.25})
	if err != nil {
		fmt.Println(err)
		return
	}
	hard, err := spec.ActionID(1, []float64{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := metric.NewQueries(spec, 1)
	here, there, b, sure := []float64{3}, []float64{5}, bcpace.Belief{0.5, 0.5}, bcpace.Belief{1, 0}
	fmt.Println(m.Distance(here, b, soft, there, sure, hard))
	fmt.Println(m.Distance(here, b, 0, here, b, hard))
	// Output:
	// 3.5
	// +Inf
}
