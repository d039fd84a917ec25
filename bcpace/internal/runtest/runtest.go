// Package runtest has what tests of several explorers need: a model with continuous
// states whose values are known, contexts that end, and run files that are altered.
package runtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
)

// LineModel is a walk on [0, 1]: an action moves by a step to the left or right, or
// stays, with noise of two atoms. Rewards are smooth in the place and depend on
// the latent. So does a signal on the second axis, the more the further right.
type LineModel struct {
	step, noise, tell float64
	gain, phase       [2]float64
	redraw            bool // staying draws the latent anew
}

// NewLine draws a line.
func NewLine(rng *rand.Rand, redraw bool) LineModel {
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	return LineModel{
		step: between(0.1, 0.3), gain: [2]float64{between(0.5, 1), between(0.5, 1)},
		phase: [2]float64{between(0, 6), between(0, 6)}, noise: between(0.01, 0.1), tell: between(0.05, 0.4), redraw: redraw,
	}
}

func (m LineModel) Spec() bcpace.Spec {
	return bcpace.Spec{Name: "line", Axes: []bcpace.Axis{{Name: "x", Max: 1}, {Name: "signal", Max: 1, Discrete: true, Scale: math.Inf(1)}},
		Actions: bcpace.Actions("left", "stay", "right"), Latents: []string{"a", "b"}, Discount: 0.8, RewardMin: -1, RewardMax: 1}
}
func (m LineModel) Prior(b bcpace.Belief)                  { b[0], b[1] = 0.4, 0.6 }
func (m LineModel) Start(s []float64, _ int, _ *rand.Rand) { s[0], s[1] = 0.35, 0 }
func (m LineModel) Starts(z *bcpace.Successors) {
	s, p, _ := z.Add(false)
	s[0], p[0], p[1] = 0.35, 1, 1
}
func (m LineModel) reward(x float64, latent, a int) float64 {
	return m.gain[latent] * math.Sin(3*x+m.phase[latent]+float64(a)/5)
}

// signal is the probability of signal 1.
func (m LineModel) signal(x float64, latent int) float64 {
	if latent == 0 {
		return 0.5 + m.tell*x
	}
	return 0.5 - m.tell*x
}

// places lists where an action leads, each place once; noise may end at a wall.
func (m LineModel) places(x float64, a int) (to []float64) {
	x += float64(a-1) * m.step
	down, up := min(max(x-m.noise, 0), 1), min(max(x+m.noise, 0), 1)
	if down == up {
		return []float64{down}
	}
	return []float64{down, up}
}

func (m LineModel) Successors(z *bcpace.Successors, s []float64, a int) {
	to := m.places(s[0], a)
	for _, x := range to {
		for signal := range 2 {
			next, p, r := z.Add(false)
			next[0], next[1] = x, float64(signal)
			for φ := range 2 {
				q := m.signal(x, φ)
				if signal == 0 {
					q = 1 - q
				}
				p[φ], r[φ] = q/float64(len(to)), m.reward(s[0], φ, a)
			}
		}
	}
}

func (m LineModel) Step(next, s []float64, latent, a int, rng *rand.Rand) bcpace.Outcome {
	to := m.places(s[0], a)
	next[0], next[1] = to[rng.IntN(len(to))], 0
	if rng.Float64() < m.signal(next[0], latent) {
		next[1] = 1
	}
	return bcpace.Outcome{Reward: m.reward(s[0], latent, a)}
}

func (m LineModel) LogLikelihood(s []float64, a int, next []float64, latent int) float64 {
	p := m.signal(next[0], latent)
	switch {
	case !slices.Contains(m.places(s[0], a), next[0]):
		return math.Inf(-1)
	case next[1] == 1:
		return math.Log(p)
	}
	return math.Log(1 - p)
}

func (m LineModel) LatentKind() bcpace.LatentKind {
	if m.redraw {
		return bcpace.Redrawn
	}
	return bcpace.Static
}

func (m LineModel) LatentTransition(p []float64, _ []float64, a, _ int) bool {
	if m.redraw && a == 1 {
		p[0], p[1] = 0.4, 0.6
	}
	return m.redraw && a == 1
}

// The frame of a run file: magic, version, length of the header, header, body, checksum.
const (
	magic   = "bcp-run\n"
	version = 6
	fixed   = len(magic) + 8
)

// Reseal gives bytes the frame of a run file where they are long enough, so
// that a fuzzer gets past magic, version and checksum.
func Reseal(data []byte) []byte {
	if len(data) < fixed+sha256.Size {
		return data
	}
	out := append([]byte(magic), data[len(magic):len(data)-sha256.Size]...)
	binary.LittleEndian.PutUint32(out[len(magic):], version)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}

// WithHeader changes the header of a run file.
func WithHeader(file []byte, change func(map[string]any)) []byte {
	h, n := header(file)
	change(h)
	head, err := json.Marshal(h)
	if err != nil {
		panic(err)
	}
	out := append([]byte(magic), file[len(magic):len(magic)+4]...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(head)))
	return Reseal(append(append(out, head...), file[fixed+n:]...))
}

// header returns the header of a run file and its length.
func header(file []byte) (h map[string]any, n int) {
	n = int(binary.LittleEndian.Uint32(file[len(magic)+4:]))
	in := json.NewDecoder(bytes.NewReader(file[fixed : fixed+n]))
	in.UseNumber() // counts and seeds keep their digits
	if err := in.Decode(&h); err != nil {
		panic(err)
	}
	return h, n
}

// WithState changes the state in a run file, which has one.
func WithState(file []byte, change func([]byte) []byte) []byte {
	h, _ := header(file)
	n, err := h["State"].(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	at := len(file) - sha256.Size - int(n)
	state := change(bytes.Clone(file[at : len(file)-sha256.Size]))
	out := append(append(bytes.Clone(file[:at]), state...), make([]byte, sha256.Size)...)
	return WithHeader(out, func(h map[string]any) {
		body, err := h["Body"].(json.Number).Int64()
		if err != nil {
			panic(err)
		}
		h["State"], h["Body"] = len(state), int(body)+len(state)-int(n)
	})
}

// TB is what testing.TB and rapid.TB have in common, as far as it is needed.
type TB interface {
	Helper()
	Fatal(...any)
}

// Explored returns the run file of what s finds in m with some workers.
func Explored(t TB, m bcpace.Model, s runs.Explorer, workers int) []byte {
	t.Helper()
	r, err := s.Explore(context.Background(), m, bcpace.Control{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return Bytes(t, r)
}

// GoOn resumes a run of any solver for a little while.
func GoOn(r *runs.Run) {
	s := With(r.Solver, func(o *cpace.Solver) { o.Batch, o.CertificateEpisodes = min(o.Batch, 10), -1 },
		func(s *certified.Solver) { s.Batch, s.CertificateEpisodes = min(s.Batch, 10), -1 })
	_, _ = runs.Resume(Asked(100), r, s)
}

// Bytes returns the run file of r.
func Bytes(t TB, r *runs.Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := r.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// With returns s with parameters that one of the two functions has changed.
func With(s runs.Explorer, paper func(*cpace.Solver), search func(*certified.Solver)) runs.Explorer {
	switch s := s.(type) {
	case cpace.Solver:
		paper(&s)
		return s
	case certified.Solver:
		search(&s)
		return s
	}
	return s
}

// patient is a context that is cancelled when it is asked for the n-th time: at
// the end of a round, within an episode, or within the search for a fixed point.
type patient struct {
	context.Context
	left atomic.Int64
}

// Err implements context.Context.
func (c *patient) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Asked returns a context that ends when it is asked for the n-th time.
func Asked(n int) context.Context {
	c := &patient{Context: context.Background()}
	c.left.Store(int64(n))
	return c
}

// Lacks ends a test that needs what this machine lacks: it is skipped, but in CI, which must
// have everything, it fails.
func Lacks(t interface {
	TB
	Skip(...any)
}, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
