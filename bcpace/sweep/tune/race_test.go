package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// raced races settings whose values are normal round their means and share a part of their luck, and returns what
// is left and how many values that took.
func raced(means []float64, deviation float64, rungs []int, delta float64, rng *rand.Rand) (x *race, taken int) {
	x = newRace(make([]Candidate, len(means)), len(rungs), 0, delta)
	all := make([][]float64, len(means))
	for range rungs[len(rungs)-1] {
		luck := rng.NormFloat64()
		for i, m := range means {
			all[i] = append(all[i], m+deviation*(luck+rng.NormFloat64()))
		}
	}
	before := 0
	for k, seeds := range rungs {
		taken += len(x.left) * (seeds - before)
		before = seeds
		now := make([][]float64, len(means))
		for _, i := range x.left {
			now[i] = all[i][:seeds]
		}
		x.climb(k+1, now)
	}
	return x, taken
}

// TestBestStays: over 2,000 random races the best setting is dropped in no larger a part than Delta. With a
// probability of 0.05 for each, more than 0.05·2,000 + 4·√(0.05·0.95·2,000) ≈ 139 would happen by chance with a
// probability below 10⁻⁴; as the union bound is loose, far fewer are expected.
func TestBestStays(t *testing.T) {
	dropped, taken, whole := 0, 0, 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		means := make([]float64, 2+rng.IntN(20))
		best := 0
		for i := range means {
			if means[i] = rng.NormFloat64() * 2; means[i] > means[best] {
				best = i
			}
		}
		x, n := raced(means, 0.3, []int{4, 8, 16, 32}, 0.05, rng)
		taken, whole = taken+n, whole+32*len(means)
		if x.settings[best].Rung != 0 {
			dropped++
		}
		if len(x.left) == 0 || x.settings[x.leader].Rung != 0 {
			t.Fatalf("seed %d: %d settings are left, and the leader was dropped on rung %d", seed, len(x.left), x.settings[x.leader].Rung)
		}
	}
	if dropped > 139 {
		t.Errorf("the best was dropped in %d of 2,000 races, want 139 at most", dropped)
	}
	if share := float64(taken) / float64(whole); share > 0.5 {
		t.Errorf("the races took %.2f of all values, want less than half", share)
	}
	t.Logf("dropped %d of 2000, took %.3f", dropped, float64(taken)/float64(whole))
}

// TestEqualStay: settings of equal means are dropped with a probability of Delta at most, all together.
func TestEqualStay(t *testing.T) {
	races := 0
	for seed := range uint64(1000) {
		x, _ := raced(make([]float64, 8), 1, []int{4, 8, 16}, 0.05, rand.New(rand.NewPCG(seed, 9)))
		if len(x.left) < 8 {
			races++
		}
	}
	// Each of 8 settings may be dropped by 7 others: 8·0.05 of the races at most.
	if limit := 8 * 0.05 * 1000; float64(races) > limit {
		t.Errorf("a setting was dropped in %d of 1,000 races between equals, want %v at most", races, limit)
	}
}

// TestExact: values without luck leave the best alone, and equal ones beside it.
func TestExact(t *testing.T) {
	x := newRace(make([]Candidate, 3), 1, 0, 0.05)
	x.climb(1, [][]float64{{1, 1, 1}, {2, 2, 2}, {2, 2, 2}})
	if len(x.left) != 2 || x.settings[0].Rung != 1 || math.Abs(x.settings[0].Behind-1) > 1e-12 || x.leader != 1 {
		t.Errorf("left %v, settings %+v, leader %d", x.left, x.settings, x.leader)
	}
}

// TestFaults: a setting without values is dropped.
func TestFaults(t *testing.T) {
	x := newRace(make([]Candidate, 2), 1, 0, 0.05)
	x.climb(1, [][]float64{nil, {1, 2}})
	if len(x.left) != 1 || x.leader != 1 || x.settings[0].Rung != 1 {
		t.Errorf("left %v, leader %d, settings %+v", x.left, x.leader, x.settings)
	}
}

// TestFixedPart keeps the best of those that came to a rung, of equal ones the first, and all on the last rung.
func TestFixedPart(t *testing.T) {
	row := func(means ...float64) (values [][]float64) {
		for _, m := range means {
			if values = append(values, nil); m != 0 {
				values[len(values)-1] = []float64{m - 1, m + 1}
			}
		}
		return values
	}
	x := newRace(make([]Candidate, 8), 3, 3, 0)
	x.climb(1, row(1, 5, 2, 4, 4, 3, 1, 0)) // ⌊8/3⌋ = 2
	if !slices.Equal(x.left, []int{1, 3}) || x.leader != 1 || x.settings[4].Rung != 1 || x.settings[7].Rung != 1 || x.settings[0].Behind != 0 {
		t.Errorf("left %v, leader %d, settings %+v", x.left, x.leader, x.settings)
	}
	x.climb(2, row(0, 1, 0, 9, 0, 0, 0, 0)) // ⌊2/3⌋, but one
	if !slices.Equal(x.left, []int{3}) || x.leader != 3 || x.settings[1].Rung != 2 {
		t.Errorf("left %v, leader %d, settings %+v", x.left, x.leader, x.settings)
	}
	x = newRace(make([]Candidate, 4), 1, 2, 0)
	if x.climb(1, row(1, 2, 3, 3)); len(x.left) != 4 || x.leader != 2 {
		t.Errorf("left %v of the last rung, leader %d, want all and the first of the best", x.left, x.leader)
	}
	x = newRace(make([]Candidate, 6), 2, 2, 0)
	if x.climb(1, row(0, 0, 0, 0, 7, 0)); !slices.Equal(x.left, []int{4}) {
		t.Errorf("left %v, want the one with values", x.left)
	}
}
