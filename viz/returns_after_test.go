package viz

import "testing"

// Returns of later episodes are counted from the first of them on.
func TestReturnsAfter(t *testing.T) {
	values := returnsOf(40)
	x := must(Returns{Values: values, After: 640}.Figure()).Panels[0].X.Min
	if y := must(Returns{Values: values}.Figure()).Panels[0].X.Min; x != y+640 {
		t.Errorf("the axis begins at %v after 640 episodes, and at %v after none", x, y)
	}
	if _, err := (Returns{Values: values, After: -1}).Figure(); err == nil {
		t.Error("no error for After below 0")
	}
}
