//go:build long

package eval_test

import "testing"

// TestIntervalCoverageLong is TestIntervalCoverage for more numbers of episodes. Of 50 shares
// of 2000 trials each, and as many by range, one fails falsely with probability below
// 100·exp(−7.8) < 0.05, were the seed not fixed.
func TestIntervalCoverageLong(t *testing.T) {
	checkCoverage(t, []int{10, 30, 100, 300, 1000}, 2000, 0.905, 0.929)
}
