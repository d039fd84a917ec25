package problem_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/robust"
	"bayescpace/bcpace/solvers"
)

// partly is a random POMDP of which the start reaches the first states alone. Their latent moves in a certain way; what
// follows the others, and whether that tells how the latent has moved, is arbitrary.
type partly struct {
	reached, all, actions, observations int
	move, sense                         [][][]float64 // by action: rows
	reward                              [][]float64
	start                               []float64
}

func newPartly(rng *rand.Rand) *partly {
	m := &partly{reached: 1 + rng.IntN(3), actions: 1 + rng.IntN(2), observations: 2}
	m.all = m.reached + 1 + rng.IntN(3)
	row := func(n, among int) []float64 {
		p, sum := make([]float64, n), 0.0
		for i := range among {
			if p[i] = float64(rng.IntN(4)); i == among-1 && sum == 0 {
				p[i] = 1
			}
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		return p
	}
	for range m.actions {
		var move, sense [][]float64
		var reward []float64
		for s := range m.all {
			next := row(m.all, m.all)
			if s < m.reached {
				clear(next)
				next[rng.IntN(m.reached)] = 1
			}
			move, sense, reward = append(move, next), append(sense, row(m.observations, m.observations)), append(reward, float64(rng.IntN(21)-10))
		}
		m.move, m.sense, m.reward = append(m.move, move), append(m.sense, sense), append(m.reward, reward)
	}
	m.start = row(m.all, m.reached)
	return m
}

// text returns the model as a file.
func (m *partly) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "discount: 0.9\nvalues: reward\nstates: %d\nactions: %d\nobservations: %d\nstart:", m.all, m.actions, m.observations)
	line := func(p []float64) {
		for _, x := range p {
			fmt.Fprint(&b, " ", x)
		}
		fmt.Fprintln(&b)
	}
	line(m.start)
	for a := range m.actions {
		fmt.Fprintf(&b, "T: %d\n", a)
		for _, p := range m.move[a] {
			line(p)
		}
		fmt.Fprintf(&b, "O: %d\n", a)
		for _, p := range m.sense[a] {
			line(p)
		}
		for s, r := range m.reward[a] {
			fmt.Fprintf(&b, "R: %d : %d : * : * %v\n", a, s, r)
		}
	}
	return b.String()
}

// value returns what the best policy earns in so many steps from unnormalised belief b.
func (m *partly) value(b []float64, steps int) float64 {
	if steps == 0 {
		return 0
	}
	best := math.Inf(-1)
	for a := range m.actions {
		q, after := 0.0, make([]float64, m.all)
		for s, p := range b {
			q += p * m.reward[a][s]
			for next, move := range m.move[a][s] {
				after[next] += p * move
			}
		}
		for o := range m.observations {
			seen := make([]float64, m.all)
			for s, p := range after {
				seen[s] = p * m.sense[a][s][o]
			}
			q += 0.9 * m.value(seen, steps-1)
		}
		best = max(best, q)
	}
	return best
}

// TestUnreached: states that the start cannot reach change nothing, in any door, whatever stands in their rows.
func TestUnreached(t *testing.T) {
	dependent := 0
	for seed := range uint64(25) {
		m := newPartly(rand.New(rand.NewPCG(seed, 7)))
		tables := read(t, m.text())
		tables.Horizon = 4
		want := m.value(m.start, 4)
		p, err := problem.OfTables(t.Context(), tables)
		if err != nil || p.NoBAMDP != nil {
			t.Fatalf("seed %d: %v, %v", seed, err, p.NoBAMDP)
		}
		without := p.Model.(interface{ Unstartable() []int }).Unstartable()
		dependent += len(without)
		var policy bcpace.Policy
		for _, name := range []string{solvers.Certified, solvers.BayesCPACE, solvers.SARSOP, "qmdp", "pomcp"} {
			s, err := p.Solver(name)
			if err != nil {
				t.Fatal(err)
			}
			found, err := p.Solve(t.Context(), s, bcpace.Control{Workers: 1})
			if err != nil {
				t.Errorf("seed %d, %s: %v\n%s", seed, name, err, m.text())
				continue
			}
			c, exact := found.Stated(), name == solvers.Certified || name == solvers.SARSOP
			if c.Lower > want+1e-6 || c.Upper < want-1e-6 || exact && !(c.Upper-c.Lower < 0.1) {
				t.Errorf("seed %d, %s: bounds %v and %v, want about %v", seed, name, c.Lower, c.Upper, want)
			}
			if name == solvers.Certified {
				policy = found.Policy
			}
			if r, err := found.Play(t.Context(), eval.Options{Episodes: 20, Seed: 1, Workers: 1}); err != nil || r.Episodes != 20 {
				t.Errorf("seed %d, %s plays: %v", seed, name, err)
			}
		}
		if policy == nil {
			continue
		}
		worst, err := robust.Solver{Epsilon: 0.1}.Solve(t.Context(), p.Model, bcpace.Control{Workers: 1})
		if err != nil {
			t.Errorf("seed %d, robust: %v", seed, err)
		} else if least := m.robust(4, without); worst.Certificate.Lower > least+1e-6 || worst.Certificate.Upper < least-1e-6 && len(m.possible(without)) == 1 {
			t.Errorf("seed %d, robust: bounds %v and %v, want about %v", seed, worst.Certificate.Lower, worst.Certificate.Upper, least)
		}
		if r, err := problem.Reached(t.Context(), p.Model, cover.ReachOptions{Depth: 3, Seed: 1}); err != nil || r.Points.Len() == 0 {
			t.Errorf("seed %d, reached: %v", seed, err)
		}
		finite, _ := bcpace.AsFinite(p.Model)
		if back, err := pomdp.FromBAMDP(t.Context(), finite); err != nil || back.Horizon != 4 {
			t.Errorf("seed %d, back to tables: %v", seed, err)
		}
	}
	if dependent == 0 {
		t.Error("no model has a latent that its BAMDP cannot begin with")
	}
}

// possible returns the latents that a prior may hold possible.
func (m *partly) possible(without []int) (latents []int) {
	for s := range m.all {
		if !slices.Contains(without, s) {
			latents = append(latents, s)
		}
	}
	return latents
}

// robust returns an upper bound of what is earned under the worst prior, which is exact where one latent alone is possible.
func (m *partly) robust(steps int, without []int) float64 {
	least := math.Inf(1)
	for _, s := range m.possible(without) {
		b := make([]float64, m.all)
		b[s] = 1
		least = min(least, m.value(b, steps))
	}
	return least
}
