package pomcpow_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden/internal/hiddentest"
	"bayescpace/bcpace/hidden/pomcpow"
)

func TestNearsTheOptimum(t *testing.T) {
	hiddentest.NearsTheOptimum(t, pomcpow.Solver{NoWidening: true, Budget: bcpace.Budget{Simulations: 40_000, Depth: 7}}.Planner, 6)
}

func TestTiger(t *testing.T) {
	hiddentest.EarnsTheOptimum(t, pomcpow.Solver{Budget: bcpace.Budget{Simulations: 2000, Depth: 20}}.Planner, 100)
}

func TestCorners(t *testing.T) {
	hiddentest.Corners(t, pomcpow.Solver{Budget: bcpace.Budget{Simulations: 500, Depth: 20}}.Planner, true)
}
