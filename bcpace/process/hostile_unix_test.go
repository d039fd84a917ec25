//go:build unix

package process_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/process"
)

// A simulator that answers hello, and then does what stands in place of ANSWER.
const hostile = `
import json, os, sys, time
open(FOLDER + "/" + str(os.getpid()), "w").close()
MODEL = {"name": "h", "latents": ["a", "b"], "discount": 0.9, "reward_min": 0, "reward_max": 1, "likelihood": True,
         "axes": [{"name": "x", "min": 0, "max": 1}, {"name": "y", "min": 0, "max": 1}], "actions": ["go"]}
def say(text, end="\n"):
    sys.stdout.write(text + end); sys.stdout.flush()
def right(q):
    say(json.dumps({"id": q["id"], "next": [[0, 0] for _ in q["states"]], "reward": [0] * len(q["states"]), "done": [False] * len(q["states"])}))
for line in sys.stdin:
    q = json.loads(line)
    id = q["id"]
    if q["ask"] == "hello":
        HELLO
    elif q["ask"] == "likelihood":
        say('{"id":%d,"log":[[0,null]]}' % id)
    else:
        ANSWER
`

// program returns a hostile simulator, and the folder where each of its processes leaves its number.
func program(t *testing.T, greeting, answer string) (process.Program, string) {
	t.Helper()
	folder := t.TempDir()
	if greeting == "" {
		greeting = `say(json.dumps({"id": id, "protocol": 1, "model": MODEL}))`
	}
	text := strings.NewReplacer("HELLO", greeting, "ANSWER", answer).Replace(hostile)
	text = strings.ReplaceAll(text, "FOLDER", strconv.Quote(folder))
	return process.Program{Command: []string{python(t), "-I", "-S", "-c", text}, Processes: 1, Timeout: time.Minute}, folder
}

// stepped returns the error with which Step panics.
func stepped(m bcpace.Model) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = p.(error)
		}
	}()
	m.Step(make([]float64, 2), make([]float64, 2), 0, 0, rand.New(rand.NewPCG(1, 1)))
	return nil
}

// left returns the number of processes that were started, and fails if one of them is still there.
func left(t *testing.T, folder string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		pid, err := strconv.Atoi(filepath.Base(name))
		if err != nil {
			t.Fatal(err)
		}
		if syscall.Kill(pid, 0) == nil && !zombie(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
	return len(files)
}

// zombie reports whether a process has ended and nobody has waited for it, as may be for what a process started.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(text), ") Z ")
}

// goroutines waits until no more goroutines run than before, or fails.
func goroutines(t *testing.T, before int) {
	t.Helper()
	for range 6000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines are left, there were %d", runtime.NumGoroutine(), before)
}

// TestHostileAnswers: whatever a process writes, the error says what is wrong, and nothing is left.
//
//test:race
func TestHostileAnswers(t *testing.T) {
	one := func(fields string) string { return `say('{"id":%d,` + fields + `}' % id)` }
	for name, x := range map[string]struct{ answer, want string }{
		"garbage":            {`say("hello, world")`, `it wrote "hello, world", which is no answer`},
		"printed before":     {`print("debug"); right(q)`, "print anything else to standard error"},
		"empty line":         {`say("")`, "which is no answer"},
		"another value":      {`say("[1, 2]")`, "which is no answer"},
		"two objects":        {`say("{}{}")`, "there is more after the object"},
		"no id":              {`say("{}")`, "an answer without id"},
		"another id":         {`say('{"id":99}')`, "an answer with id 99, want 2"},
		"an answer too many": {`right(q); right(q)`, "an answer with id 2, want 3"},
		"unknown key":        {one(`"rewards":[0]`), `unknown field "rewards"; an answer has the keys that`},
		"nothing":            {`say('{"id":%d}' % id)`, `has 0 numbers in "reward", want 1`},
		"no done":            {one(`"next":[[0,0]],"reward":[0]`), `has 0 truth values in "done", want 1`},
		"too many states":    {one(`"next":[[0,0],[0,0]],"reward":[0],"done":[false]`), `has 2 states in "next", want 1`},
		"short state":        {one(`"next":[[0]],"reward":[0],"done":[false]`), `has 1 numbers in a state in "next", want 2`},
		"NaN":                {one(`"next":[[NaN,0]],"reward":[0],"done":[false]`), "which is no answer: invalid character 'N' looking for beginning of value; an answer has the keys that bcpace/process/README.md lists, and JSON has no NaN"},
		"null":               {one(`"next":[[null,0]],"reward":[0],"done":[false]`), "null stands where a number must be"},
		"null for done":      {one(`"next":[[0,0]],"reward":[0],"done":[null]`), `null in "done"`},
		"too large":          {one(`"next":[[1e999,0]],"reward":[0],"done":[false]`), "1e999 stands where a number must be"},
		"text":               {one(`"next":[["0",0]],"reward":[0],"done":[false]`), `"0" stands where a number must be`},
		"reported":           {one(`"error":"the pole broke"`), `it answered with the error "the pole broke"`},
		"silence":            {`time.sleep(600)`, "it did not answer step within 200ms"},
		"half a line":        {`say('{"id":2,"next":', end=""); time.sleep(600)`, "it did not answer step within 200ms"},
		"half a line, death": {`say('{"id":2,"next":', end=""); os._exit(3)`, "it ended before it answered step (exit status 3)"},
		"death":              {`sys.exit("no more")`, `it ended before it answered step (exit status 1); the last line on its standard error is "no more"; it was started anew 3 times`},
		"signal":             {`os.kill(os.getpid(), 9)`, "signal: killed"},
		"closed output":      {`os.close(1); time.sleep(600)`, "it ended before it answered step"},
		"endless line":       {"\n        while True: say('x' * 100000, end='')", "a line of more than"},
		"endless lines":      {"\n        while True: say('x')", `it wrote "x", which is no answer`},
		"a child that stays": {`import subprocess; subprocess.Popen(["sleep", "600"]); os._exit(4)`, "exit status 4"},
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			p, folder := program(t, "", x.answer)
			if strings.Contains(x.want, "within") {
				p.Timeout = 200 * time.Millisecond
			}
			m, err := process.Start(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			err = stepped(m)
			if err == nil { // of an answer too many, the second request tells
				err = stepped(m)
			}
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("got %v\nwant %s", err, x.want)
			}
			if again := stepped(m); name != "reported" && fmt.Sprint(again) != fmt.Sprint(err) {
				t.Errorf("after %v, a step gives %v", err, again)
			}
			m.Close()
			if n, most := left(t, folder), 1+3*strings.Count(x.want, "anew")+4; n > most {
				t.Errorf("%d processes were started, want %d at most", n, most)
			}
			goroutines(t, before)
		})
	}
}

// TestHostileGreetings: what is no simulator, or speaks otherwise, is refused with what is wrong.
//
//test:race
func TestHostileGreetings(t *testing.T) {
	model := func(change string) string {
		return `m = dict(MODEL); ` + change + `; say(json.dumps({"id": id, "protocol": 1, "model": m}))`
	}
	for name, x := range map[string]struct{ greeting, want string }{
		"an echo":      {`say(line.strip())`, `unknown field "ask"`},
		"no version":   {`say(json.dumps({"id": id, "model": MODEL}))`, `has no "protocol", want 1`},
		"version 2":    {`say(json.dumps({"id": id, "protocol": 2, "model": MODEL}))`, "version 2 of the protocol, and this program version 1"},
		"no model":     {`say(json.dumps({"id": id, "protocol": 1}))`, `has no "model"`},
		"an error":     {`say(json.dumps({"id": id, "error": "not today"}))`, `answered hello with the error "not today"`},
		"death":        {`raise ValueError("no file")`, `the last lines on its standard error are "Traceback (most recent call last):", "File \"<string>\", line 14, in <module>", "ValueError: no file"`},
		"no axes":      {model(`m["axes"] = []`), "Spec.Axes is none, want at least one axis"},
		"discount":     {model(`m["discount"] = 2`), "Spec.Discount is 2, want a value in (0, 1)"},
		"unknown key":  {model(`m["gamma"] = 0.9`), `unknown field "gamma"`},
		"of an axis":   {model(`m["axes"] = [{"name": "x", "lo": 0}]`), `unknown field "lo"`},
		"of an action": {model(`m["actions"] = [{"nam": "go"}]`), `unknown field "nam"`},
		"scale":        {model(`m["axes"] = [{"name": "x", "max": 1, "scale": "big"}]`), `the scale of an axis is "big", want a number or "inf"`},
		"prior":        {model(`m["prior"] = [0.5, 0.2]`), "sum"},
		"its length":   {model(`m["prior"] = [1]`), "want 2 probabilities, one for each latent"},
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			p, folder := program(t, x.greeting, "pass")
			m, err := process.Start(t.Context(), p)
			if err == nil {
				m.Close()
			}
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("got %v\nwant %s", err, x.want)
			}
			left(t, folder)
			goroutines(t, before)
		})
	}
}

// A process that dies now and then is started anew, and the answers are those that it would have given.
func TestStartedAnew(t *testing.T) {
	answer := `
        mark = FOLDER + "/died"
        if not os.path.exists(mark):
            open(mark, "w").close(); os._exit(1)
        os.remove(mark); right(q)`
	folder := t.TempDir()
	p, _ := program(t, "", "pass")
	p.Command[4] = strings.NewReplacer("pass", strings.ReplaceAll(answer, "FOLDER", strconv.Quote(folder))).Replace(p.Command[4])
	m := begin(t, p)
	for range 3 {
		if err := stepped(m); err != nil {
			t.Fatal(err)
		}
	}
}

// Of things asked for together, one that the simulator refuses has its error, and the others their answers.
//
//test:race
func TestOneOfManyFails(t *testing.T) {
	p, _ := program(t, "", `
        if any(s[0] == 1 for s in q["states"]): say(json.dumps({"id": id, "error": "no step from 1"}))
        else: right(q)`)
	m := begin(t, p)
	var group sync.WaitGroup
	errs := make([]error, 40)
	for i := range errs {
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = p.(error)
				}
			}()
			for range 5 {
				m.Step(make([]float64, 2), []float64{float64(i / 39), 0}, 0, 0, rand.New(rand.NewPCG(1, uint64(i))))
			}
		})
	}
	group.Wait()
	for i, err := range errs {
		if (i == 39) != (err != nil && strings.Contains(err.Error(), "no step from 1")) {
			t.Errorf("step %d: %v", i, err)
		}
	}
}

// Another description from a second process is refused.
func TestDescriptionsDiffer(t *testing.T) {
	p, _ := program(t, `m = dict(MODEL, name=str(os.getpid())); say(json.dumps({"id": id, "protocol": 1, "model": m}))`, `os._exit(1)`)
	m := begin(t, p)
	if err := stepped(m); err == nil || !strings.Contains(err.Error(), "described another model") {
		t.Errorf("got %v", err)
	}
}

// A process that is still at work does not keep Close from ending it.
//
//test:race
func TestCloseWhileItWorks(t *testing.T) {
	t.Parallel()
	p, folder := program(t, "", `open(FOLDER + "/asked", "w").close(); time.sleep(600)`)
	p.Timeout = time.Hour
	m := begin(t, p)
	stopped := make(chan error)
	go func() { stopped <- stepped(m) }()
	asked := filepath.Join(folder, "asked")
	for range 6000 {
		if _, err := os.Stat(asked); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := os.Remove(asked); err != nil {
		t.Fatal(err)
	}
	m.Close()
	if err := <-stopped; err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("got %v", err)
	}
	left(t, folder)
}
