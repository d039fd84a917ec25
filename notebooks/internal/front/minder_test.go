//go:build unix

package front

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The minder ends whole groups and removes folders, and passes over what it cannot
// read: to end what nobody named would be worse.
func TestMind(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", "sleep 600 & wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	folder, other := filepath.Join(t.TempDir(), "a folder"), t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Mind(strings.NewReader("group 0\ngroup 1\ngroup x\n" + other + "\nfolder " + folder + "\ngroup " + fmt.Sprint(cmd.Process.Pid) + "\n")); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the group ended with %v", err)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}
