//go:build unix

package jetstream

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bayescpace/bcpace/sweep"
)

// pidVariable names a folder in which each worker process makes a file with its number.
const pidVariable = "BCPACE_TEST_PIDS"

func init() {
	if folder := os.Getenv(pidVariable); folder != "" && len(os.Args) > 1 && os.Args[1] == "child" {
		if err := os.WriteFile(filepath.Join(folder, strconv.Itoa(os.Getpid())), nil, 0o600); err != nil {
			panic(err)
		}
	}
	roles["coordinate"] = coordinateRole
}

// workerPIDs has worker processes note their numbers, and returns a function that lists those
// that live.
func workerPIDs(t *testing.T) (live func() []int) {
	folder := t.TempDir()
	t.Setenv(pidVariable, folder)
	return func() (pids []int) {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Error(err)
		}
		for _, f := range files {
			if pid, err := strconv.Atoi(f.Name()); err == nil && lives(pid) {
				pids = append(pids, pid)
			} else {
				os.Remove(filepath.Join(folder, f.Name()))
			}
		}
		return pids
	}
}

// lives reports whether a process runs: one that has ended and waits for who started it, which
// is init where that has ended too, does not.
func lives(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// hang ends a test that waits for what does not come.
const hang = 5 * time.Minute

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(hang); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after %v", what, hang)
		}
	}
}

// seeded is the source of a test's random moments.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// TestKilledWorkers: workers are killed at 100 moments, also while they start, keep an answer
// or tell of it; every task is answered once with the right bytes.
//
//test:race
func TestKilledWorkers(t *testing.T) {
	kills := 100
	if testing.Short() {
		kills = 5
	}
	live := workerPIDs(t)
	e := embed(t, Embedded{Workers: 2, Options: Options{Tries: maxTries}})
	r := seeded(1)
	var all sync.WaitGroup
	stop, left := make(chan struct{}), make(chan struct{})
	killed := 0
	all.Go(func() {
		for killed < kills {
			select {
			case <-left: // the test has failed, and there may be no worker to kill any more
				return
			case <-time.After(time.Duration(r.IntN(40)) * time.Millisecond):
			}
			if pids := live(); len(pids) > 0 && syscall.Kill(pids[r.IntN(len(pids))], syscall.SIGKILL) == nil {
				killed++
			}
		}
		close(stop)
	})
	defer all.Wait()
	defer close(left)
	for round := 0; ; round++ {
		var tasks []sweep.Task
		for i := range 150 {
			tasks = append(tasks, taskOf("hash", testInput{Milli: r2(i) % 5, Text: fmt.Sprint(round, "/", i)}))
		}
		answers, err := collect(t, t.Context(), e, tasks)
		if err != nil {
			t.Fatal(err)
		}
		same(t, tasks, answers)
		select {
		case <-stop:
			t.Logf("%d workers killed during %d tasks", killed, 150*(round+1))
			return
		default:
		}
	}
}

// r2 scatters numbers.
func r2(i int) int { return i * 7919 >> 3 }

// coordinateRole is a coordinator: its arguments are a folder, a number of tasks and a number
// of workers. It prints each answer, then "end".
func coordinateRole(args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	workers, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	e, err := Embed(context.Background(), Embedded{Folder: args[0], Workers: workers, Command: childCommand(), Options: Options{Lease: time.Second}})
	if err != nil {
		return err
	}
	defer e.Close()
	fmt.Println("ready")
	if err := e.Do(context.Background(), coordinated(n), sweep.EngineObserver{Answered: func(a sweep.Answer) {
		fmt.Println("answer", a.Key, hex.EncodeToString(a.Output), a.Worker, a.Seconds, a.Fault)
	}}); err != nil {
		return err
	}
	fmt.Println("end")
	return nil
}

// coordinated are the tasks of coordinateRole: some take longer than others.
func coordinated(n int) (tasks []sweep.Task) {
	for i := range n {
		tasks = append(tasks, taskOf("hash", testInput{Milli: r2(i) % 8, Text: strconv.Itoa(i)}))
	}
	return tasks
}

// startRole starts this program in a role, and returns what it prints.
func startRole(t *testing.T, role string, args ...string) (cmd *exec.Cmd, lines *bufio.Scanner) {
	t.Helper()
	cmd = exec.Command(os.Args[0], append([]string{role}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd, begin(t, cmd)
}

// begin starts a command, which is killed at the end of the test.
func begin(t *testing.T, cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(hang, func() { cmd.Process.Kill() })
	t.Cleanup(func() {
		late.Stop()
		cmd.Process.Kill()
		io.Copy(io.Discard, stdout)
		cmd.Wait()
	})
	return bufio.NewScanner(stdout)
}

// TestKilledCoordinatorAtFewMoments is TestKilledCoordinator with few moments and fewer tasks.
//
//test:race
func TestKilledCoordinatorAtFewMoments(t *testing.T) {
	kills := 3
	if testing.Short() {
		kills = 2
	}
	killCoordinator(t, kills, 500)
}

// killCoordinator kills a coordinator of n tasks with its server at random moments, and expects
// that what it has answered is kept as it was, its workers end, and the last one answers all.
func killCoordinator(t *testing.T, kills, n int) {
	live := workerPIDs(t)
	r := seeded(2)
	folder, first := t.TempDir(), make(map[string]string)
	for round := 0; ; round++ {
		cmd, lines := startRole(t, "coordinate", folder, strconv.Itoa(n), "2")
		// Some rounds end before the coordinator is ready.
		after, delay := r.IntN(60)-10, time.Duration(r.IntN(20))*time.Millisecond
		if after <= 0 {
			delay = time.Duration(r.IntN(200)) * time.Millisecond
		}
		last := round == kills
		kill := func() {
			time.Sleep(delay)
			cmd.Process.Signal(syscall.SIGKILL)
		}
		var killing sync.WaitGroup
		if after <= 0 && !last {
			killing.Go(kill)
		}
		fresh, seen, ended := 0, make(map[string]bool), false
		for lines.Scan() {
			ended = ended || lines.Text() == "end"
			key, rest, ok := strings.Cut(strings.TrimPrefix(lines.Text(), "answer "), " ")
			if !ok {
				continue
			}
			if seen[key] {
				t.Fatalf("task %s is answered twice", key)
			}
			seen[key] = true
			switch before, known := first[key]; {
			case !known && strings.Contains(rest, " "):
				first[key] = rest
				if fresh++; fresh == after && !last {
					killing.Go(kill)
				}
			case known && before != rest:
				// The line may be the last one, and cut.
				if !strings.HasPrefix(before, rest) && !strings.HasPrefix(rest, before) {
					t.Fatalf("task %s: %s, and before that %s", key, rest, before)
				}
			}
		}
		if !last && fresh < after {
			t.Fatalf("round %d ends after %d new answers, want %d", round, fresh, after)
		}
		killing.Wait()
		err := cmd.Wait()
		eventually(t, "the workers of a dead coordinator end", func() bool { return len(live()) == 0 })
		if !last {
			continue
		}
		if err != nil || !ended || len(seen) != n {
			t.Fatalf("%d answers of %d, end: %v, error %v", len(seen), n, ended, err)
		}
		break
	}
	for _, task := range coordinated(n) {
		in, err := inputOf(task.Input)
		if err != nil {
			t.Fatal(err)
		}
		if want := hex.EncodeToString(hashed(in.Text)); !strings.HasPrefix(first[task.Key], want+" ") {
			t.Fatalf("%s: %s, want %s", task.Name, first[task.Key], want)
		}
	}
}

// TestWorkerOutlivesCoordinator: a worker on another machine goes on while the coordinator is
// killed, finds the next one at the same place, and its answer counts.
//
//test:race
func TestWorkerOutlivesCoordinator(t *testing.T) {
	folder, signals := t.TempDir(), t.TempDir()
	t.Setenv(signalVariable, signals)
	task := taskOf("wait", testInput{Text: "go"})
	coordinator, lines := startRole(t, "coordinate-one", folder, "go")
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the coordinator says %q", lines.Text())
	}
	ctx, stop := context.WithCancel(t.Context())
	worked := make(chan error, 1)
	go func() {
		worked <- Work(ctx, Worker{Server: Server{Address: folder}, Slots: 1, Command: childCommand()})
	}()
	begun := filepath.Join(signals, "begun-go")
	eventually(t, "the task begins", func() bool { _, err := os.Stat(begun); return err == nil })
	coordinator.Process.Kill()
	coordinator.Wait()
	e := embed(t, Embedded{Folder: folder, Options: Options{Lease: time.Second}})
	done := make(chan struct{})
	var answer sweep.Answer
	go func() {
		defer close(done)
		if err := e.Do(ctx, []sweep.Task{task}, sweep.EngineObserver{Answered: func(a sweep.Answer) { answer = a }, Status: func(s sweep.Status) {
			if s.Running == 1 { // the worker has said that it has the task
				os.WriteFile(filepath.Join(signals, "go"), nil, 0o600)
			}
		}}); err != nil {
			t.Error(err)
		}
	}()
	<-done
	stop()
	if err := <-worked; err != nil {
		t.Error(err)
	}
	if string(answer.Output) != "go" || answer.Tries != 1 {
		t.Errorf("answer %+v, want the output go at the first try", answer)
	}
	if begins, err := os.ReadFile(begun); err != nil || string(begins) != "." {
		t.Errorf("the task has begun %q times, want once (%v)", begins, err)
	}
}

// signalVariable names a folder in which tasks of kind "wait" note that they begin, and wait
// for a file.
const signalVariable = "BCPACE_TEST_SIGNALS"

func init() {
	sweep.Handle("wait", func(ctx context.Context, input []byte, _ sweep.Blobs) ([]byte, error) {
		in, err := inputOf(input)
		if err != nil {
			return nil, err
		}
		folder := os.Getenv(signalVariable)
		f, err := os.OpenFile(filepath.Join(folder, "begun-"+in.Text), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		f.WriteString(".")
		if err := f.Close(); err != nil {
			return nil, err
		}
		for {
			if _, err := os.Stat(filepath.Join(folder, in.Text)); err == nil {
				return []byte(in.Text), nil
			}
			if err := pause(ctx, time.Millisecond); err != nil {
				return nil, err
			}
		}
	})
	roles["coordinate-one"] = func(args []string) error {
		e, err := Embed(context.Background(), Embedded{Folder: args[0], Options: Options{Lease: time.Second}})
		if err != nil {
			return err
		}
		defer e.Close()
		fmt.Println("ready")
		return e.Do(context.Background(), []sweep.Task{taskOf("wait", testInput{Text: args[1]})}, sweep.EngineObserver{})
	}
}

// TestStoppedWorker: a worker that hangs loses its task to another one, and does no harm when
// it goes on.
//
//test:race
func TestStoppedWorker(t *testing.T) {
	live := workerPIDs(t)
	signals := t.TempDir()
	t.Setenv(signalVariable, signals)
	begun := func() int {
		data, _ := os.ReadFile(filepath.Join(signals, "begun-a"))
		return len(data)
	}
	e := embed(t, Embedded{Workers: 1, Options: Options{Lease: 300 * time.Millisecond}})
	tasks := []sweep.Task{taskOf("wait", testInput{Text: "a"})}
	answered := make(chan sweep.Answer, len(tasks))
	ended := make(chan error, 1)
	go func() {
		ended <- e.Do(t.Context(), tasks, sweep.EngineObserver{Answered: func(a sweep.Answer) { answered <- a }})
	}()
	eventually(t, "the task begins", func() bool { return begun() == 1 })
	stopped := live()
	if len(stopped) != 1 || syscall.Kill(stopped[0], syscall.SIGSTOP) != nil {
		t.Fatalf("workers %v, want one to stop", stopped)
	}
	ctx, cancel := context.WithCancel(t.Context())
	worked := make(chan error, 1)
	go func() {
		worked <- Work(ctx, Worker{Server: Server{Address: strings.TrimPrefix(e.where, "folder ")}, Slots: 1, Command: childCommand()})
	}()
	eventually(t, "another worker begins the task", func() bool { return begun() == 2 })
	if err := os.WriteFile(filepath.Join(signals, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if a := <-answered; a.Fault != "" || string(a.Output) != "a" || a.Tries != 2 {
		t.Errorf("answer %+v, want the output a at the second try", a)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-worked; err != nil {
		t.Error(err)
	}
	// It finds its task released, and has an answer that comes too late. It is the only worker
	// for what comes now.
	if err := syscall.Kill(stopped[0], syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	more := tasksOf("hash", 10, testInput{})
	answers, err := collect(t, t.Context(), e, more)
	if err != nil {
		t.Fatal(err)
	}
	same(t, more, answers)
	again, err := collect(t, t.Context(), e, tasks)
	if err != nil {
		t.Fatal(err)
	}
	if a := again[tasks[0].Key]; string(a.Output) != "a" || a.Tries != 2 {
		t.Errorf("kept: %+v, want the first answer", a)
	}
}

// TestLeavingWorker: a worker that is told to end hands its task back, and that is no try.
//
//test:race
func TestLeavingWorker(t *testing.T) {
	live := workerPIDs(t)
	signals := t.TempDir()
	t.Setenv(signalVariable, signals)
	begun := func(n int) bool {
		data, _ := os.ReadFile(filepath.Join(signals, "begun-x"))
		return len(data) == n
	}
	e := embed(t, Embedded{Workers: 1, Options: Options{Tries: 1}})
	answered := make(chan sweep.Answer, 1)
	go e.Do(t.Context(), []sweep.Task{taskOf("wait", testInput{Text: "x"})}, sweep.EngineObserver{Answered: func(a sweep.Answer) { answered <- a }})
	for n := range 3 {
		eventually(t, "the task begins", func() bool { return begun(n + 1) })
		if pids := live(); len(pids) != 1 || syscall.Kill(pids[0], syscall.SIGTERM) != nil {
			t.Fatalf("workers %v, want one to end", pids)
		}
	}
	eventually(t, "the task begins", func() bool { return begun(4) })
	if err := os.WriteFile(filepath.Join(signals, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if a := <-answered; a.Fault != "" || a.Tries != 1 || string(a.Output) != "x" {
		t.Errorf("answer %+v, want output x at the first try", a)
	}
}
