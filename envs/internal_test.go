package envs

import "testing"

// Of a room of two rows the border between the goals belongs to the top one; in
// higher rooms there is none, and each goal has its own.
func TestDarkGoalBorders(t *testing.T) {
	low, high := LightDarkTiger{Height: 2, Sigma: 0.1}, LightDarkTiger{Sigma: 0.1}
	for _, c := range []struct {
		m    LightDarkTiger
		x, y float64
		want int
	}{{low, 4, 0.5, 0}, {low, 4, 0.499, 1}, {low, 3.5, 0.501, 0}, {low, 3.499, 0, -1},
		{high, 4, 0.5, 1}, {high, 4, 0.501, -1}, {high, 4, 3.5, 0}, {high, 4, 3.499, -1}, {high, 3.5, 0, 1}} {
		if got := c.m.goal(c.x, c.y); got != c.want {
			t.Errorf("height %d: (%v, %v) is in goal %d, want %d", c.m.height(), c.x, c.y, got, c.want)
		}
	}
}

// The start is the centre, or the cell before it.
func TestDarkStart(t *testing.T) {
	for _, c := range []struct {
		m    LightDarkTiger
		x, y float64
	}{{LightDarkTiger{}, 2, 2}, {LightDarkTiger{Width: 4, Height: 6}, 1, 2}, {LightDarkTiger{Width: 4, Height: 6, Sigma: 0.1}, 1.5, 2.5}, {LightDarkTiger{StartAt: []float64{3, 1}}, 3, 1}} {
		if x, y := c.m.start(); x != c.x || y != c.y {
			t.Errorf("%+v starts at (%v, %v), want (%v, %v)", c.m, x, y, c.x, c.y)
		}
	}
}
