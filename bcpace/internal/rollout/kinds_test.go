package rollout_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/pomdp"
)

// counts of what the policies of all workers were asked and told.
type counts struct{ forks, begins, acts, observes atomic.Int64 }

// choice is an action that every kind of policy takes where a belief is.
func choice(b []float64, actions int) int {
	weight := 0.0
	for i, p := range b {
		weight += float64(i+1) * p
	}
	return int(weight*7) % actions
}

// onModel, onTables and onHidden are policies of the three kinds that count.
type (
	onModel struct {
		*counts
		actions int
	}
	onTables struct{ onModel }
	onHidden struct{ onModel }
)

func (p onModel) Act(_ []float64, b bcpace.Belief, _ *rand.Rand) int {
	p.acts.Add(1)
	return choice(b, p.actions)
}
func (p onModel) Begin([]float64, bcpace.Belief)  { p.begins.Add(1) }
func (p onModel) Observe(int, float64, []float64) { p.observes.Add(1) }
func (p onModel) Fork() bcpace.Policy             { p.forks.Add(1); return p }

func (p onTables) Act(_ int, b []float64) int {
	p.acts.Add(1)
	return choice(b, p.actions)
}
func (p onTables) Fork() pomdp.Policy { p.forks.Add(1); return p }

func (p onHidden) Act(ctx context.Context, s []float64, b hidden.Belief, _ *rand.Rand) (int, error) {
	p.acts.Add(1)
	mean, variance := []float64{0}, []float64{0}
	b.Moments(mean, variance)
	return int(mean[0]*7) % p.actions, ctx.Err()
}
func (p onHidden) Begin()              { p.begins.Add(1) }
func (p onHidden) Fork() hidden.Policy { p.forks.Add(1); return p }

// kinds returns what plays episodes of a random model as each kind of world, with the policy of that kind.
func kinds(t *testing.T, seed uint64) map[string]func(ctx context.Context, workers int) (eval.Result, *counts, error) {
	t.Helper()
	m := randmodel.New(rand.New(rand.NewPCG(seed, 5)), randmodel.Varied(rand.New(rand.NewPCG(seed, 6))))
	tables, err := pomdp.FromBAMDP(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := hidden.FromModel(m)
	if err != nil {
		t.Fatal(err)
	}
	const episodes = 40
	horizon := min(12, cmp.Or(m.Spec().Horizon, 12))
	policy := func() (*counts, onModel) {
		c := new(counts)
		return c, onModel{c, len(m.Spec().Actions)}
	}
	options := func(workers int) eval.Options {
		return eval.Options{Episodes: episodes, Horizon: horizon, Seed: seed, Workers: workers}
	}
	return map[string]func(ctx context.Context, workers int) (eval.Result, *counts, error){
		"model": func(ctx context.Context, workers int) (eval.Result, *counts, error) {
			c, p := policy()
			r, err := eval.Rollouts(ctx, m, p, options(workers))
			return r, c, err
		},
		"tables": func(ctx context.Context, workers int) (eval.Result, *counts, error) {
			c, p := policy()
			r, err := pomdp.Rollouts(ctx, tables, onTables{p}, options(workers))
			return r, c, err
		},
		"hidden": func(ctx context.Context, workers int) (eval.Result, *counts, error) {
			c, p := policy()
			r, err := hidden.Simulate(ctx, vectors, onHidden{p}, hidden.Options{Episodes: episodes, Horizon: horizon, Seed: seed, Workers: workers, Filter: hidden.Particles{Number: 30}})
			return r, c, err
		},
	}
}

const models = 20

// TestKinds: in worlds of every kind each episode is begun once and each action is told but that which ends an episode, every
// worker has a policy of its own, any number of workers plays the same episodes, and the context ends them.
//
//test:race
func TestKinds(t *testing.T) {
	for seed := range uint64(models) {
		for kind, play := range kinds(t, seed) {
			r, c, err := play(t.Context(), 1)
			if err != nil {
				t.Fatalf("%s %d: %v", kind, seed, err)
			}
			if c.forks.Load() != 1 || int(c.acts.Load()) != r.Steps {
				t.Errorf("%s %d: %d forks and %d actions in %d steps of one worker", kind, seed, c.forks.Load(), c.acts.Load(), r.Steps)
			}
			if begins, told := int(c.begins.Load()), int(c.observes.Load()); kind != "tables" && (begins != r.Episodes || told != r.Steps-(r.Episodes-r.Cut)) {
				t.Errorf("%s %d: %d times Begin and %d times Observe in %d episodes, of which %d were cut, and %d steps", kind, seed, begins, told, r.Episodes, r.Cut, r.Steps)
			}
			again, c, err := play(t.Context(), 4)
			if err != nil || c.forks.Load() != 4 || !slices.Equal(again.Returns, r.Returns) || !slices.Equal(again.Lengths, r.Lengths) {
				t.Errorf("%s %d: %d forks for four workers, or other returns, %v", kind, seed, c.forks.Load(), err)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if r, c, err := play(ended, 2); !errors.Is(err, context.Canceled) || r.Episodes != 0 || c.acts.Load() != 0 {
				t.Errorf("%s %d: %d episodes and %d actions after the end, %v", kind, seed, r.Episodes, c.acts.Load(), err)
			}
		}
	}
}

// TestKindsSame: the episodes of each kind are those that they were, bit for bit on amd64. Elsewhere a product and a
// sum may be one instruction, which rounds once: there the sum of all numbers is the same to nine digits.
//
//test:race
func TestKindsSame(t *testing.T) {
	want := map[string]struct {
		bits uint64
		sum  float64
	}{"model": {0xa406e80654dc0685, 5862.81547183}, "tables": {0x69f8f94bc3376eac, 5972.96406785}, "hidden": {0xe3401b28d9f9d100, 6296.11576125}}
	for kind, want := range want {
		h, sum := fnv.New64a(), 0.0
		for seed := range uint64(models) {
			r, _, err := kinds(t, seed)[kind](t.Context(), 2)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range append(r.Returns, r.MeanTotal, r.Mean, r.StdErr, r.CI95[0], r.CI95[1], r.Range[0], r.Range[1]) {
				if i < len(r.Lengths) {
					x += float64(r.Lengths[i])
				}
				sum += x
				_ = binary.Write(h, binary.LittleEndian, math.Float64bits(x))
			}
		}
		if got := h.Sum64(); runtime.GOARCH == "amd64" && got != want.bits {
			t.Errorf("%s: the bits are %#x, want %#x", kind, got, want.bits)
		}
		if !(math.Abs(sum-want.sum) <= 1e-9*math.Abs(want.sum)) {
			t.Errorf("%s: the sum is %.12g, want %.12g", kind, sum, want.sum)
		}
	}
}
