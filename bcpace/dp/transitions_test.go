package dp

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
)

// drifting is a model whose latent moves by rows of its own: to[row][φ] is
// P(φ'|φ,s,a), or nil where φ stays.
type drifting struct {
	bcpace.Finite
	to [][][]float64
}

func (m drifting) LatentKind() bcpace.LatentKind { return bcpace.Redrawn }

func (m drifting) LatentTransition(p, s []float64, action, latent int) bool {
	q := m.to[int(s[0])*len(m.Spec().Actions)+action][latent]
	copy(p, q)
	return q != nil
}

// randomDrifting draws a model in which about half of the rows move the latent;
// in some of the others, LatentTransition says that it stays.
func randomDrifting(t *testing.T, rng *rand.Rand) drifting {
	states, actions, latents := 1+rng.IntN(4), 1+rng.IntN(3), 1+rng.IntN(5)
	simplex := func(n int) []float64 {
		p, sum := make([]float64, n), 0.0
		for i := range p {
			if i == 0 || rng.IntN(3) > 0 {
				p[i] = rng.Float64() + 0.01
			}
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		rng.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
		return p
	}
	tables := bcpace.Tables{Discount: 0.9, P: make([][][][]float64, latents), R: make([][][]float64, latents)}
	for φ := range latents {
		for a := range actions {
			tables.P[φ], tables.R[φ] = append(tables.P[φ], nil), append(tables.R[φ], nil)
			for range states {
				tables.P[φ][a], tables.R[φ][a] = append(tables.P[φ][a], simplex(states)), append(tables.R[φ][a], rng.NormFloat64())
			}
		}
	}
	f, err := bcpace.FromTables(tables)
	if err != nil {
		t.Fatal(err)
	}
	m := drifting{Finite: f, to: make([][][]float64, states*actions)}
	for r := range m.to {
		m.to[r] = make([][]float64, latents)
		how := rng.IntN(4)
		for φ := range latents {
			switch {
			case how == 1: // it stays, in so many words
				m.to[r][φ] = bcpace.OneHot(latents, φ)
			case how > 1 && rng.IntN(3) > 0:
				m.to[r][φ] = simplex(latents)
			}
		}
	}
	return m
}

// TestTransitionsMoveLatent compares beliefs and backups with those by the full
// matrices P(φ'|φ,s,a), and expects rows that do not move the latent to have none.
func TestTransitionsMoveLatent(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	for range 300 {
		m := randomDrifting(t, rng)
		d, err := ListTransitions(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		n, entries := d.Latents, 0
		for r := range d.States * d.Actions {
			b, v := make(bcpace.Belief, n), make([]float64, n)
			sum := 0.0
			for φ := range n {
				b[φ], v[φ] = rng.Float64(), rng.NormFloat64()
				sum += b[φ]
			}
			move := make([][]float64, n)
			stays := true
			for φ := range n {
				b[φ] /= sum
				if move[φ] = m.to[r][φ]; move[φ] == nil {
					move[φ] = bcpace.OneHot(n, φ)
				}
				stays = stays && move[φ][φ] == 1
			}
			if !stays {
				for φ := range n {
					entries += n - countZeros(move[φ])
				}
			}
			if d.movesLatent(r) == stays {
				t.Fatalf("row %d: movesLatent is %v for %v", r, !stays, move)
			}
			for e, end := d.Entries(r); e < end; e++ {
				next, scratch := make(bcpace.Belief, n), make([]float64, n)
				got := d.Update(next, b, r, e, scratch)
				want, w := make(bcpace.Belief, n), 0.0
				share := make([]float64, n)
				for φ := range n {
					p := b[φ] * d.Prob(e)[φ]
					w += p
					for to, q := range move[φ] {
						want[to] += p * q
						share[φ] += 0.9 * d.Prob(e)[φ] * q * v[to]
					}
				}
				out := make([]float64, n)
				d.AddBackup(out, v, r, e)
				for φ := range n {
					if math.Abs(out[φ]-share[φ]) > 1e-12 {
						t.Fatalf("row %d: latent %d pulls %v, want %v", r, φ, out[φ], share[φ])
					}
					if math.Abs(got-w) > 1e-12 || w > 0 && math.Abs(next[φ]-want[φ]/w) > 1e-12 {
						t.Fatalf("row %d: belief %v with probability %v, want %v by %v", r, next, got, want, w)
					}
				}
			}
		}
		if len(d.moves.To) != entries || len(d.moves.Share) != entries {
			t.Fatalf("%d entries for how the latent moves, want %d", len(d.moves.To), entries)
		}
	}
}

func countZeros(p []float64) (n int) {
	for _, x := range p {
		if x == 0 {
			n++
		}
	}
	return n
}

// TestTransitionsTooLarge gives ever more memory until the tables fit: below, the
// error has the numbers, and what is counted is what is made.
func TestTransitionsTooLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 8))
	for range 100 {
		m := randomDrifting(t, rng)
		d, err := ListTransitions(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		lists := 8*(len(d.row)-1) + 4*len(d.mean) + 4*len(d.next) + 4*len(d.to) + 4*len(d.kind) + len(d.done) + d.probs.Bytes() + d.rewards.Bytes() + 8*d.States + // of classes
			4*len(d.mover) + 8*len(d.moves.From) + 4*len(d.moves.To) + 8*len(d.moves.Share)
		p, err := d.latentMDP(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		bounds, err := p.bounds(t.Context(), d, 1)
		if err != nil {
			t.Fatal(err)
		}
		// The values of the latent MDPs are there twice, once with rewards negated.
		lists += 8*(len(p.Row)-1) + 8*len(p.Reward) + 4*len(p.Col) + 8*len(p.Weight) +
			8*(3*len(bounds.Latent.Table)+len(bounds.FIB.Table)+len(bounds.Blind.Table)+len(bounds.Worst.Table))
		size := float64(lists)
		within := func(limit float64) error {
			d, err := listWithin(t.Context(), m, "", limit)
			if err == nil {
				_, err = d.Bounds(t.Context(), 1)
			}
			return err
		}
		if err := within(size); err != nil {
			t.Errorf("%v bytes: %v", size, err)
		}
		for _, part := range []float64{0, 0.1, 0.5, 0.9, 1 - 1/size} {
			err := within(part * size)
			if unsupported := new(bcpace.UnsupportedError); !errors.As(err, &unsupported) {
				t.Errorf("%v of %v bytes: %v, want an UnsupportedError", part*size, size, err)
			}
		}
	}
}

// vast is a model of more states than any memory holds.
type vast struct{ bcpace.Finite }

func (vast) NumStates() int                                 { return 1 << 40 }
func (vast) Successors(*bcpace.Successors, []float64, int)  { panic("its transitions are listed") }
func (m vast) StateIndex(s []float64) int                   { return m.Finite.StateIndex(s) }
func (vast) LatentKind() bcpace.LatentKind                  { return bcpace.Deterministic }
func (vast) LatentTransition(_, _ []float64, _, _ int) bool { return false }

// TestTransitionsOutOfReach expects a model too large for memory to be refused before
// anything is listed, with the numbers and what to do.
func TestTransitionsOutOfReach(t *testing.T) {
	m := randomDrifting(t, rand.New(rand.NewPCG(3, 8)))
	_, err := ListTransitions(t.Context(), vast{m.Finite})
	if unsupported := new(bcpace.UnsupportedError); !errors.As(err, &unsupported) {
		t.Fatalf("error %v, want an UnsupportedError", err)
	}
	for _, want := range []string{"2 GB", "1099511627776 states", " actions", " latents", "merge states", "SARSOP"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q, want it to say %q", err, want)
		}
	}
}

// TestTransitionsOfManyLatents expects the memory of how a latent moves to be that of
// the latents that it moves to, and no square of their number.
func TestTransitionsOfManyLatents(t *testing.T) {
	const n = 20_000 // whose square of numbers would take 3 GB
	tables := bcpace.Tables{Discount: 0.9}
	for range n {
		tables.P, tables.R = append(tables.P, [][][]float64{{{1}}}), append(tables.R, [][]float64{{0}})
	}
	f, err := bcpace.FromTables(tables)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ListTransitions(t.Context(), turning{f})
	if err != nil {
		t.Fatal(err)
	}
	b := bcpace.OneHot(n, n-1)
	next := make(bcpace.Belief, n)
	if w := d.Update(next, b, 0, 0, make([]float64, n)); w != 1 || !slices.Equal(next, bcpace.OneHot(n, 0)) {
		t.Errorf("the last latent does not move to the first: probability %v", w)
	}
}

// turning moves every latent to the next one.
type turning struct{ bcpace.Finite }

func (turning) LatentKind() bcpace.LatentKind { return bcpace.Deterministic }

func (turning) LatentTransition(p, _ []float64, _, latent int) bool {
	clear(p)
	p[(latent+1)%len(p)] = 1
	return true
}
