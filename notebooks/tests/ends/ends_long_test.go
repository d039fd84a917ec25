//go:build unix && long

// Package ends looks at what is left when the lab ends, in every way that it can.
package ends

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bayescpace/notebooks/internal/host"
	"bayescpace/notebooks/internal/runner"
	"bayescpace/notebooks/internal/runnertest"
)

// terminal runs a command in a terminal of its own: what it reads is typed there, and
// when it is killed, the terminal closes.
const terminal = "import pty, sys; pty.spawn(sys.argv[1:])"

// execute runs a cell in the kernel of a connection file, and ends when that prints.
const execute = `
import sys
from jupyter_client import BlockingKernelClient

client = BlockingKernelClient(connection_file=sys.argv[1])
client.load_connection_file()
client.start_channels()
client.wait_for_ready()
client.comm_info()  # as JupyterLab asks, whose kernels then prepare completion
client.execute(sys.argv[2])
while True:
    message = client.get_iopub_msg()
    if message["msg_type"] == "stream" and "has begun" in message["content"]["text"]:
        break
    if message["msg_type"] == "error":
        sys.exit(message["content"]["evalue"])
`

// cell is one that goes on until something ends it.
const cell = "import (\n\t\"fmt\"\n\t\"time\"\n)\n\n%%\nfmt.Println(\"has begun\")\ntime.Sleep(time.Hour)"

// process is a line of the process table.
type process struct {
	pid, parent int
	command     string
}

// lab is JupyterLab, started as the README says, in a terminal, while a cell runs.
type lab struct {
	t        *testing.T
	keyboard io.Writer
	terminal process
	mark     string // what all processes of it have in their environments
}

// processes are those of the lab that are there.
func (l *lab) processes() (table []process) {
	l.t.Helper()
	out, err := exec.Command("ps", "axeww", "-o", "pid=,ppid=,args=").Output()
	if err != nil {
		l.t.Fatalf("reading the process table: %v", err)
	}
	for _, line := range strings.Split(string(out), "\n") {
		fields := strings.Fields(line)
		if !strings.Contains(line, l.mark) || len(fields) < 3 {
			continue
		}
		p := process{command: fields[2]}
		p.pid, _ = strconv.Atoi(fields[0])
		p.parent, _ = strconv.Atoi(fields[1])
		for _, word := range fields[3:] {
			if regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`).MatchString(word) {
				break // the environment begins
			}
			p.command += " " + word
		}
		table = append(table, p)
	}
	return table
}

// show is a table of processes as text.
func show(table []process) string {
	var b strings.Builder
	for _, p := range table {
		fmt.Fprintf(&b, "\n%7d %7d %.100s", p.pid, p.parent, p.command)
	}
	return b.String()
}

// find is the process whose command matches, once it is there.
func (l *lab) find(what, command string) (found process) {
	l.t.Helper()
	waitFor(l.t, what+" runs", func() bool {
		for _, p := range l.processes() {
			if regexp.MustCompile(command).MatchString(p.command) {
				found = p
				return true
			}
		}
		return false
	})
	return found
}

func (l *lab) goRun() process   { return l.find("go run", `^(\S*/)?go run `) }
func (l *lab) program() process { return l.find("the program", `/notebooks lab `) }

// signal sends a signal to a process.
func (l *lab) signal(p process, s syscall.Signal) {
	l.t.Helper()
	if err := syscall.Kill(p.pid, s); err != nil {
		l.t.Errorf("%v to %s: %v", s, p.command, err)
	}
}

func (l *lab) controlC() {
	l.t.Helper()
	if _, err := l.keyboard.Write([]byte{3}); err != nil {
		l.t.Error(err)
	}
}

// Whatever ends the lab, nothing of it stays.
func TestWaysOut(t *testing.T) {
	s := runnertest.Kernel(t, "")
	for name, out := range map[string]func(l *lab, said func(string)){
		"Ctrl-C": func(l *lab, _ func(string)) { l.controlC() },
		"Ctrl-C twice": func(l *lab, said func(string)) {
			l.controlC()
			said("Ctrl-C again")
			l.controlC()
		},
		"SIGTERM":               func(l *lab, _ func(string)) { l.signal(l.program(), syscall.SIGTERM) },
		"SIGTERM to go run":     func(l *lab, _ func(string)) { l.signal(l.goRun(), syscall.SIGTERM) },
		"a closed terminal":     func(l *lab, _ func(string)) { l.signal(l.terminal, syscall.SIGKILL) },
		"kill -9":               func(l *lab, _ func(string)) { l.signal(l.program(), syscall.SIGKILL) },
		"kill -9 of go run":     func(l *lab, _ func(string)) { l.signal(l.goRun(), syscall.SIGKILL) },
		"kill -9 of JupyterLab": func(l *lab, _ func(string)) { l.signal(l.find("JupyterLab", ` -m jupyterlab`), syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, log := startLab(t, s)
			said := func(words string) {
				waitFor(t, "the lab says "+words, func() bool { return strings.Contains(read(t, log), words) })
			}
			for what, command := range map[string]string{"JupyterLab": ` -m jupyterlab`, "GoNB": `/gonb --kernel`, "gopls": `/gopls\b`, "the cell's program": `/gonb_\w+/`} {
				l.find(what, command)
			}
			t.Logf("before:%s", show(l.processes()))
			begin := time.Now()
			out(l, said)
			waitFor(t, "no process is left", func() bool { return len(l.processes()) == 0 })
			t.Logf("after %v: nothing", time.Since(begin).Round(time.Second/10))
			text := read(t, log)
			if strings.Contains(text, "Traceback") || strings.Contains(text, "goroutine ") {
				t.Errorf("the terminal shows where programs were:\n%s", text)
			}
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	begin := time.Now()
	// To look costs a table of all processes: the longer it takes, the rarer it is looked at.
	for pause := 50 * time.Millisecond; !holds(); pause = min(2*pause, 400*time.Millisecond) {
		if time.Since(begin) > runnertest.Patience {
			t.Fatalf("after %v still not: %s", runnertest.Patience, what)
		}
		time.Sleep(pause)
	}
}

// startLab starts JupyterLab in a terminal, and a cell in a kernel of it. It returns
// the file of what the terminal shows as well.
func startLab(t *testing.T, s *runner.Session) (l *lab, log string) {
	t.Helper()
	// The mark ends with what no name has: the mark of "kill -9" is in no other's.
	l = &lab{t: t, mark: fmt.Sprintf("BAYESCPACE_TEST_MARK=%d-%s;", os.Getpid(), strings.ReplaceAll(t.Name(), " ", "-"))}
	shown, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer shown.Close()
	python := filepath.Join(s.Private, "venv", "bin", "python")
	cmd := exec.Command(python, "-c", terminal, "go", "run", "./notebooks", "lab", "--no-browser", "--port", fmt.Sprint(runnertest.FreePort(t)), t.TempDir())
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.Root, shown, shown
	cmd.Env = append(os.Environ(), l.mark)
	host.OwnGroup(cmd)
	if l.keyboard, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l.terminal = process{pid: cmd.Process.Pid, command: "the terminal"}
	t.Cleanup(func() {
		for _, p := range l.processes() { // of a test that has failed
			t.Logf("left: %7d %.100s", p.pid, p.command)
			syscall.Kill(p.pid, syscall.SIGKILL)
		}
		cmd.Wait()
		if t.Failed() {
			t.Logf("the terminal showed\n%s", read(t, shown.Name()))
		}
	})
	address := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/lab\?token=([0-9a-f]+)`)
	var at []string
	waitFor(t, "JupyterLab tells its address", func() bool {
		at = address.FindStringSubmatch(read(t, shown.Name()))
		return at != nil
	})
	var response *http.Response
	waitFor(t, "JupyterLab listens there", func() bool { // it tells the address a moment before
		request, err := http.NewRequestWithContext(t.Context(), "POST", at[1]+"/api/kernels", strings.NewReader(`{"name": "bayescpace"}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "token "+at[2])
		response, err = http.DefaultClient.Do(request)
		return err == nil
	})
	defer response.Body.Close()
	var kernel struct{ ID string }
	if err := json.NewDecoder(response.Body).Decode(&kernel); err != nil || kernel.ID == "" {
		t.Fatalf("starting a kernel: %s, %v", response.Status, err)
	}
	out, err := exec.CommandContext(t.Context(), python, "-c", execute, filepath.Join(s.Private, "runtime", "kernel-"+kernel.ID+".json"), cell).CombinedOutput()
	if err != nil {
		t.Fatalf("running a cell: %v\n%s", err, out)
	}
	return l, shown.Name()
}
