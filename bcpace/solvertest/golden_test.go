package solvertest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// Folder testdata has run files of format version 5, and golden.json says what they
// hold. All were written once, by the first code that had this test, and stay as
// they are: whoever has saved a run can still read it, and the same options still
// find the same values.
const goldenVersion = 5

// golden is what a run file holds. JSON numbers of Go keep every bit.
type golden struct {
	File string
	// Completes names the file of the run in one piece, of which this is a checkpoint.
	Completes string `json:",omitempty"`

	Stop                     stop.Reason
	Value                    float64
	Certificate              bcpace.Certificate
	Episodes, Samples, Steps int
	// Numbers is the SHA-256 of all numbers of the samples and of the trace.
	Numbers string
	Answers []answer
}

// answer is what a run says of a state and a belief.
type answer struct {
	State    []float64
	Belief   bcpace.Belief
	Q, Upper []float64 // by action
	Known    []bool    // by action
	Value    float64
	Action   int // of the policy
}

// solveAgain returns the run that the model and the solver of r make. Certified search began with the
// fast informed bound by default when the files were written.
func solveAgain(ctx context.Context, r *runs.Run) (*runs.Run, error) {
	s := r.Solver
	if c, ok := s.(certified.Solver); ok && bcpace.KindOf(r.Model()) == bcpace.Redrawn {
		c.Bound = cpace.BoundFIB
		s = c
	}
	return runs.Explore(ctx, r.Model(), s)
}

// TestGoldenRuns reads every golden file, verifies it, solves its model again, and
// completes the checkpoints. On amd64 all bits are the same. Elsewhere sums round
// otherwise, so that an exploration may take another path: there the files are only
// read, and values may differ by 10⁻⁹ of the range of values.
func TestGoldenRuns(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []golden
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.bcp"))
	if err != nil || len(files) != len(all) {
		t.Fatalf("%d run files and %d entries in golden.json: %v", len(files), len(all), err)
	}
	for _, want := range all {
		t.Run(want.File, func(t *testing.T) {
			t.Parallel()
			r := readGolden(t, want.File)
			compare(t, "read", want, r)
			if runtime.GOARCH != "amd64" {
				return
			}
			if _, err := runs.Verify(t.Context(), r); (err == nil) != (want.Certificate.Kind != bcpace.NoCertificate) {
				t.Errorf("Verify: %v", err)
			}
			if want.Completes == "" {
				again, err := solveAgain(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				compare(t, "solved again", want, again)
				return
			}
			i := slices.IndexFunc(all, func(g golden) bool { return g.File == want.Completes })
			whole, err := runs.Resume(t.Context(), r, r.Solver)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, "completed", all[i], whole)
		})
	}
}

// TestGoldenHorizon: a file from before the horizon was in its header was explored with
// the paper's by default, which is its solver's when it is read.
func TestGoldenHorizon(t *testing.T) {
	r := readGolden(t, "paper.bcp")
	if o := r.Solver.(cpace.Solver); r.Horizon() != 95 || o.Horizon != 95 { // ⌈20·log 110⌉
		t.Errorf("horizon %d, and %d of the solver, want 95", r.Horizon(), o.Horizon)
	}
	if r = readGolden(t, "paper-batch.bcp"); r.Horizon() != 12 {
		t.Errorf("horizon %d, want the 12 of the file", r.Horizon())
	}
}

// readGolden reads a file of folder testdata.
func readGolden(t *testing.T, name string) *runs.Run {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if v := binary.LittleEndian.Uint32(file[8:]); v != goldenVersion {
		t.Fatalf("%s has format version %d, want %d", name, v, goldenVersion)
	}
	info, err := runs.ReadInfo(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	r, err := runs.Read(bytes.NewReader(file), findGolden, goldenLatent[info.Model])
	if err != nil {
		t.Fatal(err)
	}
	if info.Stop != r.Stop || info.Value != r.Value || info.Samples != r.Samples.Len() || info.Episodes != len(r.Trace) {
		t.Errorf("ReadRunInfo returns %+v", info)
	}
	return r
}

// hurriedTiger is Tiger with a horizon that its states do not tell.
type hurriedTiger struct{ envs.Tiger }

func (m hurriedTiger) Spec() bcpace.Spec {
	spec := m.Tiger.Spec()
	spec.Name, spec.Horizon = "hurried-tiger", 4
	return spec
}

// informedTiger is Tiger with latent values of the user's own.
type informedTiger struct{ envs.Tiger }

func (m informedTiger) Spec() bcpace.Spec {
	spec := m.Tiger.Spec()
	spec.Name = "informed-tiger"
	return spec
}

var goldenLatent = map[string]bcpace.LatentValues{
	"informed-tiger": dp.LatentFunc(func(_ []float64, latent, action int) float64 { return 15 - float64(action+latent) }),
}

// corridor is a model of real positions x in [0, 1]. The latent tells which end pays,
// and where a step is more likely to fall.
type corridor struct{}

func (corridor) Spec() bcpace.Spec {
	return bcpace.Spec{Name: "corridor", Axes: []bcpace.Axis{{Name: "x", Max: 1}}, Actions: bcpace.Actions("left", "stay", "right"),
		Latents: []string{"left", "right"}, Discount: 0.8, RewardMax: 1}
}

func (corridor) Prior(b bcpace.Belief)                  { b[0], b[1] = 0.5, 0.5 }
func (corridor) Start(s []float64, _ int, _ *rand.Rand) { s[0] = 0.5 }
func (corridor) Starts(z *bcpace.Successors)            { s, p, _ := z.Add(false); s[0], p[0], p[1] = 0.5, 1, 1 }
func (corridor) steps(x float64, action int) (low, high float64) {
	x += 0.25 * float64(action-1)
	return min(max(x-0.0625, 0), 1), min(max(x+0.0625, 0), 1)
}

// rises is the probability of the higher one of two steps.
func (corridor) rises(latent int) float64 { return 0.25 + 0.5*float64(latent) }

func (corridor) reward(x float64, latent int) float64 {
	if latent == 0 {
		return 1 - x
	}
	return x
}

func (m corridor) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	low, high := m.steps(s[0], action)
	if next[0] = low; rng.Float64() < m.rises(latent) {
		next[0] = high
	}
	return bcpace.Outcome{Reward: m.reward(next[0], latent)}
}

func (m corridor) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	low, high := m.steps(s[0], action)
	p := 0.0
	if next[0] == low {
		p += 1 - m.rises(latent)
	}
	if next[0] == high {
		p += m.rises(latent)
	}
	return math.Log(p)
}

func (m corridor) Successors(z *bcpace.Successors, s []float64, action int) {
	low, high := m.steps(s[0], action)
	for _, x := range slices.Compact([]float64{low, high}) {
		next, prob, reward := z.Add(false)
		next[0] = x
		for φ := range prob {
			prob[φ] = math.Exp(m.LogLikelihood(s, action, next, φ))
			reward[φ] = m.reward(x, φ)
		}
	}
}

// findGolden makes the models of the golden files.
func findGolden(name string, params []bcpace.Param) (bcpace.Model, error) {
	switch name {
	case "hurried-tiger":
		return hurriedTiger{}, nil
	case "informed-tiger":
		return informedTiger{}, nil
	case "corridor":
		return corridor{}, nil
	}
	steps, inner := 0, []bcpace.Param(nil)
	for _, p := range params {
		if p.Key != "steps" {
			inner = append(inner, p)
		} else if _, err := fmt.Sscan(p.Value, &steps); err != nil {
			return nil, err
		}
	}
	m, err := envs.New(name, inner)
	if err != nil {
		return nil, err
	}
	if bcpace.AbilitiesOf(m).Smoothness != nil { // the files are of a time when no bound was proved by it
		m = bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.Smoothness = nil })
	}
	if steps == 0 {
		return m, nil
	}
	f, _ := bcpace.AsFinite(m)
	return bcpace.FiniteHorizon(f, steps)
}

// describe returns what r holds. The states and beliefs of the answers are those of
// samples, and others next to them.
func describe(file string, r *runs.Run) golden {
	g := golden{File: file, Stop: r.Stop, Value: r.Value, Certificate: r.Certificate,
		Episodes: len(r.Trace), Samples: r.Samples.Len(), Steps: r.Steps, Numbers: digest(r)}
	policy, actions := r.Policy(), len(r.Spec.Actions)
	for i := range 3 {
		x := r.Samples.At(i * (r.Samples.Len() - 1) / 2)
		between := bcpace.Uniform(len(r.Spec.Latents))
		for φ, p := range x.Belief {
			between[φ] = (between[φ] + 7*p) / 8
		}
		for _, b := range []bcpace.Belief{slices.Clone(x.Belief), between} {
			a := answer{State: slices.Clone(x.State), Belief: b, Q: make([]float64, actions), Upper: make([]float64, actions), Known: make([]bool, actions)}
			for action := range actions {
				a.Q[action], a.Known[action] = r.Q(a.State, b, action)
				a.Upper[action] = r.Upper(a.State, b, action)
			}
			a.Value, _ = r.At(a.State, b)
			a.Action = policy.Act(a.State, b, nil)
			g.Answers = append(g.Answers, a)
		}
	}
	return g
}

// digest is golden.Numbers.
func digest(r *runs.Run) string {
	var all []byte
	add := func(xs ...float64) {
		for _, x := range xs {
			all = binary.LittleEndian.AppendUint64(all, math.Float64bits(x))
		}
	}
	for i := range r.Samples.Len() {
		x := r.Samples.At(i)
		add(x.State...)
		add(x.Belief...)
		add(float64(x.Action), x.Reward)
		add(x.Next...)
		add(x.NextBelief...)
		done := 0.0
		if x.Done {
			done = 1
		}
		add(done, x.Q, float64(x.Episode), float64(x.Time))
	}
	for _, e := range r.Trace {
		add(e.Return, float64(e.Steps), float64(e.Escapes), float64(e.Added), float64(e.Sweeps), e.Residual, e.Value, e.Gap)
	}
	return fmt.Sprintf("%x", sha256.Sum256(all))
}

// compare expects r to hold what want says.
func compare(t *testing.T, how string, want golden, r *runs.Run) {
	t.Helper()
	got := describe(want.File, r)
	got.Completes = want.Completes
	if runtime.GOARCH != "amd64" {
		near := func(x *float64, y float64) {
			if math.Abs(*x-y) <= 1e-9*(r.Spec.VMax()-r.Spec.VMin()) {
				*x = y
			}
		}
		for i := range got.Answers {
			g, w := &got.Answers[i], want.Answers[i]
			near(&g.Value, w.Value)
			for a := range g.Q {
				near(&g.Q[a], w.Q[a])
				near(&g.Upper[a], w.Upper[a])
			}
		}
	}
	if _, ok := r.Solver.(cpace.Solver); ok && bcpace.KindOf(r.Model()) == bcpace.Redrawn { // the upper bound has become tighter
		got.Certificate.Upper = max(got.Certificate.Upper, want.Certificate.Upper)
	}
	x, y := lines(t, got), lines(t, want)
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			t.Errorf("%s, line %d: %s, want %s", how, i, x[i], y[i])
		}
	}
}

// lines returns the lines of a JSON text.
func lines(t *testing.T, g golden) [][]byte {
	t.Helper()
	text, err := json.MarshalIndent(g, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(text, []byte("\n"))
}
