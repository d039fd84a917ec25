// Package fingerprint tells whether two models are the same, by all that they do where it looks,
// so that what was computed for one is not taken for another.
package fingerprint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
)

// Print stands for a list of numbers. The digest tells any two lists apart,
// to the last bit. It is compared where it was made on the same platform; another
// one may round otherwise, and there the sums are compared.
type Print struct {
	Sums   [2]float64 // of w·x over all finite numbers x, with random w in [−1, 1)
	Size   float64    // of |x|; 0, as Sums are, where it is not a finite number
	Digest string     `json:",omitempty"` // 64 hexadecimal digits; "" in files that were written before there was one
}

// Platform names what may change how a model's numbers are rounded.
func Platform() string { return runtime.GOARCH + " " + runtime.Version() }

// Agrees compares x with a fingerprint that was made on the same platform or on
// another one.
func (p *Print) Agrees(y *Print, samePlatform bool) bool {
	if samePlatform && y.Digest != "" {
		return p.Digest == y.Digest
	}
	const rounding = 1e-10 // of the sum of some millions of numbers
	for i := range p.Sums {
		if !(math.Abs(p.Sums[i]-y.Sums[i]) <= rounding*p.Size) {
			return false
		}
	}
	return math.Abs(p.Size-y.Size) <= rounding*p.Size
}

// Hasher takes the numbers of a fingerprint one after the other.
type Hasher struct {
	sums    Print
	weights *rand.PCG
	hash    hash.Hash
	waiting *bufio.Writer // for the hash
	count   int           // of numbers
}

// NewHasher returns a Hasher that has taken nothing yet.
func NewHasher() *Hasher {
	h := sha256.New()
	return &Hasher{weights: rand.NewPCG(1, 2), hash: h, waiting: bufio.NewWriter(h)}
}

// Add takes numbers. In the sums, those that are not finite are left out.
func (h *Hasher) Add(values ...float64) {
	for _, v := range values {
		h.count++
		if math.IsNaN(v) {
			v = math.NaN() // one of them
		}
		h.waiting.Write(binary.LittleEndian.AppendUint64(h.waiting.AvailableBuffer(), math.Float64bits(v)))
		if !num.Finite(v) {
			continue
		}
		for i := range h.sums.Sums {
			h.sums.Sums[i] += h.weight() * v
		}
		h.sums.Size += math.Abs(v)
	}
}

// weight draws from [−1, 1), the numbers of 2*rand.Rand.Float64() − 1 without a call
// through its Source.
func (h *Hasher) weight() float64 {
	return 2*(float64(h.weights.Uint64()<<11>>11)/(1<<53)) - 1
}

// Print returns that of all numbers taken.
func (h *Hasher) Print() Print {
	h.waiting.Flush()
	f := h.sums
	if !num.Finite(f.Size) {
		f = Print{}
	}
	f.Digest = hex.EncodeToString(h.hash.Sum(nil))
	return f
}

// Of returns 64 hexadecimal digits that stand for all that m is made of
// and, unless they are nil, for latent values. A result that is kept under it is
// not taken for that of a model which has been changed.
//
// It is made from the Spec and the prior; the start distribution, which an
// Enumerator lists, and 256 draws from it; for a Finite model, the successors
// of every state and action with their probabilities, rewards and ends, and how
// the latent moves there; and for every model, what it does along some hundred
// trajectories of random actions with fixed seeds. A model that does not list its
// states is known by its trajectories alone, and one that lists more than 16 million
// numbers by those of states and actions that are spread evenly.
//
// The error is that of Validate, or a *ConformanceError where the model panics.
func Of(m bcpace.Model, latent bcpace.LatentValues) (string, error) {
	if err := bcpace.Validate(m); err != nil {
		return "", err
	}
	parts, err := PartsOf(m)
	if err != nil {
		return "", err
	}
	if latent != nil {
		values, err := OfLatent(m, latent)
		if err != nil {
			return "", err
		}
		parts = append(parts, values)
	}
	text := OfSpec(m.Spec())
	for _, p := range parts {
		text += " " + p.Digest
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text))), nil
}

// PartNames names what PartsOf returns a fingerprint of, in this order: what is
// named first is a cause of what differs after it.
var PartNames = [...]string{"prior", "start distribution", "successors, rewards, ends or latent dynamics", "steps"}

// PartsOf returns the fingerprints of what m is made of. The error is a
// *ConformanceError where the model panics.
func PartsOf(m bcpace.Model) (parts []Print, err error) {
	spec := m.Spec()
	defer spec.Guard(&err, "the model", nil, -1, -1)
	for _, list := range []func(bcpace.Model, *bcpace.Spec, *Hasher){listPrior, listStarts, listTables, listSteps} {
		x := NewHasher()
		list(m, &spec, x)
		parts = append(parts, x.Print())
	}
	return parts, nil
}

// OfLatent returns the fingerprint of latent values: at all numbered
// states, and where m has none along its trajectories. The error is a
// *ConformanceError where they panic.
func OfLatent(m bcpace.Model, latent bcpace.LatentValues) (_ Print, err error) {
	spec := m.Spec()
	defer spec.Guard(&err, "LatentValues", nil, -1, -1)
	x := NewHasher()
	add := func(s []float64, action int) {
		for φ := range spec.Latents {
			x.Add(latent.Q(s, φ, action))
		}
	}
	if f, ok := bcpace.AsFinite(m); ok {
		eachPair(f, &spec, x, add)
	} else {
		trajectories(m, &spec, func(s, _ []float64, _, action int, _ bcpace.Outcome) { add(s, action) })
	}
	return x.Print(), nil
}

func listPrior(m bcpace.Model, spec *bcpace.Spec, x *Hasher) {
	b := make(bcpace.Belief, len(spec.Latents))
	m.Prior(b)
	x.Add(b...)
	_, lists := m.(bcpace.Enumerator)
	_, numbers := bcpace.AsFinite(m)
	x.Add(float64(bcpace.KindOf(m)), num.OfBool(lists), num.OfBool(numbers))
}

// listStarts passes the list of start states and draws of them, each with what it
// tells of the latents.
func listStarts(m bcpace.Model, spec *bcpace.Spec, x *Hasher) {
	likelihood := bcpace.AbilitiesOf(m).StartLogLikelihood
	tells := func(s []float64) {
		for φ := range spec.Latents {
			if likelihood != nil {
				x.Add(likelihood(s, φ))
			}
		}
	}
	if e, ok := m.(bcpace.Enumerator); ok {
		var z bcpace.Successors
		z.Reset(len(spec.Axes), len(spec.Latents))
		e.Starts(&z)
		for i := range z.Len() {
			s, p, _ := z.Row(i)
			x.Add(s...)
			x.Add(p...)
			tells(s)
		}
	}
	s, rng := make([]float64, len(spec.Axes)), rand.New(rand.NewPCG(7, 8))
	const startDraws = 256
	const most = 50_000 // numbers, where the start tells of many latents
	for i := range max(1, min(startDraws, most/len(spec.Latents))) {
		m.Start(s, i%len(spec.Latents), rng)
		x.Add(s...)
		tells(s)
	}
}

// listTables passes the successors of every state and action of a finite model, and
// how the latent moves there.
func listTables(m bcpace.Model, spec *bcpace.Spec, x *Hasher) {
	f, ok := bcpace.AsFinite(m)
	if !ok {
		return
	}
	dynamics, _ := m.(bcpace.LatentDynamics)
	row := make(bcpace.Belief, len(spec.Latents))
	var z bcpace.Successors
	x.Add(float64(f.NumStates()))
	eachPair(f, spec, x, func(s []float64, action int) {
		x.successors(f, &z, spec, s, action)
		for φ := range row {
			if dynamics != nil && x.count < mostListed && dynamics.LatentTransition(row, s, action, φ) {
				x.Add(float64(φ))
				x.Add(row...)
			}
		}
	})
}

// mostListed is how many numbers of a finite model are listed: it takes some 0.3 s.
const mostListed = 1 << 24

// eachPair passes the states of f to x, and calls each at every state and action,
// until x has mostListed numbers. The order spreads those that it comes to evenly.
func eachPair(f bcpace.Finite, spec *bcpace.Spec, x *Hasher, each func(s []float64, action int)) {
	actions := len(spec.Actions)
	n := f.NumStates() * actions
	stride := int(0.618 * float64(n))
	for gcd(stride, n) != 1 {
		stride++
	}
	s := make([]float64, len(spec.Axes))
	for i, at := 0, 0; i < n && x.count < mostListed; i, at = i+1, (at+stride)%n {
		f.StateAt(s, at/actions)
		x.Add(s...)
		each(s, at%actions)
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// successors passes a list of successors.
func (h *Hasher) successors(m bcpace.Enumerator, z *bcpace.Successors, spec *bcpace.Spec, s []float64, action int) {
	z.Reset(len(spec.Axes), len(spec.Latents))
	m.Successors(z, s, action)
	h.Add(float64(z.Len()))
	h.Add(z.States...)
	h.Add(z.Prob...)
	h.Add(z.Reward...)
	for _, done := range z.Done {
		h.Add(num.OfBool(done))
	}
}

// listSteps passes what m does along its trajectories.
func listSteps(m bcpace.Model, spec *bcpace.Spec, x *Hasher) {
	dynamics, _ := m.(bcpace.LatentDynamics)
	lists, _ := m.(bcpace.Enumerator)
	if _, ok := bcpace.AsFinite(m); ok {
		lists = nil // are in its tables
	}
	row := make(bcpace.Belief, len(spec.Latents))
	var z bcpace.Successors
	trajectories(m, spec, func(s, next []float64, latent, action int, out bcpace.Outcome) {
		x.Add(s...)
		x.Add(next...)
		x.Add(out.Reward, num.OfBool(out.Done))
		for φ := range spec.Latents {
			x.Add(m.LogLikelihood(s, action, next, φ))
		}
		if dynamics != nil && dynamics.LatentTransition(row, s, action, latent) {
			x.Add(row...)
		}
		if lists != nil {
			x.successors(lists, &z, spec, s, action)
		}
	})
}

// The trajectories of a fingerprint.
const (
	fewestSteps = 256
	mostSteps   = 4096
	perPair     = 4  // steps of each action under each latent, within mostSteps
	longest     = 12 // steps of one trajectory
)

// trajectories plays random actions with a fixed seed, once from the start under every
// latent, and calls each at every step.
func trajectories(m bcpace.Model, spec *bcpace.Spec, each func(s, next []float64, latent, action int, out bcpace.Outcome)) {
	actions, latents := len(spec.Actions), len(spec.Latents)
	rng := rand.New(rand.NewPCG(1, 2))
	s, next := make([]float64, len(spec.Axes)), make([]float64, len(spec.Axes))
	done, φ := true, -1
	for i := range min(max(fewestSteps, perPair*actions*latents), mostSteps) {
		if done || i%longest == 0 {
			φ = (φ + 1) % latents
			m.Start(s, φ, rng)
		}
		action := spec.DrawAction(rng)
		out := m.Step(next, s, φ, action, rng)
		each(s, next, φ, action, out)
		s, next, done = next, s, out.Done
	}
}

// OfSpec stands for everything in a Spec that a run depends on.
func OfSpec(s bcpace.Spec) string {
	// Run files from before there were Period, Box, Goal and Estimated know axes without the first,
	// actions with another field in place of the second, and nothing of the last two.
	text := bytes.ReplaceAll(fmt.Appendf(nil, "%#v", s), []byte(", Period:0}"), []byte("}"))
	text = bytes.ReplaceAll(text, []byte(`, Estimated:""}`), []byte("}"))
	text = bytes.ReplaceAll(text, []byte(", Goal:false}"), []byte("}"))
	text = bytes.ReplaceAll(text, []byte("Box:[]bcpace.Axis(nil)}"), []byte("Coord:[]float64(nil)}"))
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// OfFiles returns 64 hexadecimal digits that change with every Go file of those embedded, tests left out.
func OfFiles(files embed.FS) string {
	h := sha256.New()
	// WalkDir goes in lexical order.
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := files.ReadFile(name)
		fmt.Fprintf(h, "%s %d\n", name, len(text))
		h.Write(text)
		return err
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
