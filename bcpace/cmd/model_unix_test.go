//go:build unix

package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestModelPipe: a model may come through a pipe, and a pipe that says nothing holds
// no verb up once it is interrupted or out of time.
func TestModelPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "tiger.pomdpx")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join("..", "..", "data", "tiger.pomdpx")
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, text, 0) }()
	var out, stderr bytes.Buffer
	if code := run(t.Context(), []string{"solve", "--model", pipe, "--json"}, &out, &stderr); code != exitOK || !strings.Contains(out.String(), `"model":"tiger"`) {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
	if err := <-written; err != nil {
		t.Error(err)
	}

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx        context.Context
		args, want string
	}{
		{gone, "solve --model " + pipe, "interrupted while reading the model " + pipe},
		{gone, "solve --resume x.bcp --model " + pipe, "interrupted while reading the model " + pipe},
		{gone, "eval --model " + pipe, "interrupted while reading the model " + pipe},
		{gone, "eval --model " + pipe + " --policy x.policy", "interrupted before there was anything to keep"},
		{t.Context(), "solve --timeout 1ms --model " + pipe, "out of time after 1ms, while reading the model " + pipe + "; give more time"},
		{t.Context(), "eval --timeout 1ms --model " + pipe, "out of time after 1ms, while reading the model " + pipe},
	} {
		var out, stderr bytes.Buffer
		code, status := run(c.ctx, line(c.args), &out, &stderr), exitError
		if c.ctx.Err() != nil {
			status = exitInterrupted
		}
		if code != status || out.Len() > 0 || !strings.HasPrefix(stderr.String(), "bcpace: "+c.want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("bcpace %s: exit code %d, stderr %q, want %q", c.args, code, stderr.String(), c.want)
		}
	}
	// A policy is a regular file, as a run is: nothing waits for who writes into a pipe.
	if code, stdout, stderr := call(t, "eval", "--model", model, "--policy", pipe); code != exitError || stdout != "" || !strings.Contains(stderr, pipe+" is a pipe") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, output %q, error %q", code, stdout, stderr)
	}
}
