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
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/store"
)

// Options say how a sweep is run, never what it finds.
type Options struct {
	// Workers is the number of trials side by side. 0 means one for each processor.
	Workers int
	// Grace is how long Run waits, after its context has ended, for trials to keep what they have. 0
	// means DefaultGrace. A trial that has not returned by then goes on beside what the program does next.
	Grace time.Duration
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
	// Running of them are being computed, of at most Workers.
	Running, Workers int
	// Left is an estimate of the time to the end; −1 before there is one.
	Left time.Duration
	// Note says what is done before the first trial, such as "looking at the trials"; "" for nothing.
	Note string
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

// On is a sweep with a number of workers and a folder, as Options have them.
type On struct {
	Spec
	Workers int
	Folder  string
}

// Run is the function Run.
func (o On) Run(ctx context.Context, progress func(SweepProgress)) (*Results, error) {
	return Run(ctx, o.Spec, Options{Workers: o.Workers, Folder: o.Folder, Progress: progress})
}

// Run computes the trials of a sweep that have no result yet, and returns the rows of all.
// A trial that fails has a row with its Fault, and is computed again by the next Run. Results
// are kept as they come: when ctx ends, or the program does, the next Run goes on.
//
// The rows are the same for any number of workers but for what they measure: seconds and memory.
//
// The error is that of a trial that cannot be (see Spec.Trials) before anything is computed,
// that of the folder, or ctx's. Beside the latter two, the results are those so far.
func Run(ctx context.Context, s Spec, o Options) (*Results, error) {
	x, err := newRunner(ctx, s, o)
	if err != nil {
		return nil, err
	}
	if err := x.declare(s); err != nil {
		return nil, err
	}
	err = x.run(ctx)
	// Somebody may have emptied the folder meanwhile.
	return x.results, errors.Join(err, x.ledger.close(), x.declare(s))
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
	kept    *local // keeps runs and parts beside the ledger
	results *Results
	tasks   []task
	files   map[string][]byte // content of model files, by blob name
	rows    map[string][]int  // of the results, by key
	begin   time.Time
	before  int // trials done by then
	last    SweepProgress
	pulse   *pulseWriter

	ids     []string // identities of all trials, and the content of model files by their names: of a shard
	content map[string][]byte
}

func newRunner(ctx context.Context, s Spec, o Options) (*runner, error) {
	trials, err := s.Trials()
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(o.Shard.Check(), solverkit.CheckWorkers("sweep", "Workers", o.Workers, "trials side by side")); err != nil {
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
	kept := &local{folder: filepath.Join(o.Folder, blobFolder), workers: o.Workers, grace: o.Grace, limit: time.Duration(s.GiveUp), compute: computeTrial}
	x := &runner{options: o, ledger: ledger{folder: o.Folder, version: v, seen: make(map[string]int64)},
		results: &Results{Name: s.Name, Keys: s.Keys(), blob: kept.get}, kept: kept, pulse: newPulseWriter(o.Folder),
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
	c := checker{read: o.read, files: x.files, giveUp: kept.limit, report: func() { look("making the models") }}
	for _, i := range numbers {
		t := trials[i]
		j, err := c.job(ctx, t)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err != nil && !ofModel(err) {
			return nil, fmt.Errorf("trial %d: %w", i, err)
		}
		key := j.key(v)
		row := TrialRow{Number: i, Trial: t, Key: key, TrialOutcome: nothing()}
		if err != nil {
			row.Fault, row.Worker, row.Tries = err.Error(), thisProcess, 1
		} else {
			if x.rows[key] == nil {
				x.tasks = append(x.tasks, task{key, j, x.files[j.File]})
			}
			x.rows[key] = append(x.rows[key], len(x.results.Rows))
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
func (ru *runner) declare(s Spec) error {
	if ru.options.Shard == (Shard{}) {
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("sweep: its file cannot be kept: %w", err)
	}
	m := manifest{Format: manifestFormat, Key: keyOf(ru.ledger.version, ru.ids...), Version: ru.ledger.version, Trials: len(ru.ids), Spec: text}
	ru.results.Sweep = m.Key
	return m.write(ru.options.Folder, ru.kept, ru.content)
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
	var missing []task
	for _, t := range ru.tasks {
		rows := ru.rows[t.key]
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
	return ru.compute(ctx, missing)
}

// compute computes what is missing.
func (ru *runner) compute(ctx context.Context, missing []task) error {
	defer ru.pulse.close()
	var unkept error
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := ru.kept.do(ctx, missing, func(e entry, part bool) {
		if err := ru.answered(e, part); err != nil && unkept == nil {
			unkept = err
			cancel() // more would be lost
		}
	}, func(running []string, workers int) {
		ru.last.Running, ru.last.Workers = len(running), workers
		ru.pulse.beat(running)
		ru.report()
	})
	return cmp.Or(unkept, err)
}

// answered keeps a result and fills in its rows.
func (ru *runner) answered(e entry, part bool) error {
	ru.fill(e, false)
	ru.pulse.answered()
	rows := len(ru.rows[e.Key])
	ru.last.Done += rows
	if e.Fault != "" {
		ru.last.Failed += rows
	}
	computed, left := ru.last.Done-ru.before, ru.last.Trials-ru.last.Done
	ru.last.Left = time.Duration(float64(time.Since(ru.begin)) / float64(computed) * float64(left))
	ru.report()
	if err := ru.ledger.put(e); err != nil {
		return err
	}
	if part && e.Fault == "" {
		ru.kept.dropPart(e.Key)
	}
	return nil
}

func (ru *runner) report() {
	if ru.options.Progress != nil {
		ru.options.Progress(ru.last)
	}
}
