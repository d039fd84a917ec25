package sweep

import (
	"context"
	"errors"
	"math"
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

// fragile is a pace that ends a context after so many parts.
type fragile struct {
	every
	left *atomic.Int64
	end  context.CancelFunc
}

func (f *fragile) Done() {
	f.every.Done()
	if f.left.Add(-1) == 0 {
		f.end()
	}
}

// ends has the context of tasks end after so many parts, with a part every few updates.
func ends(t *testing.T, n int, parts int64, end context.CancelFunc) {
	was, left := newPace, new(atomic.Int64)
	left.Store(parts)
	newPace = func() pace { return &fragile{every{n, n}, left, end} }
	t.Cleanup(func() { newPace = was })
}

// TestTrialGoesOn: a trial whose context ends again and again, at random moments, has the same
// outcome and the same run, byte for byte, as one that nobody disturbs.
//
//test:race
func TestTrialGoesOn(t *testing.T) {
	x, err := newRunner(t.Context(), explorations(), Options{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(41, 1))
	for i, task := range x.tasks {
		paced(t, math.MaxInt)
		want, kept := x.kept.attempt(t.Context(), task)
		if want.Fault != "" || kept {
			t.Fatalf("task %d: %+v", i, want)
		}
		resumed := 0
		for times := 0; ; times++ {
			ctx, cancel := context.WithCancel(t.Context())
			ends(t, 3, int64(1+r.IntN(3)), cancel)
			var timer *time.Timer
			if r.IntN(2) == 0 {
				timer = time.AfterFunc(time.Duration(r.IntN(3000))*time.Microsecond, cancel)
			}
			if _, err := x.kept.part(task.key); err == nil {
				resumed++
			}
			got, kept := x.kept.attempt(ctx, task)
			if timer != nil {
				timer.Stop()
			}
			cancel()
			if got.Fault == "" {
				if string(got.Outcome) != string(want.Outcome) {
					t.Errorf("task %d, ended %d times: %s, want %s", i, times, got.Outcome, want.Outcome)
				}
				if resumed > 0 && !kept {
					t.Errorf("task %d does not say that there is a part", i)
				}
				break
			}
			if times > 1000 {
				t.Fatalf("task %d does not come to its end: %s", i, got.Fault)
			}
		}
		if resumed == 0 {
			t.Errorf("task %d was never resumed", i)
		}
	}
}

// TestPartsOfNoUse: a part that is damaged or is of another solver changes
// nothing; and a trial with a time limit keeps none.
func TestPartsOfNoUse(t *testing.T) {
	paced(t, 1)
	s := explorations()
	s.Seeds = 1
	x, err := newRunner(t.Context(), s, Options{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	l := x.kept
	want, kept := l.attempt(t.Context(), x.tasks[0])
	if want.Fault != "" || !kept {
		t.Fatalf("%+v", want)
	}
	good, err := l.part(x.tasks[0].key)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := strings.CutPrefix(string(good), endedPart); !ok {
		t.Errorf("the last part begins with %.40q", good)
	}
	if other, _ := l.attempt(t.Context(), x.tasks[2]); other.Fault != "" {
		t.Fatal(other.Fault)
	}
	of, err := l.part(x.tasks[2].key)
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string][]byte{"damaged": append(good[:len(good)-1:len(good)-1], good[len(good)-1]+1), "cut": good[:len(good)/2], "empty": {}, "foreign": []byte("a text"), "of another solver": of} {
		if err := l.keepPart(x.tasks[0].key, part); err != nil {
			t.Fatal(err)
		}
		if got, _ := l.attempt(t.Context(), x.tasks[0]); string(got.Outcome) != string(want.Outcome) {
			t.Errorf("%s: %s, %s", name, got.Outcome, got.Fault)
		}
	}
	s.Base.Timeout = Duration(time.Hour)
	if x, err = newRunner(t.Context(), s, Options{Folder: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if got, kept := x.kept.attempt(t.Context(), x.tasks[0]); got.Fault != "" || kept {
		t.Errorf("with a time limit: %+v", got)
	}
}

// TestSweepGoesOn: a sweep that is interrupted in the middle of its trials goes on within them, and
// leaves no part behind when it is done.
//
//test:race
func TestSweepGoesOn(t *testing.T) {
	paced(t, 2)
	want := outcomes(run(t, explorations(), t.TempDir()))
	folder := t.TempDir()
	resumed := false
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		ends(t, 2, 3, cancel)
		parts, err := filepath.Glob(filepath.Join(folder, blobFolder, partPrefix+"*"))
		if err != nil {
			t.Fatal(err)
		}
		resumed = resumed || len(parts) > 0
		r, err := Run(ctx, explorations(), Options{Folder: folder, Workers: 2})
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
		if err := x.kept.keepPart(task.key, []byte("a part")); err != nil {
			t.Fatal(err)
		}
	}
	more := explorations()
	more.Seeds++ // something to compute
	run(t, more, folder)
	if left, _ := os.ReadDir(filepath.Join(folder, blobFolder)); strings.Contains(names(left), partPrefix) {
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
	l := &local{folder: t.TempDir(), grace: time.Millisecond, compute: func(context.Context, task, *taskPart) ([]byte, error) {
		close(begun)
		<-release
		return []byte("late"), nil
	}}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	err := l.do(ctx, tasks("deaf"), func(entry, bool) {}, func([]string, int) {})
	close(release)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
