package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/sweep"
)

func init() {
	roles["small-disk"] = smallDiskRole
	sweep.Handle("large", func(_ context.Context, input []byte, _ sweep.Blobs) ([]byte, error) {
		return large(input), nil
	})
}

// large returns an output that a small disk holds some of.
func large(input []byte) []byte { return bytes.Repeat(hashed(string(input)), 4<<10) }

// smallDiskRole computes what does not fit on its disk, makes space there, and computes it
// again. It has a mount namespace of its own.
func smallDiskRole(args []string) error {
	disk := args[0]
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=32m"); err != nil {
		return fmt.Errorf("mounting: %w", err)
	}
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 24<<20), 0o600); err != nil {
		return err
	}
	tasks := tasksOf("large", 60, testInput{})
	folder := filepath.Join(disk, "sweep")
	attempt := func() (kept int, err error) {
		e, err := Embed(context.Background(), Embedded{Folder: folder, Workers: 1, Command: childCommand()})
		if err != nil {
			return 0, err
		}
		defer e.Close()
		return kept, e.Do(context.Background(), tasks, sweep.EngineObserver{Answered: func(a sweep.Answer) {
			for _, task := range tasks {
				if task.Key == a.Key && bytes.Equal(a.Output, large(task.Input)) {
					kept++
				}
			}
		}})
	}
	kept, err := attempt()
	if err == nil {
		return errors.New("60 outputs fit on the small disk")
	}
	fmt.Printf("full after %d: %v\n", kept, err)
	if err := os.Remove(ballast); err != nil {
		return err
	}
	kept, err = attempt()
	fmt.Printf("then %d: %v\n", kept, err)
	return nil
}

// TestFullDisk: where the disk is full, the error says so and names the folder; with more
// space, a later run has every answer.
func TestFullDisk(t *testing.T) {
	cmd := exec.Command(os.Args[0], "small-disk", t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || strings.Contains(stderr.String(), "mounting: ") {
			runtest.Lacks(t, fmt.Sprintf("this system lets nobody mount a disk of his own: %v %s", err, stderr.String()))
		}
		t.Fatalf("%v: %s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	t.Logf("%q", lines)
	if len(lines) != 2 || !strings.Contains(lines[0], "disk is full") || !strings.Contains(lines[0], "/sweep") || lines[1] != "then 60: <nil>" {
		t.Errorf("%q, want an error that names the folder, and then 60 answers", lines)
	}
}
