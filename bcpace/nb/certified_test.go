package nb

import (
	"fmt"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

func TestCertifiedRunTable(t *testing.T) {
	r, err := bcpace.Explore(t.Context(), envs.Tiger{}, bcpace.Options{Algorithm: bcpace.Certified, Epsilon: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	rows := fmt.Sprint(runTable(r).Rows)
	for _, want := range []string{"lower bound, attained by the policy 19.3", "upper bound of every policy 19.3", "stop certified"} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q is missing from %s", want, rows)
		}
	}
	if strings.Contains(rows, "L_Q") {
		t.Errorf("a certified run has no L_Q: %s", rows)
	}
}
