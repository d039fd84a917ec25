package runs

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/stop"
)

// A run file is, with all numbers little-endian:
//
//	8 bytes   magic
//	4 bytes   version
//	4 bytes   length of the header
//	          header: JSON of runHeader
//	          the columns of Samples, in the order of the type
//	          the columns of Trace, in the order of traceTable
//	          what else the values of the run stand on, of the length in the header:
//	          latent values, or the α-vectors of a certified run
//	          in a checkpoint, and in a run that a limit has ended: the
//	          state of the exploration, of the length in the header
//	32 bytes  SHA-256 of everything before
//
// The same model, options and seed make the same bytes on one platform: nothing in
// it depends on the clock, the machine or the number of workers.
const (
	runMagic   = "bcp-run\n"
	runVersion = 6                 // 5 has no state of a run of Algorithm 1 that has ended; 4 has no behaviour, and no state of certified runs; 3 has no checkpoints
	runOldest  = 2                 // has no statistical certificates; all else is the same
	runFixed   = len(runMagic) + 8 // before the header
)

// runHeader is the part of a run file that has names.
type runHeader struct {
	Model   string
	Params  []bcpace.Param
	Spec    string          // fingerprint of the model's description
	Solver  string          `json:",omitempty"` // its name; "" in files that have it in their Options
	Options json.RawMessage // its parameters
	Stop    stop.Reason
	Value   float64
	Steps   int
	Samples int
	Trace   int
	Values  int // bytes of latent values or α-vectors
	Proof   bcpace.Certificate
	Parts   GapParts `json:",omitzero"`
	Choice  *Choice  `json:",omitempty"`
	State   int      `json:",omitempty"` // bytes of the state
	After   int      `json:",omitempty"` // episodes of Trace that came after the state
	Body    int      `json:",omitempty"` // bytes between the header and the checksum; 0 in files that were written before it was here
	// Horizon is Plan.Horizon. Files that were written before it was here have 0: their
	// default was Spec.PaperHorizon.
	Horizon int `json:",omitempty"`
	// ControlPoints is the number of points of Discretised, 0 if the model comes from
	// elsewhere.
	ControlPoints int `json:",omitempty"`
	// Wide are the counts of Trace that its columns have no room for.
	Wide []wideCount `json:",omitempty"`
	// Behaviour is what the model does where the run has been, Ingredients what it is
	// made of, Latent the user's own latent values; all as they were on a Platform.
	// What is nil is not compared: files that were written before have less.
	Behaviour   *fingerprint.Print  `json:",omitempty"`
	Ingredients []fingerprint.Print `json:",omitempty"`
	Latent      *fingerprint.Print  `json:",omitempty"`
	Platform    string              `json:",omitempty"`
	Given       bool                // the latent values were the user's own, and are not saved
}

// ModelFinder makes the model of a saved run from its name and parameters.
// envs.New is one.
type ModelFinder func(name string, params []bcpace.Param) (bcpace.Model, error)

// FixedModel returns a ModelFinder that always finds m. It returns an error for a run of
// a model with another name or other Spec.Params.
func FixedModel(m bcpace.Model) ModelFinder {
	return func(name string, params []bcpace.Param) (bcpace.Model, error) {
		if spec := m.Spec(); spec.Name != name || fmt.Sprint(spec.Params) != fmt.Sprint(params) {
			return nil, bcpace.In("run file").Bad("model", fmt.Sprintf("%s %v", strconv.Quote(name), params), fmt.Sprintf("the given one, %s %v", strconv.Quote(spec.Name), spec.Params))
		}
		return m, nil
	}
}

// WriteTo saves the whole run. Latent values that came from cpace.Solver.Latent are
// not saved; they must be given again when the run is read. A run with a Controller among its
// policies is refused, with an *InputError.
func (r *Run) WriteTo(w io.Writer) (int64, error) {
	if r.live != nil {
		now := *r
		now.Keep(true)
		r = &now
	}
	if _, err := r.Certificate.Checked(r.Spec.Name); err != nil {
		return 0, err
	}
	if r.plan.Controller != nil && r.Choice != nil {
		return 0, bcpace.In("saving a run of model "+strconv.Quote(r.Spec.Name)).Bad("Controller", "a policy, which no file can hold",
			"a run without one; package eval compares its policy with the controller")
	}
	extra, err := r.values.Bytes()
	if err != nil {
		return 0, fmt.Errorf("values of the run: %w", err)
	}
	parameters, err := json.Marshal(r.Solver)
	if err != nil {
		return 0, fmt.Errorf("parameters of the run: %w", err)
	}
	state := r.SavedState()
	h := runHeader{
		Model: r.Spec.Name, Params: r.Spec.Params, Spec: fingerprint.OfSpec(r.Spec),
		Solver: r.Solver.Name(), Options: parameters, Stop: r.Stop, Value: r.Value, Steps: r.Steps,
		Samples: r.Samples.Len(), Trace: len(r.Trace), Values: len(extra), Proof: r.Certificate, Parts: r.Parts, Choice: r.Choice, State: len(state), Given: r.plan.Latent != nil,
		Horizon: r.plan.Horizon, ControlPoints: bcpace.AbilitiesOf(r.model).Points,
	}
	if h.State > 0 {
		h.After = h.Trace - r.stated
	}
	if err := h.describe(r); err != nil {
		return 0, err
	}
	var trace traceTable
	trace, h.Wide = tabulate(r.Trace)
	h.Body = runColumns(r.Spec, h) + h.Values + h.State
	header, err := json.Marshal(h)
	if err != nil {
		return 0, fmt.Errorf("run header: %w", err)
	}
	if len(header) > maxHeader || int64(h.Body) > maxRun {
		return 0, fmt.Errorf("run file: a header of %d bytes and %d bytes after it, want at most %d and %d", len(header), h.Body, maxHeader, maxRun)
	}
	out := append(make([]byte, 0, runFixed+len(header)+h.Body+sha256.Size), runMagic...)
	out = binary.LittleEndian.AppendUint32(out, runVersion)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	out = append(out, header...)
	c := &columns.Encoder{Out: out}
	r.Samples.Columns(c, r.Samples.Len())
	trace.columns(c, len(r.Trace))
	out = append(append(c.Out, extra...), state...)
	sum := sha256.Sum256(out)
	n, err := w.Write(append(out, sum[:]...))
	return int64(n), err
}

// Read reads a run that WriteTo saved; find makes its model, and latent are
// the values given in cpace.Solver.Latent at the time, nil where there were none. A
// model that is described otherwise than the run's, is made of something else
// (see Fingerprint) or does something else where the run has been is refused with an
// *InputError, and so are other latent values. On the platform that the run was
// saved on, the last bit counts.
// A file that is foreign, truncated, damaged or from a later version gives an
// error that says which and wraps ErrFormat.
func Read(src io.Reader, find ModelFinder, latent bcpace.LatentValues) (*Run, error) {
	h, body, err := readFrame(src)
	if err != nil {
		return nil, err
	}
	r, err := h.newRun(find, latent)
	if err != nil {
		return nil, err
	}
	if n := runColumns(r.Spec, h); n > len(body) || n != len(body)-h.Values-h.State {
		return nil, fmt.Errorf("%w: it holds %d bytes of samples, trace, values and state where its header asks for %d", ErrFormat, len(body), n+h.Values+h.State)
	}
	if err := h.readCertificate(r); err != nil {
		return nil, err
	}
	rest, err := h.readColumns(r, body)
	if err != nil {
		return nil, err
	}
	if err := h.compare(r); err != nil {
		return nil, err
	}
	if r.values, err = r.Solver.ReadValues(r, rest[:h.Values]); err != nil {
		return nil, err
	}
	if h.Choice != nil {
		if err := r.checkChoice(h.Choice); err != nil {
			return nil, err
		}
		r.Choice = h.Choice
	}
	if h.Proof.Refuted == "" { // as in files that were written before it was there
		r.Certificate.Refuted = r.refutedSearch(r.Certificate)
	}
	r.endsCertified()
	r.read = true
	if h.Stop == "" || h.State > 0 {
		r.state, r.stated = append([]byte{}, rest[h.Values:]...), h.Trace-h.After
	}
	return r, nil
}

// newRun makes the model, the solver and the plan of the run, and checks that the model is
// described as the run's was. The run has no samples yet.
func (h runHeader) newRun(find ModelFinder, latent bcpace.LatentValues) (*Run, error) {
	m, err := find(h.Model, h.Params)
	if err != nil {
		return nil, fmt.Errorf("model of the run: %w", err)
	}
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	if h.Given && latent == nil {
		return nil, bcpace.In("run file").Bad("latent values", "the user's own, which are not saved", "the same cpace.Solver.Latent again")
	}
	solver, err := h.explorer(latent)
	if err != nil {
		return nil, err
	}
	if m, err = h.explored(m, solver); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if fingerprint.OfSpec(spec) != h.Spec {
		return nil, bcpace.In("run file").Bad("model "+strconv.Quote(h.Model), "described otherwise than the one at hand",
			"a model with the same axes, actions, latents, discount and rewards")
	}
	plan, err := solver.Plan(m)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	// A run file keeps the length of episodes that was in force, as the default may change.
	if e, ok := solver.(interface {
		WithHorizon(steps int) (Explorer, bool)
	}); ok {
		t := cmp.Or(h.Horizon, spec.PaperHorizon(plan.Epsilon))
		if with, own := e.WithHorizon(t); !own && t != plan.Horizon {
			solver, plan.Horizon = with, t
		}
	}
	return &Run{Spec: spec, Solver: solver, Stop: h.Stop, Value: h.Value, Steps: h.Steps, Parts: h.Parts, model: m, plan: plan, atMost: math.Inf(1)}, nil
}

// readCertificate sets the certificate of r, and checks that it is one of such a run.
func (h runHeader) readCertificate(r *Run) error {
	if h.Proof.LowerBy == "" && r.Brackets() { // older than the words, and than the bound from grids
		h.Proof.Assumes = AssumesSlope
	}
	if r.Certificate = r.founded(h.Proof); h.Proof.LowerBy != "" && h.Proof != r.Certificate {
		return fmt.Errorf("%w: its certificate says that its bounds are %q and %q, want %q and %q for such a run",
			ErrFormat, h.Proof.LowerBy, h.Proof.UpperBy, r.Certificate.LowerBy, r.Certificate.UpperBy)
	}
	if _, err := h.Proof.Checked(h.Model); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return nil
}

// readColumns reads the samples and the trace of r, and returns what follows them.
func (h runHeader) readColumns(r *Run, body []byte) (rest []byte, err error) {
	c := &columns.Decoder{In: body}
	r.Samples = NewSamples(r.Spec)
	r.Samples.Columns(c, h.Samples)
	var trace traceTable
	trace.columns(c, h.Trace)
	if r.Trace, err = trace.episodes(h.Wide); err != nil {
		return nil, err
	}
	if what := r.Samples.Fault(&r.Spec); what != "" { // before its entries become indices
		return nil, fmt.Errorf("%w: %s", ErrFormat, what)
	}
	return c.In, nil
}

// explored returns the model that the run has explored, given its model m: m with the
// steps left in its states, if m has a horizon that they do not keep. Runs of such a
// model by earlier versions ignored the horizon, except in simulations, so that their
// proved bounds are not those of m: for such a run the error is an *InputError.
func (h runHeader) explored(m bcpace.Model, s Explorer) (bcpace.Model, error) {
	if h.ControlPoints > 0 {
		var err error
		if m, err = bcpace.Discretised(m, h.ControlPoints); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
	}
	if !bcpace.AbilitiesOf(m).CutsEpisodes() || fingerprint.OfSpec(m.Spec()) != h.Spec {
		return bcpace.KeepHorizon(m), nil
	}
	if p, err := s.Plan(m); err == nil && p.Brackets {
		return nil, bcpace.In("run file").Bad("its certificate", "made without regard to the horizon of model "+strconv.Quote(h.Model), "a run that was explored anew")
	}
	return m, nil
}

// Info is what a run file tells without its model.
type Info struct {
	Model             string
	Params            []bcpace.Param
	Algorithm         string          // the name of its Explorer
	Parameters        json.RawMessage // those of its Explorer
	Stop              stop.Reason     // "" in a checkpoint
	Value             float64
	Certificate       bcpace.Certificate
	Samples, Episodes int
}

// ReadInfo reads the header of a run that WriteTo saved, and checks that the
// file is whole. The errors are those of Read.
func ReadInfo(src io.Reader) (Info, error) {
	h, _, err := readFrame(src)
	if err != nil {
		return Info{}, err
	}
	return Info{Model: h.Model, Params: h.Params, Algorithm: h.algorithm(), Parameters: h.Options, Stop: h.Stop, Value: h.Value, Certificate: h.Proof, Samples: h.Samples, Episodes: h.Trace}, nil
}

// Differs says in what the run of the file is another one than an exploration of m with s,
// whatever their limits; "" if it is not.
func (i Info) Differs(m bcpace.Model, s bcpace.Solver) string {
	is, ok := s.(Explorer)
	if !ok || i.Algorithm != s.Name() {
		return fmt.Sprintf("its algorithm is %s, not %s", i.Algorithm, s.Name())
	}
	if spec := m.Spec(); spec.Name != i.Model || fmt.Sprint(spec.Params) != fmt.Sprint(i.Params) {
		return fmt.Sprintf("its model is %s, not %s", modelText(i.Model, i.Params), modelText(spec.Name, spec.Params))
	}
	was, err := runHeader{Solver: i.Algorithm, Options: i.Parameters}.explorer(nil)
	if err != nil {
		return err.Error()
	}
	if input := (*bcpace.InputError)(nil); errors.As(samePath(is.Unlimited(), was.Unlimited()), &input) {
		return fmt.Sprintf("its %s is %s, and not as in the new one", input.What, input.Got)
	}
	return ""
}

// modelText names a model with its parameters.
func modelText(name string, params []bcpace.Param) string {
	text := strconv.Quote(name)
	for _, p := range params {
		text += " " + p.Key + "=" + p.Value
	}
	return text
}

// Run files have no more bytes than this, and their headers: so a file of any length
// is read in bounded memory.
const (
	maxRun    int64 = 1 << 34
	maxHeader       = 1 << 28
)

// readFrame reads the part of a run file that does not depend on a model. If the file is
// not a run, or longer than its header says, readFrame reads only enough to find out.
func readFrame(src io.Reader) (h runHeader, body []byte, err error) {
	var data bytes.Buffer
	read := func(n int64) {
		if err == nil {
			_, err = data.ReadFrom(io.LimitReader(src, n))
		}
	}
	read(int64(runFixed))
	left := int64(sha256.Size)
	if n, ok := headerLength(data.Bytes()); ok && n <= maxHeader {
		left = maxRun
		read(n)
		// A header that cannot be read may be damaged, which the checksum tells.
		if json.Unmarshal(data.Bytes()[runFixed:], &h) == nil && h.Body > 0 {
			left = min(left, int64(h.Body)+sha256.Size+1)
		}
	}
	read(left)
	if err != nil {
		return runHeader{}, nil, fmt.Errorf("reading a run: %w", err)
	}
	return splitRun(data.Bytes())
}

// headerLength returns the length of the header, if data begins like a run file of a
// known version.
func headerLength(data []byte) (n int64, ok bool) {
	if len(data) < runFixed || !bytes.HasPrefix(data, []byte(runMagic)) {
		return 0, false
	}
	v := binary.LittleEndian.Uint32(data[len(runMagic):])
	return int64(binary.LittleEndian.Uint32(data[len(runMagic)+4:])), v >= runOldest && v <= runVersion
}

// splitRun checks the frame of a run file and returns its header and the bytes
// between header and checksum.
func splitRun(data []byte) (h runHeader, body []byte, err error) {
	bad := func(format string, args ...any) (runHeader, []byte, error) {
		return runHeader{}, nil, fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
	}
	n, known := headerLength(data)
	switch {
	case !bytes.HasPrefix([]byte(runMagic), data[:min(len(data), len(runMagic))]):
		return bad("it does not begin like a run file, so it is another kind of file")
	case len(data) < runFixed+sha256.Size:
		return bad("it is truncated to %d bytes", len(data))
	case !known:
		return bad("it has format version %d, and this program reads versions %d to %d", binary.LittleEndian.Uint32(data[len(runMagic):]), runOldest, runVersion)
	case n > maxHeader:
		return bad("its header has %d bytes, want at most %d", n, maxHeader)
	}
	content := data[:len(data)-sha256.Size]
	if sum := sha256.Sum256(content); !bytes.Equal(sum[:], data[len(content):]) {
		return bad("its checksum does not agree with its %d bytes: it is truncated or damaged", len(data))
	}
	if n > int64(len(content)-runFixed) {
		return bad("its header is longer than the file")
	}
	if err := json.Unmarshal(content[runFixed:runFixed+int(n)], &h); err != nil {
		return bad("its header cannot be read: %v", err)
	}
	if min(h.Samples, h.Trace, h.Values, h.State, h.After) < 0 || max(h.Samples, h.Trace, h.Values, h.State) > len(data) || h.After > h.Trace {
		return bad("its header counts %d samples, %d episodes, %d of them after the state, %d bytes of values and %d of state, want numbers from 0 to the %d bytes of the file", h.Samples, h.Trace, h.After, h.Values, h.State, len(data))
	}
	return h, content[runFixed+int(n):], nil
}

// Fault names an entry that no exploration writes, "" if there is none.
func (c *Samples) Fault(spec *bcpace.Spec) string {
	for i, a := range c.Action {
		if id := c.ActionID(i); a < 0 || int(a) >= c.actions || !spec.IsAction(id) || num.BoxIndex(id) != int(a) {
			return fmt.Sprintf("sample %d has action %d of %d, with id %d", i, a, c.actions, id)
		}
	}
	for i, q := range c.Q {
		if !num.Finite(q) || !num.Finite(c.Reward[i]) {
			return fmt.Sprintf("sample %d has value %v and reward %v", i, q, c.Reward[i])
		}
	}
	return ""
}

// Columns passes every array of n samples to io, in the order of the format.
func (c *Samples) Columns(io columns.Columns, n int) {
	io.Floats(&c.State, n*c.axes)
	io.Floats(&c.Next, n*c.axes)
	io.Floats(&c.Belief, n*c.latents)
	io.Floats(&c.NextBelief, n*c.latents)
	io.Ints(&c.Action, n)
	if c.boxed {
		io.Longs(&c.ID, n)
	}
	io.Floats(&c.Reward, n)
	io.Bools(&c.Done, n)
	io.Floats(&c.Q, n)
	io.Ints(&c.Episode, n)
	io.Ints(&c.Time, n)
}

// runColumns returns how many bytes the columns of a run take.
func runColumns(spec bcpace.Spec, h runHeader) int {
	var c columns.Counter
	NewSamples(spec).Columns(&c, h.Samples)
	new(traceTable).columns(&c, h.Trace)
	return int(c)
}
