package sweep

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/store"
)

// Options say how a sweep is run, never what it finds.
type Options struct {
	// Engine computes the trials; nil for a Local one.
	Engine Engine
	// Start, if set, starts the engine in its place, once there is something to compute. It is closed at the end.
	Start func() (Engine, error)
	// Folder keeps the results by the keys of their trials, for this sweep and the next. ""
	// means the folder of Folder.
	Folder string
	// Progress, if set, is called from the goroutine that called Run: before the first trial,
	// after each one, and at least once a second. It must return quickly.
	Progress func(SweepProgress)
	// Shard is the share of the trials that is computed; the zero value is all of them. The
	// Results then have the rows of that share alone. The folder keeps what Merge needs to
	// put the shares together, in one folder for all of them or in one for each.
	Shard Shard

	read func(file string) ([]byte, error) // of model files; nil for those of this machine
}

// SweepProgress is how far a sweep has come.
type SweepProgress struct {
	// Trials is their number, and Done of them have a result: Failed those whose result is a
	// fault, Cached those whose result was there before.
	Trials, Done, Failed, Cached int
	// Running of them are being computed, by Workers.
	Running, Workers int
	// Left is an estimate of the time to the end; −1 before there is one.
	Left time.Duration
	// Dropped and Note are those of the engine's Status.
	Dropped int
	Note    string
}

// Tally returns the numbers that a display shows.
func (p SweepProgress) Tally() (done, running, failed, total int, left time.Duration) {
	return p.Done, p.Running, p.Failed, p.Trials, p.Left
}

// Folder returns the folder in which Run keeps results by default: a part of the store
// (store.Folder).
func Folder() (string, error) {
	dir, err := store.Folder()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "sweeps"), nil
}

// Run runs the sweep in this process, with results kept in Folder. See the function Run.
func (s Spec) Run(ctx context.Context, progress func(SweepProgress)) (*Results, error) {
	return Run(ctx, s, Options{Progress: progress})
}

// On is a sweep on an engine, with the results kept in Folder.
type On struct {
	Spec
	Engine Engine
	Folder string // "" means that of the function Folder
}

// Run is the function Run.
func (o On) Run(ctx context.Context, progress func(SweepProgress)) (*Results, error) {
	return Run(ctx, o.Spec, Options{Engine: o.Engine, Folder: o.Folder, Progress: progress})
}

// Run computes the trials of a sweep that have no result yet, and returns the rows of all.
// A trial that fails has a row with its Fault, and is computed again by the next Run. Results
// are kept as they come: when ctx ends, or the program does, the next Run goes on.
//
// The rows are the same for every engine but for what they measure: seconds, memory, worker
// and tries.
//
// The error is that of a trial that cannot be (see Spec.Trials) before anything is computed,
// that of the engine, or ctx's. Beside the latter two, the results are those so far.
func Run(ctx context.Context, s Spec, o Options) (*Results, error) {
	x, err := newRunner(ctx, s, o)
	if err != nil {
		return nil, err
	}
	if err := x.declare(ctx, s); err != nil {
		return nil, err
	}
	err = x.run(ctx)
	// Somebody may have emptied the folder meanwhile.
	return x.results, errors.Join(err, x.ledger.close(), x.declare(context.WithoutCancel(ctx), s))
}

// Kept returns the rows of a sweep with the results that a folder has for this version of the
// code, and computes nothing. The folder "" is that of Folder.
func Kept(ctx context.Context, s Spec, folder string) (*Results, error) {
	r, _, err := Follow(ctx, s, folder)
	return r, err
}

// Follow is Kept, and also returns a function that fills in what the folder has got since.
func Follow(ctx context.Context, s Spec, folder string) (r *Results, again func() error, err error) {
	x, err := newRunner(ctx, s, Options{Folder: folder})
	if err != nil {
		return nil, nil, err
	}
	return x.results, x.read, x.read()
}

// runner runs a sweep.
type runner struct {
	options Options
	ledger  ledger
	kept    *Local // keeps runs beside the ledger, and is the engine if there is no other
	results *Results
	tasks   []Task
	files   map[string][]byte // content of model files, by blob name
	rows    map[string][]int  // of the results, by key
	begin   time.Time
	before  int // trials done by then
	last    SweepProgress
	pulse   *PulseWriter

	ids     []string // identities of all trials, and the content of model files by their names: of a shard
	content map[string][]byte
}

func newRunner(ctx context.Context, s Spec, o Options) (*runner, error) {
	trials, err := s.Trials()
	if err != nil {
		return nil, err
	}
	if err := o.Shard.Check(); err != nil {
		return nil, err
	}
	if o.read == nil {
		o.read = s.readModel
	}
	if o.Folder == "" {
		if o.Folder, err = Folder(); err != nil {
			return nil, err
		}
	}
	v := ThisVersion()
	kept := &Local{Folder: filepath.Join(o.Folder, "blobs")}
	x := &runner{options: o, ledger: ledger{folder: o.Folder, version: v, seen: make(map[string]int64)},
		results: &Results{Name: s.Name, Keys: s.Keys(), blob: kept.Get}, kept: kept, pulse: NewPulseWriter(o.Folder),
		files: make(map[string][]byte), rows: make(map[string][]int)}
	numbers, err := x.share(trials)
	if err != nil {
		return nil, err
	}
	x.last = SweepProgress{Trials: len(numbers), Left: -1}
	look := func(note string) {
		x.last.Note = note
		x.report()
	}
	look("looking at the trials")
	c := checker{read: o.read, files: x.files, giveUp: time.Duration(s.GiveUp), report: func() { look("making the models") }}
	for _, i := range numbers {
		t := trials[i]
		j, err := c.job(ctx, t)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err != nil && !ofModel(err) {
			return nil, fmt.Errorf("trial %d: %w", i, err)
		}
		task := j.task(v)
		task.Name, task.Limit = fmt.Sprint("trial ", i), c.giveUp
		row := TrialRow{Number: i, Trial: t, Key: task.Key, TrialOutcome: nothing()}
		if err != nil {
			row.Fault, row.Worker, row.Tries = err.Error(), ThisProcess, 1
		} else {
			if x.rows[task.Key] == nil {
				x.tasks = append(x.tasks, task)
			}
			x.rows[task.Key] = append(x.rows[task.Key], len(x.results.Rows))
		}
		x.results.Rows = append(x.results.Rows, row)
	}
	x.last.Note = ""
	return x, nil
}

// share returns the numbers of the trials that are this runner's.
func (ru *runner) share(trials []Trial) (numbers []int, err error) {
	if ru.options.Shard == (Shard{}) {
		return num.UpTo(len(trials)), nil
	}
	if ru.ids, ru.content, err = identities(trials, ru.options.read); err != nil {
		return nil, err
	}
	return ru.options.Shard.deal(ru.ids), nil
}

// declare says in the folder which sweep the shard is of, if it is one.
func (ru *runner) declare(ctx context.Context, s Spec) error {
	if ru.options.Shard == (Shard{}) {
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("sweep: its file cannot be kept: %w", err)
	}
	m := manifest{Format: manifestFormat, Key: keyOf(ru.ledger.version, ru.ids...), Version: ru.ledger.version, Trials: len(ru.ids), Spec: text}
	ru.results.Sweep = m.Key
	return m.write(ctx, ru.options.Folder, ru.kept, ru.content)
}

// read fills in the rows whose results are kept.
func (ru *runner) read() error {
	return ru.ledger.find(func(e entry) {
		rows := ru.rows[e.Key]
		if len(rows) == 0 || ru.results.Rows[rows[0]].Computed() || e.Fault != "" && ru.results.Rows[rows[0]].Fault != "" {
			return
		}
		ru.fill(e, true)
	})
}

// fill fills in the rows of an entry. A damaged outcome is as if it were not there.
func (ru *runner) fill(e entry, cached bool) bool {
	o := nothing()
	if e.Fault == "" {
		if err := json.Unmarshal(e.Outcome, &o); err != nil {
			return false
		}
	}
	for _, i := range ru.rows[e.Key] {
		r := &ru.results.Rows[i]
		r.TrialOutcome, r.Fault, r.Worker, r.Tries, r.Seconds, r.Memory, r.Cached = o, e.Fault, e.Worker, e.Tries, e.Seconds, e.Memory, cached
		r.done = e.Fault == ""
	}
	return true
}

// run computes what is missing.
func (ru *runner) run(ctx context.Context) error {
	if err := ru.read(); err != nil {
		return err
	}
	var missing []Task
	for _, t := range ru.tasks {
		rows := ru.rows[t.Key]
		if r := &ru.results.Rows[rows[0]]; !r.Computed() {
			for _, i := range rows {
				ru.results.Rows[i].Fault, ru.results.Rows[i].Cached = "", false
			}
			missing = append(missing, t)
			continue
		}
		ru.last.Cached += len(rows)
	}
	ru.last.Failed = len(ru.results.Failed()) // whose models cannot be made
	ru.last.Done = ru.last.Cached + ru.last.Failed
	ru.before = ru.last.Done
	ru.begin = time.Now()
	ru.report()
	if len(missing) == 0 {
		return ctx.Err()
	}
	ru.kept.dropParts(func(key string) bool {
		rows := ru.rows[key]
		return len(rows) > 0 && ru.results.Rows[rows[0]].Computed()
	})
	if ru.options.Start == nil {
		return ru.compute(ctx, cmp.Or[Engine](ru.options.Engine, ru.kept), missing)
	}
	engine, err := ru.options.Start()
	if err != nil {
		return err
	}
	return cmp.Or(ru.compute(ctx, engine, missing), engine.Close())
}

// compute has an engine compute what is missing.
func (ru *runner) compute(ctx context.Context, engine Engine, missing []Task) error {
	for _, content := range ru.files {
		if _, err := engine.Put(ctx, content); err != nil {
			return err
		}
	}
	defer ru.pulse.Close()
	var unkept error
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := engine.Do(ctx, missing, EngineObserver{
		Answered: func(a Answer) {
			if err := ru.answered(ctx, engine, a); err != nil && unkept == nil {
				unkept = err
				cancel() // more would be lost
			}
		},
		Status: ru.status,
	})
	return cmp.Or(unkept, err)
}

// answered keeps an answer and fills in its rows.
func (ru *runner) answered(ctx context.Context, engine Engine, a Answer) error {
	rows := ru.rows[a.Key]
	if len(rows) == 0 {
		return nil
	}
	e := entry{Key: a.Key, Outcome: a.Output, Fault: a.Fault, Worker: a.Worker, Tries: a.Tries, Seconds: a.Seconds, Memory: a.Memory}
	if !ru.fill(e, false) {
		e.Outcome, e.Fault = nil, "its result is no outcome of a trial"
		ru.fill(e, false)
	}
	ru.pulse.Answered(a.Worker)
	ru.last.Done += len(rows)
	if e.Fault != "" {
		ru.last.Failed += len(rows)
	}
	computed, left := ru.last.Done-ru.before, ru.last.Trials-ru.last.Done
	ru.last.Left = time.Duration(float64(time.Since(ru.begin)) / float64(computed) * float64(left))
	ru.report()
	if err := ru.keepRun(ctx, engine, ru.results.Rows[rows[0]].Run); err != nil {
		return err
	}
	if err := ru.ledger.put(e); err != nil {
		return err
	}
	if l, ok := engine.(*Local); ok && a.Part && a.Fault == "" {
		l.dropPart(a.Key)
	}
	return nil
}

// keepRun keeps the blob of a run where OpenRun finds it; name is "" for none.
func (ru *runner) keepRun(ctx context.Context, engine Engine, name string) error {
	if name == "" || engine == Engine(ru.kept) {
		return nil
	}
	data, err := engine.Get(ctx, name)
	if err != nil {
		return fmt.Errorf("sweep: the run of a trial: %w", err)
	}
	_, err = ru.kept.Put(ctx, data)
	return err
}

func (ru *runner) status(s Status) {
	ru.last.Running, ru.last.Workers, ru.last.Dropped, ru.last.Note = s.Running, s.Workers, s.Dropped, s.Note
	ru.pulse.Beat(s.Load)
	ru.report()
}

func (ru *runner) report() {
	if ru.options.Progress != nil {
		ru.options.Progress(ru.last)
	}
}

// maxBlob bounds what a task may need beside its input, in bytes.
const maxBlob = 1 << 30
