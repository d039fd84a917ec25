//go:build unix

package host

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A command and what it has started end with this program, by kill -9 too, and a folder
// that was named goes: the program is this test again, as a process of its own.
func TestGroupEndsWithTheProgram(t *testing.T) {
	const helper = "BAYESCPACE_TEST_GROUP"
	if os.Getenv(helper) != "" {
		cmd := exec.Command("/bin/sh", "-c", `trap '' HUP INT; sleep 600 & wait`)
		cmd.Stdout = os.Stdout
		g, err := StartGroup(cmd)
		if err != nil {
			fmt.Println(err)
		}
		g.Removes(os.Getenv(helper))
		fmt.Println("begun")
		g.Wait()
		return
	}
	folder := filepath.Join(t.TempDir(), "a folder")
	if err := os.MkdirAll(filepath.Join(folder, "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	program := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	program.Env = append(os.Environ(), helper+"="+folder)
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(out)
	if line, err := said.ReadString('\n'); line != "begun\n" {
		t.Errorf("the program said %q, %v", line, err)
	}
	program.Process.Kill()
	io.Copy(io.Discard, said) // until nobody is left who could write
	program.Wait()
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(folder); os.IsNotExist(err) {
			return
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("the folder is still there")
		}
	}
}

// The end of the context ends what the command has started, and the end of the
// command ends what it has left.
//
//test:race
func TestGroupEndsAsAWhole(t *testing.T) {
	for _, then := range []string{"sleep 600", "exit 3"} {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "sleep 600 & echo begun; "+then)
		cmd.Stdout = out
		g, err := StartGroup(cmd)
		if err != nil {
			t.Fatal(err)
		}
		out.Close()
		if then != "exit 3" {
			said := make([]byte, 6)
			io.ReadFull(in, said)
			cancel()
		}
		err = g.Wait()
		left, _ := io.ReadAll(in) // until nobody is left who could write
		if want := map[bool]string{true: "exit status 3", false: "signal: killed"}[then == "exit 3"]; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s; said %q", then, err, want, left)
		}
	}
	if _, err := StartGroup(exec.Command("/nowhere")); err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("a command that is not there: %v", err)
	}
}
