package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"

	"bayescpace/bcpace/sweep"
)

// roles are what the test program does instead of tests, by its first argument.
var roles = map[string]func(args []string) error{"child": childRole}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		if v := os.Getenv(versionVariable); v != "" {
			version = func() sweep.Version { return sweep.Version{Code: v, Go: "go1", Arch: "none"} }
		}
		if err := roles[os.Args[1]](os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const versionVariable = "BCPACE_TEST_VERSION"

// childRole is a worker process.
func childRole([]string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Child(ctx, os.Stdin, os.Stdout, func(need string) error {
		if need != "walls" {
			return errors.New("it has walls alone")
		}
		return nil
	})
}

// childCommand starts a worker process of this program.
func childCommand() []string { return []string{os.Args[0], "child"} }

// testInput is the input of tasks: Milli is a time to wait, Rounds how much to compute.
type testInput struct {
	Milli  int    `json:"milli,omitempty"`
	Rounds int    `json:"rounds,omitempty"`
	Text   string `json:"text"`
}

func init() {
	sweep.Handle("hash", func(ctx context.Context, input []byte, _ sweep.Blobs) ([]byte, error) {
		in, err := inputOf(input)
		if err != nil {
			return nil, err
		}
		if err := pause(ctx, time.Duration(in.Milli)*time.Millisecond); err != nil {
			return nil, err
		}
		return hashed(in.Text), nil
	})
	sweep.Handle("rounds", func(_ context.Context, input []byte, _ sweep.Blobs) ([]byte, error) {
		in, err := inputOf(input)
		if err != nil {
			return nil, err
		}
		for range in.Rounds {
			hashed(in.Text)
		}
		return hashed(in.Text), nil
	})
	// A task that ends its process: the stack overflows, at a limit that is reached soon.
	sweep.Handle("poison", func(_ context.Context, input []byte, _ sweep.Blobs) ([]byte, error) {
		debug.SetMaxStack(1 << 20)
		var overflow func(int) int
		overflow = func(n int) int { return overflow(n+1) + n }
		return []byte(strconv.Itoa(overflow(0))), nil
	})
	sweep.Handle("panic", func(context.Context, []byte, sweep.Blobs) ([]byte, error) { panic("on purpose") })
	sweep.Handle("error", func(context.Context, []byte, sweep.Blobs) ([]byte, error) { return nil, errors.New("it cannot be") })
	// A task that never ends, not even when it is told to.
	sweep.Handle("deaf", func(context.Context, []byte, sweep.Blobs) ([]byte, error) { select {} })
	sweep.Handle("blob", func(ctx context.Context, input []byte, blobs sweep.Blobs) ([]byte, error) {
		data, err := blobs.Get(ctx, string(input))
		if err != nil {
			return nil, err
		}
		name, err := blobs.Put(ctx, append(data, '!'))
		return []byte(name), err
	})
}

func inputOf(data []byte) (in testInput, err error) {
	err = json.Unmarshal(data, &in)
	return in, err
}

func hashed(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// taskOf returns a task.
func taskOf(kind string, in testInput) sweep.Task {
	input, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(append([]byte(kind+"/"), input...))
	return sweep.Task{Key: hex.EncodeToString(sum[:]), Name: "trial " + in.Text, Kind: kind, Input: input}
}

// tasksOf returns n tasks of a kind.
func tasksOf(kind string, n int, in testInput) (tasks []sweep.Task) {
	for i := range n {
		in.Text = strconv.Itoa(i)
		tasks = append(tasks, taskOf(kind, in))
	}
	return tasks
}

// collect has an engine compute tasks and returns the answers by key. It fails where one
// comes twice.
func collect(t *testing.T, ctx context.Context, e sweep.Engine, tasks []sweep.Task) (map[string]sweep.Answer, error) {
	t.Helper()
	answers := make(map[string]sweep.Answer)
	err := e.Do(ctx, tasks, sweep.EngineObserver{Answered: func(a sweep.Answer) {
		if _, twice := answers[a.Key]; twice {
			t.Errorf("task %s is answered twice", a.Key)
		}
		answers[a.Key] = a
	}})
	return answers, err
}

// same fails unless there is an answer for each task, with the bytes that its handler returns
// in this process.
func same(t *testing.T, tasks []sweep.Task, answers map[string]sweep.Answer) {
	t.Helper()
	if len(answers) != len(tasks) {
		t.Fatalf("%d answers for %d tasks", len(answers), len(tasks))
	}
	for _, task := range tasks {
		a, ok := answers[task.Key]
		in, err := inputOf(task.Input)
		if err != nil {
			t.Fatal(err)
		}
		if want := hashed(in.Text); !ok || a.Fault != "" || string(a.Output) != string(want) {
			t.Fatalf("%s: output %x, fault %q, want output %x", task.Name, a.Output, a.Fault, want)
		}
	}
}

// embed starts an engine with workers, which ends with the test.
func embed(t testing.TB, c Embedded) *Cluster {
	t.Helper()
	if c.Folder == "" {
		c.Folder = t.TempDir()
	}
	c.Command = childCommand()
	e, err := Embed(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
