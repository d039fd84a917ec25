package sweep

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// every is a pace of so many updates.
type every struct{ n, left int }

func (e *every) Due() bool {
	e.left--
	return e.left <= 0
}
func (e *every) Done() { e.left = e.n }

// paced keeps a part every so many updates, until the test ends.
func paced(t testing.TB, n int) {
	was := newPace
	newPace = func() pace { return &every{n, n} }
	t.Cleanup(func() { newPace = was })
}

// explorations are trials that leave parts.
func explorations() Spec {
	return Spec{Base: Trial{Env: "tiger", Set: Values{"discount": 0.9}, Algorithm: "bayes-cpace", Params: Values{"certificate-episodes": 20}, KeepRun: true, Eval: &Eval{Episodes: 30, Horizon: 30}},
		List:  []Setting{{"params.max-episodes": 40, "params.batch": 0}, {"params.max-episodes": 40, "params.batch": 4}, {"algorithm": "certified", "params.epsilon": 0.5}},
		Seeds: 2}
}

// fragile are blobs and parts that end the context of a task after so many calls.
type fragile struct {
	*Local
	left  atomic.Int64
	parts atomic.Int64
	end   context.CancelFunc
}

func (f *fragile) KeepPart(ctx context.Context, key string, data []byte) error {
	f.parts.Add(1)
	if f.left.Add(-1) == 0 {
		f.end()
	}
	return f.Local.KeepPart(ctx, key, data)
}

// TestTrialGoesOn: a trial whose context ends again and again, at random moments, has the same
// outcome and the same run, byte for byte, as one that nobody disturbs.
//
//test:race
func TestTrialGoesOn(t *testing.T) {
	paced(t, 3)
	x, err := newRunner(t.Context(), explorations(), Options{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(41, 1))
	for _, task := range x.tasks {
		want, _ := Attempt(t.Context(), task, plainBlobs{&Local{}}, "a", 1)
		if want.Fault != "" || want.Part {
			t.Fatalf("%s: %+v", task.Name, want)
		}
		f := &fragile{Local: &Local{Folder: t.TempDir()}}
		resumed := 0
		for ends := 0; ; ends++ {
			ctx, cancel := context.WithCancel(t.Context())
			f.end = cancel
			f.left.Store(int64(1 + r.IntN(3)))
			var timer *time.Timer
			if r.IntN(2) == 0 {
				timer = time.AfterFunc(time.Duration(r.IntN(3000))*time.Microsecond, cancel)
			}
			if _, err := f.Part(ctx, task.Key); err == nil {
				resumed++
			}
			got, _ := Attempt(ctx, task, f, "b", 1)
			if timer != nil {
				timer.Stop()
			}
			cancel()
			if got.Fault == "" {
				if string(got.Output) != string(want.Output) {
					t.Errorf("%s, ended %d times: %s, want %s", task.Name, ends, got.Output, want.Output)
				}
				if resumed > 0 && !got.Part {
					t.Errorf("%s does not say that there is a part", task.Name)
				}
				break
			}
			if ends > 1000 {
				t.Fatalf("%s does not come to its end: %s", task.Name, got.Fault)
			}
		}
		if resumed == 0 {
			t.Errorf("%s was never resumed", task.Name)
		}
	}
}

// plainBlobs are blobs without parts.
type plainBlobs struct{ Blobs }

// TestPartsOfNoUse: a part that is damaged, is of another solver, or has nobody to keep it changes
// nothing; and a trial with a time limit keeps none.
func TestPartsOfNoUse(t *testing.T) {
	paced(t, 1)
	s := explorations()
	s.Seeds = 1
	x, err := newRunner(t.Context(), s, Options{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	l := &Local{}
	want, _ := Attempt(t.Context(), x.tasks[0], l, "a", 1)
	if want.Fault != "" || !want.Part {
		t.Fatalf("%+v", want)
	}
	good, err := l.Part(t.Context(), x.tasks[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := strings.CutPrefix(string(good), endedPart); !ok {
		t.Errorf("the last part begins with %.40q", good)
	}
	if other, _ := Attempt(t.Context(), x.tasks[2], l, "a", 1); other.Fault != "" {
		t.Fatal(other.Fault)
	}
	of, err := l.Part(t.Context(), x.tasks[2].Key)
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string][]byte{"damaged": append(good[:len(good)-1:len(good)-1], good[len(good)-1]+1), "cut": good[:len(good)/2], "empty": {}, "foreign": []byte("a text"), "of another solver": of} {
		if err := l.KeepPart(t.Context(), x.tasks[0].Key, part); err != nil {
			t.Fatal(err)
		}
		if got, _ := Attempt(t.Context(), x.tasks[0], l, "a", 1); string(got.Output) != string(want.Output) {
			t.Errorf("%s: %s, %s", name, got.Output, got.Fault)
		}
	}
	if err := l.KeepPart(t.Context(), "../a", nil); err == nil {
		t.Error("a part is kept outside of the folder")
	}
	if _, err := l.Part(t.Context(), "../a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a part outside of the folder: %v", err)
	}
	s.Base.Timeout = Duration(time.Hour)
	if x, err = newRunner(t.Context(), s, Options{Folder: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if got, _ := Attempt(t.Context(), x.tasks[0], l, "a", 1); got.Fault != "" || got.Part {
		t.Errorf("with a time limit: %+v", got)
	}
}

// TestSweepGoesOn: a sweep that is interrupted in the middle of its trials goes on within them, and
// leaves no part behind when it is done.
//
//test:race
func TestSweepGoesOn(t *testing.T) {
	paced(t, 2)
	want := outcomes(run(t, explorations(), t.TempDir(), nil))
	folder := t.TempDir()
	resumed := false
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		f := &fragile{Local: &Local{Folder: filepath.Join(folder, "blobs"), Workers: 2}, end: cancel}
		f.left.Store(3)
		parts, err := filepath.Glob(filepath.Join(folder, "blobs", partPrefix+"*"))
		if err != nil {
			t.Fatal(err)
		}
		resumed = resumed || len(parts) > 0
		r, err := Run(ctx, explorations(), Options{Folder: folder, Engine: &fragileEngine{f}})
		cancel()
		if err == nil {
			if outcomes(r) != want {
				t.Errorf("interrupted %d times:\n%s\nwant\n%s", stops, outcomes(r), want)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || stops > 200 {
			t.Fatal(err)
		}
	}
	if !resumed {
		t.Error("no part was left")
	}
	// Parts of those done, as of a process that was killed just before it removed them.
	x, err := newRunner(t.Context(), explorations(), Options{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range x.tasks {
		if err := x.kept.KeepPart(t.Context(), task.Key, []byte("a part")); err != nil {
			t.Fatal(err)
		}
	}
	more := explorations()
	more.Seeds++ // something to compute
	run(t, more, folder, nil)
	if left, _ := os.ReadDir(filepath.Join(folder, "blobs")); strings.Contains(names(left), partPrefix) {
		t.Errorf("parts are left: %s", names(left))
	}
}

func names(files []os.DirEntry) (list string) {
	for _, f := range files {
		list += f.Name() + " "
	}
	return list
}

// TestGrace: a task that does not return is waited for so long and no longer.
//
//test:race
func TestGrace(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	Handle("deaf "+t.Name(), func(context.Context, []byte, Blobs) ([]byte, error) {
		close(begun)
		<-release
		return []byte("late"), nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	err := (&Local{Grace: time.Millisecond}).Do(ctx, []Task{{Key: strings.Repeat("0", 64), Kind: "deaf " + t.Name()}}, EngineObserver{})
	close(release)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// fragileEngine is a Local whose tasks have the blobs of f.
type fragileEngine struct{ *fragile }

// Do implements Engine.
func (e *fragileEngine) Do(ctx context.Context, tasks []Task, o EngineObserver) error {
	for _, task := range tasks {
		a, _ := Attempt(ctx, task, e.fragile, "b", 1)
		if ctx.Err() != nil && a.Fault != "" {
			return ctx.Err()
		}
		o.answered(a)
		if a.Part {
			e.dropPart(a.Key)
		}
	}
	return nil
}

// deadline has no parts, and tells how long keeping one may take.
type deadline struct{ left time.Duration }

func (d *deadline) KeepPart(ctx context.Context, _ string, _ []byte) error {
	if until, ok := ctx.Deadline(); ok && ctx.Err() == nil {
		d.left = time.Until(until)
	}
	return nil
}

func (d *deadline) Part(context.Context, string) ([]byte, error) { return nil, fs.ErrNotExist }

// TestPartHasTheGrace: a task that is told to end may take as long to keep its part as any engine's grace,
// and one that goes on is not held up for so long.
//
//test:race
func TestPartHasTheGrace(t *testing.T) {
	var d deadline
	b := &taskBlobs{parts: &d, key: "x"}
	ctx, cancel := context.WithCancel(t.Context())
	b.keep(ctx, openPart, new(bytes.Buffer))
	if d.left <= 0 || d.left > DefaultGrace {
		t.Errorf("a task that goes on has %v", d.left)
	}
	cancel()
	b.keep(ctx, openPart, new(bytes.Buffer))
	if d.left <= DefaultGrace || d.left > MaxGrace {
		t.Errorf("a task that is told to end has %v, want more than the default", d.left)
	}
}
